"""Activation functions on tensors: φ, and what its matching loss needs.

The last axis of a tensor runs over the units, as everywhere in this package. The derivative of φ is not
listed: autograd takes it from `value`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import torch
from torch import Tensor

from hebbian_descent.network.domain import Interval, Simplex

Function = Callable[[Tensor], Tensor]


@dataclass(frozen=True)
class TorchActivation:
    """An activation function h = φ(a) on tensors, built-in or custom.

    `hebbian` and `HebbianLayer` need only `name` and `value`; the matching loss needs `antiderivative` and
    `conjugate` too, or a `stable_matching_loss` in which nothing cancels.
    """

    name: str
    value: Function
    """φ(a)."""
    antiderivative: Function | None = None
    """Φ(a) with Φ′ = φ."""
    conjugate: Function | None = None
    """Φ*(t) = sup over a of t·a − Φ(a), asked only inside the `domain`."""
    stable_matching_loss: Callable[[Tensor, Tensor], Tensor] | None = None
    """(t, a) → Φ(a) − t·a + Φ*(t) without cancellation, asked only inside the `domain`."""
    domain: Interval | Simplex = field(default_factory=Interval)
    """The targets for which Φ* is finite."""
    elementwise: bool = True
    """Whether each unit depends only on its own a; if not, Φ and Φ* keep the last axis with length one."""
    parameters: Mapping[str, float] = field(default_factory=dict)

    def __call__(self, preactivation: Tensor) -> Tensor:
        """Return φ(a)."""
        return self.value(preactivation)

    def __str__(self) -> str:
        settings = ", ".join(f"{key}={value:g}" for key, value in self.parameters.items())
        return f"{self.name}({settings})" if settings else self.name

    def require_matching_loss(self) -> None:
        """Raise unless φ comes with what its matching loss needs."""
        both_parts = self.antiderivative is not None and self.conjugate is not None
        if self.stable_matching_loss is None and not both_parts:
            raise ValueError(
                f"The matching loss of {self.name!r} needs its antiderivative and conjugate. Got none: pass "
                f"TorchActivation({self.name!r}, value=…, antiderivative=…, conjugate=…), or learn with "
                "hebbian(…) and any loss, which needs only the value."
            )

    def matching_loss(self, targets: Tensor, preactivation: Tensor) -> Tensor:
        """Return Φ(a) − t·a + Φ*(t) for targets inside the domain, not below 0 by rounding."""
        t, a = targets, preactivation
        if self.stable_matching_loss is not None:
            return self.stable_matching_loss(t, a).clamp(min=0)
        self.require_matching_loss()
        assert self.antiderivative is not None
        assert self.conjugate is not None
        coupling = t * a if self.elementwise else torch.sum(t * a, dim=-1, keepdim=True)
        return (self.antiderivative(a) - coupling + self.conjugate(t)).clamp(min=0)
