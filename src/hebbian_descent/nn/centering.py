"""Centering as a property of learning: the model stays plain, its gradients and steps are centered."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import LBFGS, Optimizer

from hebbian_descent.checks import as_number, unknown_name
from hebbian_descent.nn.coordinates import Coordinates
from hebbian_descent.nn.input_hook import InputHook, Passes
from hebbian_descent.nn.layer_choice import LayerChoice, maps_to_center
from hebbian_descent.nn.offsets import sums_of_all_processes

Offsets = float | Mapping[str, Any]


class Centering:
    """Lets the layers of a model learn as if their inputs were centered, x − μ; the model stays as it is.

    An object beside the model, like a learning-rate scheduler. Centering does not change what a network
    computes, only the coordinates in which it learns: b = b_c − Wμ. Around each `optimizer.step()` the
    gradients become ∂W − ∂b μᵀ, and the bias makes up for the change of W by b ← b − (W_new − W_old)μ; the
    same holds for every layer that is affine in its inputs (`affine.py`). Then each offset μ follows the mean
    input that its layer saw in training since the last step, μ ← (1 − ν)μ + ν⟨x⟩ with the `shift` ν.

    `optimizer` is one, or a list of those that share the parameters of the model (Muon for the weights, SGD
    for the biases). `layers` chooses among the layers by name (a name stands for all below it), by class, or
    by the modules themselves. With `offset_start=None` an offset is the mean of all inputs so far, until ν is
    the larger part; a number, or a mapping from the names of layers to numbers or vectors, lets it start
    there, and stay there with `shift=0`. In several processes that train copies of the model the mean is that
    of all, unless `synchronise=False`.

    An optimizer that decays weights decays the biases of the plain model, as it would without centering; a
    decay of W alone leaves the answer to the mean input as it is.

    Paper: sec:HD_importance_centering
    """

    def __init__(
        self,
        model: nn.Module,
        optimizer: Optimizer | Sequence[Optimizer],
        shift: float = 0.01,
        layers: Iterable[LayerChoice] | None = None,
        *,
        offset_start: Offsets | None = None,
        synchronise: bool = True,
    ) -> None:
        self.shift = as_number(shift, "shift", at_least=0, at_most=1)
        self.model, self.synchronise = model, synchronise
        self.optimizers = _plain_optimizers(optimizer)
        self.coordinates: dict[str, Coordinates] = {}
        starts = dict(offset_start) if isinstance(offset_start, Mapping) else None
        for found in maps_to_center(model, self.optimizers, layers):
            name = found.layer_name
            start = offset_start if starts is None else starts.get(name)
            key = f"{name}.{found.affine.bias}" if name else found.affine.bias
            self.coordinates[key] = Coordinates(name, found.layer, found.affine, found.owners, start)
        names = {its.name for its in self.coordinates.values()}
        for name in starts or ():
            if name not in names:
                raise unknown_name("layer of an offset", name, names)
        self._passes = Passes()
        self._hooks = [hook for optimizer in self.optimizers for hook in self._hooks_of(optimizer)]
        by_layer: dict[nn.Module, list[Coordinates]] = {}
        for its in self.coordinates.values():
            by_layer.setdefault(its.layer, []).append(its)
        for layer, each in by_layer.items():
            # After the pass, not before: then it shows the input as all other hooks left it.
            hook = layer.register_forward_hook(InputHook(each, self._passes), with_kwargs=True)
            self._hooks.append(hook)
        self._saw_inputs = False

    @property
    def offsets(self) -> dict[str, list[Tensor]]:
        """The offsets of each layer, one for each of its inputs, by the name of the bias."""
        return {name: list(its.offsets) for name, its in self.coordinates.items()}

    def center_gradients_(self) -> None:
        """Center the gradients now, before they are clipped or looked at; the step does not repeat it.

        It comes after the last backward pass of a step (and after `scaler.unscale_(optimizer)`).
        """
        for its in self.coordinates.values():
            for optimizer in its.owners:
                its.center_gradients_(optimizer)
            for seen in its.seen:
                seen.set_aside()

    @contextmanager
    def counting(self, keep: Tensor) -> Iterator[None]:
        """Count only the inputs where `keep` is true (or 1) in the passes within: not those that are padding.

        `keep` has the shape of the inputs without their units, such as (batch, length). Layers whose inputs
        have another shape, pooled ones perhaps, count all of theirs.
        """
        self._passes.keep, self._passes.fits = keep.bool(), False
        try:
            yield
            if not self._passes.fits:
                raise ValueError(
                    "The mask must have the shape of some layer's inputs without their units. "
                    f"Got {tuple(keep.shape)}, which no layer in training had."
                )
        finally:
            self._passes.keep = None

    @torch.no_grad()
    def start_from(self, *inputs: Any, **keywords: Any) -> None:
        """Put each offset at the mean input of its layer for a batch, given as the model takes it."""
        was_training = {module: module.training for module in self.model.modules()}
        self._passes.all_count = True
        try:
            self.model.eval()(*inputs, **keywords)
        finally:
            self._passes.all_count = False
            for module, training in was_training.items():
                module.training = training
        self._move_offsets(list(self.coordinates.values()), shift=1.0)

    def state_dict(self) -> dict[str, Any]:
        """Return what a checkpoint needs beside those of the model and the optimizer."""
        return {
            "offsets": self.offsets,
            "n_seen": {name: list(its.n_seen) for name, its in self.coordinates.items() if its.is_mean},
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on with the offsets of a checkpoint."""
        offsets, n_seen = state["offsets"], state["n_seen"]
        if set(offsets) != set(self.coordinates):
            other = sorted(set(offsets) ^ set(self.coordinates))
            raise ValueError(
                "The state must hold the offsets of the layers that are centered. "
                f"Got one that differs in {', '.join(map(repr, other))}."
            )
        checked = {name: its.checked_offsets(offsets[name]) for name, its in self.coordinates.items()}
        for name, its in self.coordinates.items():
            its.offsets, its.is_mean = checked[name], name in n_seen
            its.n_seen = [
                torch.as_tensor(n).to(mu.real) for n, mu in zip(n_seen.get(name, [0] * 3), its.offsets)
            ]

    def detach(self) -> None:
        """Take the hooks away: model and optimizer go on without centering."""
        for hook in self._hooks:
            hook.remove()
        self._hooks = []

    def _hooks_of(self, optimizer: Optimizer) -> list[Any]:
        return [
            optimizer.register_step_pre_hook(self._before_step),
            optimizer.register_step_post_hook(self._after_step),
        ]

    def _before_step(
        self, optimizer: Optimizer, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
        closure = args[1] if len(args) > 1 else kwargs.get("closure")  # args[0] is the optimizer
        if closure is None:
            self._enter_step(optimizer)
            return None
        wrapped = self._centered_closure(optimizer, closure)
        return ((args[0], wrapped, *args[2:]), kwargs) if len(args) > 1 else (args, kwargs | {"closure": wrapped})

    def _centered_closure(self, optimizer: Optimizer, closure: Callable[[], Any]) -> Callable[[], Any]:
        """Return a closure that leaves centered gradients: it is called within the step, after the hooks."""
        was_called = False

        def centered() -> Any:
            nonlocal was_called
            if was_called:
                raise RuntimeError(
                    "Centering needs an optimizer that evaluates its closure once per step. "
                    f"Got {type(optimizer).__name__}, which does so again: use one like SGD or Adam."
                )
            was_called = True
            loss = closure()
            self._enter_step(optimizer)
            return loss

        return centered

    def _enter_step(self, optimizer: Optimizer) -> None:
        for its in self.coordinates.values():
            if optimizer in its.owners:
                its.center_gradients_(optimizer)
                its.remember_response(optimizer)

    def _after_step(self, optimizer: Optimizer, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        done = []
        for its in self.coordinates.values():
            if optimizer not in its.owners:
                continue
            its.make_up_for_step_()
            its.put_gradients_back_(optimizer)
            its.waiting.discard(optimizer)
            if not its.waiting:
                its.waiting = set(its.owners)
                done.append(its)
        self._move_offsets(done, self.shift, found_inf=getattr(optimizer, "found_inf", None))

    def _move_offsets(
        self,
        coordinates: list[Coordinates],
        shift: float,
        *,
        found_inf: Tensor | None = None,
    ) -> None:
        moving = [its for its in coordinates if its.is_mean or shift]
        self._warn_if_nothing_was_seen(moving)
        sums = [one for its in moving for one in its.take_sums()]
        if found_inf is not None:  # a fused optimizer, which left this step out
            sums = [torch.where(found_inf > 0, 0, one) for one in sums]
        if self.synchronise:
            sums = sums_of_all_processes(sums, self.model)
        parts = iter(sums)
        for its in moving:
            its.move_offsets_([next(parts) for _ in its.units], shift)

    def _warn_if_nothing_was_seen(self, coordinates: list[Coordinates]) -> None:
        self._saw_inputs |= any(seen.is_filled for its in coordinates for seen in its.seen)
        if coordinates and not self._saw_inputs:
            self._saw_inputs = True  # once is enough
            warnings.warn(
                "No layer to be centered has seen an input in training, so that the offsets stay where they "
                "are. Is the model in evaluation mode, or was it compiled before Centering was made?",
                stacklevel=2,
            )


def _plain_optimizers(optimizer: Optimizer | Sequence[Optimizer]) -> list[Optimizer]:
    """Return the optimizers that take the steps, without the wrappers of training libraries."""
    plain = []
    for one in optimizer if isinstance(optimizer, Sequence) else [optimizer]:
        while isinstance(getattr(one, "optimizer", None), Optimizer):
            one = one.optimizer
        if not isinstance(one, Optimizer):
            raise TypeError(
                "The optimizer must be one of torch.optim, or a list of those. "
                f"Got {type(one).__name__}."
            )
        if isinstance(one, LBFGS):
            raise ValueError(
                "Centering needs an optimizer that evaluates the gradient once per step. "
                "Got LBFGS, which does so several times: use one like SGD or Adam."
            )
        plain.append(one)
    return plain
