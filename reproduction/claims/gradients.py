"""Claims that relate Hebbian-descent to gradient descent: without φ′, or with another loss."""

from __future__ import annotations

from functools import partial

import numpy as np

from hebbian_descent.checks import Array
from hebbian_descent.network import ACTIVATIONS, Activation, get_activation
from hebbian_descent.rules import LOSSES, RULES, Loss, get_error_term
from hebbian_descent.theory.loss_table import LOSS_TABLE
from reproduction.claims.base import IDENTITY, Claim, Judgement, by_deviation
from reproduction.claims.examples import activity, asymmetry, deviation, increasing, slope
from reproduction.formula_tables import loss_deviation
from reproduction.run_context import RunContext

TESTS = "tests/test_hetero_associative_claims.py::"


def judge_removed_derivative(_: RunContext) -> Judgement:
    """Put φ′ back into Hebbian-descent and compare with the derivative of the loss in a."""
    gaps = []
    for name in ACTIVATIONS:
        for make in (LOSSES["squared_error"], LOSSES["smooth_huber"]):
            loss = make()
            seen = activity(name, error=loss.error)
            t, phi = seen.targets, seen.activation
            gradient = slope(partial(_loss_of, loss, phi, t), seen.preactivation)
            post = RULES["hebbian_descent"].factors(seen).post
            assert phi.pull_back is not None
            with_derivative = phi.pull_back(post, seen.preactivation, seen.output)
            gaps.append(np.abs(with_derivative - gradient).max())
    return by_deviation(
        max(gaps), f"Update times φ′ and gradient of 2 losses for {len(ACTIVATIONS)} activations"
    )


def _loss_of(loss: Loss, activation: Activation, targets: Array, preactivation: Array) -> Array:
    return loss(targets, activation(preactivation))


def judge_other_loss(_: RunContext) -> Judgement:
    """Compare the error h − t with the derivative in a of the matching loss."""
    gaps = []
    for name in increasing():
        seen = activity(name)
        t, phi = seen.targets, seen.activation
        found = slope(partial(phi.matching_loss, t), seen.preactivation)
        gaps.append(np.abs(found - RULES["hebbian_descent"].factors(seen).post).max())
    return by_deviation(
        max(gaps), f"Derivative of the matching loss and update, {len(gaps)} activations with φ′ > 0"
    )


def judge_generalized_cross_entropy(_: RunContext) -> Judgement:
    """Check softmax with cross entropy, the table of losses, and softmax with another error term."""
    seen = activity("softmax")
    hd = RULES["hebbian_descent"].change(seen)
    cross_entropy = LOSSES["categorical_cross_entropy"]().error
    gd = RULES["gradient_descent"].change(activity("softmax", error=cross_entropy))
    rows = [make() for make in LOSS_TABLE]
    gap = max(deviation(hd, gd), *(loss_deviation(row) for row in rows))
    limits = (
        f"{sum(row.frozen for row in rows)} rows treat a width as constant and are not losses by themselves "
        "(their matching loss is one). Where units are coupled not every error term has a loss: softmax with "
        f"α·tanh has second derivatives that differ by {_asymmetry_of_softmax():.3f}."
    )
    return by_deviation(
        gap, f"Softmax with cross entropy and {len(rows)} rows of the table of losses", limits
    )


def _asymmetry_of_softmax() -> float:
    phi, error = get_activation("softmax"), get_error_term("saturating")
    a, t = np.array([[0.3, -0.8, 1.1]]), np.array([[1.0, 0.0, 0.0]])
    return asymmetry(lambda a: error(t, phi(a)), a)


CLAIMS = (
    Claim(
        1,
        "Hebbian-descent is gradient descent with the derivative of the output activation removed.",
        "sec:HD_gradient_descent_update",
        "Its error times φ′, for every activation, against the gradient of two losses by finite differences.",
        IDENTITY,
        (TESTS + "test_hebbian_descent_is_gradient_descent_with_a_learning_rate_for_each_unit",),
        judge_removed_derivative,
        analytical=True,
    ),
    Claim(
        2,
        "With a strictly positive derivative it is gradient descent on another loss.",
        "sec:HD_Hebbian_descent_loss",
        "The derivative of the matching loss by finite differences against the update.",
        IDENTITY,
        (
            TESTS + "test_hebbian_descent_is_gradient_descent_on_the_matching_loss",
            "tests/test_matching_loss.py::test_gradient_in_a_is_the_error_of_hebbian_descent",
        ),
        judge_other_loss,
        analytical=True,
    ),
    Claim(
        4,
        "Softmax with cross entropy is one case; it generalizes to any activation and error term.",
        "sec:HD_the_error_term_perspective",
        "The case itself, each row of the corrected table of losses by finite differences, and an error term "
        "that softmax has no loss for.",
        IDENTITY,
        (
            TESTS + "test_hebbian_descent_is_gradient_descent_on_the_cross_entropy",
            "tests/test_losses.py::test_loss_of_the_table_has_the_quotient_as_derivative_in_the_output",
            "tests/test_losses.py::test_frozen_losses_are_not_losses_of_their_own",
        ),
        judge_generalized_cross_entropy,
        analytical=True,
    ),
)
