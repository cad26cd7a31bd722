"""Summaries of verdicts: pairs and datasets that deviate as a whole, and what agreements rest on."""

import numpy as np
import pytest

from reproduction.comparison import Estimate, Verdict, judge
from reproduction.printed import PrintedRow
from reproduction.summaries import Support, pair_deviations, supports, systematics, winners


def verdict(data, z, column="mae_mean"):
    cell = dict(zip(("input", "target"), data.split("→"), strict=True)) if "→" in data else {"dataset": data}
    return Verdict(PrintedRow("file", "tab:x", cell, {column: 0.1}, {}, bold=False), column, 0.1, z=z)


def test_the_furthest_pair_is_named_and_left_out():
    z_of_pairs = {"rand→rand": (0.6, -0.8), "adult→rand": (-3.0, -1.0), "rand→adult": (1.0, 1.0)}
    (found,) = pair_deviations(verdict(name, z) for name, both in z_of_pairs.items() for z in both)
    assert (found.label, found.column, found.n_pairs) == ("tab:x", "mae_mean", 3)
    assert found.rms_of_means == pytest.approx(np.sqrt((0.1**2 + 2**2 + 1) / 3))
    assert (found.furthest, found.z_of_furthest) == ("adult→rand", pytest.approx(-2))
    assert found.rms_of_others == pytest.approx(np.sqrt((0.6**2 + 0.8**2 + 1 + 1) / 4))


def test_columns_are_told_apart_and_what_was_not_run_or_not_drawn_does_not_count():
    drawn = [verdict(name, 1.0, column) for name in ("a→b", "b→a") for column in ("mae_last20", "mae_all")]
    others = [
        verdict("c→a", np.nan, "mae_all"),
        verdict("mnist", 9.0, "mae_all"),
        verdict("a→b", 1.0, "alone"),
    ]
    assert [
        (found.column, found.n_pairs, found.rms_of_means) for found in pair_deviations(drawn + others)
    ] == [
        ("mae_last20", 2, 1.0),
        ("mae_all", 2, 1.0),
    ]


def test_agreements_are_counted_by_what_they_rest_on():
    reasons = ("interval", "interval", "absolute", "relative", "")
    found = supports(verdict("adult", 0.0)._replace(rests_on=reason) for reason in reasons)
    assert found == [Support("tab:x", "mae_mean", 2, 1, 1)]


def test_deviations_of_a_dataset_are_shared_if_most_results_have_them():
    def measured(dataset, deviation, z):
        cell = {"dataset": dataset, "rule": "hebb"}
        row = PrintedRow("file", "tab:x", cell, {"mae_mean": 0.1}, {}, bold=False)
        return Verdict(row, "mae_mean", 0.1, mean=0.1 + deviation, n=10, z=z)

    connect = [measured("connect", deviation, z) for deviation, z in ((0.001, -4), (0.002, -9), (0.0, 0.5))]
    adult = [measured("adult", deviation, z) for deviation, z in ((0.05, -40), (0.0, 0.1), (-0.001, 2))]
    half = [measured("digits", 0.01, z) for z in (-4.0, 5.0, 0.5, 0.1)]
    few = [measured("mnist", 0.1, -40.0)]
    not_run = [measured("cifar", 0.1, np.nan)._replace(n=0)]
    found = {entry.dataset: entry for entry in systematics([*connect, *adult, *half, *few, *not_run])}
    assert {name: (entry.n, entry.n_far, entry.is_shared) for name, entry in found.items()} == {
        "connect": (3, 2, True),
        "adult": (3, 1, False),
        "digits": (4, 2, False),
        "mnist": (1, 1, False),
    }
    assert found["connect"][-3:] == pytest.approx((0.001, 0.0, 0.002))


def compared(numbers, sd=0.001):
    """Return the winner among rules, each with its printed number and ours."""
    verdicts = []
    for rule, (printed, ours) in numbers.items():
        cell = {"input": "rand", "target": "rand", "rule": rule}
        row = PrintedRow("file", "tab:x", cell, {"mae_mean": printed}, {}, bold=False)
        verdicts.append(judge(row, "mae_mean", Estimate(ours, np.nan if np.isnan(ours) else sd, 5)))
    found = {
        (winner.ours, winner.verdict) for order in (verdicts, verdicts[::-1]) for winner in winners(order)
    }
    (winner,) = found  # whatever the order of the rules
    return winner


def test_a_rule_that_diverged_never_wins():
    assert compared({"a": (0.1, np.nan), "b": (0.2, 0.2), "c": (0.3, 0.3)}) == ("b", "other")
    assert compared({"a": (0.1, 0.1), "b": (0.2, np.nan)}) == ("a", "same")
    assert compared({"a": (0.1, np.nan), "b": (0.2, np.nan)}) == ("a", "same")


def test_ours_is_compared_with_the_best_of_tied_printed_winners():
    assert compared({"a": (0.1, 0.4), "b": (0.1, 0.2005), "c": (0.3, 0.2)}) == ("c", "tie")
    assert compared({"a": (0.1, 0.4), "b": (0.1, np.nan), "c": (0.3, 0.2)}) == ("c", "other")


@pytest.mark.parametrize("words", [{"input": "rand", "target": "rand"}, {"dataset": "adult"}])
def test_a_printed_number_differs_where_ours_diverged(words):
    row = PrintedRow("file", "tab:x", {**words, "rule": "hebb"}, {"mae_mean": 0.3}, {}, bold=False)
    found = judge(row, "mae_mean", Estimate(np.nan, np.nan, 5))
    assert found.word == "differs"
    assert np.isnan(found.z)
