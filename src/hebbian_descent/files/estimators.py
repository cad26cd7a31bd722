"""Estimators in files: what their constructor takes, and what they have learned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from hebbian_descent.files.contents import require_floats, require_names
from hebbian_descent.files.errors import ModelFileError

Arrays = dict[str, npt.NDArray[Any]]

SHAPES = {
    "coef_": "MN",
    "components_": "MN",
    "bias_": "M",
    "decoder_bias_": "N",
    "offset_": "N",
    "hidden_offset_": "M",
}
"""The floating arrays of all estimators: N is the number of inputs, M that of output or hidden units."""


def estimator_contents(estimator: Any) -> tuple[dict[str, Any], Arrays]:
    """Return parameters and arrays of an estimator; what it learned and is no array of numbers is words."""
    state = estimator._state()
    arrays = {name: value for name, value in state.items() if _is_numeric(value)}
    words = {name: value for name, value in state.items() if name not in arrays}
    return {"parameters": estimator.get_params(deep=False), "state": words}, arrays


def restored_estimator(cls: Any, contents: Mapping[str, Any], arrays: Arrays) -> Any:
    """Return an estimator that has learned what the file says, if that is what such an estimator learns."""
    require_names(contents, ("parameters", "state"), "parts of an estimator")
    parameters, words = contents["parameters"], contents["state"]
    if not isinstance(parameters, dict) or not isinstance(words, dict) or set(words) & set(arrays):
        raise ModelFileError("Parameters and state of an estimator must be told by name. Got otherwise.")
    require_names(parameters, cls().get_params(deep=False), "parameters")
    estimator = cls(**parameters)
    estimator.describe()  # checks the parameters, which the constructor of an estimator does not
    state = {**words, **arrays}
    _check_state(state, arrays)
    estimator._restore(state)
    require_names(state, estimator._state(), "parts of the state")
    return estimator


def _check_state(state: Mapping[str, Any], arrays: Arrays) -> None:
    floats = {name: array for name, array in arrays.items() if name in SHAPES}
    require_floats(floats, {name: SHAPES[name] for name in SHAPES if name in state})
    shape = floats["coef_" if "coef_" in floats else "components_"].shape
    for name, value in state.items():
        if name == "classes_":
            fits = isinstance(value, np.ndarray) and value.shape == shape[:1]
        elif name == "feature_names_in_":
            fits = isinstance(value, list) and [type(word) for word in value] == [str] * shape[1]
        elif name not in floats:
            fits = type(value) is int and value >= 0
        else:
            continue
        if not fits:
            raise ModelFileError(f"The state of an estimator must fit together. Got another {name!r}.")
    if state.get("n_features_in_") != shape[1]:
        raise ModelFileError(f"The number of features must be {shape[1]}, as in the weights.")


def _is_numeric(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind in "fiub"
