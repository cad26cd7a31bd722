"""Claims that Hebbian-descent fits a generalized linear model, whatever the activation."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from hebbian_descent.checks import Array
from hebbian_descent.network import Activation
from hebbian_descent.theory.generalized_linear import FAMILIES, smallest_eigenvalue
from reproduction.claims.base import ROUNDING, Claim, Judgement
from reproduction.claims.examples import increasing, slope
from reproduction.claims.tally import on_all
from reproduction.run_context import RunContext

TESTS = "tests/test_generalized_linear_models.py::"
NEGATIVE = -1e-10
"""Below what rounding leaves of an eigenvalue that is 0."""


def _tosses(t: Array, p: Array) -> Array:
    return t * np.log(p) + (1 - t) * np.log1p(-p)


LOG_DENSITIES: dict[str, Callable[[Array, Array], Array]] = {
    "gaussian": lambda t, h: -((t - h) ** 2) / 2,
    "bernoulli": _tosses,
    "bipolar": lambda t, h: _tosses((1 + t) / 2, (1 + h) / 2),
    "categorical": lambda t, h: t * np.log(h),
    "poisson": lambda t, h: t * np.log(h) - h,
}
"""ln p(t) of each family by its mean h, up to terms that do not depend on h, as in any textbook."""


def judge_glm(_: RunContext) -> Judgement:
    """Compare the update with the derivative of the log-likelihood of each exponential family."""
    gaps = []
    for name, make in FAMILIES.items():
        phi, (t, a) = make().activation, _sample()[:2]
        score = slope(partial(_log_likelihood, name, phi, t), a)
        gaps.append(np.abs(score - (t - phi(a))).max())
    return _judged(float(max(gaps)), "Update and score")


def judge_likelihood(_: RunContext) -> Judgement:
    """Compare differences of the matching loss with those of the negative log-likelihood."""
    gaps = []
    for name, make in FAMILIES.items():
        phi, (t, a, b) = make().activation, _sample()
        lost = (phi.matching_loss(t, a) - phi.matching_loss(t, b)).sum(axis=-1)
        gained = (_log_likelihood(name, phi, t, a) - _log_likelihood(name, phi, t, b)).sum(axis=-1)
        gaps.append(np.abs(lost + gained).max())
    return _judged(float(max(gaps)), "Matching loss and negative log-likelihood")


def _sample() -> tuple[Array, Array, Array]:
    """Return targets that all families can take, and two preactivations."""
    rng = np.random.default_rng(0)
    return np.eye(3)[rng.integers(0, 3, 5)], rng.normal(size=(5, 3)), rng.normal(size=(5, 3))


def _log_likelihood(name: str, activation: Activation, targets: Array, preactivation: Array) -> Array:
    return LOG_DENSITIES[name](targets, activation(preactivation))


def _judged(deviation: float, what: str) -> Judgement:
    """Judge by the activations that belong to a family, if there it is an identity."""
    names = ", ".join(f"{name} ({make().activation.name})" for name, make in FAMILIES.items())
    findings = f"{what} of {names}: largest deviation {deviation:.0e}."
    if not deviation < ROUNDING:
        return Judgement("does not hold", findings)
    invertible = increasing()
    without = [name for name in invertible if smallest_eigenvalue(name) < NEGATIVE]
    if without:
        findings += (
            f" {len(without)} of {len(invertible)} invertible activations ({', '.join(without)}) have no "
            "distribution, since a kernel that would have to be positive is not: for them it is a statement "
            "about a loss, not about a likelihood."
        )
    return Judgement(on_all(len(invertible) - len(without), len(without)), findings)


RULE = (
    "If the identity fails by 1e-6 for a known family it does not hold. The invertible activations of the "
    "package are the cells: one is against it if a kernel proves that it has no distribution, else for it. "
    "Holds if none is against it; with limits if fewer are against it than for it; does not hold if at least "
    "as many."
)
CLAIMS = (
    Claim(
        7,
        "For an invertible and integrable activation it optimizes a generalized linear model.",
        "sec:HD_glm",
        "The derivative of the log-likelihood of each exponential family against the update, and which "
        "invertible activations belong to none.",
        RULE,
        (
            TESTS + "test_at_convergence_the_network_is_the_canonical_glm",
            TESTS + "test_at_convergence_tanh_is_the_logit_model_of_twice_the_preactivation",
            TESTS + "test_a_kernel_proves_that_eight_invertible_activations_have_no_distribution",
        ),
        judge_glm,
        analytical=True,
    ),
    Claim(
        8,
        "As a consequence its loss can be seen as the general log-likelihood loss.",
        "sec:HD_HD_loss_generalized",
        "Differences of the matching loss against those of the negative log-likelihood, and for which "
        "invertible activations there is one.",
        RULE,
        (
            TESTS + "test_log_likelihood_is_that_of_the_distribution",
            TESTS + "test_score_is_the_negative_error_of_hebbian_descent",
            TESTS + "test_a_kernel_proves_that_eight_invertible_activations_have_no_distribution",
        ),
        judge_likelihood,
        analytical=True,
    ),
)
