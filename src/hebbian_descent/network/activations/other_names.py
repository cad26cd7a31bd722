"""Names that other libraries use for activations and their parameters, and the names used here."""

from __future__ import annotations

from collections.abc import Mapping

NAMES = {
    "identity": "linear",
    "relu": "rectifier",
    "elu": "explin",
    "selu": "scaled_explin",
    "tanh": "scaled_tanh",
    "leaky_relu": "leaky_rectifier",
    "exp": "exponential",
}

PARAMETERS = {"leaky_relu": {"negative_slope": "slope"}}


def named_here(name: str, parameters: Mapping[str, float]) -> tuple[str, dict[str, float]]:
    """Return the name and parameters used here for those of another library.

    >>> named_here("leaky_relu", {"negative_slope": 0.1})
    ('leaky_rectifier', {'slope': 0.1})
    """
    theirs = name.lower()
    words = PARAMETERS.get(theirs, {})
    return NAMES.get(theirs, name), {words.get(key, key): value for key, value in parameters.items()}
