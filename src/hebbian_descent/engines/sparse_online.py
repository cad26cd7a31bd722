"""Online learning from sparse patterns, at a cost proportional to the number of nonzero inputs.

With centering, an input of 0 does not stay 0: its weights change at every step. But between two patterns in
which it is nonzero, all inputs change alike, by a few numbers that are kept for all of them;
`native/cpp/sparse_layer.hpp` says how. An input's row is brought up to date when the input is nonzero. So the
arrays here are not those of a layer: `dense` returns those. The plain twin is the dense loop of `online`,
which agrees up to rounding.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse

from hebbian_descent.aligned import aligned, aligned_zeros, whole_vectors
from hebbian_descent.checks import Array
from hebbian_descent.engines.online import (
    LayerArrays,
    Loop,
    OnlineSetting,
    Targets,
    native_kind,
    native_loop,
)
from hebbian_descent.learning.divergence import limit_of
from hebbian_descent.native import core

Rows: TypeAlias = tuple[Array, npt.NDArray[np.int32], npt.NDArray[np.int64]]
"""The values, columns and starts of the rows of a compressed matrix."""

MEAN, SQUARES, PRECISION, BLOCK = range(4)
"""What is known of an input: m, r, 1/σ², and the number of blocks passed when it was last written."""
N_KNOWN = 4
BIAS, RESPONSE, COMMON = range(3)
"""Rows of `units`: β = b − Wμ, Wμ and C."""
SQUARE_SUM, PAST, USED, FINEST = 3, 4, 5, 6
N_TOTALS = 7
"""`totals` are P, Q and K of the block, G, the numbers of past blocks and used places, the largest 1/σ²."""
N_FACTORS = 5
"""A past block is P, Q, K, A, B, S and D: what has happened to its inputs since it began."""
MOST_PAST = 256
"""Past blocks that are kept until all inputs catch up; more of them if there are many inputs."""
TRANSPOSED_AT_ONCE = 2**12


class SparseArrays(NamedTuple):
    """The arrays that learning from sparse patterns changes in place.

    Units have places in order of arrival, and there may be room for more: rewriting all rows for every new
    class would take far longer than learning it.
    """

    rows: Array  # one per input: V and what is known of it; from the next cache line on the average of W
    units: Array  # (3, n_places)
    totals: npt.NDArray[np.float64]
    past: Array  # one row per past block, (…, 5 + 2 n_places)
    places: npt.NDArray[np.int64]  # (n_outputs,), the place of each output's unit
    mean_bias: Array | None = None
    scales: bool = True
    """Whether inputs are scaled; otherwise r is 0 and 1/σ² is 1."""
    is_ordinary: bool = True
    """Whether weights and biases are known to be of ordinary size."""

    @classmethod
    def of(cls, arrays: LayerArrays) -> SparseArrays:
        """Return the same layer, ready for sparse patterns."""
        W, b, mu = arrays.weights, arrays.bias, arrays.offset
        n_outputs, n_inputs = W.shape
        precisions = np.ones_like(mu) if arrays.precisions is None else arrays.precisions
        squares = np.zeros_like(mu) if arrays.squares is None else arrays.squares
        response = W @ mu
        layer = cls._empty(n_inputs, n_outputs, W.dtype, is_averaged=arrays.mean_bias is not None)
        layer.known[:] = np.column_stack([mu, squares, precisions, np.zeros_like(mu)])
        layer.units[:] = b - response, response, np.zeros_like(b)
        square_sum = np.square(mu, dtype=np.float64) @ precisions.astype(np.float64)
        layer.totals[:] = 1, 1, 1, square_sum, 0, n_outputs, precisions.max(initial=0)
        _transpose(W, layer.weights)
        if arrays.mean_weights is not None and layer.mean_bias is not None:
            _transpose(arrays.mean_weights, layer.mean_weights)
            layer.mean_bias[:] = arrays.mean_bias
        return layer._replace(
            places=np.arange(n_outputs),
            scales=arrays.precisions is not None,
            is_ordinary=has_ordinary_size(W, b),
        )

    @classmethod
    def _empty(cls, n_inputs: int, n_places: int, dtype: Any, *, is_averaged: bool) -> SparseArrays:
        itemsize = np.dtype(dtype).itemsize
        length = whole_vectors(n_places + N_KNOWN, itemsize)
        length += whole_vectors(n_places, itemsize) if is_averaged else 0
        return cls(
            aligned_zeros((n_inputs, length), dtype),
            np.zeros((3, n_places), dtype),
            np.zeros(N_TOTALS),
            np.zeros((max(MOST_PAST, n_inputs // 1024), N_FACTORS + 2 * n_places), dtype),
            np.zeros(0, np.int64),
            np.zeros(n_places, dtype) if is_averaged else None,
        )

    def with_outputs(self, n_outputs: int, outputs: npt.NDArray[np.intp]) -> SparseArrays:
        """Return a layer with more outputs, in which those of this one are numbered `outputs`.

        If there is room for them, it shares the arrays of this one.
        """
        n_known = len(self.places)
        places = np.empty(n_outputs, np.int64)
        places[outputs] = self.places
        places[np.delete(np.arange(n_outputs), outputs)] = np.arange(n_known, n_outputs)
        if n_outputs <= self.n_places:
            for columns in self._of_units():  # left by a call that failed, if any
                columns[:, n_known : int(self.totals[USED])] = 0
            self.totals[USED] = n_outputs
            return self._replace(places=places)
        n_places = whole_vectors(2 * n_outputs + N_KNOWN, self.rows.itemsize) - N_KNOWN
        wide = self._empty(len(self.rows), n_places, self.rows.dtype, is_averaged=self.mean_bias is not None)
        wide.known[:], wide.totals[:] = self.known, self.totals
        wide.totals[USED] = n_outputs
        wide.past[:, :N_FACTORS] = self.past[:, :N_FACTORS]
        for ours, theirs in zip(wide._of_units(), self._of_units(), strict=True):
            ours[:, :n_known] = theirs[:, :n_known]
        return wide._replace(places=places, scales=self.scales, is_ordinary=self.is_ordinary)

    @property
    def compiled(self) -> tuple[Any, ...]:
        """What the compiled loop reads: the arrays, and whether inputs are scaled."""
        return self[:-1]

    def _of_units(self) -> list[Array]:
        """Return all arrays with one column per place of a unit."""
        averages = [] if self.mean_bias is None else [self.mean_weights, self.mean_bias[np.newaxis]]
        return [self.weights, self.units, *self.past_changes, *averages]

    @property
    def n_places(self) -> int:
        """The number of units that there is room for."""
        return int(self.units.shape[1])

    @property
    def weights(self) -> Array:
        """V, (n_inputs, n_places)."""
        return self.rows[:, : self.n_places]

    @property
    def known(self) -> Array:
        """What is known of the inputs, (n_inputs, 4)."""
        return self.rows[:, self.n_places : self.n_places + N_KNOWN]

    @property
    def mean_weights(self) -> Array:
        """The average of W, (n_inputs, n_places), of a layer that has one."""
        start = whole_vectors(self.n_places + N_KNOWN, self.rows.itemsize)
        return self.rows[:, start : start + self.n_places]

    @property
    def past_changes(self) -> tuple[Array, Array]:
        """S and D of past blocks."""
        both = self.past[:, N_FACTORS:]
        return both[:, : self.n_places], both[:, self.n_places :]

    @property
    def finest_scale(self) -> float:
        """The smallest σ that an input ever had."""
        return float(1 / np.sqrt(self.totals[FINEST])) if self.totals[FINEST] else np.inf

    @property
    def square_sum(self) -> float:
        """Σμ²/σ² over all inputs."""
        return float(self.totals[SQUARE_SUM])

    @property
    def raw_bias(self) -> Array:
        """β, the bias of the layer without centering."""
        bias: Array = self.units[BIAS, self.places]
        return bias

    def respond(self, inputs: Any, *, by_average: bool) -> Array:
        """Return the preactivations of the layer, or of its average, for a matrix of compressed rows."""
        if core() is None:
            known = self.dense()
            W, b = (known.mean_weights, known.mean_bias) if by_average else (known.weights, self.raw_bias)
            assert W is not None
            a: Array = inputs @ W.T + b
            return a
        a = np.empty((inputs.shape[0], len(self.places)), self.rows.dtype)
        native_kind(self.rows.dtype).respond_sparse(self.compiled, rows_of(inputs), bool(by_average), a)
        return a[:, self.places]

    def caught_up(self) -> SparseArrays:
        """Return a copy whose rows hold the current W, μ and q."""
        known = self._replace(rows=aligned(self.rows.shape, self.rows.dtype))
        if core() is None:
            known.rows[:] = self.rows
            known._catch_up_in_python()
        else:
            native_kind(self.rows.dtype).copy_rows(self.compiled, known.rows)
        return known

    def _catch_up_in_python(self) -> None:
        """Apply to each input what has happened since it was written; the plain twin of `copy_rows`."""
        W, known, mean = self.weights, self.known, self.mean_weights
        n_past = int(self.totals[PAST])
        begun = np.array([[1, 1, 1, 1, 0]], W.dtype), np.zeros((1, self.n_places), W.dtype)
        factors = np.vstack([self.past[:n_past, :N_FACTORS], begun[0]])
        S, D = (np.vstack([changes[:n_past], begun[1]]) for changes in self.past_changes)
        P, Q, K = self.totals[:3].astype(W.dtype)
        blocks, shares = known[:, BLOCK].astype(np.intp), known[:, MEAN] * known[:, PRECISION]
        now = factors[blocks]
        if self.mean_bias is not None:
            mean[:] = now[:, 3:4] * mean + now[:, 4:5] * W - shares[:, np.newaxis] * D[blocks]
        S = K * (S + np.outer(factors[:, 0], self.units[COMMON]))
        W[:] = K * now[:, 2:3] * W - shares[:, np.newaxis] * S[blocks]
        known[:, [MEAN, SQUARES]] *= now[:, :2] * np.array([P, Q], W.dtype)

    def dense(self) -> LayerArrays:
        """Return the layer in dense arrays."""
        now = self.caught_up()
        mu, q, precisions, _ = now.known.T.copy()
        W = now.weights.T[self.places]
        is_averaged = self.mean_bias is not None
        return LayerArrays(
            W,
            self.raw_bias + W @ mu,
            mu,
            q if self.scales else None,
            precisions if self.scales else None,
            now.mean_weights.T[self.places] if is_averaged else None,
            None if self.mean_bias is None else self.mean_bias[self.places],
        )


def has_ordinary_size(*arrays: Array) -> bool:
    """Return whether all numbers are so small that a sum of products of two of them is within the limit."""
    bounds = (limit_of(array) ** (1 / 3) for array in arrays)
    return all(max(a.max(initial=0), -a.min(initial=0)) < b for a, b in zip(arrays, bounds, strict=True))


def _transpose(matrix: Array, into: Array) -> None:
    """Write the transpose of a matrix over zeros, in pieces that fit a cache."""
    if not matrix.any():
        return
    for start in range(0, len(into), TRANSPOSED_AT_ONCE):
        into[start : start + TRANSPOSED_AT_ONCE] = matrix[:, start : start + TRANSPOSED_AT_ONCE].T


def sparse_loop_of(setting: OnlineSetting, n_inputs: int, dtype: np.dtype[Any]) -> Loop:
    """Return the compiled loop for sparse patterns, to be kept for many calls."""
    loop = native_loop(setting, n_inputs, dtype, per_pass=1)

    def learn(arrays: SparseArrays, inputs: Any, targets: Targets, *others: Any) -> int:
        if targets.ndim == 1:
            return int(
                loop.learn_sparse_labels(arrays.compiled, rows_of(inputs), arrays.places[targets], *others)
            )
        return int(loop.learn_sparse(arrays.compiled, rows_of(inputs), targets, *others))

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
