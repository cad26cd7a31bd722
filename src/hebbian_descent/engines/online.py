"""Online learning of one layer, one sample after another, in place.

Each sample is a batch of one for `learning.step`; `learn_in_python` does just that, and runs where the
compiled core is missing. The compiled loop does the same with fewer passes over the weights. It supports
members that have a compiled form, and rules that need no means.

A sample is learned and counted, or refused: if its activity, before or after its step, would exceed the
bounds, neither it nor any later sample is learned. In the compiled loop no interrupt comes between learning
and counting.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array
from hebbian_descent.learning.averaging import Averaging, LayerMean
from hebbian_descent.learning.centering import Offset
from hebbian_descent.learning.divergence import REPRESENTABLE, DivergenceError
from hebbian_descent.learning.rates import Automatic
from hebbian_descent.learning.scaling import Spread
from hebbian_descent.learning.shares import shares_of, weighted_rows
from hebbian_descent.learning.step import Update
from hebbian_descent.native import core
from hebbian_descent.network import Activation, Layer
from hebbian_descent.network.offsets import moving_average
from hebbian_descent.rules import ErrorTerm, Rule

Order = npt.NDArray[np.intp]
Targets = npt.NDArray[Any]
"""One row per sample, or labels: the number of the one output unit that is on."""
Progress = npt.NDArray[np.float64]
"""How many samples were learned, and the sum of their weights: two numbers, changed in place."""

ALL_LEARNED = -1
WEIGHTS_IN_A_CALL = 2**27
"""Samples times weights per compiled call: some hundredths of a second, for which Ctrl-C waits."""
NUMBERS_IN_A_BLOCK = 2**16

Loop = Callable[..., int]
"""(arrays, inputs, targets, weights of samples, order, progress) → the refused place in the order, or −1."""


class LayerArrays(NamedTuple):
    """The arrays that learning changes in place; None where nothing is scaled, or averaged."""

    weights: Array  # (n_outputs, n_inputs)
    bias: Array
    offset: Array
    squares: Array | None = None
    precisions: Array | None = None
    mean_weights: Array | None = None
    mean_bias: Array | None = None

    @property
    def spread(self) -> Spread | None:
        """What is known of the spread of the inputs."""
        if self.squares is None or self.precisions is None:
            return None
        return Spread(self.squares, self.precisions)

    @property
    def mean(self) -> LayerMean | None:
        """The averages."""
        if self.mean_weights is None or self.mean_bias is None:
            return None
        return LayerMean(self.mean_weights, self.mean_bias)


class OnlineSetting(NamedTuple):
    """How every sample is learned."""

    update: Update
    activation: Activation
    offset: Offset
    scale: Offset | None = None
    """How the mean squares move where inputs are scaled: as an offset does, or not at all."""
    averaging: Averaging | None = None


def has_compiled_form(setting: OnlineSetting) -> bool:
    """Return whether the compiled loop supports a setting."""
    update, activation, offset = setting[:3]
    rule = update.rule
    if not isinstance(rule, Rule) or rule.needs_data_mean or offset.centers_targets(rule):
        return False
    members = [rule, activation, *([update.error] if rule.takes_error_term else [])]
    is_plain = update.connectivity is None and update.bound == REPRESENTABLE and offset.n_before == 0
    return is_plain and all(member.compiled_form is not None for member in members)


def is_compiled() -> bool:
    """Return whether there is a compiled loop, so that no interrupt can split what one call learns."""
    return core() is not None


def loop_of(setting: OnlineSetting, n_inputs: int, dtype: np.dtype[Any], *, per_pass: int = 1) -> Loop:
    """Return the loop for a setting that has a compiled form, to be kept for many calls.

    Two samples per pass over the weights are faster, but a sample then rounds differently than alone.
    """
    if core() is None:
        return partial(learn_in_python, setting)
    loop = native_loop(setting, n_inputs, dtype, per_pass=per_pass)

    def learn(arrays: LayerArrays, inputs: Array, targets: Targets, *others: Any) -> int:
        show = loop.learn_labels if targets.ndim == 1 else loop.learn
        return int(show(arrays, inputs, targets, *others))

    return learn


def native_loop(setting: OnlineSetting, n_inputs: int, dtype: np.dtype[Any], *, per_pass: int) -> Any:
    """Return the compiled object for a setting."""
    native = core()
    unit, parameters = setting.activation.compiled_form, dict(setting.activation.parameters)
    assert unit is not None
    return native_kind(dtype)(unit, parameters, _native_step(native, setting, n_inputs), per_pass=per_pass)


def native_kind(dtype: np.dtype[Any]) -> Any:
    """Return the compiled class for a precision."""
    native = core()
    assert native is not None
    return native.OnlineLoop64 if dtype == np.float64 else native.OnlineLoop32


def _native_step(native: Any, setting: OnlineSetting, n_inputs: int) -> Any:
    update, activation, offset, scale, averaging = setting
    rule, error, rate = update.rule, update.error, update.rate
    assert isinstance(rule, Rule)
    term: dict[str, Any] = {}
    if rule.takes_error_term:
        term = {"error": error.compiled_form, "error_parameters": dict(error.parameters)}
    return native.StepSettings(
        learns_from_output=rule.looks_at_output,
        pulls_back=rule.pulls_back,
        learning_rate=rate.kappa(activation) if isinstance(rate, Automatic) else rate,
        largest_slope=rate.least_slope(activation) if isinstance(rate, Automatic) else 0.0,
        slope_is_output=activation.slope_is_output,
        weight_decay=update.weight_decay,
        shift=offset.shift,
        starts_as_mean=offset.starts_as_mean,
        scale_moves=scale is not None and scale.moves,
        scale_shift=0.0 if scale is None else scale.shift,
        average_every=Averaging.spacing(n_inputs),
        average_rate=0.0 if averaging is None else averaging.rate,
        off=error.codes[0],
        on=error.codes[1],
        is_linear=activation.compiled_form == "linear" and term.get("error", "difference") == "difference",
        units_apart=activation.elementwise,
        **term,
    )


def learn_in_blocks(
    loop: Loop,
    arrays: Any,
    samples: tuple[Any, Targets, Array],
    order: Order,
    progress: Progress,
    *,
    n_weights: int,
) -> int:
    """Show samples to a layer in blocks of bounded work, between which Ctrl-C is noticed.

    `n_weights` is how many a sample changes. Returns the place of the sample that was refused, or −1. Blocks
    hold an even number of samples, so that the same pairs share a pass.
    """
    size = samples_in_a_call(n_weights)
    if order.size <= size:
        return loop(arrays, *samples, order, progress)
    for start in range(0, order.size, size):
        refused = loop(arrays, *samples, order[start : start + size], progress)
        if refused != ALL_LEARNED:
            return start + refused
    return ALL_LEARNED


def samples_in_a_call(n_weights: int) -> int:
    """Return how many samples one compiled call learns, an even number."""
    return 2 * max(1, WEIGHTS_IN_A_CALL // (2 * max(1, n_weights)))


def in_codes(targets: Targets, n_outputs: int, error: ErrorTerm, dtype: np.dtype[Any]) -> Array:
    """Return targets as one row per sample; labels become rows of codes with one unit on."""
    if targets.ndim == 2:
        return targets
    off, on = error.codes
    rows: Array = np.full((len(targets), n_outputs), off, dtype)
    rows[np.arange(len(targets)), targets] = on
    return rows


def learn_in_python(
    setting: OnlineSetting,
    arrays: LayerArrays,
    inputs: Array,
    targets: Targets,
    weights: Array,
    order: Order,
    progress: Progress,
) -> int:
    """Show samples one by one, each a batch of one; the plain twin of the compiled loop."""
    layer = Layer(arrays.weights.T, arrays.bias, arrays.offset, setting.activation)
    for place, row in enumerate(order):
        sample = slice(row, row + 1)
        t = in_codes(targets[sample], layer.n_outputs, setting.update.error, inputs.dtype)
        try:
            learn_batch(setting, layer, arrays, inputs[sample], t, weights[sample], progress)
        except DivergenceError:
            return place
    return ALL_LEARNED


def learn_batch(
    setting: OnlineSetting,
    layer: Layer,
    arrays: LayerArrays,
    inputs: Array,
    targets: Array,
    weights: Array,
    progress: Progress,
    **options: Any,
) -> None:
    """Learn one batch and count it; nothing has changed if it is refused."""
    n_new, weight = len(inputs), float(weights.sum())
    n_samples, total = int(progress[0]) + n_new, float(progress[1]) + weight
    shift = setting.offset.shift_after(total, weight)
    spread = known = arrays.spread
    precisions = None if spread is None else spread.precisions
    if spread is not None and setting.scale is not None and setting.scale.moves:
        with np.errstate(over="ignore", invalid="ignore"):
            shares = shares_of(weights)
            followed = moving_average(layer.offset, weighted_rows(inputs, shares), shift)
            starts = n_samples == 1 and setting.offset.starts_as_mean
            nu = setting.scale.shift_after(total, weight)
            known, precisions = spread.after(inputs, shares, followed, nu, starts=starts)
        if not np.isfinite(known.squares).all():
            raise DivergenceError.by_inputs(n_samples, setting.update.fixed_rate, inputs)
        options["starts"] = starts
    setting.update.layer(
        layer, inputs, targets, step=n_samples, scales=weights, shift=shift, precisions=precisions, **options
    )
    if spread is not None and known is not None:
        spread.keep(known)
    progress[:] = n_samples, total
    if arrays.mean is not None and setting.averaging is not None:
        share = setting.averaging.share_after(n_samples, n_new, layer.n_inputs)
        if share:
            arrays.mean.follow(layer, share)


def squares_around(mean: Array, values: Array, weights: Array) -> npt.NDArray[np.float64]:
    """Return Σw(x − μ)² of each column, over blocks of rows whose sums lose little to rounding."""
    native = core()
    total = np.zeros(values.shape[1], np.float64)
    size = max(1, NUMBERS_IN_A_BLOCK // values.shape[1])
    for start in range(0, len(values), size):
        part, w = values[start : start + size], weights[start : start + size]
        if native is None:
            centered = part - mean
            total += np.einsum("i,ij,ij->j", w, centered, centered)
        else:
            of_part = np.zeros_like(mean)
            native.add_squares(part, w, mean, of_part)
            total += of_part
    return total
