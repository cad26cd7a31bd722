"""How one half of an auto-encoder with tied weights takes up a batch: its share of hidden activities.

Inputs come whole, for a product by BLAS, or without their zeros, for a compiled product.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba.core import types

from hebbian_descent.checks import Array
from hebbian_descent.kernels.compilation import compiled_as
from hebbian_descent.kernels.products_inside import multiply
from hebbian_descent.kernels.sparse_batches import ByPattern, Places, SparsePatterns
from hebbian_descent.kernels.sparse_products import fill_centered_product
from hebbian_descent.kernels.tied_learning import bounds
from hebbian_descent.kernels.tied_parts import HALVES, Parameters


class Entries(NamedTuple):
    """Patterns without their zeros, cut in halves, and room for what is found of a batch."""

    patterns: SparsePatterns
    begins: Places
    """Where the entries of a pattern in a block begin, (n_blocks, batch_size)."""
    ends: Places
    every_input: npt.NDArray[np.uint32]
    products_of_offset: Array  # (halves, n_hidden)

    @classmethod
    def of(cls, patterns: SparsePatterns, parameters: Parameters, batch_size: int) -> Entries:
        """Return the patterns with room for batches of a size."""
        n_inputs, n_hidden = parameters.weights.shape
        begins, ends = np.zeros((2, len(patterns.edges) - 1, batch_size), np.int64)
        return cls(
            patterns,
            begins,
            ends,
            every_input=np.arange(n_inputs, dtype=np.uint32),
            products_of_offset=np.zeros((HALVES, n_hidden), parameters.weights.dtype),
        )


def encode(half: int, functions: Any, rates: Any, parameters: Any, work: Any, inputs: Any, rows: Any) -> None:
    """Fetch half of the inputs of a batch and find their share of the hidden units' activities."""
    raise NotImplementedError("Only compiled code can call this.")


@compiled_as(encode)
def _compiled_encode(
    half: int, functions: Any, rates: Any, parameters: Any, work: Any, inputs: Any, rows: Any
) -> Callable[..., None]:
    return _encode_whole if isinstance(inputs, types.Array) else _encode_entries


def _encode_whole(
    half: int, functions: Any, rates: Any, parameters: Any, work: Any, inputs: Any, rows: Any
) -> None:
    n, (n_inputs, n_hidden) = rows.size, parameters.weights.shape
    low, high = bounds(half, n_inputs)
    width = high - low
    x = work.inputs[half, : n * width].reshape(n, width)
    centered = work.centered[half, : n * width].reshape(n, width)
    mu = parameters.offset[low:high]
    number = x.dtype.type
    for pattern in range(n):
        source, copy, mean_free = inputs[rows[pattern], low:high], x[pattern], centered[pattern]
        for unit in range(width):
            value = number(source[unit])
            copy[unit] = value
            mean_free[unit] = value - mu[unit]
    share = work.shares[half, : n * n_hidden].reshape(n, n_hidden)
    multiply(functions.product, share, 0, 1, centered, False, parameters.weights[low:high], False)


def _encode_entries(
    half: int, functions: Any, rates: Any, parameters: Any, work: Any, inputs: Any, rows: Any
) -> None:
    n, (n_inputs, n_hidden) = rows.size, parameters.weights.shape
    low, high = bounds(half, n_inputs)
    width = high - low
    edges, starts, places, values = inputs.patterns
    first, last = bounds(half, len(edges) - 1)
    begins, ends = inputs.begins[first:last, :n], inputs.ends[first:last, :n]
    x = work.inputs[half, : n * width].reshape(n, width)
    for pattern in range(n):
        of_blocks, copy = starts[rows[pattern]], x[pattern]
        for block in range(first, last):
            begins[block - first, pattern] = of_blocks[block]
            ends[block - first, pattern] = of_blocks[block + 1]
        copy[:] = 0
        for entry in range(of_blocks[first], of_blocks[last]):
            copy[places[entry] - low] = values[entry]
    if rates.follows_gradient:
        centered = work.centered[half, : n * width].reshape(n, width)
        mu = parameters.offset[low:high]
        for pattern in range(n):
            source, mean_free = x[pattern], centered[pattern]
            for unit in range(width):
                mean_free[unit] = source[unit] - mu[unit]
    fill_centered_product(
        work.shares[half, : n * n_hidden].reshape(n, n_hidden),
        inputs.products_of_offset[half : half + 1],
        ByPattern(edges[first : last + 1], begins, ends, places, values),
        inputs.every_input,
        parameters.offset,
        parameters.weights,
    )
