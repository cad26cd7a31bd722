"""Verdicts of studies follow the rules that their protocols state, and a single draw decides nothing."""

import numpy as np
import pytest

from reproduction.studies import (
    covariance_autoencoder,
    mini_batches,
    rescaled_hebb,
    sampled_contrastive_divergence,
    spiking,
)
from reproduction.studies.base import Interval, interval

LESS, OPEN, MORE = Interval(-0.2, 0.1), Interval(0.2, 0.3), Interval(0.2, 0.1)
ONE_DRAW = interval([0.2])
SIMILAR, BEYOND, WIDE = Interval(0.004, 0.005), Interval(0.05, 0.03), Interval(0.0, 0.02)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ([SIMILAR] * 4, "holds"),
        ([SIMILAR] * 3 + [BEYOND], "holds with limits"),
        ([SIMILAR] * 3 + [WIDE], "holds with limits"),
        ([SIMILAR] * 2 + [BEYOND] * 2, "does not hold"),
        ([SIMILAR] * 2 + [WIDE] * 2, "undecided"),
        ([ONE_DRAW] * 4, "undecided"),
    ],
)
def test_batches_are_similar_if_changes_certainly_are(changes, expected):
    assert mini_batches.verdict_of(changes) == expected


@pytest.mark.parametrize(
    ("sampling", "single_pass", "expected"),
    [
        ([MORE, OPEN], [MORE, MORE], "holds"),
        ([MORE, OPEN], [MORE, OPEN], "holds with limits"),
        ([MORE, OPEN], [MORE, LESS], "holds with limits"),
        ([MORE, LESS], [MORE, MORE], "does not hold"),
        ([OPEN, OPEN], [MORE, MORE], "undecided"),
        ([ONE_DRAW] * 2, [ONE_DRAW] * 2, "undecided"),
    ],
)
def test_a_mean_field_replaces_sampling_if_sampling_is_certainly_better_nowhere(
    sampling, single_pass, expected
):
    assert sampled_contrastive_divergence.verdict_of(sampling, single_pass) == expected


@pytest.mark.parametrize(
    ("without", "rescaled", "expected"),
    [
        ([MORE, MORE], [LESS, LESS], "holds with limits"),
        ([MORE, OPEN], [LESS, LESS], "undecided"),  # one cell that grows is not enough
        ([MORE, MORE], [LESS, OPEN], "undecided"),
        ([MORE, LESS], [LESS, LESS], "does not hold"),
        ([MORE, MORE], [LESS, MORE], "does not hold"),
        ([ONE_DRAW] * 2, [ONE_DRAW] * 2, "undecided"),
    ],
)
def test_rescaling_is_judged_by_all_cells(without, rescaled, expected):
    assert rescaled_hebb.verdict_of(without, rescaled) == expected


def network(covariance, *, descent=0.3, gradient=0.5, n=4):
    """Return errors that vary over the draws in the same way for all rules."""
    drawn = np.linspace(0.0, 0.01, n)
    names = (
        covariance_autoencoder.COVARIANCE,
        covariance_autoencoder.DESCENT,
        covariance_autoencoder.GRADIENT,
    )
    return {name: drawn + error for name, error in zip(names, (covariance, descent, gradient), strict=True)}


BAD, FAR_FROM_BASELINE = network(1.2), network(0.8)
BETTER_THAN_ONE = network(1.2, gradient=1.4)
UNSURE = {**BAD, covariance_autoencoder.COVARIANCE: np.array([0.1, 2.9, 0.1, 2.9])}


@pytest.mark.parametrize(
    ("networks", "expected"),
    [
        ([BAD, BAD], "holds"),
        ([BAD, FAR_FROM_BASELINE], "holds with limits"),
        ([BAD, BETTER_THAN_ONE], "holds with limits"),
        ([BAD, UNSURE], "holds with limits"),
        ([FAR_FROM_BASELINE] * 2, "does not hold"),  # worse alone is not what the remark says
        ([BETTER_THAN_ONE] * 2, "does not hold"),
        ([UNSURE] * 2, "undecided"),
        ([network(1.2, n=1)] * 2, "undecided"),
    ],
)
def test_the_covariance_rule_must_be_worse_than_both_descents_and_near_the_baseline(networks, expected):
    assert covariance_autoencoder.verdict_of(networks) == expected


@pytest.mark.parametrize(
    ("remainder", "cost", "rest", "expected"),
    [
        (Interval(0.02, 0.01), OPEN, OPEN, "holds"),
        (Interval(0.04, 0.02), MORE, MORE, "undecided"),
        (MORE, MORE, LESS, "holds with limits"),
        (MORE, OPEN, LESS, "undecided"),  # nothing is saved of a cost that is not certain
        (MORE, MORE, OPEN, "undecided"),
        (MORE, MORE, MORE, "does not hold"),
        (ONE_DRAW, ONE_DRAW, ONE_DRAW, "undecided"),
    ],
)
def test_timing_gives_the_rule_if_the_interval_of_the_remainder_is_small(remainder, cost, rest, expected):
    assert spiking.verdict_of(remainder, cost, rest) == expected
