"""One step after another: the plain form, which the chunked form must equal."""

from __future__ import annotations

import torch
from torch import Tensor

from hebbian_descent.nn.fast_weights.pairs import Memory, Pairs
from hebbian_descent.nn.fast_weights.state import MemoryState


def learn_step_by_step(
    memory: Memory, pairs: Pairs, state: MemoryState
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return what is recalled for each query, and the final weights, bias and offset.

    Autograd keeps the weights of every step: its memory grows with steps times weights.
    """
    phi = memory.activation
    W, b, mu = state.weights, state.bias, state.offset
    recalled = []
    for x, v, q, rate, kept, nu in pairs.steps():
        before = recall(q, W, b, mu)
        z = x - mu
        p = memory.step_length(z, rate) * (v - phi(recall(x, W, b, mu)))  # −ηE
        W = kept[:, :, None] * W + z[:, :, None] * p[:, None, :]
        b = b + p if memory.learns_bias else b
        new = mu + nu * (x - mu)
        b = b + apply(new - mu, W)  # the offset moves, and the function stays
        mu = new
        recalled.append(recall(q, W, b, mu) if memory.reads_after else before)
    return phi(torch.stack(recalled, dim=1)), W, b, mu


def recall(q: Tensor, W: Tensor, b: Tensor, mu: Tensor) -> Tensor:
    """Return (q − μ)W + b, one row per memory."""
    return apply(q - mu, W) + b


def apply(x: Tensor, W: Tensor) -> Tensor:
    """Return xW, one row per memory."""
    return torch.bmm(x[:, None, :], W)[:, 0]
