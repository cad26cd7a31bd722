"""One update of a layer, and what holds for every update: weights change only in `learning`.

    W ← W − ωW − η·ΔW,   b ← b − η·Δb

The change is computed at the old parameters and averaged over the batch, each pattern times its strength; the
decay is per update, not times η, and biases do not decay. Then noise is added to the weights, constraints are
applied, and missing synapses stay 0. Only then do the offsets move: at batch size 1, an offset that moved
first would be biased toward the very pattern to be learned.

An update changes the arrays of a network in place. The caller keeps a draft (`transaction`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hebbian_descent.checks import Array, read_only
from hebbian_descent.learning.autoencoder_step import AutoencoderUpdate
from hebbian_descent.learning.presentations import (
    ImplicitStep,
    linear_factor,
    step_apart,
    step_together,
    total_change,
)
from hebbian_descent.learning.rates import Automatic
from hebbian_descent.learning.shares import shares_of, weighted_rows
from hebbian_descent.learning.strength import Strength, strength_of
from hebbian_descent.learning.update_base import Network, change_weights
from hebbian_descent.network import Layer
from hebbian_descent.network.offsets import moving_average
from hebbian_descent.rules import Rule
from hebbian_descent.rules.base import Activity, Change, Factors, State, mean_outer, needs_plain_loop

__all__ = ["Means", "Network", "Update", "change_weights"]

Means = tuple[Array, Array | None]
"""The means of all training inputs and targets."""


class Update(AutoencoderUpdate):
    """How one batch changes a layer or an auto-encoder; it keeps nothing of the network."""

    def __call__(self, network: Network, inputs: Array, targets: Array | None = None, **options: Any) -> None:
        """Update a layer or an auto-encoder; the options are those of the two methods."""
        if isinstance(network, Layer):
            assert targets is not None
            self.layer(network, inputs, targets, **options)
        else:
            self.autoencoder(network, inputs, targets, **options)

    def layer(
        self,
        layer: Layer,
        inputs: Array,
        targets: Array,
        *,
        step: int = 0,
        scales: Array | None = None,
        means: Means | None = None,
        shift: float = 0.0,
        target_offset: Array | None = None,
        precisions: Array | None = None,
        starts: bool = False,
        state: State | None = None,
        strength: Strength | None = None,
    ) -> None:
        """Update a layer with the mean change of a batch, then move its offset by `shift`.

        `scales` are the weights of patterns: shares of the mean in a batch, presentations of a single one.
        `precisions` are 1/σ² of the inputs, see `scaling`, which also explains the special case where the
        running means start. `means` are those of all patterns, for rules that need them.
        With a `target_offset` that moves along, a rule uses its `moving_factors`, and the bias stays.
        `state` is what the rule remembers, and changes in place; `strength` multiplies each pattern's change.
        """
        x, t, rule = inputs, targets, self.rule
        assert isinstance(rule, Rule)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            a, h = layer.forward(x)
            self._stop_if_diverged(step, x, a, bound=self.bound_of(layer.activation))
            if self.noise is not None:
                a = self.noise.of_activity(step, a)
                h = layer.activation(a)
            shares = None if scales is None or len(x) == 1 else shares_of(scales)
            if target_offset is not None:
                means = layer.offset, moving_average(target_offset, weighted_rows(t, shares), shift)
            mean_input, mean_target = means or (None, None)
            seen = Activity(
                x,
                layer.offset,
                t,
                a,
                h,
                layer.activation,
                self.error,
                mean_input,
                mean_target,
                read_only(layer.weights),
                read_only(layer.bias),
            )
            if strength is not None:
                seen = seen._replace(strength=strength_of(strength, seen))
            if rule.takes_rate:
                centered = Factors(x - layer.offset, h)
                seen = seen._replace(learning_rate=self._rates_of_layer(layer, centered, seen, step))
            answer = rule.answer(seen, state, moving=target_offset is not None)
            if isinstance(answer, Change):
                self._learn_change(layer, seen, answer, step)
            else:
                self._learn_factors(layer, seen, answer, step, scales, shares, precisions, starts=starts)
            self._settle(layer, step)
            if target_offset is not None:
                target_offset[:] = seen.mean_target
                layer.offset[:] = moving_average(layer.offset, weighted_rows(x, shares), shift)
            elif shift:
                layer.shift_offset(weighted_rows(x, shares), shift)

    def _learn_factors(
        self,
        layer: Layer,
        seen: Activity,
        factors: Factors,
        step: int,
        scales: Array | None,
        shares: Array | None,
        precisions: Array | None,
        *,
        starts: bool,
    ) -> None:
        """Change a layer by the mean outer product of two factors."""
        rule, x, (pre, post) = self.rule, seen.inputs, factors
        assert isinstance(rule, Rule)
        z = pre if precisions is None else pre * np.sqrt(precisions)
        if starts:
            z = (x != 0).astype(x.dtype)
        rates = self._rates_of_layer(layer, Factors(z, post), seen, step, shares)
        is_presented = scales is not None and len(x) == 1 and scales[0] > 1 and rule.looks_at_output
        # Activities change by at most this times the step; compiled loops have the same bounds.
        looks = is_presented or self.bound.looks_ahead
        growth = (z * z).sum(axis=1, keepdims=True) + 1 if looks else None
        if is_presented:
            assert scales is not None
            assert growth is not None
            scaled = self._presented(layer, seen, float(scales[0]), float(growth[0, 0]), step)
        else:
            weights = scales if shares is None else shares
            rates = rates if weights is None else rates * weights[:, np.newaxis]
            scaled = (rates * post).astype(layer.weights.dtype, copy=False)
        if seen.strength is not None and not rule.takes_strength:
            scaled = scaled * seen.strength[:, np.newaxis]
        if self.bound.looks_ahead:
            assert growth is not None
            scaled_x = x if precisions is None else x * np.sqrt(precisions)
            length = 4 * (scaled_x * scaled_x).sum(
                axis=1
            )  # an offset that follows x stays near enough to others
            self._stop_if_too_long(
                (growth, length, rates * growth, scaled * growth), step, x, seen.preactivation
            )
        direction = pre if precisions is None else pre * precisions
        self._change(layer.weights, mean_outer(direction, scaled))
        if rule.learns_bias:
            layer.bias -= scaled[0] if len(x) == 1 else scaled.mean(axis=0)

    def _learn_change(self, layer: Layer, seen: Activity, change: Change, step: int) -> None:
        """Change a layer as its rule says; an automatic rate is that of a rule whose factor is x − μ."""
        rule, s = self.rule, seen.strength
        assert isinstance(rule, Rule)
        if self.bound.looks_ahead:
            raise ValueError(needs_plain_loop(rule))
        if s is not None and not rule.takes_strength:
            if len(s) > 1:
                raise ValueError(
                    f"The rule {rule.name!r} returns one change for a batch, in which patterns cannot have "
                    f"different strengths. Got a batch of {len(s)}: use batch_size=1."
                )
            change = Change(s[0] * change.weights, None if change.bias is None else s[0] * change.bias)
        eta = self._rates_of_layer(layer, Factors(seen.inputs - seen.offset, seen.output), seen, step)
        dtype = layer.weights.dtype
        self._change(layer.weights, (eta * change.weights).astype(dtype, copy=False))
        if change.bias is not None:
            layer.bias -= (eta * change.bias).astype(dtype, copy=False)

    def _rates_of_layer(
        self, layer: Layer, factors: Factors, seen: Activity, step: int, shares: Array | None = None
    ) -> Any:
        if not isinstance(self.rate, Automatic):
            return self.rate
        assert isinstance(self.rule, Rule)
        if self.rule.automatic_rate is not None:
            return self.rule.automatic_rate
        eta = self.rate.of_layer(
            self.rule,
            layer.activation,
            pre=factors.pre,
            output=seen.output,
            targets=seen.targets,
            shares=shares,
            connectivity=self.connectivity,
        )
        return self._usable(eta, step, seen.inputs, seen.preactivation)

    def _presented(self, layer: Layer, seen: Activity, weight: float, growth: float, step: int) -> Array:
        """Return Σ over the presentations of one pattern of η·post."""
        rule, unit = self.rule, layer.activation
        assert isinstance(rule, Rule)
        pre, _ = rule.checked_factors(seen)
        z = np.sqrt(np.array([[growth - 1]], pre.dtype))  # the rate depends only on its length

        def rate_at(activity: Activity) -> Any:
            return self._rates_of_layer(layer, Factors(z, activity.output), activity, step)

        def respond(a: Array) -> tuple[Array, Array, Any]:
            activity = seen._replace(preactivation=a, output=unit(a))
            return activity.output, rule.checked_factors(activity).post, rate_at(activity)

        is_difference = self.error.name == "difference" or not rule.takes_error_term
        if unit.name == "linear" and is_difference:
            _, post, eta = respond(seen.preactivation)
            total: Array = linear_factor(weight, float(np.max(eta)), growth) * eta * post
        else:
            implicit: ImplicitStep | None = step_apart if unit.elementwise else None
            if unit.name == "softmax" and is_difference and not rule.pulls_back:
                implicit = step_together(seen.targets)
            total = total_change(respond, seen.preactivation, weight, growth, implicit)
        return total.astype(layer.weights.dtype, copy=False)
