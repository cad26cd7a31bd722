"""Claims that say what else Hebbian-descent is: Hebb steps, contrastive learning, a linear model."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from hebbian_descent.checks import Array
from hebbian_descent.network import ACTIVATIONS, Activation, get_activation
from hebbian_descent.paper.claims.base import (
    CORRECTED,
    IDENTITY,
    Claim,
    Judgement,
    by_correction,
    by_deviation,
)
from hebbian_descent.paper.claims.examples import activity, deviation, hidden_clamped, increasing, slope
from hebbian_descent.paper.run_context import RunContext
from hebbian_descent.rules import RULES
from hebbian_descent.theory.generalized_linear import FAMILIES, smallest_eigenvalue

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
    """Compare with contrastive learning whose hidden units are clamped, and with one whose inputs are."""
    hidden, inputs = [], []
    for name in ACTIVATIONS:
        seen = activity(name)
        hd = RULES["hebbian_descent"].change(seen)
        inputs.append(deviation(RULES["contrastive"].change(seen), hd))
        hidden.append(deviation(hidden_clamped(name), hd))
    return by_correction(
        max(hidden), max(inputs), f"Contrastive learning and the update for {len(inputs)} activations"
    )


def _tosses(t: Array, p: Array) -> Array:
    return t * np.log(p) + (1 - t) * np.log1p(-p)


LOG_DENSITIES: dict[str, Callable[[Array, Array], Array]] = {
    "gaussian": lambda t, h: -((t - h) ** 2) / 2,
    "bernoulli": _tosses,
    "bipolar": lambda t, h: _tosses((1 + t) / 2, (1 + h) / 2),
    "categorical": lambda t, h: t * np.log(h),
    "poisson": lambda t, h: t * np.log(h) - h,
}
"""ln p(t) of each family by its mean h, up to what does not depend on h: as in any textbook."""


def judge_glm(_: RunContext) -> Judgement:
    """Compare the update with the derivative of the log-likelihood of each exponential family."""
    gaps, names = [], []
    for name, make in FAMILIES.items():
        family, (t, a) = make(), _sample()[:2]
        score = slope(partial(_log_likelihood, name, family.activation, t), a)
        gaps.append(np.abs(score - (t - family.activation(a))).max())
        names.append(f"{name} ({family.activation.name})")
    return by_deviation(float(max(gaps)), f"Update and score of {', '.join(names)}", _without_family())


def judge_likelihood(_: RunContext) -> Judgement:
    """Compare differences of the matching loss with those of the negative log-likelihood."""
    gaps = []
    for name, make in FAMILIES.items():
        phi, (t, a, b) = make().activation, _sample()
        lost = (phi.matching_loss(t, a) - phi.matching_loss(t, b)).sum(axis=-1)
        gained = (_log_likelihood(name, phi, t, a) - _log_likelihood(name, phi, t, b)).sum(axis=-1)
        gaps.append(np.abs(lost + gained).max())
    return by_deviation(
        float(max(gaps)),
        f"Matching loss and negative log-likelihood of {', '.join(FAMILIES)}",
        _without_family(),
    )


def _sample() -> tuple[Array, Array, Array]:
    """Return targets that all families can take, and two preactivations."""
    rng = np.random.default_rng(0)
    return np.eye(3)[rng.integers(0, 3, 5)], rng.normal(size=(5, 3)), rng.normal(size=(5, 3))


def _log_likelihood(name: str, activation: Activation, targets: Array, preactivation: Array) -> Array:
    return LOG_DENSITIES[name](targets, activation(preactivation))


def _without_family() -> str:
    invertible = [name for name in increasing() if get_activation(name).elementwise]
    without = [name for name in invertible if smallest_eigenvalue(name) < NEGATIVE]
    if not without:
        return ""
    return (
        f"{len(without)} of {len(invertible)} invertible activations ({', '.join(without)}) have no such "
        "distribution, since a kernel that would have to be positive is not: for them it is a statement "
        "about a loss, not about a likelihood."
    )


NEGATIVE = -1e-10
"""Below what rounding leaves of an eigenvalue that is 0."""


CLAIMS = (
    Claim(
        5,
        "With the squared error it is a supervised minus an unsupervised Hebb step.",
        "sec:HD_hebb",
        "Hebb's rule for the target less Hebb's rule for the output, against the update.",
        IDENTITY,
        (TESTS + "test_hebbian_descent_is_a_supervised_minus_an_unsupervised_hebb_step",),
        judge_hebb_steps,
        analytical=True,
    ),
    Claim(
        6,
        "It is contrastive learning where the hidden units are clamped to the same values in both phases.",
        "sec:HD_contrastive_clamping",
        "The update against contrastive learning with clamped hidden units, as printed, and with clamped "
        "input units, as the section derives.",
        CORRECTED,
        (
            TESTS + "test_contrastive_learning_with_clamped_hidden_units_is_another_rule",
            TESTS + "test_contrastive_learning_with_clamped_input_is_hebbian_descent",
            TESTS + "test_contrastive_learning_with_a_free_phase_is_another_rule",
        ),
        judge_contrastive,
        correction="It is contrastive learning where the input units are clamped in both phases.",
        analytical=True,
    ),
    Claim(
        7,
        "For an invertible and integrable activation it fits a generalized linear model.",
        "sec:HD_glm",
        "The derivative of the log-likelihood of each exponential family against the update, and which "
        "invertible activations belong to none.",
        IDENTITY,
        (
            GLM_TESTS + "test_at_convergence_the_network_is_the_canonical_glm",
            GLM_TESTS + "test_at_convergence_tanh_is_the_logit_model_of_twice_the_preactivation",
            GLM_TESTS + "test_a_kernel_proves_that_eight_invertible_activations_have_no_distribution",
        ),
        judge_glm,
        analytical=True,
    ),
    Claim(
        8,
        "So its loss is the general log-likelihood loss.",
        "sec:HD_HD_loss_generalized",
        "Differences of the matching loss against those of the negative log-likelihood.",
        IDENTITY,
        (
            GLM_TESTS + "test_log_likelihood_is_that_of_the_distribution",
            GLM_TESTS + "test_score_is_the_negative_error_of_hebbian_descent",
        ),
        judge_likelihood,
        analytical=True,
    ),
)
