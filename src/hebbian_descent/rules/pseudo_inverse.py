"""The pseudo-inverse rule: recursive least squares, whose result does not depend on the order of patterns."""

from __future__ import annotations

import numpy as np

from hebbian_descent.checks import as_number
from hebbian_descent.network import Layer
from hebbian_descent.registry import made_once
from hebbian_descent.rules.base import Activity, Change, Rule, State


@made_once
def rule(ridge: float = 1e-3) -> Rule:
    """Fit all patterns so far at once: ΔW = k(t − a), k = Pu/(1 + uᵀPu), P ← P − k uᵀP, u = (x, 1).

    With η = 1, which "auto" stands for, the weights minimise Σ‖t − a‖² + λ‖W − W₀‖² over all patterns so far,
    in whatever order they came; λ is the `ridge`, and W₀ the weights at the start, bias included (Plackett,
    1950). As λ → 0 it is the pseudo-inverse (Kohonen and Ruohonen, 1973; Personnaz, Guyon and Dreyfus, 1985).
    It is the reference for what a linear memory could hold, and not local: the state P, the inverse of Σuuᵀ
    + λ, couples all synapses. The preactivation learns the targets; the activation applies only to recall.
    """
    ridge = as_number(ridge, "ridge", above=0)

    def change(activity: Activity, state: State) -> Change:
        x, error, P = activity.inputs, activity.targets - activity.preactivation, state["inverse_correlation"]
        u = np.column_stack([x, np.ones(len(x), x.dtype)])  # (batch, n_inputs + 1)
        Pu = P @ u.T
        k = np.linalg.solve(np.eye(len(x), dtype=x.dtype) + u @ Pu, Pu.T)  # (batch, n_inputs + 1)
        P -= Pu @ k
        weights = -k[:, :-1].T @ error
        # In a centered layer the bias is b = c + μW, where c belongs to the 1 in u.
        return Change(weights, bias=-k[:, -1] @ error + activity.offset @ weights)

    def state(layer: Layer) -> State:
        return {"inverse_correlation": np.eye(layer.n_inputs + 1, dtype=layer.weights.dtype) / ridge}

    return Rule(
        "pseudo_inverse",
        change,
        takes_error_term=False,
        parameters={"ridge": ridge},
        state=state,
        automatic_rate=1.0,
        title="Pseudo-inverse rule",
    )
