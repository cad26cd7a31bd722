"""Differences of two results, draw by draw or trial by trial."""

import numpy as np
import pytest
from scipy import stats

from reproduction.comparison import cell_key, compare_rows
from reproduction.experiments import Measured
from reproduction.paired import compare_pairs, draws_of, judge_pair, summarise_pairs
from reproduction.printed import PrintedRow
from reproduction.swaps import CENTERING, DESCENTS

DRAWN = {"input": "rand", "target": "rand", "activation": "linear"}
WHOLE = {"dataset": "adult", "activation": "linear"}


def row_of(printed, rule, words=DRAWN, label="tab:x"):
    return PrintedRow("file", label, {**words, "rule": rule}, {"mae_mean": printed}, {}, bold=False)


def judged(printed, first, second, words=DRAWN):
    """Judge a printed difference by the draws of two cells, or by the trials of their only draw."""
    rows = [row_of(0.5 + printed, "gradient_descent", words), row_of(0.5, "hebbian_descent", words)]
    draws = {
        ("tab:x", cell_key(row.cell)): measured_draws(row, values)
        for row, values in zip(rows, (first, second), strict=True)
    }
    return judge_pair(DESCENTS, *rows, "mae_mean", draws)


def measured_draws(row, values):
    """Return one draw for each value or, where whole datasets are learned, one trial."""
    each = [(draw, (value,)) for draw, value in enumerate(values)]
    return [
        Measured(
            row.cell,
            {"mae_mean": np.mean(trials)},
            {"mae_mean": 0.0},
            0.1,
            0.0,
            1,
            draw,
            {"mae_mean": trials},
        )
        for draw, trials in (each if "input" in row.cell else [(0, tuple(values))])
    ]


def test_what_both_share_does_not_count():
    """Both scatter by 0.1, their difference by 0.001: it tells 0.02 from 0.01."""
    rng = np.random.default_rng(0)
    shared = rng.normal(0.5, 0.1, 8)
    first = shared + 0.02 + rng.normal(0, 0.001, 8)
    assert (judged(0.02, first, shared).word, judged(0.02, first, shared).direction) == ("agrees", "same")
    assert judged(0.01, first, shared).word == "differs"
    assert judged(-0.02, first, shared).direction == "opposite"


def test_a_difference_in_the_last_printed_digit_is_a_tie_whatever_subtraction_makes_of_it():
    """0.1061 − 0.1060 is a little more than 0.0001 in floating point."""
    rows = [row_of(0.1061, "gradient_descent"), row_of(0.1060, "hebbian_descent")]
    assert rows[0].results["mae_mean"] - rows[1].results["mae_mean"] > 1e-4
    found = judge_pair(DESCENTS, *rows, "mae_mean", {})
    assert found.printed == 0.0001
    draws = {
        ("tab:x", cell_key(row.cell)): measured_draws(row, [0.3 + 0.01 * i for i in range(6)]) for row in rows
    }
    assert judge_pair(DESCENTS, *rows, "mae_mean", draws).word == "agrees"


@pytest.mark.parametrize(("words", "more"), [(DRAWN, 1), (WHOLE, 1 / 10)])
def test_the_interval_is_that_of_one_more_draw_or_of_the_mean_of_ten_more_trials(words, more):
    rng = np.random.default_rng(1)
    second = rng.normal(0.5, 0.1, 6)
    differences = 0.5 + rng.normal(0, 0.02, 6)
    half = stats.t.ppf(0.995, 5) * differences.std(ddof=1) * np.sqrt(1 / 6 + more)
    for factor, word in ((0.99, "agrees"), (1.01, "differs")):
        found = judged(differences.mean() + factor * half, second + differences, second, words)
        assert (found.word, found.n) == (word, 6)
        assert found.sd == pytest.approx(differences.std(ddof=1))


def test_it_is_undecided_if_the_opposite_would_agree_or_the_draws_are_few():
    differences = np.array([0.004, -0.003, 0.002, -0.004, 0.003])
    second = np.full(5, 0.5)
    assert judged(0.002, second + differences, second).word == "undecided"
    assert judged(0.002, second + 0.002, second).word == "agrees"
    assert judged(0.002, second[:4] + 0.002, second[:4]).word == "undecided"
    assert judged(0.002, second[:1] + 0.002, second[:1]).word == "undecided"
    assert judged(0.002, (), second).word == "unpaired"


def test_an_interval_wider_than_the_difference_decides_nothing():
    second = np.full(6, 0.5)
    found = judged(0.0139, second + np.array([0.08, 0.11, 0.05, 0.09, 0.06, 0.1]), second)
    assert found.word == "undecided"


def test_a_printed_tie_agrees_with_differences_around_0_only():
    second = np.full(5, 0.5)
    small = np.array([0.0001, -0.0001, 0.0002, 0.0, -0.0001])
    assert (judged(0.0, second + small, second).word, judged(0.0, second + small, second).direction) == (
        "agrees",
        "open",
    )
    assert judged(0.0, second + 0.01, second).word == "differs"


def test_only_draws_that_both_have_count():
    rows = [row_of(0.3, "gradient_descent"), row_of(0.2, "hebbian_descent")]
    measured = [
        Measured(row.cell, {"mae_mean": 0.1 * draw}, {"mae_mean": 0.0}, 0.1, 0.0, 1, draw)
        for row, numbers in zip(rows, ((0, 1, 2, 3), (2, 3, 4)), strict=True)
        for draw in numbers
    ]
    found = judge_pair(DESCENTS, *rows, "mae_mean", draws_of([("tab:x", measured)]))
    assert (found.n, found.mean) == (2, 0.0)


def test_all_pairs_of_a_table_are_counted():
    labels = ("tab:y_centered", "tab:y_uncentered")
    rows = [
        row_of(0.1, rule, label=label)
        for label in labels
        for rule in ("gradient_descent", "hebbian_descent", "hebb")
    ]
    found = compare_pairs(compare_rows(rows, []), {})
    assert [(pair.kind, pair.first.label) for pair in found] == [(DESCENTS, label) for label in labels] + [
        (CENTERING, labels[0])
    ] * 3
    counts = summarise_pairs(found)
    assert [(summary.kind, summary.n, summary.words["unpaired"]) for summary in counts] == [
        (DESCENTS, 1, 1),
        (DESCENTS, 1, 1),
        (CENTERING, 3, 3),
    ]
