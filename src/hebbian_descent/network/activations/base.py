"""Activation functions: φ and everything that the theory needs of it.

Conventions, stated once. A function of `a` takes a floating array whose last axis runs over the units and
returns the same dtype. Element-wise activations return the shape of `a`; softmax couples the units of a
pattern, so its Φ, Φ* and matching loss keep the last axis with length one. Summing over the last axis is
right for both.

At a kink or a jump the branch for a ≥ 0 of the paper's table holds, with two exceptions: the step function
and the derivative of the rectifier are 0 at 0.

Paper: tab:list_HD_loss_functions
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import inf

import numpy as np

from hebbian_descent.checks import Array, as_returned
from hebbian_descent.network.domain import Interval, Simplex
from hebbian_descent.registry import Member

Function = Callable[[Array], Array]


@dataclass(frozen=True)
class Activation(Member):
    """An activation function h = φ(a) with its pull-back, antiderivative and convex conjugate.

    Only `name` and `value` are needed to compute outputs and to learn with Hebbian-descent. Gradient descent
    needs `pull_back`; the matching loss needs `antiderivative` and `conjugate` or a `stable_matching_loss`.
    """

    name: str
    value: Function
    """φ(a)."""
    pull_back: Callable[[Array, Array, Array], Array] | None = None
    """(error, a, h) → error·∂h/∂a, so that softmax needs no special case."""
    antiderivative: Function | None = None
    """Φ(a) with Φ′ = φ."""
    conjugate: Function | None = None
    """Φ*(t) = sup over a of t·a − Φ(a), evaluated only inside the `domain`."""
    stable_matching_loss: Callable[[Array, Array], Array] | None = None
    """(t, a) → Φ(a) − t·a + Φ*(t) without cancellation, evaluated only inside the `domain`."""
    domain: Interval | Simplex = field(default_factory=Interval)
    """The targets for which Φ* is finite."""
    output_range: tuple[float, float] = (-inf, inf)
    """Infimum and supremum of φ."""
    largest_slope: float = inf
    """The largest |∂h/∂a| over all directions; infinite at a jump or without bound."""
    strictly_increasing: bool = False
    """Whether φ′ > 0 everywhere, the condition of the paper's convergence theorem."""
    elementwise: bool = True
    slope_is_output: bool = False
    """Whether φ′ = φ, so that the outputs bound the slope, which has no bound in general."""
    parameters: Mapping[str, float] = field(default_factory=dict)
    compiled: str | None = None

    def __call__(self, preactivation: Array) -> Array:
        """Return φ(a)."""
        output = self.value(preactivation)
        return (
            output if self.is_built_in else as_returned(output, preactivation, by=f"activation {self.name!r}")
        )

    def __str__(self) -> str:
        settings = ", ".join(f"{key}={value:g}" for key, value in self.parameters.items())
        return f"{self.name}({settings})" if settings else self.name

    def matching_loss(self, targets: Array, preactivation: Array) -> Array:
        """Return L(t, a) = Φ(a) − t·a + Φ*(t): the loss whose gradient in a is h − t.

        It is convex in a, never negative, zero exactly where φ(a⁻) ≤ t ≤ φ(a⁺), and +inf for targets outside
        the `domain`. Rounding can leave a value a few units in the last place below zero, which is clipped.

        Paper: eqn:gradient_descent_loss_implementing_Hebbian_descent
        """
        inside = self.domain.contains(targets)
        reachable = np.where(inside, targets, self.domain.any_point(targets.shape[-1]))
        if self.stable_matching_loss is not None:
            loss = self.stable_matching_loss(reachable, preactivation)
        elif self.antiderivative is not None and self.conjugate is not None:
            coupling = reachable * preactivation
            if not self.elementwise:
                coupling = coupling.sum(axis=-1, keepdims=True)
            loss = self.antiderivative(preactivation) - coupling + self.conjugate(reachable)
        else:
            raise ValueError(
                f"The matching loss of {self.name!r} needs its antiderivative and conjugate. "
                "Got none: pass antiderivative=… and conjugate=… to Activation."
            )
        return np.where(inside, np.maximum(loss, 0), np.array(np.inf, dtype=loss.dtype))
