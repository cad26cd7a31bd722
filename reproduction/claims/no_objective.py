"""The claim that auto-associative Hebbian-descent has no objective and still converges."""

from __future__ import annotations

import numpy as np

from hebbian_descent.checks import Array
from hebbian_descent.network import Autoencoder
from reproduction.claims.autoencoder_runs import DATASETS, best_run, patterns, settings
from reproduction.claims.base import Claim, Judgement
from reproduction.claims.examples import asymmetry, auto_change
from reproduction.claims.tally import ALL, on_all
from reproduction.run_context import RunContext

SMALLEST_ASYMMETRY = 0.1
N_EPOCHS = 100
SHOWN = (0, 1, 3, 10, 30, 80, 100)
"""Epochs at which the curves are written down; all of them are judged."""
LATE = 5
"""One over the last part of the epochs, in which a curve must be flat."""
FLAT = 0.02
"""Of the fall from the start to the smallest error."""
TESTS = "tests/test_auto_associative_claims.py::"


def judge_no_objective(context: RunContext) -> Judgement:
    """Show that second derivatives do not commute, and follow reconstruction errors over the epochs."""
    gap = asymmetry(_update_of_one_unit, np.array([0.7, -0.4]))
    curves = {
        setting.name: best_run("hebbian_descent", patterns(context, setting.dataset), setting).errors
        for setting in settings(context, epochs=N_EPOCHS)
    }
    shown = [epoch for epoch in SHOWN if epoch < len(curves[next(iter(curves))])]
    words = "; ".join(
        f"{name} {' → '.join(f'{curve[epoch]:.4f}' for epoch in shown)} (smallest {curve.min():.4f})"
        for name, curve in curves.items()
    )
    findings = (
        f"Second derivatives differ by {gap:.2f} (0 for a gradient). Reconstruction error after "
        f"{', '.join(map(str, shown))} epochs: {words}."
    )
    if gap < SMALLEST_ASYMMETRY:
        return Judgement("does not hold", findings)
    n_converged = sum(converges(curve) for curve in curves.values())
    if n_converged < len(curves):
        against = ", ".join(name for name, curve in curves.items() if not converges(curve))
        findings += f"\nNot converged: {against}."
    return Judgement(on_all(n_converged, len(curves) - n_converged), findings)


def converges(errors: Array) -> bool:
    """Whether a curve falls, stays where it has fallen to, and is flat in its last fifth."""
    fall = float(errors[0] - errors.min())
    late = errors[-1 - len(errors) // LATE :]
    rises_again = float(errors[-1] - errors.min()) > FLAT * fall
    return fall > 0 and not rises_again and float(np.ptp(late)) <= FLAT * fall


def _update_of_one_unit(w: Array) -> Array:
    """Return the update of the appendix: two inputs, one linear hidden unit."""
    network = Autoencoder.from_weights(
        w[:, None], hidden_activation="linear", output_activation="linear", hidden_offset=0.0
    )
    return auto_change("hebbian_descent", network, np.array([[1.3, 0.8]])).weights[:, 0]


CLAIMS = (
    Claim(
        18,
        "It is not the gradient of any function, and its reconstruction error converges all the same.",
        "appendix:AA_HD_is_generally_not_the_gradient_of_any_objective_function",
        "Second derivatives in the network of the proof. Then the reconstruction error after each of 100 "
        "epochs, at the best rate, of auto-encoders on digits and ADULT.",
        "If the second derivatives commute it does not hold. The networks are the cells: one is for it if "
        "its error falls, ends within 2 % of that fall from its smallest value, and moves by no more than "
        f"that in the last fifth of the epochs, else against it. {ALL}",
        (
            TESTS + "test_second_derivatives_do_not_commute_so_there_is_no_objective",
            TESTS + "test_hebbian_descent_converges_in_the_reconstruction_error",
            "reproduction/tests/test_paper_claims.py::test_a_curve_converges_if_it_falls_stays_and_is_flat",
        ),
        judge_no_objective,
        datasets=DATASETS,
    ),
)
