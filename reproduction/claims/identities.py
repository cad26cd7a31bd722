"""Claims about formulas: both sides of an identity are computed on small networks and compared.

Each function returns the two sides in one case: an activation, a loss, a family, a network.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from hebbian_descent.checks import Array
from hebbian_descent.network import ACTIVATIONS, get_activation
from hebbian_descent.rules import LOSSES, RULES, get_error_term
from hebbian_descent.theory.generalized_linear import FAMILIES, smallest_eigenvalue
from hebbian_descent.theory.loss_table import LOSS_TABLE, Row
from reproduction.claims.cells import Numbers
from reproduction.claims.contrast import Found
from reproduction.claims.examples import (
    INCREASING,
    activity,
    asymmetry,
    auto_change,
    autoencoder,
    hidden_clamped,
    slope,
)
from reproduction.claims.judge import Claim, summary
from reproduction.evidence import Word, on_all
from reproduction.formula_tables import loss_deviation

ROUNDING = 1e-6
"""Largest difference of two updates that count as equal; finite differences need this tolerance."""
NEGATIVE = -1e-10
"""Below what rounding leaves of an eigenvalue that is 0."""
Sides = tuple[Any, Any]
"""Two arrays, or two tuples of arrays, such as changes; None is a parameter that does not change."""
CORRECTED = (
    "Holds if the printed form differs by less than 1e-6 in every case; a misprint if it does not and the "
    "corrected form does; does not hold if neither does."
)
LIMITED = (
    "Holds if both sides differ by less than 1e-6 in every case; with limits if the sentence covers others "
    "in which they do not; does not hold otherwise, or where at least half of all are others."
)


@dataclass(frozen=True)
class Identity:
    """Two sides that are equal in all cases; or with limits, or only with one word corrected."""

    sides: Callable[[Any], Sides]
    """The sides in a case."""
    cases: Sequence[Any]
    kind: str
    """What the cases are, such as activations."""
    corrected: Callable[[Any], Sides] | None = None
    """The sides of the corrected form."""
    limits: Callable[[], tuple[Word, str]] | None = None
    """Which verdict remains, and why, where the sentence covers more than these cases."""

    experiments = ()

    @property
    def check(self) -> str:
        """What the functions compute."""
        functions = (self.sides, self.corrected, self.limits)
        return " ".join(summary(function) for function in functions if function)

    @property
    def rule(self) -> str:
        """When it holds."""
        return CORRECTED if self.corrected else LIMITED

    def found(self, _: Numbers) -> Found:
        """Return the verdict by the largest deviation."""
        gap, n = largest_gap(self.sides, self.cases), f"{len(self.cases)} {self.kind}"
        holds, findings = gap < ROUNDING, f"{n}: largest deviation {gap:.0e}."
        if self.corrected:
            corrected = largest_gap(self.corrected, self.cases)
            findings = f"{n}: as printed it deviates by {gap:.2g}, corrected by {corrected:.0e}."
            if not holds and corrected < ROUNDING:
                return Found("misprint (corrected it holds)", findings)
        if not (holds and self.limits):
            return Found("holds" if holds else "does not hold", findings)
        word, limits = self.limits()
        return Found(word, f"{findings} {limits}")


def largest_gap(sides: Callable[[Any], Sides], cases: Iterable[Any]) -> float:
    """Return how far the sides are apart at most, in the parameters that both have; NaN if one is."""
    gaps = []
    for first, second in map(sides, cases):
        arrays = zip(first, second, strict=True) if isinstance(first, tuple) else [(first, second)]
        gaps += [np.abs(a - b).max() for a, b in arrays if a is not None and b is not None]
    return float(np.max(gaps))


def removed_derivative(name: str) -> Sides:
    """Update times φ′ against the derivative in a of the squared error and of the smooth Huber loss."""
    squared, huber = (_without_derivative(name, loss) for loss in ("squared_error", "smooth_huber"))
    return (squared[0], huber[0]), (squared[1], huber[1])


def _without_derivative(name: str, loss_name: str) -> Sides:
    loss = LOSSES[loss_name]()
    seen = activity(name, error=loss.error)
    phi, t, a = seen.activation, seen.targets, seen.preactivation
    assert phi.pull_back is not None
    update = phi.pull_back(RULES["hebbian_descent"].factors(seen).post, a, seen.output)
    return update, slope(lambda a: loss(t, phi(a)), a)


def other_loss(name: str) -> Sides:
    """Update against the derivative in a of the matching loss, by finite differences."""
    seen = activity(name)
    gradient = slope(partial(seen.activation.matching_loss, seen.targets), seen.preactivation)
    return gradient, RULES["hebbian_descent"].factors(seen).post


def generalized_cross_entropy(make: Callable[[], Row] | None) -> Sides:
    """Softmax with cross entropy, and the rows of the corrected table of losses, by finite differences."""
    if make:
        return np.array(loss_deviation(make())), np.array(0.0)
    seen = activity("softmax", error=LOSSES["categorical_cross_entropy"]().error)
    return RULES["gradient_descent"].change(seen), RULES["hebbian_descent"].change(activity("softmax"))


def error_terms_without_loss() -> tuple[Word, str]:
    """An error term that softmax has no loss for: its second derivatives do not commute."""
    phi, error, t = get_activation("softmax"), get_error_term("saturating"), np.array([[1.0, 0.0, 0.0]])
    gap = asymmetry(lambda a: error(t, phi(a)), np.array([[0.3, -0.8, 1.1]]))
    return "holds with limits", (
        f"{sum(make().frozen for make in LOSS_TABLE)} of the {len(LOSS_TABLE)} rows treat a width as "
        "constant and are not losses by themselves (their matching loss is one). Where units are coupled not "
        f"every error term has a loss: softmax with α·tanh has second derivatives that differ by {gap:.3f}."
    )


def hebb_steps(name: str) -> Sides:
    """Hebb's rule for the target less Hebb's rule for the output, against the update."""
    seen = activity(name)
    supervised = RULES["hebb"].factors(seen)
    unsupervised = RULES["hebb"].factors(seen._replace(targets=seen.output))
    return (supervised.pre, supervised.post - unsupervised.post), RULES["hebbian_descent"].factors(seen)


def clamped_hidden_units(name: str) -> Sides:
    """Contrastive learning with clamped hidden units, as printed."""
    seen = activity(name)
    return hidden_clamped(seen), RULES["hebbian_descent"].change(seen)


def clamped_inputs(name: str) -> Sides:
    """Contrastive learning with clamped input units, as the section derives."""
    seen = activity(name)
    return RULES["contrastive"].change(seen), RULES["hebbian_descent"].change(seen)


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


def _sample() -> tuple[Array, Array, Array]:
    """Return targets that all families can take, and two preactivations."""
    rng = np.random.default_rng(0)
    return np.eye(3)[rng.integers(0, 3, 5)], rng.normal(size=(5, 3)), rng.normal(size=(5, 3))


def score(family: str) -> Sides:
    """Update against the derivative of the log-likelihood of each exponential family."""
    phi, (t, a, _) = FAMILIES[family]().activation, _sample()
    return slope(lambda a: LOG_DENSITIES[family](t, phi(a)), a), t - phi(a)


def likelihood(family: str) -> Sides:
    """Differences of the matching loss against those of the negative log-likelihood."""
    phi, (t, a, b) = FAMILIES[family]().activation, _sample()
    lost = phi.matching_loss(t, a) - phi.matching_loss(t, b)
    gained = LOG_DENSITIES[family](t, phi(a)) - LOG_DENSITIES[family](t, phi(b))
    return lost.sum(axis=-1), -gained.sum(axis=-1)


def without_distribution() -> tuple[Word, str]:
    """Which invertible activations belong to no distribution: a kernel proves it that has to be positive."""
    without, n = [name for name in INCREASING if smallest_eigenvalue(name) < NEGATIVE], len(INCREASING)
    return on_all(n - len(without), len(without)), (
        f"{len(without)} of {n} invertible activations ({', '.join(without) or 'none'}) have no "
        "distribution, since a kernel that would have to be positive is not: for them it is a statement "
        "about a loss, not about a likelihood."
    )


OUTPUT_LOSSES = {"linear": "squared_error", "sigmoid": "cross_entropy"}
NETWORKS = [(h, o) for h in ("linear", "sigmoid", "explin", "rectifier") for o in OUTPUT_LOSSES]
"""Hidden and output activations of auto-encoders."""


def contrastive_divergence(units: tuple[str, str], clamp_hidden: bool = True) -> Sides:
    """Update against one step of contrastive divergence with clamped hidden units."""
    network, x = autoencoder(*units)
    cd = auto_change("contrastive", network, x, clamp_hidden=clamp_hidden)
    return cd, auto_change("hebbian_descent", network, x)


def free_hidden_units() -> tuple[Word, str]:
    """The same with free hidden units."""
    free = largest_gap(partial(contrastive_divergence, clamp_hidden=False), NETWORKS)
    return "holds with limits", (
        "Without clamping, which the conclusion does not mention, CD-1 infers the hidden units again in the "
        f"negative phase and is another update: it differs by up to {free:.2f}."
    )


def encoder_part(units: tuple[str, str], part: str = "encoder") -> Sides:
    """Update against the encoder part of the gradient, as printed."""
    network, x = autoencoder(*units)
    error = LOSSES[OUTPUT_LOSSES[units[1]]]().error
    gradient = auto_change("gradient_descent", network, x, error, part=part)
    return gradient, auto_change("hebbian_descent", network, x)


def decoder_part(units: tuple[str, str]) -> Sides:
    """Update against the decoder part."""
    return encoder_part(units, "decoder")


def oja_and_sanger(case: tuple[str, int]) -> Sides:
    """Update of linear networks against Oja's subspace rule, and Sanger's rule for one unit."""
    rule, n_hidden = case
    network, x = autoencoder("linear", "linear", n_hidden, centered=False)
    return auto_change(rule, network, x).weights, auto_change("hebbian_descent", network, x).weights


def sanger_of_three_units() -> tuple[Word, str]:
    """Sanger's rule for three units."""
    gap = largest_gap(oja_and_sanger, [("sanger", 3)])
    return "holds with limits", (
        f"For three units Sanger's rule differs by {gap:.2f}: its sum stops at each unit."
    )


HETERO, AUTO = "tests/test_hetero_associative_claims.py", "tests/test_auto_associative_claims.py"
GLM = "tests/test_generalized_linear_models.py"
UNITS = [*ACTIVATIONS]
FAMILY_NAMES = ", ".join(f"{name} ({make().activation.name})" for name, make in FAMILIES.items())
OJA = Identity(
    oja_and_sanger, [("oja", 1), ("oja", 3), ("sanger", 1)], "comparisons", limits=sanger_of_three_units
)

CLAIMS = (
    Claim(
        1,
        "Hebbian-descent is gradient descent with the derivative of the output activation removed.",
        "sec:HD_gradient_descent_update",
        Identity(removed_derivative, UNITS, "activations, each with 2 losses"),
        (HETERO,),
    ),
    Claim(
        2,
        "With a strictly positive derivative it is gradient descent on another loss.",
        "sec:HD_Hebbian_descent_loss",
        Identity(other_loss, INCREASING, "activations with φ′ > 0"),
        (HETERO, "tests/test_matching_loss.py"),
    ),
    Claim(
        4,
        "Softmax with cross entropy is one case; it generalizes to any activation and error term.",
        "sec:HD_the_error_term_perspective",
        Identity(generalized_cross_entropy, [None, *LOSS_TABLE], "losses", limits=error_terms_without_loss),
        (HETERO, "tests/test_losses.py"),
    ),
    Claim(
        5,
        "With the squared error it is a supervised minus an unsupervised Hebb step.",
        "sec:HD_hebb",
        Identity(hebb_steps, UNITS, "activations"),
        (HETERO,),
    ),
    Claim(
        6,
        "It is contrastive learning where the hidden units are clamped to the same values in both phases.",
        "sec:HD_contrastive_clamping",
        Identity(clamped_hidden_units, UNITS, "activations", clamped_inputs),
        (HETERO,),
        "It is contrastive learning where the input units are clamped in both phases.",
    ),
    Claim(
        7,
        "For an invertible and integrable activation it optimizes a generalized linear model.",
        "sec:HD_glm",
        Identity(score, [*FAMILIES], f"families, {FAMILY_NAMES}", limits=without_distribution),
        (GLM,),
    ),
    Claim(
        8,
        "As a consequence its loss can be seen as the general log-likelihood loss.",
        "sec:HD_HD_loss_generalized",
        Identity(likelihood, [*FAMILIES], f"families, {FAMILY_NAMES}", limits=without_distribution),
        (GLM,),
    ),
    Claim(
        15,
        "The auto-associative update is one mean-field step of contrastive divergence.",
        "sec:HD_auto_asso_from_the_perspective_of_contrastive_learning",
        Identity(contrastive_divergence, NETWORKS, "networks", limits=free_hidden_units),
        (AUTO,),
    ),
    Claim(
        16,
        "It is the encoder related part of the gradient of an auto-encoder.",
        "sec:HD_from_the_perspective_of_gradient_descent",
        Identity(encoder_part, NETWORKS, "networks", decoder_part),
        (AUTO,),
        "It is the decoder related part of the gradient of an auto-encoder.",
    ),
    Claim(
        17,
        "It is a non-linear version of Oja's and Sanger's rule.",
        "sec:HD_from_the_perspective_of_oja_sanger",
        OJA,
        (AUTO,),
    ),
)
