"""Averages of a layer over the samples it has learned, which smooth out the influence of the last few.

The layer is averaged in its uncentered form, W and b − μW, since an average of centered ones would be
meaningless. It is not looked at after every sample but after every Δ: an eighth of those so far, but at most
`spacing`, and at least an eighth of that. So a look, which reads all weights, costs little even where
learning does not touch all of them. A look after n samples sets

    W̄ ← W̄ + β(W − W̄),   β = max(1 − (1 − rate)^Δ, 4Δ/(n + 3Δ)),

so that the average is mostly over the last quarter of all samples, and over no more than the last 1/rate of
them where a rate is given. Before the first look there is no average, and the layer itself is used.
"""

from __future__ import annotations

from functools import cache
from typing import Literal, NamedTuple

import numpy as np

from hebbian_descent.checks import Array, as_number
from hebbian_descent.network import Layer

Average = Literal["auto"] | bool | float
STREAM_RATE = 0.003
"""The rate of "auto" in `partial_fit`, where the data may drift."""


class LayerMean(NamedTuple):
    """The averages of W and b − Wμ."""

    weights: Array  # (n_outputs, n_inputs)
    bias: Array  # (n_outputs,)

    def follow(self, layer: Layer, share: float) -> None:
        """Move towards a layer, in place."""
        beta = self.weights.dtype.type(share)
        self.weights[:] += beta * (layer.weights.T - self.weights)
        self.bias[:] += beta * (layer.bias - layer.offset @ layer.weights - self.bias)


class Averaging(NamedTuple):
    """The samples over which a layer is averaged."""

    rate: float = 0.0
    """Samples longer ago than 1/rate hardly count; 0 is no such limit."""

    @staticmethod
    def spacing(n_inputs: int) -> int:
        """Return how many samples lie between looks, at most: 8, 32, and more with very many inputs."""
        return min(max(8, n_inputs // 16), 32 + n_inputs // 512)

    @classmethod
    def step_at(cls, n_samples: int, n_inputs: int) -> int:
        """Return how many samples lie between looks near the n-th, a power of two within the limits."""
        most = cls.spacing(n_inputs)
        return min(most, max(1, most // 8, 1 << (max(1, n_samples // 8).bit_length() - 1)))

    def share_after(self, n_samples: int, n_new: int, n_inputs: int) -> float:
        """Return β if there is a look after one of the last `n_new` samples, otherwise 0."""
        for n in range(n_samples, n_samples - n_new, -1):
            step = self.step_at(n, n_inputs)
            if n % step == 0:
                return max(1 - (1 - self.rate) ** step, 4 * step / (n + 3 * step))
        return 0.0

    @classmethod
    def has_begun(cls, n_samples: float, n_inputs: int) -> bool:
        """Return whether there is an average."""
        return n_samples >= cls.first_look(n_inputs)

    @staticmethod
    @cache  # called with every prediction
    def first_look(n_inputs: int) -> int:
        """Return after how many samples the layer is looked at for the first time."""
        return Averaging.step_at(1, n_inputs)


def as_average(average: object) -> Average:
    """Return "auto", True, False, or a rate between 0 and 1; refuse anything else."""
    if isinstance(average, (bool, np.bool_)):
        return bool(average)
    if isinstance(average, str):
        if average != "auto":
            raise ValueError(f'The average must be True, False, "auto" or a rate. Got {average!r}.')
        return "auto"
    return as_number(average, 'average, unless it is True, False or "auto",', above=0, at_most=1)


def averaging_in(average: Average, *, stream: bool) -> Averaging | None:
    """Return how a layer is averaged in `fit` or in a stream, or None."""
    if average is False:
        return None
    if average == "auto":
        return Averaging(STREAM_RATE if stream else 0.0)
    return Averaging(0.0 if average is True else float(average))
