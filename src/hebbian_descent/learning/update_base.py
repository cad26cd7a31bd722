"""Base of all updates: how weights change, their constraints, and when learning has diverged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hebbian_descent.checks import Array
from hebbian_descent.lazy import cached_property
from hebbian_descent.learning.constraints import Constraint
from hebbian_descent.learning.divergence import Bound, DivergenceError
from hebbian_descent.learning.noise import NoiseStream
from hebbian_descent.learning.rates import Automatic, Mask
from hebbian_descent.network import Activation, Autoencoder, Layer
from hebbian_descent.network.offsets import flush_subnormal
from hebbian_descent.rules import AutoRule, ErrorTerm, Rule

Network = Layer | Autoencoder
ORDINARY = Bound()


def change_weights(
    weights: Array, change: Array, *, decay: float = 0.0, connectivity: Mask | None = None, flush: bool = True
) -> None:
    """Set W ← (1 − ω)W − change in place, 0 where there is no synapse; `change` is η·ΔW already.

    Decaying weights end up as subnormal numbers, with which processors are many times slower: they become 0.
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
class UpdateBase:
    """The settings of an update; it keeps nothing of the network."""

    rule: Rule | AutoRule
    error: ErrorTerm
    rate: float | Automatic
    """η, or a policy that computes it for each batch."""
    weight_decay: float = 0.0
    connectivity: Mask | None = None
    """Which synapses exist; None means all."""
    bound: Bound = ORDINARY
    constraints: tuple[Constraint, ...] = ()
    """Applied to the weights after each update, in this order."""
    noise: NoiseStream | None = None

    @property
    def fixed_rate(self) -> float | None:
        """η if it is fixed, else None."""
        return None if isinstance(self.rate, Automatic) else self.rate

    def constrain(self, weights: Array) -> None:
        """Constrain weights in place: as the rule demands, then by the constraints.

        Missing synapses are 0 before the first constraint and after each.
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

    def stop_if_diverged(self, network: Network, inputs: Array, step: int) -> None:
        """Raise if a unit's preactivation for any of these inputs is beyond the limit."""
        with np.errstate(over="ignore", invalid="ignore"):
            if isinstance(network, Layer):
                self._stop_if_diverged(
                    step, inputs, network.forward(inputs)[0], bound=self.bound_of(network.activation)
                )
            else:
                units = network.forward(inputs)
                self._stop_if_diverged(
                    step, inputs, units.preactivation, units.hidden_preactivation, bound=ORDINARY
                )

    def _settle(self, network: Network, step: int) -> None:
        """Add noise to the weights, and apply their constraints."""
        if self.noise is not None:
            network.weights[:] = self.noise.of_weights(step, network.weights)
        if self.noise is not None or self._all_constraints:
            self.constrain(network.weights)

    def _change(self, weights: Array, change: Array) -> None:
        change_weights(weights, change, decay=self.weight_decay, connectivity=self.connectivity)

    def _usable(self, eta: Any, step: int, inputs: Array, preactivation: Array) -> Any:
        """Return an automatic rate, or raise if the inputs are so large that it vanishes."""
        if not np.min(eta) > 0:
            raise self._divergence(step, inputs, preactivation)
        return eta

    def bound_of(self, activation: Activation) -> Bound:
        """Return the bound of the activities of a layer.

        Rounding of large ones would move outputs without end where outputs bound the slope, as it would in
        an auto-encoder, whose activities are products of those of its hidden units.
        """
        return ORDINARY if activation.slope_is_output else self.bound

    def _stop_if_diverged(self, step: int, inputs: Array, *preactivations: Array, bound: Bound) -> None:
        if bound.exceeded_by(*preactivations):
            raise self._divergence(step, inputs, *preactivations, bound=bound)

    def _stop_if_too_long(
        self, sizes: tuple[Array, ...], step: int, inputs: Array, preactivation: Array
    ) -> None:
        """Raise if a step would make something too large."""
        if self.bound.exceeded_by(*sizes):
            raise self._divergence(step, inputs, preactivation)

    def _divergence(
        self, step: int, inputs: Array, *preactivations: Array, bound: Bound | None = None
    ) -> DivergenceError:
        tells_inputs = self.bound.looks_ahead or self.fixed_rate is None
        return DivergenceError(
            step,
            self.fixed_rate,
            max(float(np.abs(a).max()) for a in preactivations),
            (bound or self.bound).of(inputs),
            float(np.abs(inputs).max()) if tells_inputs else None,
        )
