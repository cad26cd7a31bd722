"""Inputs of auto-encoders, cut in parts: whole, or without their zeros where that is faster."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from hebbian_descent.checks import Array
from hebbian_descent.engines.network_grids import AutoencoderCell, AutoencoderGrid
from hebbian_descent.engines.patterns import Patterns
from hebbian_descent.engines.sparse import (
    LARGEST_SHARE_BESIDE_BLAS,
    leaving_out_zeros_pays,
    sparse_patterns,
)
from hebbian_descent.engines.tied_passes import Passes, Rows
from hebbian_descent.network import Autoencoder

if TYPE_CHECKING:
    from hebbian_descent.native._native import Core

PARTS = 2

SMALLEST_ROW = 64
"""Bytes of hidden units: with fewer, a BLAS is as fast or faster, zeros and all."""


class Inputs(Protocol):
    """Some columns of all patterns."""

    def encode(
        self, rows: Rows, weights: Array, offset: Array, x: Array, centered: Array, share: Array
    ) -> None:
        """Set x and x − μ of some patterns, and (x − μ)W, their share of the hidden units' activity."""


class WholeInputs:
    """Columns with their zeros, for a product by BLAS."""

    def __init__(self, patterns: Array, first: int, center: Callable[..., None]) -> None:
        self.patterns, self.first, self.center = patterns, first, center

    def encode(
        self, rows: Rows, weights: Array, offset: Array, x: Array, centered: Array, share: Array
    ) -> None:
        """Copy and center the patterns, then multiply."""
        self.center(self.patterns, rows, self.first, offset, x, centered)
        np.matmul(centered, weights, out=share)


class SparseInputs:
    """Columns without their zeros, for a compiled product; x − μ is set only if it is learned from."""

    def __init__(
        self,
        native: Core,
        patterns: Array,
        columns: tuple[int, int],
        dtype: np.dtype[Any],
        *,
        is_learned: bool,
    ) -> None:
        self.patterns = sparse_patterns(native, patterns, dtype, columns)
        self.is_learned = is_learned

    def encode(
        self, rows: Rows, weights: Array, offset: Array, x: Array, centered: Array, share: Array
    ) -> None:
        """Multiply what is not zero: (x − μ)W = xW − μW."""
        self.multiply(rows, weights, offset, share)
        self.patterns.fill(rows, x)
        if self.is_learned:
            np.subtract(x, offset, out=centered)

    def multiply(self, rows: Rows, weights: Array, offset: Array, share: Array) -> None:
        """Set (x − μ)W alone."""
        self.patterns.multiply(rows, weights, -(offset @ weights), share)


def cut(part: int, n_parts: int, size: int) -> tuple[int, int]:
    """Return where a part of so many begins and ends."""
    return part * size // n_parts, (part + 1) * size // n_parts


def inputs_in_parts(
    cell: AutoencoderCell, grid: AutoencoderGrid, patterns: Patterns, passes: Passes
) -> list[Inputs]:
    """Return the parts of the learned inputs; output units that depend on each other are not cut apart."""
    n_parts = PARTS if cell.activation.output.elementwise else 1
    # Row by row, in a precision that the compiled passes take.
    inputs = patterns.inputs
    inputs = np.ascontiguousarray(
        inputs if inputs.dtype in (np.float32, np.float64) else inputs.astype(float)
    )
    cuts = [cut(part, n_parts, inputs.shape[1]) for part in range(n_parts)]
    if passes.native is None or not leaves_out_zeros(grid, patterns):
        return [WholeInputs(inputs, first, passes.center) for first, _ in cuts]
    is_learned = cell.rule.compiled_form != "decoder"
    return [
        SparseInputs(passes.native, inputs, columns, grid.dtype, is_learned=is_learned) for columns in cuts
    ]


def leaves_out_zeros(grid: AutoencoderGrid, patterns: Patterns) -> bool:
    """Return whether compiled products with the inputs leave out their zeros."""
    n = min(grid.batch_size, len(patterns.inputs))
    pays = leaving_out_zeros_pays(patterns.share_of_inputs, n, largest_share=LARGEST_SHARE_BESIDE_BLAS)
    return pays and grid.n_hidden * grid.dtype.itemsize >= SMALLEST_ROW


def encoder_of(
    parts: list[Inputs], patterns: Patterns, passes: Passes
) -> Callable[[Autoencoder, slice], Array] | None:
    """Return a faster way to the hidden activity of some of the evaluated patterns, if there is one."""
    sparse = [part for part in parts if isinstance(part, SparseInputs)]
    if not sparse or patterns.evaluated is not None:
        return None
    n_patterns, n_inputs = patterns.inputs.shape

    def encode(network: Autoencoder, some: slice) -> Array:
        rows, W, mu = np.arange(n_patterns)[some], network.weights, network.offset
        shares = np.zeros((PARTS, len(rows), network.n_hidden), W.dtype)
        for number, part in enumerate(sparse):
            columns = slice(*cut(number, len(sparse), n_inputs))
            part.multiply(rows, W[columns], mu[columns], shares[number])
        a, h, centered = (np.empty((len(rows), network.n_hidden), W.dtype) for _ in range(3))
        sums = np.empty_like(network.bias)
        passes.activate(*shares, network.bias, network.hidden_offset, a, h, centered, sums)
        return h

    return encode
