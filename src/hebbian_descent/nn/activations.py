"""Activation functions on tensors, with the names and parameters of `hebbian_descent.network`.

The last axis of a tensor runs over the units, as everywhere in this package. The derivative of φ is not
listed: autograd takes it from `value`. At a kink the branch for a ≥ 0 holds, except that the step function
and the derivative of the rectifier are 0 at 0: the conventions of `hebbian_descent.network.activations`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from hebbian_descent.checks import unknown_name
from hebbian_descent.network import ACTIVATIONS, Activation, get_activation
from hebbian_descent.network.domain import Interval, Simplex
from hebbian_descent.nn.matching_losses import MATCHING_LOSSES

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


AnyActivation = str | Activation | TorchActivation | Callable[[Tensor], Tensor]
"""A name, an activation of the core, or a function of tensors."""


OTHER_NAMES = {
    "identity": "linear",
    "relu": "rectifier",
    "elu": "explin",
    "selu": "scaled_explin",
    "tanh": "scaled_tanh",
    "leaky_relu": "leaky_rectifier",
    "exp": "exponential",
}
"""PyTorch's names of some activations, to suggest the name used here."""


def get_torch_activation(activation: AnyActivation, **parameters: float) -> TorchActivation:
    """Return an activation on tensors by name, with its parameters; functions of tensors are accepted."""
    if isinstance(activation, str):
        if activation.lower() in OTHER_NAMES:
            here = OTHER_NAMES[activation.lower()]
            raise ValueError(f"{unknown_name('activation', activation, ACTIVATIONS)} It is {here!r} here.")
        return _of_the_list(get_activation(activation, **parameters))
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
    return TorchActivation(_name_of(activation), activation)


def is_softmax(activation: TorchActivation) -> bool:
    """Return whether an activation is the package's own softmax."""
    return getattr(activation.value, "func", None) is softmax


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
        domain=core.domain,
        elementwise=core.elementwise,
        parameters=core.parameters,
    )


def _name_of(function: Any) -> str:
    return getattr(function, "__name__", type(function).__name__)


def linear(a: Tensor) -> Tensor:
    """Return a."""
    return a


def step(a: Tensor) -> Tensor:
    """Return 1 where a > 0, else 0; its gradient is zero, and not missing, so that backward() runs."""
    return torch.sign(torch.relu(a))


def softmax(a: Tensor) -> Tensor:
    """Return exp(aⱼ) / Σₖ exp(aₖ) over the last axis."""
    return torch.softmax(a, dim=-1)


def explin(a: Tensor) -> Tensor:
    """Return a for a ≥ 0 and eᵃ − 1 below."""
    return exponential_linear(a, slope=1.0, floor=1.0)


def scaled_explin(a: Tensor, *, scale: float, saturation: float) -> Tensor:
    """Return scale·a for a ≥ 0 and scale·saturation·(eᵃ − 1) below."""
    return exponential_linear(a, slope=scale, floor=scale * saturation)


def exponential_linear(a: Tensor, *, slope: float, floor: float) -> Tensor:
    """Return slope·a for a ≥ 0 and floor·(eᵃ − 1) below."""
    return torch.where(a >= 0, slope * a, floor * torch.expm1(a.clamp(max=0)))


def scaled_tanh(a: Tensor, *, scale: float) -> Tensor:
    """Return scale·tanh(a)."""
    return scale * torch.tanh(a)


def approximate_step(a: Tensor, *, slope: float, height: float) -> Tensor:
    """Return slope·a for a < 0 and slope·a + height for a ≥ 0."""
    return slope * a + height * (a >= 0).to(a.dtype)


def leaky_rectifier(a: Tensor, *, slope: float) -> Tensor:
    """Return a for a ≥ 0 and slope·a below; torch's leaky_relu has the other derivative at 0."""
    return torch.where(a >= 0, a, slope * a)


def inverse_sqrt(a: Tensor, *, steepness: float) -> Tensor:
    """Return a / √(1 + steepness·a²)."""
    return a * torch.rsqrt(1 + steepness * a * a)


def inverse_sqrt_linear(a: Tensor, *, steepness: float) -> Tensor:
    """Return a for a ≥ 0 and a / √(1 + steepness·a²) below."""
    return torch.where(a >= 0, a, inverse_sqrt(a.clamp(max=0), steepness=steepness))


def softplus(a: Tensor) -> Tensor:
    """Return ln(1 + eᵃ); torch's softplus would become linear already at 20."""
    return torch.logaddexp(a, torch.zeros((), dtype=a.dtype, device=a.device))


VALUES: dict[str, Callable[..., Tensor]] = {
    "linear": linear,
    "sigmoid": torch.sigmoid,
    "step": step,
    "softmax": softmax,
    "rectifier": torch.relu,
    "explin": explin,
    "scaled_tanh": scaled_tanh,
    "approximate_step": approximate_step,
    "leaky_rectifier": leaky_rectifier,
    "scaled_explin": scaled_explin,
    "inverse_sqrt_linear": inverse_sqrt_linear,
    "softsign": F.softsign,
    "softplus": softplus,
    "inverse_sqrt": inverse_sqrt,
    "exponential": torch.exp,
}
