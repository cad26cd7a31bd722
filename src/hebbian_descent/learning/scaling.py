"""How inputs are scaled: learned in units of their spread, kept in units of their own.

A pattern is learned as z = (x − μ)/σ. The weights stay those of raw inputs, so that a step is

    W ← W − η·dᵀ·post,   d = (x − μ)/σ²,

the automatic rate sees ‖z‖² = d·(x − μ), and the output does not change when σ does. So nobody needs to
standardise beforehand, and inputs of 10⁻⁶ are learned as those of 10⁶.

    σ² = max(q − μ², ρ_n·q),   ρ_n = max(ρ, ½·0.7^(1/ν))

q is the running mean of x², by the same ν as μ. σ follows before the step, with the pattern counted in q and
μ, and only where the input is not 0; in between it stays, so that a pattern with few inputs costs no more
than those. The first patterns may agree by chance, so the floor sinks from a third of q to next to nothing
while the first thirty or so are seen. It is relative, so there is no smallest scale: an input that never
changes counts as one of small spread, and one that has always been 0 is not learned.

A running mean starts at the first pattern, which so teaches the bias alone, by a step as short as if each
input that is there were one σ away from its mean. An input that comes up later is learned when it is there,
but after the first time it has no σ until it comes again: nobody knows how rare it is, and taking its absence
for news would teach the bias by steps that later ones, being much shorter, could not undo. So a stream of
texts, in which every one brings new words, is learned as well as numbers are.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from hebbian_descent.checks import Array, unknown_name
from hebbian_descent.network.offsets import flush_subnormal

Scaling = Literal["auto"] | None
FLOORS = {np.dtype(np.float64): 1e-8, np.dtype(np.float32): 1e-5}
"""ρ: what rounding leaves of the difference q − μ²."""


LEFT_OF_NEW = 1e-12
"""An input is new if no more is left of its squares than this part of x²."""


class Spread(NamedTuple):
    """What is known of the spread of each input, (n_inputs,)."""

    squares: Array
    """q."""
    precisions: Array
    """1/σ², or 0 for an input that was there no more than once."""

    def after(
        self, inputs: Array, shares: Array, offset: Array, shift: float, *, starts: bool
    ) -> tuple[Spread, Array]:
        """Return what is known after a batch, which the offset has followed, and 1/σ² by which to learn it.

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
        """Take over what is known now, in place."""
        self.squares[:], self.precisions[:] = known


def precisions_of(variance: Array, squares: Array, floor: float = 0.0) -> Array:
    """Return 1/max(variance, ρ_n·q), and 0 where there is nothing."""
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
