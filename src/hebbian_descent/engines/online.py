"""Online learning of one layer, one sample after another, in place.

With c = x − μ, h = φ(Wc + b) and p = −η·post, where post is −t for Hebb's rule and otherwise the error
E(t, h), pulled back through φ for gradient descent, one step is

    W ← (1 − ω)W + pcᵀ,   b ← b + p,   μ ← μ + νc,   b ← b + νWc.

Weights are (n_outputs, n_inputs). η is fixed, or κ / (L·(‖c‖² + 1)). A moving offset follows by ν, or is the
running mean until 1/n falls below ν. Hebb's rule has no bias to learn.

A sample is learned and counted, or refused: one whose activity, before or after its step, would leave the
bounds is not learned, nor any after it. In the compiled loop no interrupt comes between learning and
counting. `learn_in_python` is the same loop in NumPy, and runs where the compiled core is missing.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array
from hebbian_descent.native import choice, core
from hebbian_descent.network import Activation
from hebbian_descent.network.offsets import flush_subnormal
from hebbian_descent.rules import ErrorTerm, Rule

Order = npt.NDArray[np.intp]
Count = npt.NDArray[np.int64]  # (1,)

with suppress(ValueError):  # a level that cannot run here is refused when it is needed
    choice()  # loaded now, so that the first sample takes no longer than any other

ALL_LEARNED = -1
WEIGHTS_IN_A_CALL = 2**27
"""Samples times weights that one compiled call takes on: some hundredths of a second, deaf to Ctrl-C."""

Loop = Callable[..., int]
"""(W, b, μ, inputs, targets, scales, order, seen) → the place in the order that was refused, or −1.

`scales` holds one factor of η per sample. `seen` is an array of one number, the samples learned so far.
"""


class RuleForm(NamedTuple):
    """What distinguishes the rules of this engine; pre = x − μ for all of them."""

    learns_from_output: bool
    pulls_back: bool = False


RULE_FORMS = {
    "error": RuleForm(learns_from_output=True),
    "pulled_back_error": RuleForm(learns_from_output=True, pulls_back=True),
    "target": RuleForm(learns_from_output=False),
}


class OnlineSetting(NamedTuple):
    """How every sample is learned."""

    rule: Rule
    activation: Activation
    error: ErrorTerm
    learning_rate: float
    """η, or κ where η is automatic."""
    largest_slope: float = 0.0
    """L of an automatic η, or 0 where η is fixed."""
    weight_decay: float = 0.0
    shift: float = 0.0
    starts_as_mean: bool = False

    @property
    def form(self) -> RuleForm:
        """The kind of rule."""
        return RULE_FORMS[self.rule.compiled_form or ""]

    def shift_after(self, n_before: int) -> float:
        """Return ν for a sample that so many came before."""
        return max(self.shift, 1 / (n_before + 1)) if self.starts_as_mean else self.shift


def knows(rule: Rule, activation: Activation, error: ErrorTerm) -> bool:
    """Return whether this engine can learn with these members."""
    forms = [activation.compiled_form, *([error.compiled_form] if rule.takes_error_term else [])]
    return rule.compiled_form in RULE_FORMS and None not in forms


def is_compiled() -> bool:
    """Return whether loops are compiled, so that no interrupt can divide what one call learns."""
    return core() is not None


def loop_of(setting: OnlineSetting, dtype: np.dtype[Any], *, per_pass: int = 1) -> Loop:
    """Return the loop for a setting, to be kept for many calls.

    With two samples per pass over the weights it is faster, but a sample then has other bits than alone.
    """
    native = core()
    if native is None:
        return partial(learn_in_python, setting)
    kind = getattr(native, f"OnlineLoop_{dtype.name}")
    unit, parameters = setting.activation.compiled_form, dict(setting.activation.parameters)
    loop: Loop = kind(unit, parameters, _native_step(native, setting), per_pass=per_pass).learn
    return loop


def _native_step(native: Any, setting: OnlineSetting) -> Any:
    error: dict[str, Any] = {}
    if setting.rule.takes_error_term:
        error = {
            "error": setting.error.compiled_form,
            "error_parameters": dict(setting.error.parameters),
        }
    return native.StepSettings(
        learns_from_output=setting.form.learns_from_output,
        pulls_back=setting.form.pulls_back,
        learning_rate=setting.learning_rate,
        largest_slope=setting.largest_slope,
        slope_is_output=setting.activation.slope_is_output,
        weight_decay=setting.weight_decay,
        shift=setting.shift,
        starts_as_mean=setting.starts_as_mean,
        **error,
    )


def learn_in_blocks(
    loop: Loop,
    layer: tuple[Array, Array, Array],
    samples: tuple[Array, Array, Array],
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


def learn_in_python(
    setting: OnlineSetting,
    W: Array,
    b: Array,
    mu: Array,
    inputs: Array,
    targets: Array,
    scales: Array,
    order: Order,
    seen: Count,
) -> int:
    """Show samples one after another; the plain twin of the compiled loop."""
    with np.errstate(over="ignore", invalid="ignore"):
        for place, row in enumerate(order):
            if not _learn_sample(
                setting, W, b, mu, inputs[row], targets[row], float(scales[row]), int(seen[0])
            ):
                return place
            seen += 1
    return ALL_LEARNED


def _learn_sample(
    setting: OnlineSetting, W: Array, b: Array, mu: Array, x: Array, t: Array, scale: float, n_before: int
) -> bool:
    """Update a layer with one sample, or return False and leave it untouched."""
    omega, nu = setting.weight_decay, W.dtype.type(setting.shift_after(n_before))
    c = x - mu  # (n_inputs,)
    a = W @ c + b  # (n_outputs,)
    h = setting.activation(a[np.newaxis])[0]
    squares = float(c @ c)
    minus_eta = W.dtype.type(-_rate(setting, h, t, squares) * scale)
    p = minus_eta * _postsynaptic(setting, a, h, t)  # (n_outputs,)
    # A step adds p(‖c‖² + 1) to its own activities. An error of 1 must stay in bounds, too: a moving offset
    # also follows a sample without error, and later ones must stay learnable.
    limit = float(np.sqrt(np.finfo(W.dtype).max))
    reach = limit / (squares + 1)
    if not (reach > 0 and np.abs(a).max() <= limit and max(abs(minus_eta), np.abs(p).max()) <= reach):
        return False
    if omega:
        W *= W.dtype.type(1 - omega)
    W += np.outer(p, c)
    if omega:
        flush_subnormal(W)
    if setting.form.learns_from_output:
        b += p
    if nu:
        b += nu * (W @ c)
        mu += nu * c
        flush_subnormal(mu)
    return True


def _postsynaptic(setting: OnlineSetting, a: Array, h: Array, t: Array) -> Array:
    if not setting.form.learns_from_output:
        return -t
    error = setting.error(t, h) if setting.rule.takes_error_term else h - t
    if not setting.form.pulls_back:
        return error
    pull_back = setting.activation.pull_back
    assert pull_back is not None  # every compiled unit has one
    pulled: Array = pull_back(error[np.newaxis], a[np.newaxis], h[np.newaxis])[0]
    return pulled


def _rate(setting: OnlineSetting, h: Array, t: Array, squares: float) -> float:
    if not setting.largest_slope:
        return setting.learning_rate
    slope = setting.largest_slope
    if setting.activation.slope_is_output:
        slope = max(slope, float(h.max()), float(np.abs(t).max()))
    return setting.learning_rate / (slope * (squares + 1))
