"""Integrals of many functions at once, each between its own ends, by the tanh-sinh rule.

The nodes x = 1/(1 + e^(−π sinh k)), at equal steps of k, crowd toward both ends, so that a function may be
infinite or turn sharply there. In between it must be smooth.
"""

from __future__ import annotations

from collections.abc import Callable
from math import cosh, exp, pi, sinh

import torch
from torch import Tensor

LARGE = 2**16  # from this many elements on, nodes are evaluated in parts, which bounds the memory
BLOCK = 8


def _nodes(number: int, reach: float) -> tuple[tuple[float, float, float], ...]:
    """Return the distances of each node from start and end of the interval [0, 1], and its weight."""
    step = 2 * reach / (number - 1)
    slopes = ((pi * sinh(k), pi * cosh(k)) for k in (i * step - reach for i in range(number)))
    return tuple(
        (1 / (1 + exp(-y)), 1 / (1 + exp(y)), step * slope / ((1 + exp(-y)) * (1 + exp(y))))
        for y, slope in slopes
    )


NODES = {torch.float64: _nodes(61, reach=3.2), torch.float32: _nodes(33, reach=2.6)}
"""As many as each precision is worth; the outermost are one rounding unit away from the ends."""


def integral(function: Callable[[Tensor], Tensor], start: Tensor, end: Tensor) -> Tensor:
    """Return ∫ function from `start` to `end`, element by element; it is given a new first axis of nodes."""
    length = end - start
    total = torch.zeros_like(length)
    columns = torch.tensor(NODES[length.dtype], dtype=length.dtype, device=length.device)  # (nodes, 3)
    # A compiled graph must not depend on the number of elements, and fuses what it computes.
    at_once = torch.compiler.is_compiling() or length.numel() < LARGE
    for block in columns.split(len(columns) if at_once else BLOCK):
        x, rest, weight = (column.reshape(-1, *[1] * length.ndim) for column in block.unbind(dim=1))
        points = torch.where(x < 0.5, start + length * x, end - length * rest)  # exact near either end
        total = total + (weight * function(points)).sum(dim=0)
    return length * total
