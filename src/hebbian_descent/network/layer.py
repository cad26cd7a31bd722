"""A centered layer of neurons, h = φ((x − μ)W + b), and the small random weights it starts from.

Rows are patterns. Every array of patterns in this package has one pattern per row, and a weight `W[i, j]`
leads from input i to output j.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array, as_count, as_patterns
from hebbian_descent.network.activations import Activation, get_activation
from hebbian_descent.network.offsets import bias_of_moved_offset, moving_average
from hebbian_descent.storage.models import Saved, require_floats, require_names, saveable


@saveable
@dataclass
class Layer(Saved):
    """A centered single-layer network; training gives it new arrays.

    Make one with `Layer.create`. Any centered layer equals an uncentered one with another bias, so centering
    changes how a network learns and never what it can represent.

    Paper: eqn:neuron_matrix
    """

    weights: Array  # (n_inputs, n_outputs)
    bias: Array  # (n_outputs,)
    offset: Array  # (n_inputs,)
    activation: Activation

    @classmethod
    def create(
        cls,
        n_inputs: int,
        n_outputs: int,
        *,
        activation: str | Activation = "sigmoid",
        offset: npt.ArrayLike = 0.0,
        rng: np.random.Generator,
        dtype: npt.DTypeLike = np.float64,
    ) -> Layer:
        """Return a layer with small random weights and no bias.

        `offset` is one number for all inputs (0 is a layer without centering) or one for each, typically the
        mean of the training inputs.
        """
        return cls.from_weights(
            glorot_uniform(n_inputs, n_outputs, rng=rng, dtype=dtype), activation=activation, offset=offset
        )

    @classmethod
    def from_weights(
        cls,
        weights: npt.ArrayLike,
        *,
        activation: str | Activation = "sigmoid",
        offset: npt.ArrayLike = 0.0,
        bias: npt.ArrayLike = 0.0,
    ) -> Layer:
        """Return a layer that starts from copies of the given arrays, in the dtype of the weights."""
        W = as_patterns(weights, "weights").copy()
        N, M = W.shape
        return cls(
            weights=W,
            bias=unit_values(bias, "bias", M, W.dtype),
            offset=unit_values(offset, "offset", N, W.dtype),
            activation=get_activation(activation),
        )

    @property
    def n_inputs(self) -> int:
        """The number of input units."""
        return int(self.weights.shape[0])

    @property
    def n_outputs(self) -> int:
        """The number of output units."""
        return int(self.weights.shape[1])

    def preactivation(self, inputs: npt.ArrayLike) -> Array:
        """Return a = (x − μ)W + b for each pattern."""
        x = as_patterns(inputs, "inputs", dtype=self.weights.dtype, n_columns=self.n_inputs)
        return self.forward(x)[0]

    def output(self, inputs: npt.ArrayLike) -> Array:
        """Return h = φ(a) for each pattern."""
        return self.activation(self.preactivation(inputs))

    def forward(self, inputs: Array) -> tuple[Array, Array]:
        """Return a and h for checked inputs."""
        x, mu, W, b = inputs, self.offset, self.weights, self.bias
        a = (x - mu) @ W + b  # (n_patterns, n_outputs)
        return a, self.activation(a)

    def move_offset(self, offset: npt.ArrayLike) -> None:
        """Replace the offset and let the bias compensate: the output of every pattern stays the same.

        Paper: eqn:neuron_matrix_rep1
        """
        new = unit_values(offset, "offset", self.n_inputs, self.weights.dtype)
        self.bias[:] = bias_of_moved_offset(self.bias, self.weights, self.offset, new)
        self.offset[:] = new

    def shift_offset(self, inputs: Array, shift: float) -> None:
        """Let the offset follow the mean of a batch by the factor `shift`; the output stays the same."""
        self.move_offset(moving_average(self.offset, inputs, shift))

    def uncentered(self) -> Layer:
        """Return the layer with offset 0 and resting levels b′ = b − μW that has the same output.

        Paper: eqn:neuron_matrix_rep1
        """
        return self.centered(0.0)

    def centered(self, offset: npt.ArrayLike) -> Layer:
        """Return the layer with this offset that has the same output."""
        layer = self.copy()
        layer.move_offset(offset)
        return layer

    def without_bias(self) -> Layer:
        """Return the layer with bias 0 and offset μ′ = μ − W⁻ᵀb that has the same output, if there is one.

        Paper: eqn:neuron_matrix_rep2
        """
        shift, _, rank, _ = np.linalg.lstsq(self.weights.T, self.bias)
        if rank < self.n_outputs:
            raise ValueError(
                f"A bias can move into the offset only if the weights have rank {self.n_outputs}, one for "
                f"each output. Got rank {rank}: keep the bias."
            )
        return Layer.from_weights(self.weights, activation=self.activation, offset=self.offset - shift)

    def copy(self) -> Layer:
        """Return a layer with its own arrays."""
        return Layer(self.weights.copy(), self.bias.copy(), self.offset.copy(), self.activation)

    def _contents(self) -> tuple[dict[str, Any], dict[str, Array]]:
        arrays = {"weights": self.weights, "bias": self.bias, "offset": self.offset}
        return {"activation": self.activation}, arrays

    @classmethod
    def _from_contents(cls, parameters: Mapping[str, Any], arrays: Mapping[str, Array]) -> Layer:
        require_names(parameters, ("activation",), "parameters")
        require_floats(arrays, {"weights": "NM", "bias": "M", "offset": "N"})
        return cls(activation=as_activation(parameters["activation"]), **arrays)


def as_activation(value: object) -> Activation:
    """Return the value, which must be an activation."""
    if not isinstance(value, Activation):
        raise TypeError(f"The activation must be one of the package's. Got {value!r}.")
    return value


def unit_values(values: npt.ArrayLike, name: str, n_units: int, dtype: npt.DTypeLike) -> Array:
    """Return one finite number for each unit, as a new array."""
    array = np.array(values, dtype=dtype)
    if array.shape not in ((), (n_units,)):
        raise ValueError(f"The {name} must be one number or {n_units}, one for each unit. Got {array.shape}.")
    if not np.isfinite(array).all():
        raise ValueError(f"The {name} must be finite. Got {values!r}.")
    return np.broadcast_to(array, (n_units,)).copy()


def glorot_bound(n_inputs: int, n_outputs: int) -> float:
    """Return √6/√(N+M), which no initial weight exceeds."""
    N, M = n_inputs, n_outputs
    return float(np.sqrt(6 / (N + M)))


def glorot_uniform(
    n_inputs: int, n_outputs: int, *, rng: np.random.Generator, dtype: npt.DTypeLike = np.float64
) -> Array:
    """Draw weights from U(−√6/√(N+M), √6/√(N+M)), the same for every activation and rule.

    They are drawn in float64 and rounded, so that a float32 network starts from the same weights.

    Paper: sec:HD_network_structure_and_learning_setup
    """
    N, M = as_count(n_inputs, "number of inputs"), as_count(n_outputs, "number of outputs")
    bound = glorot_bound(N, M)
    return rng.uniform(-bound, bound, size=(N, M)).astype(dtype, copy=False)
