"""Online learning of one layer, one sample after another, in place.

Each sample is a batch of one for `learning.step`; `learn_in_python` says just that, and runs where the
compiled core is missing. The compiled loop does the same with fewer passes over the weights. It knows the
members that have a compiled form, and rules that need no means.

A sample is learned and counted, or refused: one whose activity, before or after its step, would leave the
bounds is not learned, nor any after it. In the compiled loop no interrupt comes between learning and
counting.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array
from hebbian_descent.learning.centering import Offset
from hebbian_descent.learning.divergence import REPRESENTABLE, DivergenceError
from hebbian_descent.learning.rates import Automatic, finite_slope
from hebbian_descent.learning.step import Update
from hebbian_descent.native import core
from hebbian_descent.network import Activation, Layer
from hebbian_descent.rules import ErrorTerm, Rule

if TYPE_CHECKING:
    from hebbian_descent.native._native import _OnlineLoop

Order = npt.NDArray[np.intp]
Targets = npt.NDArray[Any]
"""One row per sample, or labels: the number of the output unit that is on while the others are off."""
Count = npt.NDArray[np.int64]  # (1,)

ALL_LEARNED = -1
WEIGHTS_IN_A_CALL = 2**27
"""Samples times weights that one compiled call takes on: some hundredths of a second, deaf to Ctrl-C."""

Loop = Callable[..., int]
"""(W, b, μ, inputs, targets, scales, order, seen) → the place in the order that was refused, or −1.

Weights are (n_outputs, n_inputs). `scales` holds one factor of η per sample. `seen` is an array of one
number, the samples learned so far.
"""


class OnlineSetting(NamedTuple):
    """How every sample is learned."""

    update: Update
    activation: Activation
    offset: Offset


def has_compiled_form(setting: OnlineSetting) -> bool:
    """Return whether the compiled loop can learn so."""
    update, activation, offset = setting
    rule = update.rule
    if not isinstance(rule, Rule) or rule.needs_data_mean or offset.centers_targets(rule):
        return False
    members = [rule, activation, *([update.error] if rule.takes_error_term else [])]
    is_plain = update.connectivity is None and update.bound == REPRESENTABLE and offset.n_before == 0
    return is_plain and all(member.compiled_form is not None for member in members)


def is_compiled() -> bool:
    """Return whether there is a compiled loop, so that no interrupt can divide what one call learns."""
    return core() is not None


def loop_of(setting: OnlineSetting, dtype: np.dtype[Any], *, per_pass: int = 1) -> Loop:
    """Return the loop for a setting that has a compiled form, to be kept for many calls.

    With two samples per pass over the weights it is faster, but a sample then has other bits than alone.
    """
    loop = compiled_loop(setting, dtype, per_pass=per_pass)
    if loop is None:
        return partial(learn_in_python, setting)

    def learn(W: Array, b: Array, mu: Array, inputs: Array, targets: Targets, *others: Any) -> int:
        show = loop.learn_labels if targets.ndim == 1 else loop.learn
        return show(W, b, mu, inputs, targets, *others)

    return learn


def compiled_loop(setting: OnlineSetting, dtype: np.dtype[Any], *, per_pass: int = 1) -> _OnlineLoop | None:
    """Return the compiled loop itself, with `learn` for rows of targets and `learn_labels`, or None."""
    native = core()
    if native is None:
        return None
    kind = native.OnlineLoop64 if dtype == np.float64 else native.OnlineLoop32
    unit, parameters = setting.activation.compiled_form, dict(setting.activation.parameters)
    assert unit is not None
    return kind(unit, parameters, _native_step(native, setting), per_pass=per_pass)


def _native_step(native: Any, setting: OnlineSetting) -> Any:
    update, activation, offset = setting
    rule, error, rate = update.rule, update.error, update.rate
    assert isinstance(rule, Rule)
    automatic = isinstance(rate, Automatic)
    term: dict[str, Any] = {}
    if rule.takes_error_term:
        term = {"error": error.compiled_form, "error_parameters": dict(error.parameters)}
    return native.StepSettings(
        learns_from_output=rule.looks_at_output,
        pulls_back=rule.pulls_back,
        learning_rate=rate.kappa(activation) if isinstance(rate, Automatic) else rate,
        largest_slope=finite_slope(activation) if automatic else 0.0,
        slope_is_output=activation.slope_is_output,
        weight_decay=update.weight_decay,
        shift=offset.shift,
        starts_as_mean=offset.starts_as_mean,
        off=error.codes[0],
        on=error.codes[1],
        **term,
    )


def learn_in_blocks(
    loop: Loop,
    layer: tuple[Array, Array, Array],
    samples: tuple[Array, Targets, Array],
    order: Order,
    seen: Count,
) -> int:
    """Show samples to (W, b, μ) in blocks of bounded work, between which Ctrl-C is noticed.

    Returns the place of the sample that was refused, or −1. Blocks hold an even number of samples, so that
    passes over two of them stay the same.
    """
    n_weights = layer[0].size
    if order.size * n_weights <= WEIGHTS_IN_A_CALL:
        return loop(*layer, *samples, order, seen)
    size = 2 * max(1, WEIGHTS_IN_A_CALL // (2 * n_weights))
    for start in range(0, order.size, size):
        refused = loop(*layer, *samples, order[start : start + size], seen)
        if refused != ALL_LEARNED:
            return start + refused
    return ALL_LEARNED


def in_codes(targets: Targets, n_outputs: int, error: ErrorTerm, dtype: np.dtype[Any]) -> Array:
    """Return targets as one row per sample; labels become rows of codes, of which one is on."""
    if targets.ndim == 2:
        return targets
    off, on = error.codes
    rows: Array = np.full((len(targets), n_outputs), off, dtype)
    rows[np.arange(len(targets)), targets] = on
    return rows


def learn_in_python(
    setting: OnlineSetting,
    weights: Array,
    bias: Array,
    offset: Array,
    inputs: Array,
    targets: Targets,
    scales: Array,
    order: Order,
    seen: Count,
) -> int:
    """Show samples one after another, each a batch of one; the plain twin of the compiled loop."""
    layer = Layer(weights.T, bias, offset, setting.activation)
    for place, row in enumerate(order):
        sample, number = slice(row, row + 1), int(seen[0]) + 1
        shift = setting.offset.shift_after(number)
        t = in_codes(targets[sample], layer.n_outputs, setting.update.error, inputs.dtype)
        try:
            setting.update.layer(layer, inputs[sample], t, step=number, scales=scales[sample], shift=shift)
        except DivergenceError:
            return place
        seen += 1
    return ALL_LEARNED
