"""One pass over patterns: by the compiled loop for single patterns, otherwise batch by batch.

Both change the arrays of a layer and the count of samples in place. A layer's weights are a view of `coef_`,
the transpose.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

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
)
from hebbian_descent.learning.divergence import DivergenceError, limit_of
from hebbian_descent.learning.run import batches
from hebbian_descent.network import Layer
from hebbian_descent.rules import ErrorTerm
from hebbian_descent.transaction import is_finite

CACHED_NUMBERS = 2**16


class Samples(NamedTuple):
    """Patterns with their targets and weights, checked, in one dtype, C-contiguous."""

    inputs: Array  # (n_samples, n_inputs)
    targets: Targets  # (n_samples, n_outputs), or (n_samples,) numbers of output units
    scales: Array  # (n_samples,), the weights of the samples

    def at(self, rows: Any) -> Samples:
        """Return some of the samples."""
        return Samples(self.inputs[rows], self.targets[rows], self.scales[rows])


def weighted_mean(values: Array, scales: Array) -> Array:
    """Return the mean of the rows, each counted by its weight; it may be infinite."""
    with np.errstate(over="ignore", invalid="ignore"):
        if (scales == scales[0]).all():
            mean: Array = values.mean(axis=0)
        else:
            mean = scales / scales.sum() @ values
    return mean


def weighted_spread(values: Array, scales: Array, mean: Array) -> tuple[Array, Array]:
    """Return the mean squares of the columns and their variance, in blocks that fit a cache."""
    total = np.zeros(values.shape[1], np.float64)
    size = max(1, CACHED_NUMBERS // values.shape[1])
    for start in range(0, len(values), size):
        centered = values[start : start + size] - mean
        total += np.einsum("i,ij,ij->j", scales[start : start + size], centered, centered)
    variance: Array = (total / scales.sum(dtype=np.float64)).astype(values.dtype)
    return variance + mean * mean, variance


def mean_target(samples: Samples, n_outputs: int, error: ErrorTerm) -> Array:
    """Return the weighted mean of the targets; that of labels follows from how often each is there."""
    if samples.targets.ndim == 2:
        return weighted_mean(samples.targets, samples.scales)
    off, on = error.codes
    counts = np.bincount(samples.targets, samples.scales, minlength=n_outputs)
    mean: Array = (off + (on - off) * counts / counts.sum()).astype(samples.inputs.dtype)
    return mean


def check_mean(mean: Array, inputs: Array, learning_rate: float | None) -> None:
    """Raise if a mean of inputs is too large for an offset: no pattern could be learned with it."""
    with np.errstate(over="ignore", invalid="ignore"):
        is_large = not np.isfinite(mean @ mean)
    if is_large:
        largest = float(np.abs(inputs).max())
        raise DivergenceError(0, learning_rate, limit=limit_of(inputs), largest_input=largest)


def learn(
    setting: OnlineSetting,
    arrays: LayerArrays,
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
        if learn_in_blocks(loop, arrays, samples, order, progress) != ALL_LEARNED:
            raise _divergence(setting, arrays, samples, progress)
        return
    layer = Layer(arrays.weights.T, arrays.bias, arrays.offset, setting.activation)
    for rows in batches(order, batch_size):
        x, t, weights = samples.at(rows)
        t = in_codes(t, layer.n_outputs, setting.update.error, x.dtype)
        try:
            learn_batch(
                setting, layer, arrays, x, t, weights, progress, means=means, target_offset=target_offset
            )
        except DivergenceError as error:
            raise _divergence(setting, arrays, Samples(x, t, weights), progress, error.largest) from None
    if not is_finite(layer):
        raise _divergence(setting, arrays, samples, progress)


def _divergence(
    setting: OnlineSetting,
    arrays: LayerArrays,
    samples: Samples,
    progress: Progress,
    largest: float | None = None,
) -> DivergenceError:
    """Return the error that tells how large the samples are; targets and weights where they are not small."""
    x, t, scales = samples
    target, weight = _largest(t) if t.dtype.kind == "f" else 0.0, _largest(scales)
    return DivergenceError(
        int(progress[0]),
        setting.update.fixed_rate,
        largest,
        limit_of(arrays.weights),
        largest_input=_largest(x),
        largest_target=target if target > 1 else None,
        largest_weight=weight if weight > 1 else None,
    )


def _largest(values: npt.NDArray[Any]) -> float:
    return float(max(values.max(), -values.min()))


def read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return a view that cannot be written."""
    if not array.flags.writeable and type(array) is np.ndarray:
        return array
    view = array.view(np.ndarray)
    view.flags.writeable = False
    return view
