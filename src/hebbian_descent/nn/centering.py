"""Centering as a property of learning: the model stays plain, its gradients and steps are centered."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

import torch
from torch import Tensor, nn
from torch.optim import Optimizer
from torch.utils.hooks import RemovableHandle

from hebbian_descent.checks import as_number, unknown_name
from hebbian_descent.nn.coordinates import Coordinates, move_offsets_
from hebbian_descent.nn.evaluation import run_batch
from hebbian_descent.nn.input_hook import BeforePass, InputHook, Mask, Passes, add_input_hooks
from hebbian_descent.nn.layer_choice import LayerChoice, maps_to_center, plain_model
from hebbian_descent.nn.offsets import in_several_processes, sums_of_all_processes
from hebbian_descent.nn.optimizers import plain_optimizers, with_closure_followed_by
from hebbian_descent.nn.tensors import require_model, require_no_momentum

Offsets = float | Mapping[str, Any]


class Centering:
    """Lets the layers of a model learn as if their inputs were centered, x − μ; the model stays as it is.

    It is separate from the model, like a learning-rate scheduler; hooks of model and optimizer hold it, so it
    works until `detach()`, whether you keep it or not. Centering does not change what a network
    computes, only the coordinates in which it learns: b = b_c − Wμ. Around each `optimizer.step()` the
    gradients become ∂W − ∂b μᵀ, and the bias makes up for the change of W by b ← b − (W_new − W_old)μ; the
    same holds for every layer that is affine in its inputs (`affine.py`). Then each offset μ follows the mean
    input that its layer saw in training since the last step, μ ← (1 − ν)μ + ν⟨x⟩ with the `shift` ν.

    `optimizer` is one or a list of those that share the parameters of the model (Muon for the weights, SGD
    for the biases). `layers` chooses among the layers by name (a name stands for all below it), by class, or
    by the modules themselves. With `offset_start=None` an offset is the mean of all inputs so far, until ν is
    the larger part; a number, or a mapping from the names of layers to numbers or vectors, lets it start
    there, and stay there with `shift=0`. If several processes train copies of the model, the mean is that of
    all, unless `synchronise=False`.

    An optimizer that decays weights decays the biases of the plain model, as it would without centering; a
    decay of W alone leaves the output for the mean input unchanged.

    Paper: sec:HD_importance_centering
    """

    def __init__(
        self,
        model: nn.Module,
        optimizer: Optimizer | Sequence[Optimizer],
        shift: float = 0.01,
        layers: LayerChoice | Iterable[LayerChoice] | None = None,
        *,
        offset_start: Offsets | None = None,
        synchronise: bool = True,
        momentum: None = None,
    ) -> None:
        require_no_momentum(momentum)
        require_model(model)
        self.shift = as_number(shift, "shift", at_least=0, at_most=1)
        self.model, self.synchronise = model, synchronise
        self.optimizers = plain_optimizers(optimizer)
        found = maps_to_center(plain_model(model), self.optimizers, layers)
        starts = _starts(offset_start, [one.name for one in found])
        self.coordinates = {one.name: Coordinates(one, starts[one.name]) for one in found}
        self._passes = Passes(owner=self)
        self._hooks = [
            *add_input_hooks(self.coordinates.values(), self._passes),
            *self._hooks_of_several_processes(),
            *(its.bias.register_hook(its.meet_gradient) for its in self.coordinates.values()),
            *(one.register_step_pre_hook(self._before_step) for one in self.optimizers),
            *(one.register_step_post_hook(self._after_step) for one in self.optimizers),
        ]
        self._saw_inputs = False

    def __repr__(self) -> str:
        return f"Centering(shift={self.shift:g}, layers={list(self.coordinates)})"

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "Centering must stay with its model and optimizer, which hold its hooks. Got a request to copy "
            "or pickle it: make a new Centering for the copies, and let it load this one's state_dict()."
        )

    @staticmethod
    def attached_to(model: nn.Module) -> list[Centering]:
        """Return all that center layers of a model, to detach one that was not kept."""
        hooks = [hook for module in model.modules() for hook in module._forward_hooks.values()]
        return list(dict.fromkeys(hook.passes.owner for hook in hooks if isinstance(hook, InputHook)))

    @property
    def offsets(self) -> dict[str, list[Tensor]]:
        """The offsets of each layer by its name, one for each of its inputs."""
        return {name: list(its.offsets) for name, its in self.coordinates.items()}

    @torch.no_grad()
    def center_gradients_(self) -> None:
        """Center the gradients now, before they are clipped or looked at; the step does not repeat it.

        Call it after the last backward pass of a step (and after `scaler.unscale_(optimizer)`). Another may
        follow, which restores the gradients before it adds to them; if several processes train the model, its
        forward pass must come after this call, too.
        """
        for its in self.coordinates.values():
            for optimizer in its.owners:
                its.center_gradients_(optimizer)

    @contextmanager
    def counting(self, keep: Tensor) -> Iterator[None]:
        """Count only the inputs where `keep` is true (or 1) in the passes within: those that are not padding.

        `keep` has the shape of the inputs without their units, such as (batch, length). Layers whose inputs
        have another shape, pooled ones perhaps, count all of theirs.
        """
        outer, mask = self._passes.mask, Mask(keep.bool())
        self._passes.mask = mask
        try:
            yield
            if mask.noted and not mask.fits:
                raise ValueError(
                    "The mask must have the shape of some layer's inputs without their units. "
                    f"Got {tuple(keep.shape)}, which none had."
                )
        finally:
            self._passes.mask = outer

    @torch.no_grad()
    def start_from(self, *inputs: Any, **keywords: Any) -> None:
        """Put each offset at the mean input of its layer for a batch, given as the model takes it."""
        everything = list(self.coordinates.values())
        for its in everything:
            its.take_sums()
        self._passes.all_count = True
        try:
            run_batch(self.model, *inputs, **keywords)
            _require_finite_inputs(everything)
        except BaseException:
            for its in everything:
                its.take_sums()
            raise
        finally:
            self._passes.all_count = False
        self._move_offsets(everything, shift=1.0)

    def state_dict(self) -> dict[str, dict[str, Any]]:
        """Return what a checkpoint needs besides the states of the model and the optimizer."""
        return {name: its.state_dict() for name, its in self.coordinates.items()}

    @torch.no_grad()
    def load_state_dict(self, state: Mapping[str, Mapping[str, Any]]) -> None:
        """Resume with the offsets of a checkpoint; what was seen or centered before does not count."""
        if set(state) != set(self.coordinates):
            others = sorted(set(state) ^ set(self.coordinates))
            raise ValueError(
                "The state must be that of the layers that are centered. "
                f"Got one that differs in {', '.join(map(repr, others))}."
            )
        checked = {name: its.checked_state(state[name]) for name, its in self.coordinates.items()}
        for name, its in self.coordinates.items():
            its.load_state_dict(checked[name])

    def detach(self) -> None:
        """Remove the hooks: model and optimizer continue without centering, with plain gradients."""
        self._put_gradients_back()
        for hook in self._hooks:
            hook.remove()
        self._hooks = []

    def _hooks_of_several_processes(self) -> list[RemovableHandle]:
        # There a weight's gradient may be sent before the hook of its bias runs, and with FSDP2 none runs.
        if not in_several_processes():
            return []
        return [self.model.register_forward_pre_hook(BeforePass(self._put_gradients_back), prepend=True)]

    @torch.compiler.disable
    @torch.no_grad()
    def _put_gradients_back(self) -> None:
        for its in self.coordinates.values():
            its.put_gradients_back_(list(its.centered))

    def _before_step(self, optimizer: Optimizer, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        changed = with_closure_followed_by(lambda: self._enter_step(optimizer), args, kwargs)
        if changed is None:
            self._enter_step(optimizer)
        return changed

    @torch.compiler.disable
    @torch.no_grad()
    def _enter_step(self, optimizer: Optimizer) -> None:
        for its in self._learned_by(optimizer):
            its.center_gradients_(optimizer)
            its.remember_response(optimizer)

    @torch.compiler.disable
    @torch.no_grad()
    def _after_step(self, optimizer: Optimizer, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        for its in self._learned_by(optimizer):
            its.make_up_for_step_()
            its.put_gradients_back_(its.owners[optimizer])
            its.waiting.discard(optimizer)
        done = [its for its in self._learned_by(optimizer) if not its.waiting]
        for its in done:
            its.waiting = set(its.owners)
        self._move_offsets(done, self.shift, found_inf=getattr(optimizer, "found_inf", None))

    def _learned_by(self, optimizer: Optimizer) -> list[Coordinates]:
        return [its for its in self.coordinates.values() if optimizer in its.owners]

    def _move_offsets(
        self, coordinates: list[Coordinates], shift: float, *, found_inf: Tensor | None = None
    ) -> None:
        moving = [its for its in coordinates if its.is_mean or shift]
        self._warn_if_nothing_was_seen(moving)
        sums = [one for its in moving for one in its.take_sums()]
        if found_inf is not None:  # a fused optimizer, which skipped this step
            sums = [torch.where(found_inf > 0, 0, one) for one in sums]
        if self.synchronise:
            sums = sums_of_all_processes(sums, self.model)
        move_offsets_(moving, sums, shift)

    def _warn_if_nothing_was_seen(self, coordinates: list[Coordinates]) -> None:
        self._saw_inputs |= any(seen.is_filled for its in coordinates for seen in its.seen)
        if coordinates and not self._saw_inputs:
            self._saw_inputs = True  # once is enough
            warnings.warn(
                "No layer to be centered has seen an input in training, so the offsets stay where they "
                "are. Is the model in evaluation mode, or was it compiled before Centering was made?",
                stacklevel=2,
            )


def _require_finite_inputs(coordinates: list[Coordinates]) -> None:
    """Raise unless the layers saw patterns of finite numbers, at which offsets can start."""
    seen = [(its.name, one.sums) for its in coordinates for one in its.seen if one.sums is not None]
    if all(sums[-1].real == 0 for _, sums in seen):
        raise ValueError("The inputs must hold a pattern that reaches a centered layer. Got none.")
    for name, sums in seen:
        if not sums.isfinite().all():
            raise ValueError(
                f"The inputs of a centered layer must be finite. Got a mean input of {name!r} that is not."
            )


def _starts(offset_start: Offsets | None, names: list[str]) -> dict[str, Any]:
    """Return where the offset of each layer starts."""
    if not isinstance(offset_start, Mapping):
        return dict.fromkeys(names, offset_start)
    for name in offset_start:
        if name not in names:
            raise unknown_name("layer of an offset", name, names)
    return {name: offset_start.get(name) for name in names}
