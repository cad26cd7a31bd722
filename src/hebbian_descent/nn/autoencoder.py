"""Auto-encoders with tied weights, of one layer or several.

The weight matrix of a tied layer encodes and decodes, with an offset on either side.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from numbers import Real
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from hebbian_descent.checks import as_count, as_number, unknown_name
from hebbian_descent.nn import functional
from hebbian_descent.nn.activations import AnyActivation, get_torch_activation
from hebbian_descent.nn.centered import reset_offset_
from hebbian_descent.nn.offsets import MovingOffset, Seen, offset_values
from hebbian_descent.nn.tensors import require_no_momentum, require_units


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
        momentum: None = None,
    ) -> None:
        super().__init__()
        require_no_momentum(momentum)
        place = {"device": device, "dtype": dtype}
        self.weight = nn.Parameter(torch.empty(n_hidden, n_inputs, **place))
        self.bias = nn.Parameter(torch.empty(n_hidden, **place))
        self.decoder_bias = nn.Parameter(torch.empty(n_inputs, **place))
        self.shift = as_number(shift, "shift", at_least=0, at_most=1)
        self.hidden_shift = as_number(hidden_shift, "hidden shift", at_least=0, at_most=1)
        self.register_buffer("offset", offset_values(offset, n_inputs, like=self.weight))
        self.register_buffer("hidden_offset", offset_values(hidden_offset, n_hidden, like=self.weight))
        level = (
            None if target_activity is None else offset_values(target_activity, n_hidden, like=self.weight)
        )
        self.register_buffer("target_activity", level, persistent=False)  # a setting, not learned
        given = {"offset": offset, "hidden_offset": hidden_offset, "target_activity": target_activity}
        self.starts = {
            name: value.detach().clone() if isinstance(value, Tensor) else value
            for name, value in given.items()
            if value is not None
        }
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Redraw the weights and reset biases and offsets, also after `to_empty`."""
        nn.init.xavier_uniform_(self.weight)
        nn.init.zeros_(self.bias)
        nn.init.zeros_(self.decoder_bias)
        for name, start in self.starts.items():
            reset_offset_(self.get_buffer(name), start)
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


GRADIENTS = ("full", "decoder")


class TiedAutoencoder(nn.Module):
    """hₗ = φ((hₗ₋₁ − μₗ)Wₗᵀ + bₗ) upwards from h₀ = x, zₗ₋₁ = φ((zₗ − λₗ)Wₗ + cₗ) downwards from the top.

    `sizes` are the numbers of units from the inputs to the code: `[784, 196]` is one layer, `[784, 196, 49]`
    two. With `gradient="decoder"` the weights learn only where they decode, as if the code were given; with
    `loss()` one layer then learns by auto-associative Hebbian-descent, which is the gradient of no function.
    Encoder biases learn from the full gradient, or toward a `target_activity` by Δb = −η(h − λ̃), one number
    or one per layer; otherwise they stay fixed. The offsets start at `offset` and `hidden_offset` and follow
    the activity by `shift` and `hidden_shift` with each `update_offsets_(model)`.

    Paper: eqn:neuron_second_layer3
    """

    def __init__(
        self,
        sizes: Sequence[int],
        hidden_activation: AnyActivation = "sigmoid",
        output_activation: AnyActivation = "linear",
        *,
        gradient: str = "full",
        target_activity: float | Sequence[float | Tensor] | None = None,
        offset: float | Tensor = 0.0,
        shift: float = 0.0,
        hidden_offset: float = 0.5,
        hidden_shift: float = 0.01,
        device: Any = None,
        dtype: torch.dtype | None = None,
        momentum: None = None,
    ) -> None:
        super().__init__()
        require_no_momentum(momentum)
        if gradient not in GRADIENTS:
            raise unknown_name("gradient of a tied auto-encoder", gradient, GRADIENTS)
        self.gradient = gradient
        self.hidden_activation = get_torch_activation(hidden_activation)
        self.output_activation = get_torch_activation(output_activation)
        widths = _checked_sizes(sizes)
        levels = _one_for_each_layer(target_activity, len(widths) - 1)
        self.layers = nn.ModuleList(
            TiedLayer(
                n_inputs,
                n_hidden,
                offset=hidden_offset
                if i
                else offset,  # from the second layer on, the inputs are hidden units
                shift=hidden_shift if i else shift,
                hidden_offset=hidden_offset,
                hidden_shift=hidden_shift,
                target_activity=levels[i],
                device=device,
                dtype=dtype,
            )
            for i, (n_inputs, n_hidden) in enumerate(pairwise(widths))
        )
        for layer in self._upwards():
            layer.bias.requires_grad_(gradient == "full" or layer.target_activity is not None)

    def reset_parameters(self) -> None:
        """Redraw the weights of all layers and reset biases and offsets."""
        for layer in self._upwards():
            layer.reset_parameters()

    def forward(self, inputs: Tensor) -> Tensor:
        """Return the reconstruction z of each pattern."""
        return self.output_activation(self.preactivation(inputs))

    def preactivation(self, inputs: Tensor) -> Tensor:
        """Return the pre-activation of the output units, for a custom matching loss."""
        return self._decode_preactivation(self.encode(inputs))

    def encode(self, inputs: Tensor) -> Tensor:
        """Return the activity of the topmost hidden units."""
        return self.hidden_activation(self._hidden_preactivations(inputs)[-1])

    def decode(self, code: Tensor) -> Tensor:
        """Return the reconstruction of each code."""
        return self.output_activation(self._decode_preactivation(code))

    def loss(self, inputs: Tensor) -> Tensor:
        """Return the mean matching loss of the reconstruction, and half the squared distance to λ̃, if given.

        Paper: eqn:update_auto_hebbian_descent_unsup_w_1
        """
        hidden = self._hidden_preactivations(inputs)
        reconstruction = self._decode_preactivation(self.hidden_activation(hidden[-1]))
        loss = functional.matching_loss(reconstruction, inputs.detach(), self.output_activation)
        for layer, a in zip(self._upwards(), hidden, strict=True):
            if layer.target_activity is not None:
                loss = loss + self._activity_loss(layer, a.detach(), layer.target_activity)
        return loss

    def _upwards(self) -> list[TiedLayer]:
        return cast("list[TiedLayer]", list(self.layers))

    def _hidden_preactivations(self, inputs: Tensor) -> list[Tensor]:
        activity, preactivations = inputs, []
        for layer in self._upwards():
            preactivations.append(layer.encode(activity, learns=self.gradient == "full"))
            activity = self.hidden_activation(preactivations[-1])
        return preactivations

    def _decode_preactivation(self, code: Tensor) -> Tensor:
        top, *below = reversed(self._upwards())
        preactivation = top.decode(code)
        for layer in below:
            preactivation = layer.decode(self.hidden_activation(preactivation))
        return preactivation

    def _activity_loss(self, layer: TiedLayer, a: Tensor, level: Tensor) -> Tensor:
        # The value of a with only the bias left to learn; `hebbian` makes the derivative h − λ̃.
        h = functional.hebbian(a + (layer.bias - layer.bias.detach()), self.hidden_activation)
        return ((h - level) ** 2).sum(dim=-1).mean() / 2


def _checked_sizes(sizes: Sequence[int]) -> list[int]:
    widths = [as_count(size, "size of a layer") for size in sizes]
    if len(widths) < 2:
        raise ValueError(
            f"The sizes must be those of the inputs and of at least one hidden layer. Got {list(sizes)}."
        )
    return widths


def _one_for_each_layer(level: Any, n_layers: int) -> list[Any]:
    if level is None or isinstance(level, Real) or (isinstance(level, Tensor) and level.ndim == 0):
        return [level] * n_layers
    if len(level) != n_layers:
        raise ValueError(
            f"The target activity must be one number, or one for each of {n_layers} layers. Got {len(level)}."
        )
    return list(level)
