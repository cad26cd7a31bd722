"""The change to centered coordinates and back, around the step of an optimizer, for one affine map.

A map a = R(θ, x) + b is learned as if it were a = R(θ, x − μ) + b_c: with b = b_c − R(θ, μ) the gradient in
the centered coordinates is ∂θ − (∂R/∂θ)ᵀ∂b, for a linear layer ∂W − ∂b μᵀ, and a change of θ by the step
changes the plain bias by R(θ_old, μ) − R(θ_new, μ). The map itself never sees μ.
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from hebbian_descent.nn.affine import AffineMap, Counted, bias_of, unit_counts
from hebbian_descent.nn.offsets import Seen, followed, offset_dtype, offset_values
from hebbian_descent.nn.tensors import beside_distributed


class Coordinates:
    """An affine map of a layer with the offsets of its inputs."""

    def __init__(
        self,
        name: str,
        layer: nn.Module,
        affine: AffineMap,
        owners: Mapping[Optimizer, Sequence[nn.Parameter]],
        start: float | Tensor | Sequence[Tensor] | None,
    ) -> None:
        self.name, self.layer, self.affine = name, layer, affine
        self.owners = owners
        """The parameters θ of the map that each optimizer changes."""
        self.units = unit_counts(layer, affine)
        self.seen = tuple(Seen() for _ in self.units)
        self.offsets = self.checked_offsets(0.0 if start is None else start)
        self.is_mean = start is None
        """Whether an offset is the mean of all inputs so far, until `shift` is the larger part."""
        self.n_seen = [torch.zeros_like(offset[0].real) for offset in self.offsets]
        self.centered: dict[Optimizer, list[Any]] = {}
        """For each optimizer whose gradients are centered, weak references to them."""
        self.origin: tuple[Tensor, ...] | None = None
        """The offsets of the step that is being taken."""
        self.before: Tensor | None = None
        self.waiting = set(owners)

    @property
    def bias(self) -> nn.Parameter:
        """The parameter that makes up for the offsets."""
        return cast("nn.Parameter", bias_of(self.layer, self.affine))

    def checked_offsets(self, values: float | Tensor | Sequence[Tensor]) -> list[Tensor]:
        """Return one vector for each input, from one number, one vector, or one of these for each."""
        each = list(values) if isinstance(values, Sequence) and not isinstance(values, str) else None
        if each is None:
            each = [values] * len(self.units)
        if len(each) != len(self.units):
            raise ValueError(
                f"The offsets of {self.name!r} must be {len(self.units)}, one for each of its inputs. "
                f"Got {len(each)}."
            )
        like = torch.empty((), dtype=offset_dtype(self.bias), device=self.bias.device)
        return [offset_values(v, n, like=like) for v, n in zip(each, self.units, strict=True)]

    def note(self, args: Any, kwargs: Any, keep: Tensor | None, *, in_any_pass: bool) -> bool:
        """Record what goes into the map; return whether `keep` had the shape of some of it."""
        inputs = self.affine.inputs(self.layer, *args, **kwargs)
        each = inputs if isinstance(inputs, tuple) and not isinstance(inputs, Counted) else (inputs,)
        fits = False
        for seen, one in zip(self.seen, each, strict=True):
            values, its_keep = one if isinstance(one, Counted) else Counted(one)
            if not isinstance(values, Tensor):  # a symbol, while torch.fx traces the model
                return True
            if keep is not None and not values.is_nested and values.shape[:-1] == keep.shape:
                its_keep, fits = keep if its_keep is None else its_keep & keep, True
            add = seen.add if in_any_pass else seen.note
            add(values, self.bias, its_keep)
        return fits

    def center_gradients_(self, optimizer: Optimizer) -> None:
        """∂θ ← ∂θ − (∂R/∂θ)ᵀ∂b, unless they are centered already."""
        if optimizer in self.centered:
            if not self._is_stale(optimizer):
                return
            self._forget_centering()
        self._add_to_gradients_(optimizer, -1)
        self.centered[optimizer] = [weakref.ref(p.grad) for p in self._learning(optimizer)]

    def put_gradients_back_(self, optimizer: Optimizer) -> None:
        """∂θ ← ∂θ + (∂R/∂θ)ᵀ∂b, as they came from the backward pass."""
        if self.centered.pop(optimizer, None) is not None:
            self._add_to_gradients_(optimizer, 1)
        if not self.centered:
            self.origin = None

    def remember_response(self, optimizer: Optimizer) -> None:
        """Keep R(θ, μ) as it is before a step."""
        self.before = self._response().detach() if self._learning(optimizer) else None

    def make_up_for_step_(self) -> None:
        """b ← b − (R(θ_new, μ) − R(θ_old, μ)): what θ learned changes how the map answers to x − μ alone."""
        if self.before is not None:
            with torch.no_grad():
                change = self._response() - self.before
                with beside_distributed(self.bias):
                    self.bias.sub_(change)
            self.before = None

    def take_sums(self) -> list[Tensor]:
        """Return the sums of what was seen, and reset them."""
        return [seen.take(offset) for seen, offset in zip(self.seen, self.offsets, strict=True)]

    @torch.no_grad()
    def move_offsets_(self, sums: Sequence[Tensor], shift: float) -> None:
        """Let each offset follow what was seen."""
        for i, its_sums in enumerate(sums):
            count = its_sums[-1].real
            nu: float | Tensor = shift
            if self.is_mean:
                self.n_seen[i] = self.n_seen[i].to(count) + count
                nu = (count / self.n_seen[i].clamp(min=1)).clamp(min=shift)
            self.offsets[i] = followed(self.offsets[i].to(its_sums.device), its_sums, nu)

    def _learning(self, optimizer: Optimizer) -> list[nn.Parameter]:
        return [p for p in self.owners[optimizer] if p.grad is not None]

    def _is_stale(self, optimizer: Optimizer) -> bool:
        """Return whether other gradients took the place of those that were centered: a step was left out."""
        then = [reference() for reference in self.centered[optimizer]]
        now = [p.grad for p in self._learning(optimizer)]
        is_other = len(then) != len(now) or any(a is not b for a, b in zip(then, now, strict=True))
        return is_other or any(seen.aside is not None and seen.sums is not None for seen in self.seen)

    def _forget_centering(self) -> None:
        self.centered.clear()
        self.origin = None
        for seen in self.seen:
            seen.aside = None  # a step that was left out moves nothing

    def _response(self) -> Tensor:
        """Return R(θ, μ); μ is the same from before a step until after it, whatever it is made of."""
        with torch.no_grad(), beside_distributed(self.bias):
            if self.origin is None:
                means = [offset.to(self.bias.device) for offset in self.offsets]
                make = self.affine.offsets
                self.origin = tuple(means) if make is None else make(self.layer, *means)
        with torch.autocast(self.bias.device.type, enabled=False), beside_distributed(self.bias):
            return self.affine.response(self.layer, *self.origin)

    def _add_to_gradients_(self, optimizer: Optimizer, sign: int) -> None:
        parameters, error = self._learning(optimizer), self.bias.grad
        if not parameters or error is None:
            return
        with torch.enable_grad():
            response = self._response()
        with beside_distributed(self.bias):
            error = error.to(response.dtype)
            derivatives = torch.autograd.grad(response, parameters, error, allow_unused=True)
            with torch.no_grad():
                for parameter, derivative in zip(parameters, derivatives, strict=True):
                    if derivative is not None:
                        parameter.grad.add_(derivative, alpha=sign)
