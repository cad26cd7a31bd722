"""One pass over patterns: by the compiled loop for single patterns, otherwise batch by batch.

Both change the arrays of a layer and the count of samples in place. A layer's weights are a view of `coef_`,
the transpose.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array
from hebbian_descent.engines.online import ALL_LEARNED, Count, Order, Targets, in_codes, learn_in_blocks
from hebbian_descent.estimators.parameters import Parameters
from hebbian_descent.learning.centering import Offset
from hebbian_descent.learning.divergence import DivergenceError, limit_of
from hebbian_descent.learning.run import batches
from hebbian_descent.network import Layer
from hebbian_descent.rules import ErrorTerm
from hebbian_descent.transaction import is_finite


class Samples(NamedTuple):
    """Patterns with their targets and weights, checked, in one dtype, C-contiguous."""

    inputs: Array  # (n_samples, n_inputs)
    targets: Targets  # (n_samples, n_outputs), or (n_samples,) numbers of output units
    scales: Array  # (n_samples,), the factors of the learning rate

    def at(self, rows: Any) -> Samples:
        """Return some of the samples."""
        return Samples(self.inputs[rows], self.targets[rows], self.scales[rows])


def weighted_mean(values: Array, scales: Array) -> Array:
    """Return the mean of the rows, each counted by its factor of the learning rate; it may be infinite."""
    with np.errstate(over="ignore", invalid="ignore"):
        if (scales == scales[0]).all():
            mean: Array = values.mean(axis=0)
        else:
            mean = scales / scales.sum() @ values
    return mean


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
    setting: Parameters,
    layer: Layer,
    samples: Samples,
    order: Order,
    *,
    offset: Offset,
    seen: Count,
    batch_size: int = 1,
    means: tuple[Array, Array] | None = None,
    target_offset: Array | None = None,
    in_pairs: bool = False,
) -> None:
    """Show samples once in the given order, and count them in `seen`.

    In pairs it may be faster, but the same samples shown in several calls would have other bits.
    """
    if setting.learns_compiled(offset) and batch_size == 1:
        learn_one_by_one(setting, layer, samples, order, offset, seen, per_pass=2 if in_pairs else 1)
        return
    for rows in batches(order, batch_size):
        seen += len(rows)
        n_seen = int(seen[0])
        x, t, scales = samples.at(rows)
        setting.update.layer(
            layer,
            x,
            in_codes(t, layer.n_outputs, setting.error, x.dtype),
            step=n_seen,
            scales=scales,
            means=means,
            shift=offset.shift_after(n_seen, len(rows)),
            target_offset=target_offset,
        )
    if not is_finite(layer):
        raise DivergenceError(int(seen[0]), setting.learning_rate, limit=limit_of(layer.weights))


def learn_one_by_one(
    setting: Parameters,
    layer: Layer,
    samples: Samples,
    order: Order,
    offset: Offset,
    seen: Count,
    *,
    per_pass: int,
) -> None:
    """Let the compiled loop show the samples one after another.

    A single sample is learned and counted, or refused with nothing changed, in one call that no interrupt can
    divide. So it needs no draft, which on a large layer would take longer than learning.
    """
    W, x = layer.weights.T, samples.inputs
    loop = setting.loop(offset, W.dtype, per_pass=per_pass)
    if learn_in_blocks(loop, (W, layer.bias, layer.offset), samples, order, seen) != ALL_LEARNED:
        largest = float(max(x.max(), -x.min()))
        raise DivergenceError(int(seen[0]), setting.learning_rate, limit=limit_of(W), largest_input=largest)


def read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return a view that cannot be written."""
    if not array.flags.writeable and type(array) is np.ndarray:
        return array
    view = array.view(np.ndarray)
    view.flags.writeable = False
    return view
