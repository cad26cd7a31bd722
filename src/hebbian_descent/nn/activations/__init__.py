"""Activation functions on tensors, with the names and parameters of `hebbian_descent.network`.

The last axis of a tensor runs over the units, as everywhere in this package. The derivative of φ is not
listed: autograd takes it from `value`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from math import inf
from typing import Any

import torch
from torch import Tensor, nn

from hebbian_descent.network import ACTIVATIONS, Activation, get_activation
from hebbian_descent.network.activations.other_names import named_here
from hebbian_descent.network.domain import Interval, Simplex
from hebbian_descent.nn.activations.inverses import INVERSES
from hebbian_descent.nn.activations.matching_losses import MATCHING_LOSSES
from hebbian_descent.nn.activations.pytorch_names import recognised
from hebbian_descent.nn.activations.values import VALUES

Function = Callable[[Tensor], Tensor]


@dataclass(frozen=True)
class TorchActivation:
    """An activation function h = φ(a) on tensors, built-in or custom.

    `hebbian` and `HebbianLayer` need only `name` and `value`; the matching loss needs `antiderivative` and
    `conjugate` too, or a `stable_matching_loss` in which nothing cancels; with an error term other than h − t
    it needs the `inverse` instead.
    """

    name: str
    value: Function
    """φ(a)."""
    antiderivative: Function | None = None
    """Φ(a) with Φ′ = φ."""
    conjugate: Function | None = None
    """Φ*(t) = sup over a of t·a − Φ(a), evaluated only inside the `domain`."""
    stable_matching_loss: Callable[[Tensor, Tensor], Tensor] | None = None
    """(t, a) → Φ(a) − t·a + Φ*(t) without cancellation, evaluated only inside the `domain`."""
    inverse: Function | None = None
    """φ⁻¹(u), evaluated only inside the `domain`: one a with φ(a⁻) ≤ u ≤ φ(a⁺)."""
    domain: Interval | Simplex = field(default_factory=Interval)
    """The targets for which Φ* is finite."""
    elementwise: bool = True
    """Whether each unit depends only on its own a; if not, Φ and Φ* keep the last axis with length one."""
    largest_slope: float = inf
    """The largest |∂h/∂a| over all directions; infinite at a jump, if unbounded, or if unknown."""
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


AnyActivation = str | Activation | TorchActivation | Callable[[Tensor], Tensor]
"""A name, an activation of the core, or a function of tensors."""


def get_torch_activation(activation: AnyActivation, **parameters: float) -> TorchActivation:
    """Return an activation on tensors by name, with its parameters; functions of tensors are accepted.

    PyTorch's names, functions and modules become the listed activations that compute the same: `"relu"`,
    `torch.relu` and `nn.ReLU()` are `"rectifier"`.
    """
    if isinstance(activation, str):
        name, settings = named_here(activation, parameters)
        if name in _DEFAULTS and not settings:
            return _DEFAULTS[name]
        return _of_the_list(get_activation(name, **settings))
    if parameters:
        raise TypeError(
            "The parameters of an activation must come with its name. Got "
            f"{', '.join(parameters)} with {activation!r}: bind them to it, as functools.partial does."
        )
    if isinstance(activation, TorchActivation):
        return activation
    if isinstance(activation, Activation):
        return _of_the_list(activation)
    if isinstance(activation, type) or not callable(activation):
        raise TypeError(
            "The activation must be a name, an activation or a function of tensors. "
            f"Got {activation!r}: try 'sigmoid', torch.sigmoid or nn.Sigmoid()."
        )
    if isinstance(activation, nn.Module) and any(True for _ in activation.parameters()):
        raise ValueError(
            "The activation must have no parameters of its own, since none would learn. "
            f"Got {activation}: try a fixed function."
        )
    if (known := recognised(activation)) is not None:
        name, settings = known
        return _of_the_list(get_activation(name, **settings))
    return TorchActivation(_name_of(activation), activation)


def is_listed(activation: TorchActivation, name: str | None = None) -> bool:
    """Return whether an activation is the package's own (of that name, if given) and not a custom one."""
    return getattr(activation.value, "func", None) is VALUES.get(name or activation.name, "not in the list")


def _of_the_list(core: Activation) -> TorchActivation:
    if not core.is_built_in:
        raise TypeError(
            f"The activation {core.name!r} must be written with PyTorch's functions to work on tensors. Got "
            f"one of NumPy's: pass TorchActivation({core.name!r}, value=…) or a function of tensors."
        )
    return TorchActivation(
        name=core.name,
        value=partial(VALUES[core.name], **core.parameters),
        stable_matching_loss=partial(MATCHING_LOSSES[core.name], **core.parameters),
        inverse=partial(INVERSES[core.name], **core.parameters) if core.elementwise else None,
        domain=core.domain,
        elementwise=core.elementwise,
        largest_slope=core.largest_slope,
        parameters=core.parameters,
    )


def _name_of(function: Any) -> str:
    return getattr(function, "__name__", type(function).__name__)


_DEFAULTS = {
    name: _of_the_list(get_activation(name)) for name in ACTIVATIONS
}  # torch.compile cannot make them
