"""Many steps at a time, exactly: what a chunk learns follows from the couplings of its own steps.

Count the steps of a chunk from 0; W, b and μ₀ are their values before it. With z_s = x_s − μ_s,
changes p_s = η_s(v_s − φ(a_s)), d_r = μ_{r+1} − μ_r, and Γ(s, t) the product of all 1 − ω_r with s ≤ r < t, a
query q that reads after t steps finds

    a = [Γ(0, t)(q − μ_t) + Σ_{r<t} Γ(0, r+1) d_r]·W + b
        + Σ_{s<t} { z_s·[Γ(s+1, t)(q − μ_t) + Σ_{s≤r<t} Γ(s+1, r+1) d_r] + β } p_s

where β is 1 if the bias learns. The brace, which couples step s to the reader, holds no weights: all braces
of all chunks are a few batched matrix products, and only the p_s have to be found one after another. It is
the equation of `engines.sequence`, with a decay for each step. Products of decays are differences of
logarithms, so that none is divided by one that has vanished.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F

from hebbian_descent.nn.fast_weights.chunks import join
from hebbian_descent.nn.fast_weights.operators import carry, learn_chunks
from hebbian_descent.nn.fast_weights.pairs import Memory, Pairs
from hebbian_descent.nn.fast_weights.state import MemoryState


def learn_in_chunks(
    memory: Memory, pairs: Pairs, state: MemoryState, chunk: int
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return what is recalled for each query, and the final weights, bias and offset.

    The backward pass keeps the weights before each chunk and, for each step, a row of couplings: both grow
    only with the number of steps.
    """
    n_steps = pairs.keys.shape[1]
    if torch.compiler.is_exporting():  # the length may be open; with a spare chunk there never is just one
        cut = pairs.in_chunks(chunk, n_spare=1)
    else:
        cut = pairs.in_chunks(n_steps if n_steps < chunk else chunk)
    couple = Couplings.of(memory, cut, state.offset)
    phi = memory.activation
    changes, _, W, b = learn_chunks(
        state.weights,
        state.bias,
        *couple.read(cut.keys, after=False),
        cut.values,
        memory.step_length(couple.z, cut.rates[..., None])[..., 0],
        couple.kept[..., -1],
        couple.drift[..., -1, :],
        couple.since[..., -1, :, None] * couple.z,
        couple.moved[..., -1, :] + float(memory.learns_bias),
        phi.name,
        list(phi.parameters.values()),
    )
    readers, couplings = couple.read(cut.queries, after=memory.reads_after)
    recalled = phi(readers @ W[:, :-1] + b[:, :-1, None] + couplings @ changes)
    return join(recalled, n_steps), W[:, -1], b[:, -1], couple.offsets[:, -1, -1]


class Couplings(NamedTuple):
    """How the steps of a chunk affect its readers; t counts from 0 to the length of the chunk."""

    offsets: Tensor  # μ_t, (n_memories, n_chunks, 1 + length, n_keys)
    z: Tensor  # x_s − μ_s, (n_memories, n_chunks, length, n_keys)
    kept: Tensor  # Γ(0, t), (n_memories, n_chunks, 1 + length)
    since: Tensor  # Γ(s+1, t), 0 unless s < t, (n_memories, n_chunks, 1 + length, length)
    drift: Tensor  # Σ_{r<t} Γ(0, r+1) d_r, (n_memories, n_chunks, 1 + length, n_keys)
    moved: Tensor  # Σ_{s≤r<t} Γ(s+1, r+1) z_s·d_r, (n_memories, n_chunks, 1 + length, length)
    bias: Tensor  # β where s < t, (1 + length, length)

    @staticmethod
    def of(memory: Memory, cut: Pairs, offset: Tensor) -> Couplings:
        """Compute everything that depends on keys, decays and offsets alone."""
        x = cut.keys
        mu = offsets_of(x, cut.shifts, offset)
        z = x - mu[..., :-1, :]
        if cut.log_kept is None:  # one matrix serves all chunks
            kept, since = (p.expand(*x.shape[:2], *p.shape) for p in products(x.new_zeros(x.shape[2])))
        else:
            kept, since = products(cut.log_kept)
        if cut.shifts is None:
            drift, moved = x.new_zeros(()).expand_as(mu), x.new_zeros(()).expand_as(since)
        else:
            d = mu.diff(dim=-2)
            drift = from_zero((kept[..., 1:, None] * d).cumsum(dim=-2))
            moved = from_zero((since[..., 1:, :] * (d @ z.mT)).cumsum(dim=-2))
        is_past = torch.ones(since.shape[-2:], dtype=x.dtype, device=x.device).tril(-1)
        return Couplings(mu, z, kept, since, drift, moved, float(memory.learns_bias) * is_past)

    def read(self, q: Tensor, *, after: bool) -> tuple[Tensor, Tensor]:
        """Return what multiplies W, and the braces, for queries that read before or after their steps."""
        at = slice(1, None) if after else slice(None, -1)
        y = q - self.offsets[..., at, :]
        readers = self.kept[..., at, None] * y + self.drift[..., at, :]
        braces = self.since[..., at, :] * (y @ self.z.mT) + self.moved[..., at, :] + self.bias[at]
        return readers, braces


def products(logs: Tensor) -> tuple[Tensor, Tensor]:
    """Return Γ(0, t) and Γ(s+1, t), which is 0 unless s < t, from logarithms on the last axis."""
    total = F.pad(logs.cumsum(dim=-1), (1, 0))
    between = total[..., :, None] - total[..., None, 1:]
    is_past = torch.ones(between.shape[-2:], dtype=torch.bool, device=logs.device).tril(-1)
    return total.exp(), between.masked_fill(~is_past, -torch.inf).exp()


def offsets_of(x: Tensor, shifts: Tensor | None, start: Tensor) -> Tensor:
    """Return μ before each step of each chunk and after its last, μ_{t+1} = μ_t + ν_t(x_t − μ_t)."""
    n_memories, n_chunks, length, n_keys = x.shape
    if shifts is None:
        return start[:, None, None].expand(n_memories, n_chunks, length + 1, n_keys)
    kept, since = products(torch.log1p(-shifts))
    gained = (since * shifts[..., None, :]) @ x
    starts = carry(start, kept[..., -1], gained[..., -1, :])[:, :-1]
    return kept[..., None] * starts[:, :, None] + gained


def from_zero(sums: Tensor) -> Tensor:
    """Put the empty sum before sums over the second-to-last axis."""
    return F.pad(sums, (0, 0, 1, 0))
