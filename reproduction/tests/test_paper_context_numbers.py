"""Printed standard deviations and learning rates."""

from collections import Counter

import numpy as np
import pytest
from scipy import stats

from hebbian_descent.cli.console import PlainConsole
from reproduction.commands.compare import _print_context
from reproduction.context_numbers import BEST_RATE, context_verdict, summarise_context
from reproduction.printed import PrintedRow, printed_rows
from reproduction.results import Results


def row_with(column, value):
    return PrintedRow("file", "tab:x", {"rule": "hebb"}, {"mae_mean": 0.1}, {column: value}, bold=False)


def std_word(printed, ours, n=10):
    return context_verdict(row_with("mae_std", printed), "mae_std", ours, n).word


def test_standard_deviations_agree_within_the_99_percent_interval_of_their_ratio():
    for n in (3, 10):
        low, high = (np.sqrt(stats.f.ppf(tail, 9, n - 1)) for tail in (0.005, 0.995))
        ours = 1.0
        spread = ours * np.sqrt(n / (n - 1)) / np.sqrt(10 / 9)  # of the trials, by ten of them
        for bound, inside, outside in ((low, 1.01, 0.99), (high, 0.99, 1.01)):
            assert std_word(spread * bound * inside, ours, n) == "agrees"
            assert std_word(spread * bound * outside, ours, n) == "differs"


def test_what_rounds_to_the_printed_deviation_agrees():
    assert std_word(0.0, 0.0) == "agrees"
    assert std_word(0.0, 1e-5) == "agrees"
    assert std_word(0.0001, 0.0) == "differs"
    assert std_word(0.0, 0.001) == "differs"


def test_one_trial_has_no_spread():
    assert std_word(0.1, 0.0, n=1) == "not run"


@pytest.mark.parametrize(
    ("ours", "word"),
    [(0.1, "agrees"), (0.08, "a step apart"), (0.2, "a step apart"), (0.06, "differs"), (100.0, "differs")],
)
def test_rates_agree_if_they_are_the_same(ours, word):
    assert context_verdict(row_with(BEST_RATE, 0.1), BEST_RATE, ours, 10).word == word


def test_every_printed_number_beside_a_result_is_compared(results_folder):
    labels = dict.fromkeys(row.label for row in printed_rows())
    results = Results(results_folder)
    found = [verdict for label in labels for verdict in results.context(label)]
    assert len(found) == 684
    assert {summary.words["not run"] for summary in summarise_context(found)} == {96, 60, 116, 128}


def test_compare_counts_several_in_the_plural(capsys):
    row = row_with("mae_std", 0.1)
    words = Counter({"agrees": 2, "differs": 3, "not run": 1})
    found = [context_verdict(row, "mae_std", 0.1, 2)._replace(word=word) for word in words.elements()]
    _print_context(PlainConsole(), found)
    assert capsys.readouterr().out == "Printed standard deviations: 3 differ, 2 agree, 1 not run.\n"
