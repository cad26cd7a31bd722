"""The network of a memory, from the words that describe it."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import as_count, as_number, unknown_name
from hebbian_descent.learning.centering import (
    Centering,
    Offset,
    as_centering,
    as_start,
    offset_in_stream,
)
from hebbian_descent.network import Activation, Autoencoder, Layer

Auto: TypeAlias = Literal["layer", "autoencoder"] | None
Sizes: TypeAlias = tuple[int, int | None, int | None]
"""Inputs, outputs, hidden units."""


def new_network(
    sizes: Sizes,
    auto: Auto,
    activation: str | Activation,
    hidden_activation: str | Activation,
    *,
    offset: npt.ArrayLike,
    hidden_offset: npt.ArrayLike,
    seed: int,
) -> Layer | Autoencoder:
    """Return a layer or an auto-encoder with small random weights, as the sizes and `auto` ask for."""
    _check_sizes(sizes, auto)
    n_inputs, n_outputs, n_hidden = sizes
    rng = np.random.default_rng(as_count(seed, "seed", at_least=0))
    if auto == "autoencoder":
        assert n_hidden is not None
        return Autoencoder.create(
            n_inputs,
            n_hidden,
            hidden_activation=hidden_activation,
            output_activation=activation,
            offset=offset,
            hidden_offset=hidden_offset,
            rng=rng,
        )
    outputs = n_inputs if n_outputs is None else n_outputs
    return Layer.create(n_inputs, outputs, activation=activation, offset=offset, rng=rng)


def offset_in_memory(centering: Centering, shift: float, offset_start: float | None) -> Offset:
    """Return what the offset does; a memory knows no other words than "moving"."""
    if isinstance(centering, str) and centering not in ("moving", "mean"):
        raise unknown_name("centering of a memory, unless it is None or numbers,", centering, ["moving"])
    found = as_centering(centering)
    start = as_start(offset_start, found)
    shift = as_number(shift, "shift", at_least=0, at_most=1)
    return offset_in_stream(found, shift, start, learner="a memory")


def _check_sizes(sizes: Sizes, auto: Auto) -> None:
    n_inputs, n_outputs, n_hidden = sizes
    if auto not in (None, "layer", "autoencoder"):
        raise unknown_name("kind of auto-association", auto, ["layer", "autoencoder"])
    if auto is None and n_outputs is None:
        raise ValueError(
            "A memory of pairs needs the number of outputs. Got none: pass it as the second number, or "
            "choose auto='layer' or auto='autoencoder' for patterns that are to recall themselves."
        )
    if auto is not None and n_outputs not in (None, n_inputs):
        raise ValueError(
            f"An auto-associative memory has as many outputs as inputs, {n_inputs}. Got {n_outputs}."
        )
    if (auto == "autoencoder") != (n_hidden is not None):
        raise ValueError(
            f"auto='autoencoder' and n_hidden go together. Got auto={auto!r}, n_hidden={n_hidden}."
        )
