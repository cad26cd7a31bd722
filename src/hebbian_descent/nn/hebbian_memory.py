"""Memory layer: fast weights that learn by Hebbian-descent, in place of a self-attention block."""

from __future__ import annotations

from math import log
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from hebbian_descent.checks import as_count, as_number
from hebbian_descent.learning.centering import SHIFT
from hebbian_descent.nn.activations import AnyActivation, get_torch_activation
from hebbian_descent.nn.fast_weights import CHUNK, MemoryState, hebbian_memory
from hebbian_descent.nn.tensors import is_autocast, require_no_momentum, require_units, require_values

FROM_INPUT = "input"
FIRST_RATE = 0.5
FIRST_DECAY = 0.01


class HebbianMemory(nn.Module):
    """Associative memory that reads a sequence once, in linear time, with a state of fixed size.

    Each head projects a step to a key, a value and a query, learns the pair and recalls for the query, as
    in `functional.hebbian_memory`. Keys and queries are scaled to a mean square of 1. Values pass through
    the activation, so that every value can be recalled. What is recalled is normalised per head and projected
    back. `rate`, the share of its error that a pair may lose, and `decay` are numbers, or "input": then each
    head computes them for each step. No step sees a later one.

    `output, state = memory(input)` takes (…, n_steps, d_model), as `nn.GRU` with `batch_first` does;
    `memory(next_input, state)` continues, one step at a time if need be.

    Paper: eqn:update_general_hebbian_descent_sup_w_1
    """

    def __init__(
        self,
        d_model: int,
        n_heads: int = 1,
        *,
        d_key: int | None = None,
        d_value: int | None = None,
        activation: AnyActivation = "linear",
        rate: float | str = FROM_INPUT,
        decay: float | str = 0.0,
        offset: str | float | None = "moving",
        shift: float = SHIFT,
        bias: bool = True,
        read: str = "after",
        chunk: int | None = CHUNK,
        device: Any = None,
        dtype: torch.dtype | None = None,
        momentum: None = None,
    ) -> None:
        super().__init__()
        require_no_momentum(momentum)
        self.d_model, self.n_heads = as_count(d_model, "d_model"), as_count(n_heads, "n_heads")
        if d_model % n_heads and (d_key is None or d_value is None):
            raise ValueError(
                f"The d_model must be a multiple of n_heads. Got {d_model} and {n_heads}: change one, "
                "or set d_key and d_value, which are sizes per head."
            )
        self.d_key = as_count(d_model // n_heads if d_key is None else d_key, "d_key")
        self.d_value = as_count(d_model // n_heads if d_value is None else d_value, "d_value")
        self.activation = get_torch_activation(activation)
        self.rate, self.decay = _as_gate(rate, "rate", at_most=2), _as_gate(decay, "decay", at_most=1)
        self.settings: dict[str, Any] = {
            "offset": offset,
            "shift": shift,
            "bias": bias,
            "read": read,
            "chunk": chunk,
        }
        placed = {"device": device, "dtype": dtype}
        self.key = nn.Linear(d_model, n_heads * self.d_key, bias=False, **placed)
        self.value = nn.Linear(d_model, n_heads * self.d_value, bias=False, **placed)
        self.query = nn.Linear(d_model, n_heads * self.d_key, bias=False, **placed)
        self.rate_gate = nn.Linear(d_model, n_heads, **placed) if self.rate == FROM_INPUT else None
        self.decay_gate = nn.Linear(d_model, n_heads, **placed) if self.decay == FROM_INPUT else None
        self.norm = nn.RMSNorm(self.d_value, **placed)
        self.output = nn.Linear(n_heads * self.d_value, d_model, bias=False, **placed)
        self._start_gates()
        self._check_settings()

    def reset_parameters(self) -> None:
        """Redraw the projections; rates start near 0.5, decays near 0.01."""
        for layer in self.children():
            layer.reset_parameters()  # type: ignore[operator]  # nn.Linear and nn.RMSNorm have it
        self._start_gates()

    def _start_gates(self) -> None:
        for gate, start in ((self.rate_gate, FIRST_RATE), (self.decay_gate, FIRST_DECAY)):
            if gate is not None:
                nn.init.constant_(gate.bias, log(start / (1 - start)))

    def forward(
        self, input: Tensor, state: MemoryState | None = None, *, mask: Tensor | None = None
    ) -> tuple[Tensor, MemoryState]:
        """Return the output of each step, and the state; the mask, (…, n_steps), is False for padding."""
        require_units(input, "input", self.d_model)
        if input.ndim < 2:
            raise ValueError(
                f"The input must be of shape (…, n_steps, {self.d_model}). Got shape {tuple(input.shape)}."
            )
        if mask is not None and mask.shape != input.shape[:-1]:
            raise ValueError(
                f"The mask must be of shape {tuple(input.shape[:-1])}, one entry for each step of the input. "
                f"Got shape {tuple(mask.shape)}."
            )
        self._require_dtype(input)
        if mask is not None:  # before any product: the gradient of 0 times nan is nan
            input = torch.where((mask == 0)[..., None], 0, input)
        require_values(input.isfinite(), input, _explain_finite)
        q, k, v = (self._heads(project(input)) for project in (self.query, self.key, self.value))
        recalled, state = hebbian_memory(
            F.rms_norm(k, (self.d_key,)),
            self.activation(v),
            F.rms_norm(q, (self.d_key,)),
            self._gate(self.rate, self.rate_gate, input),
            decay=self._gate(self.decay, self.decay_gate, input),
            activation=self.activation,
            normalize=True,
            mask=None if mask is None else mask.unsqueeze(-2),
            state=state,
            **self.settings,
        )
        recalled = self.norm(recalled.to(self.norm.weight.dtype))  # autocast gives it half precision
        return self.output(recalled.transpose(-2, -3).flatten(-2)), state

    def _require_dtype(self, input: Tensor) -> None:
        weight = getattr(self.key, "weight", None)  # a method, in a quantised layer
        if not isinstance(weight, Tensor) or weight.dtype == input.dtype or is_autocast(input):
            return
        raise TypeError(
            f"The input must have the dtype of the layer, {weight.dtype}. Got {input.dtype}: convert it with "
            f".to({weight.dtype}), or the layer with .to({input.dtype})."
        )

    def _heads(self, x: Tensor) -> Tensor:  # (…, n_steps, units) to (…, n_heads, n_steps, units per head)
        return x.unflatten(-1, (self.n_heads, -1)).transpose(-2, -3)

    @staticmethod
    def _gate(number: float | str, gate: nn.Linear | None, input: Tensor) -> float | Tensor:
        return float(number) if gate is None else torch.sigmoid(gate(input)).transpose(-1, -2)

    def _check_settings(self) -> None:
        """Learn one step, so that errors are raised when a layer is made and not when it is used."""
        x = torch.zeros(1, self.d_key, device=self.key.weight.device)
        v = torch.zeros(1, self.d_value, device=x.device)
        hebbian_memory(x, v, x, 0.0, activation=self.activation, **self.settings)

    def extra_repr(self) -> str:
        """Return the settings."""
        named = {"rate": self.rate, "decay": self.decay, **self.settings}
        parts = [f"{self.d_model}, n_heads={self.n_heads}, d_key={self.d_key}, d_value={self.d_value}"]
        return ", ".join([*parts, f"activation={self.activation}", *(f"{k}={v!r}" for k, v in named.items())])


def _explain_finite(values: Tensor, holds: Tensor) -> str:
    wrong = values[~holds]
    return f"The input must be finite. Got {wrong[0].item():g} in {len(wrong)} of {values.numel()} places."


def _as_gate(value: float | str, name: str, *, at_most: float) -> float | str:
    if isinstance(value, str):
        if value != FROM_INPUT:
            raise ValueError(f"The {name} must be a number or {FROM_INPUT!r}. Got {value!r}.")
        return value
    return as_number(value, name, at_least=0, at_most=at_most)
