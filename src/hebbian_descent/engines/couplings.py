"""Couplings: how much each learning step adds to the activity of each pattern, from the patterns alone.

Online learning changes the weights by one outer product per step, so the activity at step t is a sum over
the steps before it. With pₛ = −η·postₛ, k = 1 − ω (0⁰ = 1), dᵣ = μᵣ₊₁ − μᵣ, and β = 1 where the bias learns:

    aₜ = W₀ᵀ[ kᵗ(xₜ − μₜ) + Σ_{r<t} k^{r+1} dᵣ ]
       + Σ_{s<t} pₛ · { preₛ·[ k^{t−1−s}(xₜ − μₜ) + Σ_{s≤r<t} k^{r−s} dᵣ ] + β }

The first bracket is the effective input of step t, the braces hold its coupling with step s. Neither depends
on the learning rate, the initial weights, the activation or the output unit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array
from hebbian_descent.learning.centering import Offset
from hebbian_descent.network.offsets import flush_subnormal

Product = Callable[[Array, Array], Array]


class Couplings(NamedTuple):
    """The two factors of every activity, during training and after the last step.

    `training` is strictly lower triangular; row t of `evaluation` belongs to evaluated pattern t.
    """

    training: Array  # (n_steps, n_steps)
    training_inputs: Array  # (n_steps, n_inputs)
    evaluation: Array  # (n_evaluated, n_steps)
    evaluation_inputs: Array  # (n_evaluated, n_inputs)


def couplings_of_sequence(
    inputs: Array,
    evaluated: Array,
    *,
    pre: Array,
    offsets: Array,
    weight_decay: float = 0.0,
    learns_bias: bool = True,
    product: Product = np.matmul,
) -> Couplings:
    """Return the couplings of one pass over `inputs`, one step per row.

    Args:
        inputs: The patterns in the order in which they are learned.
        evaluated: The patterns that are recalled after the last step.
        pre: The presynaptic factor of each step.
        offsets: μ before each step and after the last, see `moving_offsets`.
        weight_decay: ω, between 0 and 2.
        learns_bias: Whether every step also adds p to the bias.
        product: The matrix product.
    """
    n_steps = len(inputs)
    moves = np.diff(offsets, axis=0)  # d
    centered, centered_at_end = inputs - offsets[:-1], evaluated - offsets[-1]
    decayed = powers(1.0 - weight_decay, n_steps)  # k⁰ … kⁿ

    # The weights that step s added to the bias by moving the offset, up to and including move r.
    age = np.arange(n_steps)[np.newaxis] - np.arange(n_steps)[:, np.newaxis]  # r − s
    moved = np.zeros((n_steps, n_steps))
    if moves.any():
        np.cumsum(_at(decayed, age) * product(pre, moves.T), axis=1, out=moved)

    bias = float(learns_bias)
    training = _at(decayed, age - 1) * product(pre, centered.T)
    training[:, 1:] += moved[:, :-1]
    training = np.tril((training + bias).T, -1)
    evaluation = product(centered_at_end, pre.T) * decayed[-2::-1] + moved[:, -1] + bias

    into_bias = np.zeros_like(offsets)
    np.cumsum(decayed[1:, np.newaxis] * moves, axis=0, out=into_bias[1:])
    return Couplings(
        training=flush_subnormal(training),
        training_inputs=flush_subnormal(decayed[:-1, np.newaxis] * centered + into_bias[:-1]),
        evaluation=flush_subnormal(evaluation),
        evaluation_inputs=flush_subnormal(decayed[-1] * centered_at_end + into_bias[-1]),
    )


def moving_offsets(inputs: Array, start: npt.ArrayLike, moves: Offset) -> Array:
    """Return μ before each step and after the last, μ ← μ + ν(x − μ): one row more than `inputs`."""
    mu = np.empty((len(inputs) + 1, inputs.shape[1]), dtype=inputs.dtype)
    mu[0] = start
    if not moves.moves:
        mu[1:] = start
        return mu
    for step, x in enumerate(inputs):
        nu = moves.shift_after(step + 1)
        mu[step + 1] = (1 - nu) * mu[step] + nu * x
    return flush_subnormal(mu)


def powers(base: float, highest: int) -> Array:
    """Return base⁰, base¹, … up to the highest power, with 0⁰ = 1; numbers too small to be normal are 0.

    They are products one after another: the bits of `np.power` depend on the processor.
    """
    factors = np.full(highest + 1, float(base))
    factors[0] = 1
    with np.errstate(under="ignore"):
        return flush_subnormal(np.multiply.accumulate(factors))


def _at(decayed: Array, exponents: npt.NDArray[np.integer[Any]]) -> Array:
    """Return the powers with these exponents, and 0 for negative ones."""
    return np.where(exponents < 0, 0.0, decayed[np.maximum(exponents, 0)])
