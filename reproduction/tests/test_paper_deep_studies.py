"""Verdicts on deep networks follow their stated rule, and tell which way of learning is better."""

from pathlib import Path

import pytest

from hebbian_descent.network import ACTIVATIONS
from reproduction.studies import STUDIES
from reproduction.studies.base import Interval
from reproduction.studies.deep_losses import answer
from reproduction.studies.perceptrons.depths import Comparison, compared, verdict
from reproduction.studies.perceptrons.network import code_of, losses_of
from reproduction.studies.running import kept_results

KEPT = Path(__file__).parents[2] / "reproduction" / "data"
ORDINARY = "back_propagation"
BETTER, LEVEL, WORSE = Interval(-0.2, 0.1), Interval(-0.2, 0.3), Interval(0.2, 0.1)


def of(*differences):
    return [Comparison("digits", "sigmoid", 1, "squared error", 0.1, 0.1, one) for one in differences]


@pytest.mark.parametrize(
    ("n_better", "n_worse", "expected"),
    [
        (2, 0, "holds"),
        (2, 1, "holds with limits"),  # no allowance for chance
        (2, 2, "does not hold"),
        (0, 1, "does not hold"),
        (0, 0, "undecided"),
    ],
)
def test_a_verdict_is_that_of_the_claims_for_all_cells(n_better, n_worse, expected):
    n_level = 100 - n_better - n_worse
    assert verdict(of(*[BETTER] * n_better, *[WORSE] * n_worse, *[LEVEL] * n_level)) == expected


def test_the_answer_names_the_cells_in_which_the_matching_loss_is_worse():
    results = kept_results(STUDIES["deep_losses"], KEPT)
    found = answer(results)
    assert found.verdict == "holds with limits"
    assert "certainly worse in none" in found.text
    assert "worse in 1 (mnist, inverse_sqrt outputs, 3 hidden layers: +0.0154 ± 0.0122)" in found.text


def test_differences_are_paired_by_seed_and_below_zero_where_ours_is_better():
    ours, theirs = ({"2": {"errors": errors}} for errors in ([0.1, 0.2, 0.3], [0.2, 0.301, 0.4]))
    (found,) = compared(ours, theirs, "digits", "sigmoid", "squared error")
    assert (found.depth, found.is_better, found.is_worse) == (2, True, False)
    assert found.difference.mean == pytest.approx(-0.301 / 3)
    (turned,) = compared(theirs, ours, "digits", "sigmoid", "squared error")
    assert (turned.is_better, turned.is_worse) == (False, True)


def test_every_output_unit_has_targets_and_at_least_its_matching_loss():
    for output in ACTIVATIONS:
        low, high = code_of(output)
        assert low < high
        assert losses_of(output)[0] == "matching"
    assert losses_of("linear") == losses_of("step") == ("matching",)
    assert losses_of("softsign") == ("matching", "squared", "cross entropy")


def test_comparisons_of_two_networks_that_fail_are_counted():
    results = kept_results(STUDIES["adaptive_rates"], KEPT)
    failed = [
        both
        for name, ours in results.parts.items()
        if name.endswith("-hebbian")
        for depth, cell in ours.items()
        if min(both := _mean_errors(cell, results.parts[name.replace("hebbian", ORDINARY)][depth])) > 0.5
    ]
    assert failed
    said = f"in {len(failed)} comparisons both networks misclassify more than half of the patterns"
    assert said in STUDIES["adaptive_rates"].answer(results).text


def _mean_errors(*cells):
    return [sum(cell["errors"]) / len(cell["errors"]) for cell in cells]
