"""What the loop over the steps of an auto-encoder works with."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hebbian_descent.checks import Array

HALVES = 2


class Rates(NamedTuple):
    """What every update is told."""

    learning_rate: float
    keep: float
    hidden_shift: float
    follows_gradient: bool
    least: float
    """The smallest number of full precision."""


class Functions(NamedTuple):
    """The addresses of BLAS's product, and of the passes over the units."""

    product: int
    hidden: int
    error: int
    pull_back: int


class Parameters(NamedTuple):
    """The parameters of an auto-encoder; each half has its own copy of what belongs to the hidden units."""

    weights: Array  # (n_inputs, n_hidden)
    decoder_bias: Array  # (n_inputs,)
    offset: Array  # (n_inputs,)
    bias: Array  # (halves, n_hidden)
    hidden_offset: Array  # (halves, n_hidden)


class Workspace(NamedTuple):
    """What is computed on the way; the arrays of a batch are flat, since the last batch may be smaller."""

    inputs: Array  # (halves, batch_size · width)
    centered: Array
    errors: Array
    sums_of_errors: Array  # (halves, width)
    shares: Array  # (halves, batch_size · n_hidden)
    activities: Array  # (batch_size · n_hidden,)
    hidden: Array
    centered_hidden: Array
    hidden_errors: Array
    sums_of_hidden: Array  # (halves, n_hidden)
    sums_of_hidden_errors: Array
    moves: Array
    n_diverging: Array  # (halves, 2), patterns whose hidden or output units are beyond all bounds

    @classmethod
    def of(cls, parameters: Parameters, batch_size: int) -> Workspace:
        """Return room for batches of a size."""
        (n_inputs, n_hidden), dtype = parameters.weights.shape, parameters.weights.dtype
        width = n_inputs - n_inputs // HALVES

        def room(*shape: int) -> Array:
            return np.zeros(shape, dtype)

        of_inputs, of_hidden = (HALVES, batch_size * width), (batch_size * n_hidden,)
        return cls(
            inputs=room(*of_inputs),
            centered=room(*of_inputs),
            errors=room(*of_inputs),
            sums_of_errors=room(HALVES, width),
            shares=room(HALVES, *of_hidden),
            activities=room(*of_hidden),
            hidden=room(*of_hidden),
            centered_hidden=room(*of_hidden),
            hidden_errors=room(*of_hidden),
            sums_of_hidden=room(HALVES, n_hidden),
            sums_of_hidden_errors=room(HALVES, n_hidden),
            moves=room(HALVES, n_hidden),
            n_diverging=np.zeros((HALVES, 2)),
        )
