"""Claims about formulas: both sides of an identity are computed on small networks and compared.

Each function returns how far they are apart in one case: an activation, a loss, a family, a network.
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
    activity,
    asymmetry,
    auto_change,
    autoencoder,
    deviation,
    hidden_clamped,
    slope,
)
from reproduction.claims.judge import Claim, summary
from reproduction.claims.measured import increasing
from reproduction.evidence import Word, on_all
from reproduction.formula_tables import loss_deviation

ROUNDING = 1e-6
"""Largest difference of two updates that count as equal; finite differences need this tolerance."""
NEGATIVE = -1e-10
"""Below what rounding leaves of an eigenvalue that is 0."""


@dataclass(frozen=True)
class Identity:
    """Two sides that are equal in all cases; or with limits, or only with one word corrected."""

    gap: Callable[[Any], float]
    """How far the sides are apart in a case."""
    cases: Sequence[Any]
    kind: str
    """What the cases are, such as activations."""
    corrected: Callable[[Any], float] | None = None
    """How far the sides of the corrected form are apart."""
    limits: Callable[[], tuple[Word, str]] | None = None
    """Which verdict remains, and why, where the sentence covers more than these cases."""

    experiments = ()

    @property
    def check(self) -> str:
        """What the functions compute."""
        return " ".join(summary(function) for function in (self.gap, self.corrected, self.limits) if function)

    @property
    def rule(self) -> str:
        """When it holds."""
        if self.corrected:
            return (
                "Holds if the printed form differs by less than 1e-6 in every case; a misprint if it does "
                "not and the corrected form does; does not hold if neither does."
            )
        return (
            "Holds if both sides differ by less than 1e-6 in every case; with limits if the sentence covers "
            "others in which they do not; does not hold otherwise, or where at least half of all are others."
        )

    def found(self, _: Numbers) -> Found:
        """Return the verdict by the largest deviation."""
        gap = _largest(map(self.gap, self.cases))
        if self.corrected:
            corrected = _largest(map(self.corrected, self.cases))
            words = f"as printed it deviates by {gap:.2g}, corrected by {corrected:.0e}."
            word: Word = "misprint (corrected it holds)" if corrected < ROUNDING else "does not hold"
        else:
            words, word = f"largest deviation {gap:.0e}.", "does not hold"
        findings = f"{len(self.cases)} {self.kind}: {words}"
        if not gap < ROUNDING:
            return Found(word, findings)
        if not self.limits:
            return Found("holds", findings)
        word, limits = self.limits()
        return Found(word, f"{findings} {limits}")


def removed_derivative(name: str) -> float:
    """Update times φ′ against the derivative in a of the squared error and of the smooth Huber loss."""
    return _largest(_without_derivative(name, loss) for loss in ("squared_error", "smooth_huber"))


def _without_derivative(name: str, loss_name: str) -> float:
    loss = LOSSES[loss_name]()
    seen = activity(name, error=loss.error)
    phi, t = seen.activation, seen.targets
    assert phi.pull_back is not None
    post = RULES["hebbian_descent"].factors(seen).post
    update = phi.pull_back(post, seen.preactivation, seen.output)
    return _apart(update, slope(lambda a: loss(t, phi(a)), seen.preactivation))


def other_loss(name: str) -> float:
    """Update against the derivative in a of the matching loss, by finite differences."""
    seen = activity(name)
    gradient = slope(partial(seen.activation.matching_loss, seen.targets), seen.preactivation)
    return _apart(gradient, RULES["hebbian_descent"].factors(seen).post)


def generalized_cross_entropy(make: Callable[[], Row] | None) -> float:
    """Softmax with cross entropy, and the rows of the corrected table of losses, by finite differences."""
    if make:
        return loss_deviation(make())
    seen = activity("softmax", error=LOSSES["categorical_cross_entropy"]().error)
    return deviation(
        RULES["gradient_descent"].change(seen), RULES["hebbian_descent"].change(activity("softmax"))
    )


def error_terms_without_loss() -> tuple[Word, str]:
    """An error term that softmax has no loss for: its second derivatives do not commute."""
    phi, error, t = get_activation("softmax"), get_error_term("saturating"), np.array([[1.0, 0.0, 0.0]])
    gap = asymmetry(lambda a: error(t, phi(a)), np.array([[0.3, -0.8, 1.1]]))
    return "holds with limits", (
        f"{sum(make().frozen for make in LOSS_TABLE)} of the {len(LOSS_TABLE)} rows treat a width as "
        "constant and are not losses by themselves (their matching loss is one). Where units are coupled not "
        f"every error term has a loss: softmax with α·tanh has second derivatives that differ by {gap:.3f}."
    )


def hebb_steps(name: str) -> float:
    """Hebb's rule for the target less Hebb's rule for the output, against the update."""
    seen = activity(name)
    supervised = RULES["hebb"].factors(seen)
    unsupervised = RULES["hebb"].factors(seen._replace(targets=seen.output))
    hd = RULES["hebbian_descent"].factors(seen)
    return _largest([_apart(supervised.post - unsupervised.post, hd.post), _apart(supervised.pre, hd.pre)])


def clamped_hidden_units(name: str) -> float:
    """Contrastive learning with clamped hidden units, as printed."""
    return deviation(hidden_clamped(name), RULES["hebbian_descent"].change(activity(name)))


def clamped_inputs(name: str) -> float:
    """Contrastive learning with clamped input units, as the section derives."""
    seen = activity(name)
    return deviation(RULES["contrastive"].change(seen), RULES["hebbian_descent"].change(seen))


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


def score(family: str) -> float:
    """Update against the derivative of the log-likelihood of each exponential family."""
    phi, (t, a, _) = FAMILIES[family]().activation, _sample()
    return _apart(slope(lambda a: LOG_DENSITIES[family](t, phi(a)), a), t - phi(a))


def likelihood(family: str) -> float:
    """Differences of the matching loss against those of the negative log-likelihood."""
    phi, (t, a, b) = FAMILIES[family]().activation, _sample()
    lost = phi.matching_loss(t, a) - phi.matching_loss(t, b)
    gained = LOG_DENSITIES[family](t, phi(a)) - LOG_DENSITIES[family](t, phi(b))
    return _apart(lost.sum(axis=-1), -gained.sum(axis=-1))


def without_distribution() -> tuple[Word, str]:
    """Which invertible activations belong to no distribution: a kernel proves it that has to be positive."""
    invertible = increasing()
    without = [name for name in invertible if smallest_eigenvalue(name) < NEGATIVE]
    return on_all(len(invertible) - len(without), len(without)), (
        f"{len(without)} of {len(invertible)} invertible activations ({', '.join(without) or 'none'}) have "
        "no distribution, since a kernel that would have to be positive is not: for them it is a statement "
        "about a loss, not about a likelihood."
    )


OUTPUT_LOSSES = {"linear": "squared_error", "sigmoid": "cross_entropy"}
NETWORKS = [(h, o) for h in ("linear", "sigmoid", "explin", "rectifier") for o in OUTPUT_LOSSES]
"""Hidden and output activations of auto-encoders."""


def contrastive_divergence(units: tuple[str, str], clamp_hidden: bool = True) -> float:
    """Update against one step of contrastive divergence with clamped hidden units."""
    network, x = autoencoder(*units)
    cd = auto_change("contrastive", network, x, clamp_hidden=clamp_hidden)
    return deviation(cd, auto_change("hebbian_descent", network, x))


def free_hidden_units() -> tuple[Word, str]:
    """The same with free hidden units."""
    free = _largest(contrastive_divergence(units, clamp_hidden=False) for units in NETWORKS)
    return "holds with limits", (
        "Without clamping, which the conclusion does not mention, CD-1 infers the hidden units again in the "
        f"negative phase and is another update: it differs by up to {free:.2f}."
    )


def encoder_part(units: tuple[str, str], part: str = "encoder") -> float:
    """Update against the encoder part of the gradient, as printed."""
    network, x = autoencoder(*units)
    error = LOSSES[OUTPUT_LOSSES[units[1]]]().error
    gradient = auto_change("gradient_descent", network, x, error, part=part)
    return deviation(gradient, auto_change("hebbian_descent", network, x))


def decoder_part(units: tuple[str, str]) -> float:
    """Update against the decoder part."""
    return encoder_part(units, "decoder")


def oja_and_sanger(case: tuple[str, int]) -> float:
    """Update of linear networks against Oja's subspace rule, and Sanger's rule for one unit."""
    rule, n_hidden = case
    network, x = autoencoder("linear", "linear", n_hidden, centered=False)
    hd = auto_change("hebbian_descent", network, x)
    return _apart(auto_change(rule, network, x).weights, hd.weights)


def sanger_of_three_units() -> tuple[Word, str]:
    """Sanger's rule for three units."""
    gap = oja_and_sanger(("sanger", 3))
    return "holds with limits", (
        f"For three units Sanger's rule differs by {gap:.2f}: its sum stops at each unit."
    )


def _apart(first: Array, second: Array) -> float:
    return float(np.abs(first - second).max())


def _largest(gaps: Iterable[float]) -> float:
    return float(np.max([*gaps]))  # NaN if one is, unlike max


def _tests(file: str, *names: str) -> tuple[str, ...]:
    return tuple(f"tests/test_{file}.py::test_{name}" for name in names)


HETERO, AUTO, GLM = "hetero_associative_claims", "auto_associative_claims", "generalized_linear_models"
NO_DISTRIBUTION = "a_kernel_proves_that_eight_invertible_activations_have_no_distribution"
UNITS = [*ACTIVATIONS]
FAMILY_NAMES = ", ".join(f"{name} ({make().activation.name})" for name, make in FAMILIES.items())

CLAIMS = (
    Claim(
        1,
        "Hebbian-descent is gradient descent with the derivative of the output activation removed.",
        "sec:HD_gradient_descent_update",
        Identity(removed_derivative, UNITS, "activations, each with 2 losses"),
        _tests(HETERO, "hebbian_descent_is_gradient_descent_with_a_learning_rate_for_each_unit"),
    ),
    Claim(
        2,
        "With a strictly positive derivative it is gradient descent on another loss.",
        "sec:HD_Hebbian_descent_loss",
        Identity(other_loss, increasing(), "activations with φ′ > 0"),
        (
            *_tests(HETERO, "hebbian_descent_is_gradient_descent_on_the_matching_loss"),
            *_tests("matching_loss", "gradient_in_a_is_the_error_of_hebbian_descent"),
        ),
    ),
    Claim(
        4,
        "Softmax with cross entropy is one case; it generalizes to any activation and error term.",
        "sec:HD_the_error_term_perspective",
        Identity(generalized_cross_entropy, [None, *LOSS_TABLE], "losses", limits=error_terms_without_loss),
        (
            *_tests(HETERO, "hebbian_descent_is_gradient_descent_on_the_cross_entropy"),
            *_tests("losses", "loss_of_the_table_has_the_quotient_as_derivative_in_the_output"),
            *_tests("losses", "frozen_losses_are_not_losses_of_their_own"),
        ),
    ),
    Claim(
        5,
        "With the squared error it is a supervised minus an unsupervised Hebb step.",
        "sec:HD_hebb",
        Identity(hebb_steps, UNITS, "activations"),
        _tests(HETERO, "hebbian_descent_is_a_supervised_minus_an_unsupervised_hebb_step"),
    ),
    Claim(
        6,
        "It is contrastive learning where the hidden units are clamped to the same values in both phases.",
        "sec:HD_contrastive_clamping",
        Identity(clamped_hidden_units, UNITS, "activations", clamped_inputs),
        _tests(
            HETERO,
            "contrastive_learning_with_clamped_hidden_units_is_another_rule",
            "contrastive_learning_with_clamped_input_is_hebbian_descent",
            "contrastive_learning_with_a_free_phase_is_another_rule",
        ),
        "It is contrastive learning where the input units are clamped in both phases.",
    ),
    Claim(
        7,
        "For an invertible and integrable activation it optimizes a generalized linear model.",
        "sec:HD_glm",
        Identity(score, [*FAMILIES], f"families, {FAMILY_NAMES}", limits=without_distribution),
        _tests(
            GLM,
            "at_convergence_the_network_is_the_canonical_glm",
            "at_convergence_tanh_is_the_logit_model_of_twice_the_preactivation",
            NO_DISTRIBUTION,
        ),
    ),
    Claim(
        8,
        "As a consequence its loss can be seen as the general log-likelihood loss.",
        "sec:HD_HD_loss_generalized",
        Identity(likelihood, [*FAMILIES], f"families, {FAMILY_NAMES}", limits=without_distribution),
        _tests(
            GLM,
            "log_likelihood_is_that_of_the_distribution",
            "score_is_the_negative_error_of_hebbian_descent",
            NO_DISTRIBUTION,
        ),
    ),
    Claim(
        15,
        "The auto-associative update is one mean-field step of contrastive divergence.",
        "sec:HD_auto_asso_from_the_perspective_of_contrastive_learning",
        Identity(contrastive_divergence, NETWORKS, "networks", limits=free_hidden_units),
        _tests(
            AUTO,
            "hebbian_descent_is_contrastive_divergence_with_clamped_hidden_units",
            "true_cd1_infers_the_hidden_units_again_and_is_another_update",
        ),
    ),
    Claim(
        16,
        "It is the encoder related part of the gradient of an auto-encoder.",
        "sec:HD_from_the_perspective_of_gradient_descent",
        Identity(encoder_part, NETWORKS, "networks", decoder_part),
        _tests(
            AUTO,
            "hebbian_descent_is_the_decoder_part_of_the_gradient_on_the_matching_loss",
            "gradient_descent_is_the_sum_of_its_encoder_and_its_decoder_part",
        ),
        "It is the decoder related part of the gradient of an auto-encoder.",
    ),
    Claim(
        17,
        "It is a non-linear version of Oja's and Sanger's rule.",
        "sec:HD_from_the_perspective_of_oja_sanger",
        Identity(
            oja_and_sanger,
            [("oja", 1), ("oja", 3), ("sanger", 1)],
            "comparisons",
            limits=sanger_of_three_units,
        ),
        _tests(
            AUTO,
            "linear_hebbian_descent_is_ojas_subspace_rule",
            "linear_hebbian_descent_is_sangers_rule_for_one_unit_and_not_for_two",
        ),
    ),
)
