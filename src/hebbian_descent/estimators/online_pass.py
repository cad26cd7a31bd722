"""One pass over patterns: compiled for single patterns, NumPy for batches and functions of one's own.

Both change the arrays of a layer and the count of samples in place. A layer's weights are a view of `coef_`,
the transpose.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array
from hebbian_descent.estimators.centering import Offset
from hebbian_descent.estimators.learning_rate import automatic_rate, slope_at
from hebbian_descent.estimators.parameters import Setting
from hebbian_descent.learning.run import DivergenceError, batches
from hebbian_descent.network import Layer
from hebbian_descent.network.offsets import flush_subnormal
from hebbian_descent.rules.base import Activity, mean_outer
from hebbian_descent.transaction import is_finite

Order = npt.NDArray[np.intp]
Count = npt.NDArray[np.int64]  # (1,)

WEIGHTS_IN_A_CALL = 2**27
"""Steps times weights that compiled code takes on at once: some hundredths of a second, deaf to Ctrl-C."""


class Samples(NamedTuple):
    """Patterns with their targets and weights, checked, in one dtype, C-contiguous."""

    inputs: Array  # (n_samples, n_inputs)
    targets: Array  # (n_samples, n_outputs)
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


def check_mean(mean: Array, inputs: Array, learning_rate: float | None) -> None:
    """Raise if a mean of inputs is too large for an offset: no pattern could be learned with it."""
    with np.errstate(over="ignore", invalid="ignore"):
        is_large = not np.isfinite(mean @ mean)
    if is_large:
        largest = float(np.abs(inputs).max())
        raise DivergenceError(0, learning_rate, limit=limit_of(inputs), largest_input=largest)


def learn(
    setting: Setting,
    layer: Layer,
    samples: Samples,
    order: Order,
    *,
    offset: Offset,
    seen: Count,
    batch_size: int = 1,
    means: tuple[Array, Array] | None = None,
    in_pairs: bool = False,
) -> None:
    """Show samples once in the given order, and count them in `seen`.

    In pairs it may be faster, but the same samples shown in several calls would have other bits.
    """
    if setting.is_compiled and batch_size == 1:
        learn_compiled(setting, layer, samples, order, offset, seen, in_pairs=in_pairs)
        return
    for rows in batches(order, batch_size):
        seen += len(rows)
        n_seen = int(seen[0])
        shift = offset.shift_after(n_seen, len(rows)) if offset.shift or offset.starts_as_mean else 0.0
        learn_batch(setting, layer, samples.at(rows), shift=shift, means=means, step=n_seen)
    if not is_finite(layer):
        raise DivergenceError(int(seen[0]), setting.learning_rate, limit=limit_of(layer.weights))


def learn_compiled(
    setting: Setting,
    layer: Layer,
    samples: Samples,
    order: Order,
    offset: Offset,
    seen: Count,
    *,
    in_pairs: bool,
) -> None:
    """Let a compiled loop show the samples one after another.

    A single sample is learned and counted, or refused with nothing changed, in one call that no interrupt can
    divide. So it needs no draft, which on a large layer would take longer than learning.
    """
    W = layer.weights.T
    loop, *told = setting.compiled(offset, W.dtype, in_pairs=in_pairs)
    x, t, scales, rows = (read_only(array) for array in (*samples, order))
    for some in _blocks(rows, W.size):
        diverged_at = loop(*told, W, layer.bias, layer.offset, x, t, scales, some, seen)
        if diverged_at >= 0:
            largest = float(max(x.max(), -x.min()))
            raise DivergenceError(
                int(seen[0]), setting.learning_rate, limit=limit_of(W), largest_input=largest
            )


def _blocks(order: Order, n_weights: int) -> list[Order]:
    """Cut an order into blocks of bounded work, of an even number of samples, so that pairs stay pairs."""
    if order.size * n_weights <= WEIGHTS_IN_A_CALL:
        return [order]
    return list(batches(order, 2 * max(1, WEIGHTS_IN_A_CALL // (2 * n_weights))))


def learn_batch(
    setting: Setting,
    layer: Layer,
    samples: Samples,
    *,
    shift: float,
    means: tuple[Array, Array] | None,
    step: int,
) -> None:
    """Update a layer once with the mean change of a batch, then move its offset."""
    x, t, scales = samples
    omega, W = setting.weight_decay, layer.weights
    with np.errstate(over="ignore", invalid="ignore"):
        a, h = layer.forward(x)
        pre, post = setting.rule.factors(
            Activity(x, layer.offset, t, a, h, setting.activation, setting.error, *(means or (None, None)))
        )
        eta = setting.learning_rate
        if eta is None:
            eta = automatic_rate(setting.kappa, slope_at(setting.activation, h, t), pre)
        rates = eta * scales[:, np.newaxis]
        step_of = (rates * post).astype(W.dtype, copy=False)
        # Activities change by this much times the step, or less; the bounds are those of the compiled loop.
        growth = (pre * pre).sum(axis=1, keepdims=True) + 1
        if diverges(a, rates * growth, step_of * growth):
            largest = float(np.abs(a).max()), limit_of(a), float(np.abs(x).max())
            raise DivergenceError(step, setting.learning_rate, *largest)
        if omega:
            W *= 1 - omega
        W -= mean_outer(pre, step_of)
        if omega:
            flush_subnormal(W)
        if setting.rule.learns_bias:
            layer.bias -= step_of.mean(axis=0)
        if shift:
            layer.shift_offset(x, shift)


def diverges(*arrays: Array) -> bool:
    """Return whether a number is beyond the limit, or none."""
    return any(not np.abs(array).max() <= limit_of(array) for array in arrays)


def limit_of(array: Array) -> float:
    """Return the square root of the largest number: products of what is beyond would not be finite.

    There is no smaller bound, since the targets of a regression may be of any size.
    """
    return float(np.sqrt(np.finfo(array.dtype).max))


def read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return a view that cannot be written: one compiled loop then serves arrays of either kind."""
    if not array.flags.writeable and type(array) is np.ndarray:
        return array
    view = array.view(np.ndarray)
    view.flags.writeable = False
    return view
