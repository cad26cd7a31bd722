"""Online learning from sparse patterns, at a cost that follows the number of inputs that are not 0.

Centered, an input that is 0 is not: its weights change at every step. But between two patterns in which it is
there, all inputs change alike, by a few numbers that are kept for all of them; `native/cpp/sparse_online.hpp`
says how. What an input has learned is written when it is there. So the arrays here are not those of a layer:
`dense` gives these. The plain twin is the dense loop of `online`, with the same numbers but for rounding.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse

from hebbian_descent.checks import Array
from hebbian_descent.engines.online import LayerArrays, Loop, OnlineSetting, Targets, native_loop
from hebbian_descent.learning.averaging import Averaging

Rows: TypeAlias = tuple[Array, npt.NDArray[np.int32], npt.NDArray[np.int64]]
"""The values, columns and starts of the rows of a compressed matrix."""

OFFSET, SQUARES, WEIGHTS, SQUARE_SUM, N_PAST = range(5)
"""Places in `factors`: P, Q, K, G and the number of past blocks."""
N_FACTORS = 3
PRECISION = 2
"""The column of `known` with 1/σ²."""
BIAS, RESPONSE, COMMON = range(3)
"""Rows of `units`: β = b − Wμ, Wμ and C."""


class SparseArrays(NamedTuple):
    """What learning from sparse patterns changes in place."""

    encoded: Array  # V, (n_inputs, n_outputs)
    known: Array  # m, r, 1/σ² and in which block an input was written, (n_inputs, 4)
    units: Array  # (3, n_outputs)
    factors: npt.NDArray[np.float64]  # (5,)
    past: Array  # the ends of past blocks: P, Q, K and C of each
    mean_weights: Array | None = None  # (n_inputs, n_outputs)
    mean_bias: Array | None = None

    @classmethod
    def of(cls, arrays: LayerArrays) -> SparseArrays:
        """Return the same layer, ready for sparse patterns."""
        W, b, mu = arrays.weights, arrays.bias, arrays.offset
        n_outputs, n_inputs = W.shape
        precisions = np.ones_like(mu) if arrays.precisions is None else arrays.precisions
        squares = np.zeros_like(mu) if arrays.squares is None else arrays.squares
        response = W @ mu
        square_sum = np.square(mu, dtype=np.float64) @ precisions.astype(np.float64)
        return cls(
            np.ascontiguousarray(W.T),
            np.column_stack([mu, squares, precisions, np.zeros_like(mu)]),
            np.array([b - response, response, np.zeros_like(b)]),
            np.array([1.0, 1.0, 1.0, square_sum, 0.0]),
            np.zeros((Averaging.spacing(n_inputs), N_FACTORS + n_outputs), W.dtype),
            None if arrays.mean_weights is None else np.ascontiguousarray(arrays.mean_weights.T),
            None if arrays.mean_bias is None else arrays.mean_bias.copy(),
        )

    def with_outputs(self, n_outputs: int, places: npt.NDArray[np.intp]) -> SparseArrays:
        """Return a layer with more outputs, in which those of this one are at some places."""

        def grown(array: Any, before: int = 0) -> Any:
            columns = np.concatenate([np.arange(before), before + places])
            wide = np.zeros((*array.shape[:-1], before + n_outputs), array.dtype)
            wide[..., columns] = array
            return wide

        has_mean = self.mean_weights is not None
        return self._replace(
            encoded=grown(self.encoded),
            units=grown(self.units),
            past=grown(self.past, N_FACTORS),
            mean_weights=grown(self.mean_weights) if has_mean else None,
            mean_bias=grown(self.mean_bias) if has_mean else None,
        )

    @property
    def raw_bias(self) -> Array:
        """β, the bias of the layer without centering."""
        bias: Array = self.units[BIAS]
        return bias

    def caught_up(self, inputs: Any = slice(None)) -> tuple[Array, Array, Array]:
        """Return W, μ and q of some inputs as they are now."""
        W = self.encoded[inputs].copy()
        m, r, precisions, blocks = self.known[inputs].T.copy()
        n_past = int(self.factors[N_PAST])
        now = np.concatenate([self.factors[:N_FACTORS].astype(W.dtype), self.units[COMMON]])
        for block, end in enumerate([*self.past[:n_past], now]):
            (P, Q, K), common = end[:N_FACTORS], end[N_FACTORS:]
            late = blocks == block
            W[late] -= np.outer(m[late] * precisions[late], common)
            W[late] *= K
            m[late] *= P
            r[late] *= Q
            blocks[late] += 1
        return W, m, r

    def dense(self, *, scales: bool) -> LayerArrays:
        """Return the layer in arrays of its own, with or without what is known of the spread of inputs."""
        W, mu, q = self.caught_up()
        W = np.ascontiguousarray(W.T)
        mean = None if self.mean_weights is None else np.ascontiguousarray(self.mean_weights.T)
        return LayerArrays(
            W,
            self.raw_bias + W @ mu,
            mu,
            q if scales else None,
            self.known[:, PRECISION].copy() if scales else None,
            mean,
            None if self.mean_bias is None else self.mean_bias.copy(),
        )


def sparse_loop_of(setting: OnlineSetting, n_inputs: int, dtype: np.dtype[Any]) -> Loop:
    """Return the compiled loop for sparse patterns, to be kept for many calls."""
    loop = native_loop(setting, n_inputs, dtype, per_pass=1)

    def learn(arrays: SparseArrays, inputs: Any, targets: Targets, *others: Any) -> int:
        show = loop.learn_sparse_labels if targets.ndim == 1 else loop.learn_sparse
        return int(show(arrays, rows_of(inputs), targets, *others))

    return learn


def is_sparse(inputs: Any) -> bool:
    """Return whether this is a sparse matrix or array."""
    return bool(sparse.issparse(inputs))


def rows_of(inputs: Any) -> Rows:
    """Return a compressed matrix as the compiled loop reads it."""
    columns, starts = inputs.indices, inputs.indptr
    return inputs.data, columns.astype(np.int32, copy=False), starts.astype(np.int64, copy=False)


def as_rows(inputs: Any) -> Any:
    """Return a matrix of compressed rows without zeros, each input at most once per row."""
    rows = sparse.csr_array(inputs)
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    if (rows.data == 0).any():
        rows = rows.copy()
        rows.eliminate_zeros()
    return rows
