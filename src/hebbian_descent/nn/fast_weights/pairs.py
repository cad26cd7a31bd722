"""Pairs to learn, one memory per row, and how they are learned."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

import torch
from torch import Tensor

from hebbian_descent.nn.activations import TorchActivation
from hebbian_descent.nn.fast_weights.chunks import cut


@dataclass(frozen=True)
class Memory:
    """How a memory learns and reads; it holds nothing of what it learned."""

    activation: TorchActivation
    learns_bias: bool
    reads_after: bool
    """Whether a query sees the pair of its own step."""
    normalizes: bool
    """Whether rates are shares of the error to remove, η = rate / (L·(‖x̃‖² + 1)), and not η itself."""

    def step_length(self, z: Tensor, rate: Tensor) -> Tensor:
        """Return η for centered keys z, with an axis of length one in place of theirs.

        The 1 is the bias; without a largest slope, L is 1, too (`learning.rates` says why).
        """
        if not self.normalizes:
            return rate
        L = 1.0 if self.activation.largest_slope == inf else self.activation.largest_slope
        reach = (z * z).sum(dim=-1, keepdim=True) + float(self.learns_bias)
        return rate / (L * reach.clamp(min=torch.finfo(z.dtype).eps))


class Pairs(NamedTuple):
    """Keys, values and queries of equal length, one row per memory; padding has rate 0, decay 0, shift 0."""

    keys: Tensor  # (n_memories, n_steps, n_keys)
    values: Tensor  # (n_memories, n_steps, n_values)
    queries: Tensor  # (n_memories, n_steps, n_keys)
    rates: Tensor  # (n_memories, n_steps)
    log_kept: Tensor | None  # ln(1 − ω), (n_memories, n_steps); None is no decay
    shifts: Tensor | None  # ν of each step, (n_memories, n_steps); None leaves the offset where it is

    def steps(self) -> Iterator[tuple[Tensor, ...]]:
        """Yield key, value, query, and as columns rate, 1 − ω and ν, of one step after another."""
        nothing = torch.zeros_like(self.rates)
        kept = (nothing if self.log_kept is None else self.log_kept).exp()
        shifts = nothing if self.shifts is None else self.shifts
        per_step = (
            self.keys,
            self.values,
            self.queries,
            *(x[:, :, None] for x in (self.rates, kept, shifts)),
        )
        yield from zip(*(x.unbind(dim=1) for x in per_step), strict=True)

    def in_chunks(self, length: int, n_spare: int = 0) -> Pairs:
        """Return the same with a second axis that counts chunks, the last one padded, then spare ones."""
        return Pairs(*(None if x is None else cut(x, length, n_spare) for x in self))  # type: ignore[arg-type]
