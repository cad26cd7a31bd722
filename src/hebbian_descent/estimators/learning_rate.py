"""The automatic learning rate: as large as the pattern at hand allows.

    η = κ / (L·(‖x − μ‖² + 1))

One update moves the preactivation of its own pattern by η(‖x − μ‖² + 1) times the error, and the output by at
most L times that, where L is the largest slope of the activation. So κ is about the part of the error that is
taken away at once. The rate looks at nothing but the pattern that is learned, so it serves a stream as well
as a dataset. The patterns of a batch share a step, which may be the longer the less they have in common:
‖x − μ‖² + 1 becomes a bound of the curvature of their mean loss, and for κ up to 2 no step makes it larger.

κ was chosen by measurement (docs/estimators/learning_rate.md), once for regressors, which are to remember
pairs that they see once, and once for classifiers, which see many examples of a class and average over them.
Units that saturate at their targets bear a larger κ, since their slope there is below L.

Some activations have no largest slope. At a jump (step, approximate step), and for an activation of one's own
that does not say its slope, L is 1. The slope of an exponential unit is its output: there L is the largest of
1, the outputs and the magnitudes of the targets of the pattern.
"""

from __future__ import annotations

from math import isfinite

import numpy as np

from hebbian_descent.checks import Array, as_number
from hebbian_descent.network import Activation

KAPPAS: dict[str, dict[str, float]] = {
    "regressor": {
        "others": 1.0,
        **dict.fromkeys(("linear", "explin", "inverse_sqrt_linear"), 0.7),
        **dict.fromkeys(("sigmoid", "softplus", "exponential"), 2.0),
    },
    "classifier": {
        "others": 0.5,
        **dict.fromkeys(("linear", "explin", "scaled_explin", "inverse_sqrt_linear"), 0.125),
        **dict.fromkeys(("scaled_tanh", "inverse_sqrt", "softsign"), 0.125),
        **dict.fromkeys(("rectifier", "leaky_rectifier"), 0.25),
        "approximate_step": 0.0625,
    },
    "autoencoder": {"others": 1.4, "sigmoid": 2.0},
}


def kappa(task: str, activation: Activation) -> float:
    """Return κ for "regressor", "classifier" or "autoencoder"; one's own activation is among the others."""
    of_task = KAPPAS[task]
    return of_task.get(activation.name, of_task["others"]) if activation.is_built_in else of_task["others"]


def largest_slope(activation: Activation) -> float:
    """Return L, by the convention above where there is none."""
    return activation.largest_slope if isfinite(activation.largest_slope) else 1.0


def slope_at(activation: Activation, output: Array, targets: Array) -> float:
    """Return L for a batch."""
    slope = largest_slope(activation)
    if activation.slope_is_output:
        slope = max(slope, float(output.max()), float(np.abs(targets).max()))
    return slope


def automatic_rate(kappa: float, slope: float, *presynaptic: Array) -> float:
    """Return κ / (L·s), where s is ‖x − μ‖² + 1 for one pattern and ‖G‖/n for n of them.

    G holds the products (xᵢ − μ)·(xⱼ − μ) + 1 of all pairs. Its norm is at least its largest eigenvalue.
    """
    n = len(presynaptic[0])
    factors = np.column_stack([*presynaptic, np.ones(n, presynaptic[0].dtype)])
    # Products of patterns or of inputs, whichever are fewer: both matrices have the same norm.
    gram = factors @ factors.T if n <= factors.shape[1] else factors.T @ factors
    return kappa / (slope * float(np.linalg.norm(gram)) / n)


def fixed_rate(learning_rate: object) -> float | None:
    """Return η as a number, or None where it is automatic."""
    if isinstance(learning_rate, str):
        if learning_rate != "auto":
            raise ValueError(f'The learning_rate must be a number or "auto". Got {learning_rate!r}.')
        return None
    return as_number(learning_rate, "learning_rate", at_least=0)
