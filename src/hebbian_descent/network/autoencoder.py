"""An auto-encoder with tied weights: one matrix encodes a pattern and decodes it again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array, as_patterns
from hebbian_descent.network.activations import Activation, get_activation
from hebbian_descent.network.layer import as_activation, glorot_uniform, unit_values
from hebbian_descent.network.offsets import bias_of_moved_offset, moving_average
from hebbian_descent.storage.models import Saved, require_floats, require_names, saveable

SHAPES = {"weights": "NM", "bias": "M", "decoder_bias": "N", "offset": "N", "hidden_offset": "M"}


class Pass(NamedTuple):
    """Activities of all units of an auto-encoder for a batch of patterns."""

    hidden_preactivation: Array  # (n_patterns, n_hidden)
    hidden: Array  # (n_patterns, n_hidden)
    preactivation: Array  # (n_patterns, n_inputs)
    reconstruction: Array  # (n_patterns, n_inputs)


@saveable
@dataclass
class Autoencoder(Saved):
    """A tied auto-encoder, h = φₑ((x − μ)W + b) and z = φ_d((h − λ)Wᵀ + c); training gives it new arrays.

    Paper: eqn:neuron_second_layer3
    """

    weights: Array  # (n_inputs, n_hidden)
    bias: Array  # (n_hidden,)
    decoder_bias: Array  # (n_inputs,)
    offset: Array  # (n_inputs,)
    hidden_offset: Array  # (n_hidden,)
    hidden_activation: Activation
    output_activation: Activation

    @classmethod
    def create(
        cls,
        n_inputs: int,
        n_hidden: int,
        *,
        hidden_activation: str | Activation = "sigmoid",
        output_activation: str | Activation = "linear",
        offset: npt.ArrayLike = 0.0,
        hidden_offset: npt.ArrayLike = 0.5,
        rng: np.random.Generator,
        dtype: npt.DTypeLike = np.float64,
    ) -> Autoencoder:
        """Return an auto-encoder with small random weights and no biases.

        `offset` is typically the mean of the training inputs; `hidden_offset` starts at 0.5 in the paper and
        follows the hidden activity. Both 0 is an auto-encoder without centering.
        """
        return cls.from_weights(
            glorot_uniform(n_inputs, n_hidden, rng=rng, dtype=dtype),
            hidden_activation=hidden_activation,
            output_activation=output_activation,
            offset=offset,
            hidden_offset=hidden_offset,
        )

    @classmethod
    def from_weights(
        cls,
        weights: npt.ArrayLike,
        *,
        hidden_activation: str | Activation = "sigmoid",
        output_activation: str | Activation = "linear",
        offset: npt.ArrayLike = 0.0,
        hidden_offset: npt.ArrayLike = 0.5,
        bias: npt.ArrayLike = 0.0,
        decoder_bias: npt.ArrayLike = 0.0,
    ) -> Autoencoder:
        """Return an auto-encoder that starts from copies of the given arrays, in the dtype of the weights."""
        W = as_patterns(weights, "weights").copy()
        N, M = W.shape
        return cls(
            weights=W,
            bias=unit_values(bias, "bias", M, W.dtype),
            decoder_bias=unit_values(decoder_bias, "decoder bias", N, W.dtype),
            offset=unit_values(offset, "offset", N, W.dtype),
            hidden_offset=unit_values(hidden_offset, "hidden offset", M, W.dtype),
            hidden_activation=get_activation(hidden_activation),
            output_activation=get_activation(output_activation),
        )

    @property
    def n_inputs(self) -> int:
        """The number of input units, and of outputs."""
        return int(self.weights.shape[0])

    @property
    def n_hidden(self) -> int:
        """The number of hidden units."""
        return int(self.weights.shape[1])

    def encode(self, inputs: npt.ArrayLike) -> Array:
        """Return the hidden activity h for each pattern."""
        x = as_patterns(inputs, "inputs", dtype=self.weights.dtype, n_columns=self.n_inputs)
        return self.infer_hidden(x)[1]

    def decode(self, hidden: npt.ArrayLike) -> Array:
        """Return the reconstruction z for each hidden activity."""
        h = as_patterns(hidden, "hidden activities", dtype=self.weights.dtype, n_columns=self.n_hidden)
        return self.infer_inputs(h)[1]

    def reconstruct(self, inputs: npt.ArrayLike) -> Array:
        """Return the reconstruction z of each pattern: encoded, then decoded."""
        return self.decode(self.encode(inputs))

    def infer_hidden(self, inputs: Array) -> tuple[Array, Array]:
        """Return the hidden units' a and h, given checked inputs."""
        x, mu, W, b = inputs, self.offset, self.weights, self.bias
        a = (x - mu) @ W + b  # (n_patterns, n_hidden)
        return a, self.hidden_activation(a)

    def infer_inputs(self, hidden: Array) -> tuple[Array, Array]:
        """Return the output units' a and z, given checked hidden activities."""
        h, lam, W, c = hidden, self.hidden_offset, self.weights, self.decoder_bias
        a = (h - lam) @ W.T + c  # (n_patterns, n_inputs)
        return a, self.output_activation(a)

    def forward(self, inputs: Array) -> Pass:
        """Return the activities of all units for checked inputs."""
        hidden_preactivation, hidden = self.infer_hidden(inputs)
        preactivation, reconstruction = self.infer_inputs(hidden)
        return Pass(hidden_preactivation, hidden, preactivation, reconstruction)

    def shift_offset(self, inputs: Array, shift: float) -> None:
        """Let the input offset follow a batch by the factor `shift`; the output stays the same."""
        self.move_offset(moving_average(self.offset, inputs, shift))

    def move_offset(self, offset: npt.ArrayLike) -> None:
        """Replace the input offset and let the bias compensate: the output stays the same."""
        new = unit_values(offset, "offset", self.n_inputs, self.weights.dtype)
        self.bias[:] = bias_of_moved_offset(self.bias, self.weights, self.offset, new)
        self.offset[:] = new

    def shift_hidden_offset(self, hidden: Array, shift: float) -> None:
        """Let the hidden offset follow a batch by the factor `shift`; the reconstruction stays the same."""
        new = moving_average(self.hidden_offset, hidden, shift)
        self.decoder_bias[:] = bias_of_moved_offset(
            self.decoder_bias, self.weights.T, self.hidden_offset, new
        )
        self.hidden_offset[:] = new

    def copy(self) -> Autoencoder:
        """Return an auto-encoder with its own arrays."""
        return Autoencoder(
            self.weights.copy(),
            self.bias.copy(),
            self.decoder_bias.copy(),
            self.offset.copy(),
            self.hidden_offset.copy(),
            self.hidden_activation,
            self.output_activation,
        )

    def _contents(self) -> tuple[dict[str, Any], dict[str, Array]]:
        parameters = {
            "hidden_activation": self.hidden_activation,
            "output_activation": self.output_activation,
        }
        return parameters, {name: getattr(self, name) for name in SHAPES}

    @classmethod
    def _from_contents(cls, parameters: Mapping[str, Any], arrays: Mapping[str, Array]) -> Autoencoder:
        require_names(parameters, ("hidden_activation", "output_activation"), "parameters")
        require_floats(arrays, SHAPES)
        return cls(
            hidden_activation=as_activation(parameters["hidden_activation"]),
            output_activation=as_activation(parameters["output_activation"]),
            **arrays,
        )
