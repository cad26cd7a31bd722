"""Tied layer: one weight matrix that encodes and decodes, with an offset on either side."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from hebbian_descent.checks import as_number
from hebbian_descent.nn.offsets import MovingOffset, Seen, offset_values
from hebbian_descent.nn.tensors import require_units


class TiedLayer(nn.Module):
    """a = (x − μ)Wᵀ + b upwards and (h − λ)W + c downwards; the weights are stored as in `nn.Linear`.

    Paper: eqn:neuron_second_layer1
    """

    offset: Tensor  # (n_inputs,)
    hidden_offset: Tensor  # (n_hidden,)
    target_activity: Tensor | None  # (n_hidden,)

    def __init__(
        self,
        n_inputs: int,
        n_hidden: int,
        *,
        offset: float | Tensor,
        shift: float,
        hidden_offset: float | Tensor,
        hidden_shift: float,
        target_activity: float | Tensor | None,
        device: Any,
        dtype: torch.dtype | None,
    ) -> None:
        super().__init__()
        place = {"device": device, "dtype": dtype}
        self.weight = nn.Parameter(torch.empty(n_hidden, n_inputs, **place))
        self.bias = nn.Parameter(torch.zeros(n_hidden, **place))
        self.decoder_bias = nn.Parameter(torch.zeros(n_inputs, **place))
        nn.init.xavier_uniform_(self.weight)
        self.shift = as_number(shift, "shift", at_least=0, at_most=1)
        self.hidden_shift = as_number(hidden_shift, "hidden shift", at_least=0, at_most=1)
        self.register_buffer("offset", offset_values(offset, n_inputs, like=self.weight))
        self.register_buffer("hidden_offset", offset_values(hidden_offset, n_hidden, like=self.weight))
        level = (
            None if target_activity is None else offset_values(target_activity, n_hidden, like=self.weight)
        )
        self.register_buffer("target_activity", level, persistent=False)  # a setting, nothing learned
        self.seen_inputs, self.seen_hidden = Seen(), Seen()

    def encode(self, inputs: Tensor, *, learns: bool) -> Tensor:
        """Return the pre-activation of the hidden units; nothing is learned through it unless it `learns`."""
        W, b = self.weight, self.bias
        require_units(inputs, "inputs", W.shape[1])
        if self.training and self.shift:
            self.seen_inputs.note(inputs, W)
        a = F.linear(inputs - self.offset, W if learns else W.detach(), b if learns else b.detach())
        return a if learns else a.detach()

    def decode(self, hidden: Tensor) -> Tensor:
        """Return the pre-activation of the units below."""
        W, c = self.weight, self.decoder_bias
        require_units(hidden, "hidden activity", W.shape[0])
        if self.training and self.hidden_shift:
            self.seen_hidden.note(hidden, W)
        return F.linear(hidden - self.hidden_offset, W.T, c)

    def moving_offsets(self) -> Iterator[MovingOffset]:
        """Yield both offsets with the parameters that compensate their moves."""
        W = self.weight
        yield MovingOffset(self.seen_inputs, self.offset, self.shift, W, self.bias)
        yield MovingOffset(self.seen_hidden, self.hidden_offset, self.hidden_shift, W.T, self.decoder_bias)

    def extra_repr(self) -> str:
        """Return the sizes and the shifts."""
        n_hidden, n_inputs = self.weight.shape
        return f"{n_inputs}, {n_hidden}, shift={self.shift:g}, hidden_shift={self.hidden_shift:g}"
