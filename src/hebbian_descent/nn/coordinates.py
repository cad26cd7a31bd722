"""The change to centered coordinates and back, around the step of an optimizer, for one affine map.

A map a = R(θ, x) + b is learned as if it were a = R(θ, x − μ) + b_c: with b = b_c − R(θ, μ) the gradient in
the centered coordinates is ∂θ − (∂R/∂θ)ᵀ∂b, for a linear layer ∂W − ∂b μᵀ, and a change of θ by the step
changes the plain bias by R(θ_old, μ) − R(θ_new, μ). The map itself never sees μ.
"""

from __future__ import annotations

import weakref
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.optim import Optimizer
from torch.utils.hooks import unserializable_hook

from hebbian_descent.nn.affine import Counted, bias_of, unit_counts
from hebbian_descent.nn.layer_choice import FoundMap
from hebbian_descent.nn.offsets import Seen, followed, in_several_processes, offset_dtype, offset_values
from hebbian_descent.nn.tensors import beside_distributed, without_autocast


class Coordinates:
    """An affine map of a layer with the offsets of its inputs. Its methods are called without gradients."""

    def __init__(self, found: FoundMap, start: float | Tensor | Sequence[Tensor] | None) -> None:
        self.name = found.name
        layer, affine = self.layer, self.affine = found.layer, found.affine
        self.bias = cast("nn.Parameter", bias_of(layer, affine))
        self.owners = found.owners
        self.waiting = set(found.owners)
        """The optimizers that have yet to take their step before the offsets move."""
        self.units = unit_counts(layer, affine)
        self.seen = tuple(Seen() for _ in self.units)
        self.offsets = self.checked_offsets(0.0 if start is None else start)
        self.is_mean = start is None
        """Whether an offset is the mean of all inputs so far, until `shift` is the larger part."""
        self.n_seen = [torch.zeros_like(offset.real) for offset in self.offsets]
        """How many inputs each unit's offset is the mean of."""
        self.origin: tuple[Tensor, ...] | None = None
        """The offsets of the step that is being taken."""
        self.centered: dict[nn.Parameter, weakref.ref[Tensor]] = {}
        """For each parameter whose gradient was centered, a weak reference to the gradient."""
        self.before: Tensor | None = None

    def checked_offsets(self, values: float | Tensor | Sequence[Tensor]) -> list[Tensor]:
        """Return one vector for each input, from one number or vector for all, or from one for each."""
        each: list[Any] = list(values) if isinstance(values, list | tuple) else [values] * len(self.units)
        if len(each) != len(self.units):
            raise ValueError(
                f"The offsets of {self.name!r} must be {len(self.units)}, one for each of its inputs. "
                f"Got {len(each)}."
            )
        like = torch.empty((), dtype=offset_dtype(self.bias), device=self.bias.device)
        return [offset_values(v, n, like=like) for v, n in zip(each, self.units, strict=True)]

    def state_dict(self) -> dict[str, Any]:
        """Return the offsets, and how many inputs they are the mean of, if they are."""
        copies = [offset.clone() for offset in self.offsets]
        return {"offsets": copies, "n_seen": [n.clone() for n in self.n_seen] if self.is_mean else None}

    def checked_state(self, state: Mapping[str, Any]) -> dict[str, Any]:
        """Return a state as this map takes it."""
        offsets = self.checked_offsets(state["offsets"])
        n_seen = [n.real for n in self.checked_offsets(state["n_seen"] or 0.0)]
        return {"offsets": offsets, "n_seen": n_seen, "is_mean": state["n_seen"] is not None}

    def load_state_dict(self, checked: Mapping[str, Any]) -> None:
        """Load a checked state, and discard what was under way."""
        self.put_gradients_back_(list(self.centered))
        self.take_sums()
        self.waiting, self.before = set(self.owners), None
        self.offsets, self.n_seen, self.is_mean = checked["offsets"], checked["n_seen"], checked["is_mean"]

    def note(self, args: Any, kwargs: Any, keep: Tensor | None, *, in_any_pass: bool) -> bool:
        """Record what goes into the map; return whether `keep` had the shape of some of it."""
        inputs = self.affine.inputs(self.layer, *args, **kwargs)
        each = inputs if isinstance(inputs, tuple) and not isinstance(inputs, Counted) else (inputs,)
        bias = cast("Tensor", bias_of(self.layer, self.affine))  # another one within torch.func
        fits = False
        for seen, one in zip(self.seen, each, strict=True):
            values, its_keep = one if isinstance(one, Counted) else Counted(one)
            if not isinstance(values, Tensor):  # a symbol, while torch.fx traces the model
                return True
            if keep is not None and not values.is_nested and values.shape[:-1] == keep.shape:
                its_keep, fits = keep if its_keep is None else its_keep & keep, True
            add = seen.add if in_any_pass else seen.note
            add(values, bias, its_keep)
        return fits

    def center_gradients_(self, optimizer: Optimizer) -> None:
        """∂θ ← ∂θ − (∂R/∂θ)ᵀ∂b, unless they are centered already."""
        self._forget_replaced_gradients()
        plain = [p for p in self._learning(optimizer) if p not in self.centered]
        self._add_to_gradients_(plain, -1)
        self.centered |= {p: weakref.ref(cast("Tensor", p.grad)) for p in plain}

    def put_gradients_back_(self, parameters: Sequence[nn.Parameter]) -> None:
        """∂θ ← ∂θ + (∂R/∂θ)ᵀ∂b, as they came from the backward pass.

        Whatever has scaled all gradients since, by clipping or to 0, has scaled this ∂b as well.
        """
        self._forget_replaced_gradients()
        centered = [p for p in parameters if p in self.centered]
        self._add_to_gradients_(centered, 1)
        for parameter in centered:
            del self.centered[parameter]
        if not self.centered:
            self.origin = None

    @unserializable_hook
    @torch.no_grad()
    def meet_gradient(self, gradient: Tensor) -> None:
        """Prepare for what a backward pass is about to add to ∂b, and did or will add to ∂θ."""
        if self.centered and in_several_processes():  # which may have sent ∂θ, centered, already
            raise RuntimeError(
                "In several processes a backward pass after center_gradients_() must have its forward pass "
                f"after it, too. Got one through {self.name!r} whose forward pass came before: call "
                "center_gradients_() after the last backward pass."
            )
        if self.centered:
            self.put_gradients_back_(list(self.centered))
        for seen in self.seen:
            seen.join_gradient(self.bias.grad)

    def remember_response(self, optimizer: Optimizer) -> None:
        """Keep R(θ, μ) as it is before a step."""
        self.before = self._response() if self._learning(optimizer) else None

    def make_up_for_step_(self) -> None:
        """Let what θ learned change only the response to x − μ: b ← b − (R(θ_new, μ) − R(θ_old, μ))."""
        if self.before is not None:
            change = self._response() - self.before
            with beside_distributed(self.bias):
                self.bias.sub_(change)
            self.before = None

    def take_sums(self) -> list[Tensor]:
        """Return the sums of what was seen, and reset them."""
        return [seen.take(offset) for seen, offset in zip(self.seen, self.offsets, strict=True)]

    def _learning(self, optimizer: Optimizer) -> list[nn.Parameter]:
        """Return the parameters θ that learn, in centered coordinates: none while the bias is frozen."""
        if self.bias.grad is None or not self.bias.requires_grad:
            return []
        return [p for p in self.owners[optimizer] if p.grad is not None]

    def _forget_replaced_gradients(self) -> None:
        """Forget centered gradients that no longer exist: a step was skipped."""
        last = self.centered.items()
        self.centered = {p: then for p, then in last if p.grad is not None and then() is p.grad}
        if not self.centered:
            self.origin = None

    def _the_origin(self) -> tuple[Tensor, ...]:
        """Return μ, the same from before a step until after it, whatever it is made of."""
        if self.origin is None:
            device, dtype = self.bias.device, offset_dtype(self.bias)  # the model may have moved
            means = tuple(offset.to(device, dtype) for offset in self.offsets)
            with beside_distributed(self.bias), torch.no_grad():
                make = self.affine.offsets
                self.origin = means if make is None else make(self.layer, *means)
        return self.origin

    def _response(self) -> Tensor:
        origin = self._the_origin()
        with beside_distributed(self.bias), without_autocast(self.bias):
            return self.affine.response(self.layer, *origin)

    def _add_to_gradients_(self, parameters: Sequence[nn.Parameter], sign: int) -> None:
        error = self.bias.grad
        if not parameters or error is None:
            return
        if self.affine.add_outer and _is_plain(self.layer, parameters, error, *self._the_origin()):
            self.affine.add_outer(self.layer, error, self._the_origin()[0], sign)
            return
        with torch.enable_grad():
            response = self._response()
        with beside_distributed(self.bias):
            error = error.to(response.dtype)
            derivatives = torch.autograd.grad(response, parameters, error, allow_unused=True)
            for parameter, derivative in zip(parameters, derivatives, strict=True):
                if derivative is not None:
                    cast("Tensor", parameter.grad).add_(derivative, alpha=sign)


def move_offsets_(coordinates: Sequence[Coordinates], sums: Sequence[Tensor], shift: float) -> None:
    """Let every offset follow what was seen: μ ← (1 − ν)μ + ν⟨x⟩.

    Offsets of the same kind are moved as one long vector: many small moves would delay the step.
    """
    places = [(its, i) for its in coordinates for i in range(len(its.units))]
    alike = defaultdict(list)
    for (its, i), its_sums in zip(places, sums, strict=True):
        alike[its.is_mean, its_sums.dtype, its_sums.device].append((its, i, its_sums))
    for (is_mean, *_), group in alike.items():
        sizes = [its.units[i] for its, i, _ in group]
        totals = torch.cat([one[:-1] for *_, one in group])
        counts = torch.cat([one[-1].real.expand(size) for (*_, one), size in zip(group, sizes, strict=True)])
        counts = torch.where(totals.isfinite(), counts, 0)  # an overflow is not followed, nor counted
        n_seen = counts + torch.cat([its.n_seen[i].to(counts) for its, i, _ in group])
        rates = (counts / n_seen.clamp(min=1)).clamp(min=shift) if is_mean else shift
        moved = followed(torch.cat([its.offsets[i].to(one) for its, i, one in group]), totals, counts, rates)
        for (its, i, _), offset, n in zip(group, moved.split(sizes), n_seen.split(sizes), strict=True):
            its.offsets[i], its.n_seen[i] = offset, n


def _is_plain(layer: nn.Module, parameters: Sequence[nn.Parameter], *others: Tensor) -> bool:
    """Return whether all that learns is one real `weight` of the others' dtype, whole in this process."""
    weight = parameters[0]
    is_weight = len(parameters) == 1 and layer._parameters.get("weight") is weight
    is_alike = all(other.dtype == weight.dtype for other in others)
    return is_weight and is_alike and weight.is_floating_point() and not hasattr(weight, "full_tensor")
