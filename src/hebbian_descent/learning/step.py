"""One update: the only place in Python where weights change.

    W ← W − ωW − η·ΔW,   b ← b − η·Δb

The change is taken at the old parameters and averaged over the batch, each pattern times its strength; the
decay is per update, not times η, and biases do not decay. Then weights get their noise and are brought into
their constraints, and synapses that are not there stay 0. Then, and not before, the offsets move: an offset
that moved first would at batch size 1 sit on the very pattern that is to be learned.

An update changes the arrays of a network in place. Whoever calls it keeps a draft (`transaction`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hebbian_descent.checks import Array, read_only
from hebbian_descent.learning.constraints import Constraint
from hebbian_descent.learning.divergence import Bound, DivergenceError
from hebbian_descent.learning.noise import NoiseStream
from hebbian_descent.learning.presentations import (
    ImplicitStep,
    linear_factor,
    presentations_of,
    step_apart,
    step_together,
    total_change,
)
from hebbian_descent.learning.rates import Automatic, Mask, Rates
from hebbian_descent.learning.shares import shares_of, weighted_change, weighted_rows
from hebbian_descent.learning.strength import Strength, strength_of
from hebbian_descent.network import Autoencoder, Layer
from hebbian_descent.network.autoencoder import Pass
from hebbian_descent.network.offsets import flush_subnormal, moving_average
from hebbian_descent.rules import AutoRule, ErrorTerm, Rule
from hebbian_descent.rules.base import (
    Activity,
    AutoActivity,
    Change,
    Factors,
    State,
    mean_outer,
    needs_plain_loop,
)

Network = Layer | Autoencoder
ORDINARY = Bound()
Means = tuple[Array, Array | None]
"""The means of all training inputs and targets."""


def change_weights(
    weights: Array, change: Array, *, decay: float = 0.0, connectivity: Mask | None = None, flush: bool = True
) -> None:
    """Set W ← (1 − ω)W − change in place, 0 where there is no synapse; `change` is η·ΔW already.

    What decays sinks below normal numbers in the end, where processors are many times slower: it becomes 0.
    Callers with many small updates may `flush` only now and then.
    """
    if decay:
        weights *= 1 - decay
    weights -= change
    if connectivity is not None:
        weights *= connectivity
    if decay and flush:
        flush_subnormal(weights)


@dataclass(frozen=True)
class Update:
    """How one batch changes a network; it holds nothing of the network."""

    rule: Rule | AutoRule
    error: ErrorTerm
    rate: float | Automatic
    """η, or a policy that computes it for each batch."""
    weight_decay: float = 0.0
    connectivity: Mask | None = None
    """Which synapses there are; None is all."""
    bound: Bound = ORDINARY
    constraints: tuple[Constraint, ...] = ()
    """What the weights are brought into after each update, in this order."""
    noise: NoiseStream | None = None

    @property
    def fixed_rate(self) -> float | None:
        """η where it is fixed."""
        return None if isinstance(self.rate, Automatic) else self.rate

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
        `precisions` are 1/σ² of the inputs, see `scaling`, which also says what is special where the running
        means start. `means` are those of all patterns, for rules that need them.
        With a `target_offset` that moves along, a rule uses its `moving_factors`, and the bias stays.
        `state` is what the rule remembers, and changes in place; `strength` multiplies each pattern's change.
        """
        x, t, rule = inputs, targets, self.rule
        assert isinstance(rule, Rule)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            a, h = layer.forward(x)
            self._stop_if_diverged(step, x, a)
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
        # Activities change by this much times the step, or less; compiled loops have the same bounds.
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
            self._stop_if_too_long((rates * growth, scaled * growth), step, x, seen.preactivation)
        direction = pre if precisions is None else pre * precisions
        self._change(layer.weights, mean_outer(direction, scaled))
        if rule.learns_bias:
            layer.bias -= scaled[0] if len(x) == 1 else scaled.mean(axis=0)

    def _learn_change(self, layer: Layer, seen: Activity, change: Change, step: int) -> None:
        """Change a layer as its rule says, with the automatic rate of a rule whose factor is x − μ."""
        rule, s = self.rule, seen.strength
        assert isinstance(rule, Rule)
        if self.bound.looks_ahead:
            raise ValueError(needs_plain_loop(rule))
        if s is not None and not rule.takes_strength:
            if len(s) > 1:
                raise ValueError(
                    f"The rule {rule.name!r} gives one change for a batch, in which patterns cannot have a "
                    f"strength each. Got a batch of {len(s)}: use batch_size=1."
                )
            change = Change(s[0] * change.weights, None if change.bias is None else s[0] * change.bias)
        eta = self._rates_of_layer(layer, Factors(seen.inputs - seen.offset, seen.output), seen, step)
        dtype = layer.weights.dtype
        self._change(layer.weights, (eta * change.weights).astype(dtype, copy=False))
        if change.bias is not None:
            layer.bias -= (eta * change.bias).astype(dtype, copy=False)

    def _settle(self, network: Network, step: int) -> None:
        """Add the noise of the weights, and bring them into their constraints."""
        if self.noise is not None:
            network.weights[:] = self.noise.of_weights(step, network.weights)
        if self.noise is not None or self._all_constraints:
            self.constrain(network.weights)

    def constrain(self, weights: Array) -> None:
        """Bring weights to where they may be, in place: what the rule demands, then the constraints.

        Synapses that are not there are 0 for a constraint already, and 0 after the last one.
        """
        if self.connectivity is not None:
            weights *= self.connectivity
        for constraint in self._all_constraints:
            constraint.apply(weights)
            if self.connectivity is not None:
                weights *= self.connectivity

    @cached_property
    def _all_constraints(self) -> tuple[Constraint, ...]:
        demanded = getattr(self.rule, "constraint", None)
        own = () if demanded is None else (Constraint(self.rule.name, demanded),)
        return (*own, *self.constraints)

    def autoencoder(
        self,
        network: Autoencoder,
        inputs: Array,
        hidden_targets: Array | None = None,
        *,
        step: int = 0,
        scales: Array | None = None,
        shift: float = 0.0,
        hidden_shift: float = 0.0,
        strength: Strength | None = None,
    ) -> None:
        """Update an auto-encoder with the mean change of a batch, then move its two offsets.

        `scales` are the weights of patterns, as for a layer: shares of the mean in a batch, presentations of
        a single one, of which there are no more than `MOST_SINGLE`. Weights decay once. `strength`, as for a
        layer, is for patterns without such weights.
        """
        x = inputs
        shares = None if scales is None or len(x) == 1 else shares_of(scales)
        weight = float(scales[0]) if scales is not None and len(x) == 1 else 1.0
        with np.errstate(over="ignore", invalid="ignore"):
            decay = self.weight_decay
            for factor in presentations_of(weight):
                units = self._show(network, x, hidden_targets, step, shares, strength, factor, decay)
                decay = 0.0
            self._settle(network, step)
            if shift:
                network.shift_offset(weighted_rows(x, shares), shift)
            if hidden_shift:
                network.shift_hidden_offset(weighted_rows(units.hidden, shares), hidden_shift)

    def _show(
        self,
        network: Autoencoder,
        x: Array,
        hidden_targets: Array | None,
        step: int,
        shares: Array | None,
        strength: Strength | None,
        factor: float,
        decay: float,
    ) -> Pass:
        """Change an auto-encoder by the mean over a batch, times a factor; return what its units did."""
        rule, W = self.rule, network.weights
        assert isinstance(rule, AutoRule)
        units = network.forward(x)
        self._stop_if_diverged(step, x, units.preactivation, units.hidden_preactivation)
        activity = AutoActivity(network, x, units, self.error, hidden_targets)
        weights = shares if strength is None else strength_of(strength, activity)
        change = rule.change(activity) if weights is None else weighted_change(rule, activity, weights)
        eta = self._rates_of_autoencoder(network, x, units, step, shares)
        scaled = (factor * eta.weights * change.weights).astype(W.dtype, copy=False)
        if self.bound.looks_ahead:
            growth = _largest_growth(network, x, units.hidden)
            # Weights grow as large as the inputs that they reconstruct, and activities as their products.
            sizes = np.max(eta.weights) * growth, np.abs(scaled).max() * growth, (x * x).sum(axis=1)
            self._stop_if_too_long(sizes, step, x, units.preactivation)
        change_weights(W, scaled, decay=decay, connectivity=self.connectivity)
        if change.bias is not None:
            network.bias -= factor * eta.bias * change.bias
        if change.decoder_bias is not None:
            network.decoder_bias -= factor * eta.decoder_bias * change.decoder_bias
        return units

    def stop_if_diverged(self, network: Network, inputs: Array, step: int) -> None:
        """Raise if a unit's preactivation for any of these inputs is beyond the limit."""
        with np.errstate(over="ignore", invalid="ignore"):
            if isinstance(network, Layer):
                self._stop_if_diverged(step, inputs, network.forward(inputs)[0])
            else:
                units = network.forward(inputs)
                self._stop_if_diverged(step, inputs, units.preactivation, units.hidden_preactivation)

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
        z = np.sqrt(np.array([[growth - 1]], pre.dtype))  # the rate knows its length alone

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

    def _rates_of_autoencoder(
        self, network: Autoencoder, x: Array, units: Pass, step: int, shares: Array | None
    ) -> Rates:
        if not isinstance(self.rate, Automatic):
            return Rates(self.rate, self.rate, self.rate)
        assert isinstance(self.rule, AutoRule)
        eta = self.rate.of_autoencoder(
            self.rule, network, inputs=x, units=units, shares=shares, connectivity=self.connectivity
        )
        self._usable(eta.bias, step, x, units.preactivation)
        return eta

    def _usable(self, eta: Any, step: int, inputs: Array, preactivation: Array) -> Any:
        """Return an automatic rate, unless the inputs are so large that nothing is left of it."""
        if not np.min(eta) > 0:
            raise self._divergence(step, inputs, preactivation)
        return eta

    def _change(self, weights: Array, change: Array) -> None:
        change_weights(weights, change, decay=self.weight_decay, connectivity=self.connectivity)

    def _stop_if_diverged(self, step: int, inputs: Array, *preactivations: Array) -> None:
        if self.bound.exceeded_by(*preactivations):
            raise self._divergence(step, inputs, *preactivations)

    def _stop_if_too_long(
        self, sizes: tuple[Array, ...], step: int, inputs: Array, preactivation: Array
    ) -> None:
        """Raise if a step would make something too large."""
        if self.bound.exceeded_by(*sizes):
            raise self._divergence(step, inputs, preactivation)

    def _divergence(self, step: int, inputs: Array, *preactivations: Array) -> DivergenceError:
        tells_inputs = self.bound.looks_ahead or self.fixed_rate is None
        return DivergenceError(
            step,
            self.fixed_rate,
            max(float(np.abs(a).max()) for a in preactivations),
            self.bound.of(inputs),
            float(np.abs(inputs).max()) if tells_inputs else None,
        )


def _largest_growth(network: Autoencoder, x: Array, hidden: Array) -> Any:
    """Return the largest ‖x − μ‖² + ‖h − λ‖² + 1 of a batch, by which a step may change the activities."""
    pre = x - network.offset, hidden - network.hidden_offset
    return sum((factor * factor).sum(axis=1) for factor in pre).max() + 1
