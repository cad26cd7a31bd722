"""Claims about what the auto-associative update is, and is not."""

from __future__ import annotations

import numpy as np

from hebbian_descent.rules import LOSSES
from reproduction.claims.base import (
    CORRECTED,
    IDENTITY,
    Claim,
    Judgement,
    by_correction,
    by_deviation,
)
from reproduction.claims.examples import auto_change, autoencoder, deviation
from reproduction.run_context import RunContext

TESTS = "tests/test_auto_associative_claims.py::"
OUTPUT_LOSSES = {"linear": "squared_error", "sigmoid": "cross_entropy"}
HIDDEN = ("linear", "sigmoid", "explin", "rectifier")


def judge_contrastive_divergence(_: RunContext) -> Judgement:
    """Compare with one step of contrastive divergence, its hidden units clamped and free."""
    clamped, free = [], []
    for hidden in HIDDEN:
        for output in OUTPUT_LOSSES:
            network, x = autoencoder(hidden, output)
            hd = auto_change("hebbian_descent", network, x)
            clamped.append(deviation(auto_change("contrastive", network, x, clamp_hidden=True), hd))
            free.append(np.abs(auto_change("contrastive", network, x).weights - hd.weights).max())
    return by_deviation(
        max(clamped),
        f"Both updates for {len(clamped)} networks, hidden units clamped",
        "Without clamping, which the conclusion does not mention, CD-1 infers the hidden units again in the "
        f"negative phase and is another update: it differs by up to {max(free):.2f}.",
    )


def judge_part_of_the_gradient(_: RunContext) -> Judgement:
    """Compare with the decoder and the encoder part of the gradient on the matching loss of the outputs."""
    decoder, encoder = [], []
    for hidden in HIDDEN:
        for output, loss in OUTPUT_LOSSES.items():
            network, x = autoencoder(hidden, output)
            hd = auto_change("hebbian_descent", network, x)
            error = LOSSES[loss]().error
            parts = {
                part: auto_change("gradient_descent", network, x, error, part=part)
                for part in ("decoder", "encoder")
            }
            decoder.append(deviation(parts["decoder"], hd))
            encoder.append(np.abs(parts["encoder"].weights - hd.weights).max())
    return by_correction(
        float(max(encoder)),
        max(decoder),
        f"The update and a part of the gradient on the matching loss, {len(decoder)} networks",
    )


def judge_oja(_: RunContext) -> Judgement:
    """Compare linear networks with Oja's subspace rule and with Sanger's rule, one unit and three."""
    gaps = {}
    for rule in ("oja", "sanger"):
        for n_hidden in (1, 3):
            network, x = autoencoder("linear", "linear", n_hidden, centered=False)
            hd = auto_change("hebbian_descent", network, x)
            gaps[rule, n_hidden] = np.abs(auto_change(rule, network, x).weights - hd.weights).max()
    same = float(max(gaps["oja", 1], gaps["oja", 3], gaps["sanger", 1]))
    return by_deviation(
        same,
        "Linear units against Oja's subspace rule, and against Sanger's rule for one unit",
        f"For three units Sanger's rule differs by {gaps['sanger', 3]:.2f}: its sum stops at each unit.",
    )


CLAIMS = (
    Claim(
        15,
        "The auto-associative update is one mean-field step of contrastive divergence.",
        "sec:HD_auto_asso_from_the_perspective_of_contrastive_learning",
        "The update against contrastive divergence, with clamped hidden units and with free ones.",
        IDENTITY,
        (
            TESTS + "test_hebbian_descent_is_contrastive_divergence_with_clamped_hidden_units",
            TESTS + "test_true_cd1_infers_the_hidden_units_again_and_is_another_update",
        ),
        judge_contrastive_divergence,
        analytical=True,
    ),
    Claim(
        16,
        "It is the encoder related part of the gradient of an auto-encoder.",
        "sec:HD_from_the_perspective_of_gradient_descent",
        "The update against both parts of the gradient.",
        CORRECTED,
        (
            TESTS + "test_hebbian_descent_is_the_decoder_part_of_the_gradient_on_the_matching_loss",
            TESTS + "test_gradient_descent_is_the_sum_of_its_encoder_and_its_decoder_part",
        ),
        judge_part_of_the_gradient,
        correction="It is the decoder related part of the gradient of an auto-encoder.",
        analytical=True,
    ),
    Claim(
        17,
        "It is a non-linear version of Oja's and Sanger's rule.",
        "sec:HD_from_the_perspective_of_oja_sanger",
        "The update of linear networks against both rules, for one unit and for three.",
        IDENTITY,
        (
            TESTS + "test_linear_hebbian_descent_is_ojas_subspace_rule",
            TESTS + "test_linear_hebbian_descent_is_sangers_rule_for_one_unit_and_not_for_two",
        ),
        judge_oja,
        analytical=True,
    ),
)
