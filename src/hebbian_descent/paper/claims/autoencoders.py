"""Claims about what the auto-associative update is, and is not."""

from __future__ import annotations

import numpy as np

from hebbian_descent.checks import Array
from hebbian_descent.network import Autoencoder
from hebbian_descent.paper.claims.base import Claim, Judgement, by_deviation
from hebbian_descent.paper.claims.cells import MOSTLY, Cell, cells, not_run
from hebbian_descent.paper.claims.examples import asymmetry, auto_change, autoencoder, deviation
from hebbian_descent.paper.run_context import RunContext
from hebbian_descent.rules import LOSSES

TESTS = "tests/test_auto_associative_claims.py::"
TABLE = ("tab:auto_associative",)
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
        "CD-1 proper infers the hidden units again in the negative phase and is another update: it differs "
        f"by up to {max(free):.2f}.",
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
    return by_deviation(
        max(decoder),
        f"Update and decoder part of the gradient on the matching loss, {len(decoder)} networks",
        f"From the encoder part, which the conclusion names, it differs by {min(encoder):.2f} or more.",
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


def judge_no_objective(context: RunContext) -> Judgement:
    """Show that second derivatives do not commute, and look at the reconstruction errors of the table."""
    gap = asymmetry(_update_of_one_unit, np.array([0.7, -0.4]))
    learned = [
        cell for cell in cells(context, TABLE, "mae_mean").values() if cell.cell["rule"] == "hebbian_descent"
    ]
    run = [cell for cell in learned if cell.draws]
    converged = sum(cell.ours < LEARNED * cell.baseline for cell in run)
    printed = sum(cell.printed < LEARNED * cell.baseline for cell in learned)
    findings = (
        f"Second derivatives differ by {gap:.2f} (0 for a gradient). Reconstruction error below half of "
        f"baseline in {converged} of {len(run)} networks (print: {printed} of {len(learned)})"
    )
    if gap < SMALLEST_ASYMMETRY:
        return Judgement("does not hold", f"{findings}.")
    if len(run) < len(learned):
        return not_run(context, TABLE, len(run), len(learned), f"{findings}.")
    weakest = max(run, key=_relative)
    word = "holds" if converged >= MOSTLY * len(run) else "holds with limits"
    return Judgement(
        word,  # type: ignore[arg-type]  # one of two words
        f"{findings}; weakest {weakest.cell['dataset']} with {weakest.cell['hidden_activation']} units at "
        f"{_relative(weakest):.0%} of baseline.",
    )


LEARNED = 0.5
SMALLEST_ASYMMETRY = 0.1


def _relative(cell: Cell) -> float:
    return cell.ours / cell.baseline


def _update_of_one_unit(w: Array) -> Array:
    """Return the update of the appendix: two inputs, one linear hidden unit."""
    network = Autoencoder.from_weights(
        w[:, None], hidden_activation="linear", output_activation="linear", hidden_offset=0.0
    )
    return auto_change("hebbian_descent", network, np.array([[1.3, 0.8]])).weights[:, 0]


CLAIMS = (
    Claim(
        15,
        "The auto-associative update is one mean-field step of contrastive divergence.",
        "sec:HD_auto_asso_from_the_perspective_of_contrastive_learning",
        "The update against contrastive divergence, with clamped hidden units and with free ones.",
        (
            TESTS + "test_hebbian_descent_is_contrastive_divergence_with_clamped_hidden_units",
            TESTS + "test_true_cd1_infers_the_hidden_units_again_and_is_another_update",
        ),
        judge_contrastive_divergence,
    ),
    Claim(
        16,
        "It is the encoder related part of the gradient of an auto-encoder.",
        "sec:HD_from_the_perspective_of_gradient_descent",
        "The update against both parts of the gradient.",
        (
            TESTS + "test_hebbian_descent_is_the_decoder_part_of_the_gradient_on_the_matching_loss",
            TESTS + "test_gradient_descent_is_the_sum_of_its_encoder_and_its_decoder_part",
        ),
        judge_part_of_the_gradient,
    ),
    Claim(
        17,
        "It is a non-linear version of Oja's and Sanger's rule.",
        "sec:HD_from_the_perspective_of_oja_sanger",
        "The update of linear networks against both rules, for one unit and for three.",
        (
            TESTS + "test_linear_hebbian_descent_is_ojas_subspace_rule",
            TESTS + "test_linear_hebbian_descent_is_sangers_rule_for_one_unit_and_not_for_two",
        ),
        judge_oja,
    ),
    Claim(
        18,
        "It is not the gradient of any function, and its reconstruction error converges all the same.",
        "appendix:AA_HD_is_generally_not_the_gradient_of_any_objective_function",
        "Second derivatives in the network of the proof; then the table: the error of at least 90 % of the "
        "networks must end below half of baseline.",
        (
            TESTS + "test_second_derivatives_do_not_commute_so_there_is_no_objective",
            TESTS + "test_hebbian_descent_converges_in_the_reconstruction_error",
            *TABLE,
        ),
        judge_no_objective,
    ),
)
