"""One pass over patterns: by the compiled loop for single patterns, otherwise batch by batch.

Both change the arrays of a layer and the count of samples in place. A layer's weights are a view of
`weights_`, the transpose.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hebbian_descent.checks import Array
from hebbian_descent.engines.online import (
    ALL_LEARNED,
    LayerArrays,
    Loop,
    OnlineSetting,
    Order,
    Progress,
    Targets,
    in_codes,
    learn_batch,
    learn_in_blocks,
    squares_around,
)
from hebbian_descent.engines.sparse_online import SparseArrays, is_sparse
from hebbian_descent.learning.divergence import DivergenceError
from hebbian_descent.learning.run import batches
from hebbian_descent.network import Layer
from hebbian_descent.rules import ErrorTerm
from hebbian_descent.transaction import is_finite


class Samples(NamedTuple):
    """Patterns with their targets and weights, checked, in one dtype, C-contiguous."""

    inputs: Any  # (n_samples, n_inputs), an array or a matrix of compressed rows
    targets: Targets  # (n_samples, n_outputs), or (n_samples,) numbers of output units
    scales: Array  # (n_samples,), the weights of the samples

    def at(self, rows: Any) -> Samples:
        """Return some of the samples."""
        return Samples(self.inputs[rows], self.targets[rows], self.scales[rows])

    def dense_at(self, rows: Any) -> Samples:
        """Return some of the samples, with inputs that are an array."""
        some = self.at(rows)
        return some._replace(inputs=some.inputs.toarray()) if is_sparse(some.inputs) else some


def weighted_mean(values: Any, scales: Array) -> Array:
    """Return the mean of the rows, each counted by its weight; it may be infinite."""
    with np.errstate(over="ignore", invalid="ignore"):
        if (scales == scales[0]).all() and not is_sparse(values):
            mean: Array = values.mean(axis=0)
        else:
            mean = scales / scales.sum() @ values
    return mean


def weighted_spread(values: Any, scales: Array, mean: Array) -> tuple[Array, Array]:
    """Return the mean squares of the columns and their variance; they may be infinite."""
    with np.errstate(over="ignore", invalid="ignore"):
        squares = _sparse_squares if is_sparse(values) else squares_around
        total = squares(mean, values, scales)
        variance: Array = (total / scales.sum(dtype=np.float64)).astype(values.dtype)
        return variance + mean * mean, variance


def _sparse_squares(mean: Array, values: Any, scales: Array) -> Array:
    """Return Σw(x − μ)² of each column; where an input is 0, it is μ² away from the mean."""
    mu = mean.astype(np.float64)
    weights = np.repeat(scales.astype(np.float64), np.diff(values.indptr))
    x, m = values.data.astype(np.float64), mu[values.indices]
    there = np.bincount(values.indices, weights * (x - m) ** 2, minlength=values.shape[1])
    weight_there = np.bincount(values.indices, weights, minlength=values.shape[1])
    total: Array = there + (scales.sum(dtype=np.float64) - weight_there) * mu * mu
    return total


def mean_target(samples: Samples, n_outputs: int, error: ErrorTerm) -> Array:
    """Return the weighted mean of the targets; that of labels follows from how often each occurs."""
    if samples.targets.ndim == 2:
        return weighted_mean(samples.targets, samples.scales)
    off, on = error.codes
    counts = np.bincount(samples.targets, samples.scales, minlength=n_outputs)
    mean: Array = (off + (on - off) * counts / counts.sum()).astype(samples.inputs.dtype)
    return mean


def values_of(inputs: Any) -> Array:
    """Return the numbers of an array or a sparse matrix."""
    values: Array = inputs.data if is_sparse(inputs) else inputs
    return values


def largest_of(inputs: Any) -> float:
    """Return the largest magnitude of an input."""
    x = values_of(inputs)
    return float(max(x.max(), -x.min())) if x.size else 0.0


def check_mean(mean: Array, inputs: Any, learning_rate: float | None) -> None:
    """Raise if a mean of inputs is too large for an offset: no pattern could be learned with it."""
    with np.errstate(over="ignore", invalid="ignore"):
        is_large = not np.isfinite(mean @ mean)
    if is_large:
        raise DivergenceError.by_inputs(0, learning_rate, values_of(inputs))


def learn(
    setting: OnlineSetting,
    arrays: LayerArrays | SparseArrays,
    samples: Samples,
    order: Order,
    progress: Progress,
    *,
    loop: Loop | None,
    batch_size: int = 1,
    means: tuple[Array, Array] | None = None,
    target_offset: Array | None = None,
) -> None:
    """Show samples once in the given order, and count them; by a compiled loop where there is one.

    A single sample is learned and counted by it, or refused with nothing changed, in one call that no
    interrupt can divide. So it needs no draft, which on a large layer would take longer than learning.
    """
    if loop is not None:
        n_weights = weights_of_a_sample(arrays, samples)
        if learn_in_blocks(loop, arrays, samples, order, progress, n_weights=n_weights) != ALL_LEARNED:
            raise _divergence(setting, samples, progress)
        return
    assert isinstance(arrays, LayerArrays)
    layer = Layer(arrays.weights.T, arrays.bias, arrays.offset, setting.activation)
    for rows in batches(order, batch_size):
        x, t, weights = samples.dense_at(rows)
        t = in_codes(t, layer.n_outputs, setting.update.error, x.dtype)
        try:
            learn_batch(
                setting, layer, arrays, x, t, weights, progress, means=means, target_offset=target_offset
            )
        except DivergenceError as error:
            raise _divergence(setting, Samples(x, t, weights), progress, error.largest) from None
    if not is_finite(layer):
        raise _divergence(setting, samples, progress)


def weights_of_a_sample(arrays: LayerArrays | SparseArrays, samples: Samples) -> int:
    """Return how many weights a sample changes, on average."""
    if isinstance(arrays, LayerArrays):
        return int(arrays.weights.size)
    n_there = samples.inputs.nnz // max(1, samples.inputs.shape[0])
    return max(1, int(n_there * len(arrays.places)))


def _divergence(
    setting: OnlineSetting,
    samples: Samples,
    progress: Progress,
    largest: float | None = None,
) -> DivergenceError:
    """Return the error that reports how large samples are, and targets and weights if they are not small."""
    x, t, scales = samples
    target, weight = largest_of(t) if t.dtype.kind == "f" else 0.0, largest_of(scales)
    return DivergenceError(
        int(progress[0]),
        setting.update.fixed_rate,
        largest,
        setting.update.bound_of(setting.activation).of(x),
        largest_input=largest_of(x),
        largest_target=target if target > 1 else None,
        largest_weight=weight if weight > 1 else None,
    )
