"""Scaling of inputs: they are learned in units of their spread, while the weights stay those of raw inputs.

A pattern is learned as z = (x − μ)/σ, so that a step is

    W ← W − η·dᵀ·post,   d = (x − μ)/σ²,

the automatic rate sees ‖z‖² = d·(x − μ), and the output does not change when σ does. So there is no need to
standardise beforehand, and inputs of 10⁻⁶ are learned like those of 10⁶.

    σ² = max(q − μ², ρ_n·q),   ρ_n = max(ρ, ½·0.7^(1/ν))

q is the running mean of x², with the same ν as μ. σ is updated before the step, with the pattern counted in q
and μ, and only where the input is not 0; in between it stays, so that a pattern with few nonzero inputs costs
no more than those. The first patterns may agree by chance, so the floor falls from a third of q to almost
nothing over the first thirty or so. It is relative, so there is no smallest scale: an input that never
changes counts as one of small spread, and one that has always been 0 is not learned.

A running mean starts at the first pattern, which therefore teaches only the bias, by a step as short as if
each nonzero input were one σ away from its mean. An input that first appears later is learned when it is
nonzero, but after the first time it has no σ until it appears again: it is not yet known how rare it is, and
treating its absence as news would teach the bias by steps that later ones, being much shorter, could not
undo. So a stream of texts, each of which brings new words, is learned as well as numbers are.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from hebbian_descent.checks import Array, unknown_name
from hebbian_descent.network.offsets import flush_subnormal

Scaling = Literal["auto"] | None
FLOORS = {np.dtype(np.float64): 1e-8, np.dtype(np.float32): 1e-5}
"""ρ, the share of q below which rounding makes q − μ² meaningless."""


LEFT_OF_NEW = 1e-12
"""An input is new if its mean square has fallen to this share of x², or below."""


class Spread(NamedTuple):
    """What is known of the spread of each input, (n_inputs,)."""

    squares: Array
    """q."""
    precisions: Array
    """1/σ², or 0 for an input that was nonzero at most once."""

    def after(
        self, inputs: Array, shares: Array, offset: Array, shift: float, *, starts: bool
    ) -> tuple[Spread, Array]:
        """Return what is known after a batch that the offset has followed, and the 1/σ² to learn it with.

        The shares of its patterns are 1 on average. Where the running means start, all inputs are new.
        """
        x, nu = inputs, shift
        mean_squares = (x * x * shares[:, np.newaxis]).mean(axis=0)
        q = flush_subnormal(self.squares + nu * (mean_squares - self.squares))
        is_there = (x != 0).any(axis=0)
        is_new = (np.count_nonzero(x, axis=0) == 1) & (starts | (self.squares <= LEFT_OF_NEW * mean_squares))
        precisions = np.where(
            is_there, precisions_of(q - offset * offset, q, floor=0.5 * 0.7 ** (1 / nu)), self.precisions
        )
        return Spread(q, np.where(is_new, 0, precisions)), precisions

    def keep(self, known: Spread) -> None:
        """Store what is known now, in place."""
        self.squares[:], self.precisions[:] = known


def precisions_of(variance: Array, squares: Array, floor: float = 0.0) -> Array:
    """Return 1/max(variance, ρ_n·q), and 0 where that is not finite."""
    rho = squares.dtype.type(max(floor, FLOORS[squares.dtype]))
    spread = np.maximum(variance, rho * squares)
    has_some = spread > np.finfo(spread.dtype).tiny
    precisions: Array = np.divide(1, spread, out=np.zeros_like(spread), where=has_some)
    return precisions


def as_scaling(scaling: object) -> Scaling:
    """Return "auto" or None; refuse anything else."""
    if scaling is None:
        return None
    if not isinstance(scaling, str) or scaling != "auto":
        raise unknown_name("scaling, unless it is None,", scaling, ("auto",))
    return "auto"
