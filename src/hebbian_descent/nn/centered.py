"""Centered linear layer: subtracts an offset from its input."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from hebbian_descent.checks import as_number
from hebbian_descent.nn.offsets import MovingOffset, Seen, offset_values
from hebbian_descent.nn.tensors import require_no_momentum, require_units, the_input


class CenteredLinear(nn.Linear):
    """a = (x − μ)Wᵀ + b, a drop-in for `nn.Linear` with an `offset` μ that is fixed or follows the inputs.

    The weights are stored as in `nn.Linear`, one row per output. Centering changes how a layer learns, never
    what it can represent. With `shift` ν > 0 training passes record their mean input, and
    `update_offsets_(model)`, called once after each `optimizer.step()`, moves the offset by μ ← (1 − ν)μ +
    ν⟨x⟩ and lets the bias make up for it. No forward pass moves the offset: neither evaluation nor gradient
    checkpointing can move it twice. The checkpoint of an `nn.Linear` can be loaded, also with `strict=True`:
    the offset is then 0, and `move_offset_` centers the layer again.

    Paper: eqn:neuron_matrix
    """

    offset: Tensor
    seen: Seen

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        *,
        offset: float | Tensor = 0.0,
        shift: float = 0.0,
        device: Any = None,
        dtype: torch.dtype | None = None,
        momentum: None = None,
    ) -> None:
        require_no_momentum(momentum)
        super().__init__(in_features, out_features, bias=bias, device=device, dtype=dtype)
        self.become_centered(offset, shift)

    def become_centered(self, offset: float | Tensor, shift: float) -> None:
        """Add an offset to a linear layer."""
        self.shift = as_number(shift, "shift", at_least=0, at_most=1)
        self.start = offset.detach().clone() if isinstance(offset, Tensor) else offset
        if self.shift and self.bias is None:
            raise ValueError(
                "A moving offset needs a bias that makes up for it. Got bias=False: use shift=0."
            )
        self.register_buffer("offset", offset_values(offset, self.in_features, like=self.weight))
        self.seen = Seen()
        # A hook, not a line of forward(): PyTorch's fused inference of transformer layers reads weight and
        # bias and would ignore the offset, but is switched off for modules with hooks.
        self.note_hook = self.register_forward_pre_hook(note_input, with_kwargs=True)

    def reset_parameters(self) -> None:
        """Redraw weights and bias and reset the offset, also after `to_empty`."""
        super().reset_parameters()
        if "offset" in self._buffers:  # not yet while nn.Linear is being made
            reset_offset_(self.offset, self.start)
            self.seen = Seen()

    def _load_from_state_dict(self, state_dict: dict[str, Any], prefix: str, *args: Any) -> None:
        # What nn.Linear saved has no offset: it belongs to a layer whose offset is 0, not to one with the
        # offset that happens to be here.
        saved = [state_dict[prefix + name] for name in ("weight", "bias") if prefix + name in state_dict]
        if saved and prefix + "offset" not in state_dict:
            state_dict[prefix + "offset"] = torch.zeros_like(self.offset, device=saved[0].device)
        super()._load_from_state_dict(state_dict, prefix, *args)

    def forward(self, input: Tensor) -> Tensor:
        """Return (x − μ)Wᵀ + b."""
        require_units(input, "input", self.in_features)
        return F.linear(input - self.offset, self.weight, self.bias)

    @torch.no_grad()
    def move_offset_(self, offset: float | Tensor) -> None:
        """Replace the offset and let the bias make up for it: the output of every pattern stays the same.

        Paper: eqn:neuron_matrix_rep1
        """
        new = offset_values(offset, self.in_features, like=self.weight)
        for moving in self.moving_offsets():
            moving.move_to_(new)

    def moving_offsets(self) -> Iterator[MovingOffset]:
        """Yield the offset with the parameters that compensate its moves."""
        if self.bias is not None and (not isinstance(self.bias, nn.Parameter) or "weight" in vars(self)):
            raise ValueError(
                "The moves of an offset need a bias that is a parameter, and a weight that no hook computes. "
                f"Got a {type(self).__name__} with others: prune or normalise its weight by "
                "torch.nn.utils.parametrize, which works, or keep shift=0."
            )
        yield MovingOffset(self.seen, self.offset, self.shift, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Return the sizes and the shift."""
        return f"{super().extra_repr()}, shift={self.shift:g}"


@torch.no_grad()
def reset_offset_(offset: Tensor, start: float | Tensor) -> None:
    """Reset an offset to its start."""
    offset.copy_(torch.as_tensor(start, dtype=offset.dtype))


def note_input(layer: CenteredLinear, args: tuple[Tensor, ...], kwargs: dict[str, Tensor]) -> None:
    """Record the input of a layer in training, if its offset moves."""
    if layer.training and layer.shift:
        layer.seen.note(the_input(args, kwargs), layer.weight)
