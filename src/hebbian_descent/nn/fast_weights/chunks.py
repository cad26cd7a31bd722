"""A sequence as chunks of equal length, and back: two operators, so that a graph can leave the length open.

Whether padding and reshaping fit for every length is more than `torch.export` can prove. An operator only
states the shape of its result.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor


@torch.library.custom_op("hebbian_descent::cut", mutates_args=())
def cut(x: Tensor, length: int, n_spare: int = 0) -> Tensor:
    """Return (n_memories, n_chunks, length, …) from (n_memories, n_steps, …), with zeros at the end.

    The last `n_spare` chunks are all zeros.
    """
    n_memories, n_steps, *rest = x.shape
    chunks = x.new_zeros(n_memories, n_steps + -n_steps % length + n_spare * length, *rest)
    chunks[:, :n_steps] = x
    return chunks.unflatten(1, (-1, length))


@torch.library.custom_op("hebbian_descent::join", mutates_args=())
def join(x: Tensor, n_steps: int) -> Tensor:
    """Return the first steps of (n_memories, n_chunks, length, …) as (n_memories, n_steps, …)."""
    return x.flatten(1, 2)[:, :n_steps].clone()


@cut.register_fake
def _(x: Tensor, length: int, n_spare: int = 0) -> Tensor:
    n_memories, n_steps, *rest = x.shape
    return x.new_empty(n_memories, (n_steps + length - 1) // length + n_spare, length, *rest)


@join.register_fake
def _(x: Tensor, n_steps: int) -> Tensor:
    return x.new_empty(x.shape[0], n_steps, *x.shape[3:])


def _keep_n_steps(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    ctx.n_steps = inputs[0].shape[1]


def _keep_length(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    x, n_steps = inputs
    ctx.length, ctx.n_spare = x.shape[2], x.shape[1] - (n_steps + x.shape[2] - 1) // x.shape[2]


def _join_gradient(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
    return join(gradient, ctx.n_steps), None, None


def _cut_gradient(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
    return cut(gradient, ctx.length, ctx.n_spare), None


cut.register_autograd(_join_gradient, setup_context=_keep_n_steps)
join.register_autograd(_cut_gradient, setup_context=_keep_length)
