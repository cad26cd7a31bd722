"""Error terms E(t, h) on tensors, and the loss of pre-activations whose gradient each of them is.

The loss is L(t, a) = ∫ E(t, φ(s)) ds, taken from where the unit has its target. It exists for every
activation that does not couple its units and every error term that grows with h, and is convex in a.

Paper: sec:HD_the_error_term_perspective
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import isinf, log
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from hebbian_descent.checks import Array
from hebbian_descent.network.domain import Interval, Simplex
from hebbian_descent.nn.activations import TorchActivation, is_listed
from hebbian_descent.nn.quadrature import integral
from hebbian_descent.nn.targets import Signs, inside
from hebbian_descent.rules import ErrorTerm, get_error_term


@dataclass(frozen=True)
class TorchErrorTerm:
    """An error term E(t, h) on tensors, built-in or custom: it grows with h and is 0 at h = t."""

    name: str
    value: Callable[[Tensor, Tensor], Tensor]
    """E(t, h)."""
    inverse: Callable[[Tensor, Tensor], Tensor] | None = None
    """(t, e) → the h with E(t, h) = e, which the loss of pre-activations needs."""
    closed_form: Callable[[TorchActivation, Tensor, Tensor], Tensor | None] | None = None
    """(φ, t, a) → the loss, or None where there is only the integral."""
    signs: bool = False
    """Whether the targets are −1 and 1, whatever the activation."""
    built_in: ErrorTerm | None = None

    def __call__(self, targets: Tensor, output: Tensor) -> Tensor:
        """Return E(t, h)."""
        return self.value(targets, output)

    def __str__(self) -> str:
        parameters = {} if self.built_in is None else self.built_in.parameters
        settings = ", ".join(f"{key}={value:g}" for key, value in parameters.items())
        return f"{self.name}({settings})" if settings else self.name

    @property
    def core(self) -> ErrorTerm:
        """The same error term on arrays."""
        return self.built_in or ErrorTerm(self.name, partial(_on_arrays, self.value))

    def domain(self, activation: TorchActivation) -> Interval | Simplex | Signs:
        """Return the targets for which the loss is finite."""
        return Signs() if self.signs else activation.domain

    def require_loss(self, activation: TorchActivation) -> None:
        """Raise unless this error term and the activation come with what their loss needs."""
        if self.is_difference:
            activation.require_matching_loss()
            return
        ours, its = f"The error term {self.name!r} must", repr(activation.name)
        if not activation.elementwise:
            raise ValueError(
                f"{ours} be that of units that do not couple, or it is the gradient of no loss. Got {its}: "
                f"learn with hebbian({its}) and a loss of the outputs."
            )
        if activation.inverse is None:
            raise ValueError(
                f"{ours} come with the inverse of the activation to have a matching loss. Got {its} without: "
                f"pass TorchActivation({its}, value=…, inverse=…)."
            )
        if self.inverse is None and self.closed_form is None:
            raise ValueError(
                f"{ours} come with its inverse to have a matching loss. Got none: pass TorchErrorTerm("
                f"{self.name!r}, value=…, inverse=…) with (t, e) → the h where E(t, h) = e."
            )

    @property
    def is_difference(self) -> bool:
        """Whether E = h − t, for which every listed activation has a closed form."""
        return getattr(self.value, "func", None) is difference

    def matching_loss(self, activation: TorchActivation, targets: Tensor, preactivation: Tensor) -> Tensor:
        """Return L(t, a) for targets inside the domain."""
        if self.is_difference:
            return activation.matching_loss(targets, preactivation)
        exact = None if self.closed_form is None else self.closed_form(activation, targets, preactivation)
        return self._by_quadrature(activation, targets, preactivation) if exact is None else exact

    def _by_quadrature(self, phi: TorchActivation, t: Tensor, a: Tensor) -> Tensor:
        """Return the integral with its axes exchanged: ∫ (a − s(e)) de from 0 to E(t, φ(a)), E(t, φ(s)) = e.

        Its integrand is not negative and its ends are finite, also where the target is an end of the range of
        φ. All kinks and jumps of the listed activations are at a = 0; the integral is split there. In float64
        it is right to 1e-10, but only to 1e-7 for inverse square roots with a target at the end of their
        range, and to 1e-4 for softsign within 1e-9 of it.
        """
        assert phi.inverse is not None
        assert self.inverse is not None
        inverse, unit_of = phi.inverse, self.inverse
        h = phi(a)
        end = self.value(t, h)
        lowest, highest = torch.minimum(t, h), torch.maximum(t, h)
        upward = end >= 0

        def distance(e: Tensor) -> Tensor:
            u = _off_the_ends(unit_of(t, e).clamp(lowest, highest), phi.domain)
            return torch.where(upward, (a - inverse(u)).clamp(min=0), (a - inverse(u)).clamp(max=0))

        below, above = self._errors_around_zero(phi, t, end)
        first, last = torch.where(upward, below, above), torch.where(upward, above, below)
        starts, ends = torch.stack([torch.zeros_like(end), last]), torch.stack([first, end])
        return (integral(distance, starts, ends).sum(dim=0) + a * (last - first)).clamp(min=0)

    def _errors_around_zero(self, phi: TorchActivation, t: Tensor, end: Tensor) -> tuple[Tensor, Tensor]:
        least = torch.full_like(end, torch.finfo(end.dtype).tiny)
        nothing = torch.zeros_like(end)
        bounds = torch.minimum(end, nothing), torch.maximum(end, nothing)
        return self.value(t, phi(-least)).clamp(*bounds), self.value(t, phi(least)).clamp(*bounds)


def _off_the_ends(u: Tensor, domain: Interval | Simplex) -> Tensor:
    # φ reaches some ends only at infinity. One rounding unit from there it is all but at its limit.
    assert isinstance(domain, Interval)
    eps = torch.finfo(u.dtype).eps
    low = domain.low if isinf(domain.low) else domain.low + eps * max(1.0, abs(domain.low))
    high = domain.high if isinf(domain.high) else domain.high - eps * max(1.0, abs(domain.high))
    return u.clamp(low, high)


def difference(t: Tensor, h: Tensor) -> Tensor:
    """Return h − t."""
    return h - t


def saturating(t: Tensor, h: Tensor, *, saturation: float, steepness: float) -> Tensor:
    """Return saturation·tanh(steepness·(h − t))."""
    return saturation * torch.tanh(steepness * (h - t))


def saturating_inverse(t: Tensor, e: Tensor, *, saturation: float, steepness: float) -> Tensor:
    """Return t + artanh(e/saturation)/steepness."""
    return t + torch.atanh((e / saturation).clamp(-1, 1)) / steepness


def smooth_huber(
    phi: TorchActivation, t: Tensor, a: Tensor, *, saturation: float, steepness: float
) -> Tensor | None:
    """Return (saturation/steepness)·ln cosh(steepness·(a − t)) for linear units."""
    return saturation / steepness * log_cosh(steepness * (a - t)) if is_listed(phi, "linear") else None


def leaky_hinge(t: Tensor, h: Tensor, *, leak: float) -> Tensor:
    """Return −t while t·h < 1, then `leak`."""
    return torch.where(t * h < 1, -t, leak)


def hinge_at_the_margin(phi: TorchActivation, t: Tensor, a: Tensor, *, leak: float) -> Tensor:
    """Return two straight lines that meet where φ(a) = t; units that never get there have −t·a.

    Paper: tab:list_HD_loss_functions
    """
    assert phi.inverse is not None
    margin = phi.inverse(t)
    reached = inside(phi.domain, t) & margin.isfinite()
    beyond = a - torch.where(reached, margin, 0)
    return torch.where(reached & (t * beyond >= 0), leak * beyond, -t * beyond)


def log_cosh(x: Tensor) -> Tensor:
    """Return ln cosh x, accurate at 0 and finite for large x, with its derivative."""
    magnitude = x.abs()
    small = torch.log1p(2 * torch.sinh(x.clamp(-1, 1) / 2) ** 2)
    large = magnitude + F.softplus(-2 * magnitude) - log(2)
    return torch.where(magnitude < 1, small, large)


AnyErrorTerm = str | ErrorTerm | TorchErrorTerm | Callable[[Tensor, Tensor], Tensor]
"""A name, an error term of the core, or a function of targets and outputs."""


def get_torch_error_term(error: AnyErrorTerm) -> TorchErrorTerm:
    """Return an error term on tensors by name, or from the core's; functions of tensors are accepted."""
    if isinstance(error, TorchErrorTerm):
        return error
    if isinstance(error, str) and error in BY_NAME:
        return BY_NAME[error]
    if callable(error) and not isinstance(error, ErrorTerm):
        return TorchErrorTerm(getattr(error, "__name__", type(error).__name__), error)
    return _of_the_list(get_error_term(error))


def _of_the_list(core: ErrorTerm) -> TorchErrorTerm:
    if not core.is_built_in:
        raise TypeError(
            f"The error term {core.name!r} must be written with PyTorch's functions to work on tensors. Got "
            f"one of NumPy's: pass TorchErrorTerm({core.name!r}, value=…, inverse=…)."
        )
    parts: dict[str, Any] = {
        part: partial(function, **core.parameters) for part, function in PARTS[core.name].items()
    }
    return TorchErrorTerm(core.name, **parts, signs=bool(core.target_values), built_in=core)


PARTS: dict[str, dict[str, Callable[..., Tensor | None]]] = {
    "difference": {"value": difference},
    "saturating": {"value": saturating, "inverse": saturating_inverse, "closed_form": smooth_huber},
    "leaky_hinge": {"value": leaky_hinge, "closed_form": hinge_at_the_margin},
}
BY_NAME = {name: _of_the_list(get_error_term(name)) for name in PARTS}  # compiled graphs cannot make them


def _on_arrays(value: Callable[[Tensor, Tensor], Tensor], targets: Array, output: Array) -> Array:
    errors: Array = value(torch.from_numpy(targets), torch.from_numpy(output)).numpy()
    return errors
