"""Differences of two results, draw by draw or trial by trial; winners; exchanges."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from reproduction.compare import verdicts
from reproduction.context import COMMITTED
from reproduction.pairs import (
    DESCENTS,
    PAIRED,
    Repetitions,
    _judged,
    members_of,
    pairs,
    summary,
    swaps,
    winners,
)
from reproduction.printed import PrintedRow, printed_rows

LINEAR = [n for n, row in enumerate(printed_rows()) if (row.data, row.units) == ("rand→adult", "linear")][:4]
"""The rows of the four rules in one cell."""
DRAWN = {"input": "rand", "target": "rand", "activation": "linear"}
WHOLE = {"dataset": "adult", "activation": "linear"}


class MadeUp(Repetitions):
    """Numbers by draw or trial, in place of those of rows."""

    def __init__(self, by_rule):
        self.by_rule = {rule: pd.Series(values, dtype=float) for rule, values in by_rule.items()}

    def of(self, row, measure):
        return self.by_rule[row.cell["rule"]]


def row_of(printed, rule, words):
    return PrintedRow("file", "tab:x", {**words, "rule": rule}, {"mae_mean": printed}, {}, bold=False)


def judged(printed, first, second, words=DRAWN, base=0.5):
    """Judge a printed difference by the draws of two cells, or by the trials of their only draw."""
    rows = row_of(base + printed, "gradient_descent", words), row_of(base, "hebbian_descent", words)
    return _judged(*rows, "mae_mean", MadeUp({"gradient_descent": first, "hebbian_descent": second}))


def test_what_both_share_does_not_count():
    """Both scatter by 0.1, their difference by 0.001: it tells 0.02 from 0.01."""
    rng = np.random.default_rng(0)
    shared = rng.normal(0.5, 0.1, 8)
    first = shared + 0.02 + rng.normal(0, 0.001, 8)
    found = judged(0.02, first, shared)
    assert (found["word"], found["direction"]) == ("agrees", "same")
    assert judged(0.01, first, shared)["word"] == "differs"
    assert judged(-0.02, first, shared)["direction"] == "opposite"


def test_a_difference_in_the_last_printed_digit_is_a_tie_whatever_subtraction_makes_of_it():
    """0.1061 − 0.1060 is a little more than 0.0001 in floating point."""
    assert 0.1061 - 0.1060 > 1e-4
    values = [0.3 + 0.01 * i for i in range(6)]
    found = judged(0.0001, values, values, base=0.1060)
    assert (found["printed"], found["word"]) == (0.0001, "agrees")


@pytest.mark.parametrize(("words", "more"), [(DRAWN, 1), (WHOLE, 1 / 10)])
def test_the_interval_is_that_of_one_more_draw_or_of_the_mean_of_ten_more_trials(words, more):
    rng = np.random.default_rng(1)
    second = rng.normal(0.5, 0.1, 6)
    differences = 0.5 + rng.normal(0, 0.02, 6)
    half = stats.t.ppf(0.995, 5) * differences.std(ddof=1) * np.sqrt(1 / 6 + more)
    for factor, word in ((0.99, "agrees"), (1.01, "differs")):
        found = judged(differences.mean() + factor * half, second + differences, second, words)
        assert (found["word"], found["n"]) == (word, 6)
        assert found["sd"] == pytest.approx(differences.std(ddof=1))


def test_it_is_undecided_if_the_opposite_would_agree_or_the_draws_are_few():
    differences = np.array([0.004, -0.003, 0.002, -0.004, 0.003])
    second = np.full(5, 0.5)
    assert judged(0.002, second + differences, second)["word"] == "undecided"
    assert judged(0.002, second + 0.002, second)["word"] == "agrees"
    assert judged(0.002, second[:4] + 0.002, second[:4])["word"] == "undecided"
    assert judged(0.002, second[:1] + 0.002, second[:1])["word"] == "undecided"
    assert judged(0.002, (), second)["word"] == "unpaired"


def test_an_interval_wider_than_the_difference_decides_nothing():
    second = np.full(6, 0.5)
    wide = second + np.array([0.08, 0.11, 0.05, 0.09, 0.06, 0.1])
    assert judged(0.0139, wide, second)["word"] == "undecided"


def test_a_printed_tie_agrees_with_differences_around_0_only():
    second = np.full(5, 0.5)
    found = judged(0.0, second + np.array([0.0001, -0.0001, 0.0002, 0.0, -0.0001]), second)
    assert (found["word"], found["direction"]) == ("agrees", "open")
    assert judged(0.0, second + 0.01, second)["word"] == "differs"


def test_only_draws_that_both_have_count():
    first = pd.Series({0: 0.0, 1: 0.1, 2: 0.2, 3: 0.3})
    second = pd.Series({2: 0.2, 3: 0.3, 4: 0.4})
    found = judged(0.1, first, second)
    assert (found["n"], found["ours"]) == (2, 0.0)


@pytest.fixture(scope="module")
def table():
    return verdicts(COMMITTED, ["tab:label_learning_centered", "tab:label_learning_uncentered"])


def test_members_differ_in_one_thing_alone(table):
    rows = printed_rows()
    for kind, name in zip(PAIRED, ("rule", "centering", "offsets"), strict=True):
        for places in members_of(kind, table):
            first, *others = (rows[table["row"].iloc[place]].cell for place in places)
            for other in others:
                assert {key for key in first if first[key] != other[key]} == {name}


def test_pairs_are_those_of_a_naive_loop(table):
    found = pairs(COMMITTED, table)
    of_descents = found[found["kind"] == DESCENTS]
    n_cells = sum(printed_rows()[row].cell["rule"] == "hebbian_descent" for row in table["row"])
    assert len(of_descents) == n_cells
    line = of_descents.iloc[0]
    values = Repetitions(COMMITTED)
    differences = values.of(line["first"], "error_mean") - values.of(line["second"], "error_mean")
    assert line["ours"] == pytest.approx(differences.mean())
    assert line["printed"] == pytest.approx(
        line["first"].results["error_mean"] - line["second"].results["error_mean"]
    )


def test_an_exchange_survives_where_the_other_number_would_agree_as_well():
    """Two cells print 0.300 and 0.304 with an interval of 0.01: each would agree with the other's number."""
    rows = [place for place, row in enumerate(printed_rows()) if row.name == "rand→adult linear hebb"][:1]
    rows += [place for place, row in enumerate(printed_rows()) if row.name == "rand→adult linear covariance"][
        :1
    ]
    for gap, share in ((0.004, 1.0), (0.04, 0.0)):
        table = pd.DataFrame(
            {
                "row": rows,
                "experiment": "tab:x",
                "measure": "mae_all",
                "printed": [0.3, 0.3 + gap],
                "ours": [0.3, 0.3 + gap],
                "half": 0.01,
                "drawn": True,
                "word": "agrees",
            }
        )
        found = swaps(table).set_index("kind").loc["rules"]
        assert (found["exchanges"], found["survive"] / found["exchanges"]) == (2, share)


def test_a_winner_is_the_same_a_tie_or_another():
    line = [
        place
        for place, row in enumerate(printed_rows())
        if row.data == "rand→adult" and row.units == "linear"
    ][:4]
    base = pd.DataFrame(
        {"row": line, "experiment": "tab:x", "measure": "mae_last20", "drawn": True, "n": 10, "sd": 0.01}
    )
    base["printed"] = [0.1, 0.2, 0.3, 0.4]
    for ours, word in (
        ([0.1, 0.2, 0.3, 0.4], "same"),
        ([0.105, 0.1, 0.3, 0.4], "tie"),
        ([0.3, 0.1, 0.3, 0.4], "other"),
    ):
        (found,) = winners(base.assign(ours=ours)).itertuples()
        assert found.word == word
    assert not len(winners(base.assign(ours=0.1, n=4)))


def test_the_summary_counts_all_words(table):
    found = summary(table)
    assert found[["agrees", "differs", "undecided", "not run"]].sum().sum() == len(table)
    assert found["agrees"].sum() == (table["word"] == "agrees").sum()
