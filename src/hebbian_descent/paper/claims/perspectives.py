"""Claims that say what else Hebbian-descent is: Hebb steps, contrastive learning, a linear model."""

from __future__ import annotations

from functools import partial

import numpy as np

from hebbian_descent.network import ACTIVATIONS, get_activation
from hebbian_descent.paper.claims.base import Claim, Judgement, by_deviation
from hebbian_descent.paper.claims.examples import activity, deviation, increasing, slope
from hebbian_descent.paper.run_context import RunContext
from hebbian_descent.rules import RULES
from hebbian_descent.theory.generalized_linear import FAMILIES

TESTS = "tests/test_hetero_associative_claims.py::"
GLM_TESTS = "tests/test_generalized_linear_models.py::"


def judge_hebb_steps(_: RunContext) -> Judgement:
    """Subtract Hebb's rule for the network's output from Hebb's rule for the target."""
    gaps = []
    for name in ACTIVATIONS:
        seen = activity(name)
        supervised = RULES["hebb"].factors(seen)
        unsupervised = RULES["hebb"].factors(seen._replace(targets=seen.output))
        hd = RULES["hebbian_descent"].factors(seen)
        gaps.append(np.abs(supervised.post - unsupervised.post - hd.post).max())
        gaps.append(np.abs(supervised.pre - hd.pre).max())
    return by_deviation(max(gaps), f"Both updates of the weights for {len(ACTIVATIONS)} activations")


def judge_contrastive(_: RunContext) -> Judgement:
    """Compare with contrastive learning whose input is clamped in both phases."""
    gaps = [
        deviation(RULES["contrastive"].change(seen), RULES["hebbian_descent"].change(seen))
        for seen in (activity(name) for name in ACTIVATIONS)
    ]
    return by_deviation(max(gaps), f"Both updates for {len(gaps)} activations, clamped")


def judge_glm(_: RunContext) -> Judgement:
    """Compare the update with the score of each exponential family."""
    gap, names = _deviation_from_scores()
    return by_deviation(gap, f"Update and score of {', '.join(names)}", _without_family())


def judge_likelihood(_: RunContext) -> Judgement:
    """Compare differences of the matching loss with those of the negative log-likelihood."""
    gaps, rng = [], np.random.default_rng(0)
    for make in FAMILIES.values():
        family = make()
        t = np.eye(3)[rng.integers(0, 3, 5)]
        a, b = rng.normal(size=(2, 5, 3))
        loss = family.activation.matching_loss
        lost = (loss(t, a) - loss(t, b)).sum(axis=-1)
        gaps.append(np.abs(lost + family.log_likelihood(t, a) - family.log_likelihood(t, b)).max())
    return by_deviation(
        max(gaps), f"Matching loss and negative log-likelihood of {', '.join(FAMILIES)}", _without_family()
    )


def _deviation_from_scores() -> tuple[float, list[str]]:
    gaps, rng = [], np.random.default_rng(0)
    for make in FAMILIES.values():
        family = make()
        t, a = np.eye(3)[rng.integers(0, 3, 5)], rng.normal(size=(5, 3))
        score = slope(partial(family.log_likelihood, t), a)
        gaps.append(np.abs(score - (t - family.activation(a))).max())
    return float(max(gaps)), [f"{make().name} ({make().activation.name})" for make in FAMILIES.values()]


def _without_family() -> str:
    with_family = {make().activation.name for make in FAMILIES.values()}
    invertible = [name for name in increasing() if get_activation(name).elementwise]
    without = [name for name in invertible if name not in with_family]
    return (
        f"{len(without)} of {len(invertible)} invertible activations ({', '.join(without)}) have no such "
        "distribution: for them it is a statement about a loss, not about a likelihood."
    )


CLAIMS = (
    Claim(
        5,
        "With the squared error it is a supervised minus an unsupervised Hebb step.",
        "sec:HD_hebb",
        "Hebb's rule for the target less Hebb's rule for the output, against the update.",
        (TESTS + "test_hebbian_descent_is_a_supervised_minus_an_unsupervised_hebb_step",),
        judge_hebb_steps,
    ),
    Claim(
        6,
        "It is contrastive learning with the same clamped values in both phases.",
        "sec:HD_contrastive_clamping",
        "The clamped contrastive update against it, for every activation; a free phase gives another rule.",
        (
            TESTS + "test_contrastive_learning_with_clamped_input_is_hebbian_descent",
            TESTS + "test_contrastive_learning_with_a_free_phase_is_another_rule",
        ),
        judge_contrastive,
    ),
    Claim(
        7,
        "For an invertible and integrable activation it fits a generalized linear model.",
        "sec:HD_glm",
        "The derivative of the log-likelihood of each exponential family against the update, and which "
        "invertible activations belong to none.",
        (
            GLM_TESTS + "test_at_convergence_the_network_is_the_canonical_glm",
            GLM_TESTS + "test_activations_of_a_family_are_named_and_all_others_say_that_they_have_none",
        ),
        judge_glm,
    ),
    Claim(
        8,
        "So its loss is the general log-likelihood loss.",
        "sec:HD_HD_loss_generalized",
        "Differences of the matching loss against those of the negative log-likelihood.",
        (
            GLM_TESTS + "test_log_likelihood_is_that_of_the_distribution",
            GLM_TESTS + "test_score_is_the_negative_error_of_hebbian_descent",
        ),
        judge_likelihood,
    ),
)
