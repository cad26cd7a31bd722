"""Estimators in files: what their constructor takes, and what they have learned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from hebbian_descent.storage.models.contents import is_count, require_floats, require_names
from hebbian_descent.storage.models.errors import ModelFileError
from hebbian_descent.storage.models.values import require_plain

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
    require_names(parameters, cls().get_params(deep=False), "parameters")
    require_plain(parameters)
    seed = parameters["random_state"]
    if not (seed is None or (isinstance(seed, int) and seed >= 0)):
        raise ModelFileError(f"The random_state must be none or a whole number from 0 on. Got {seed!r}.")
    estimator = cls(**parameters)
    estimator.describe()  # checks the parameters, which the constructor of an estimator does not
    if not isinstance(words, dict) or set(words) & set(arrays):
        raise ModelFileError("The parts of the state must be given by name, each once. Got other names.")
    state = {**words, **arrays}
    require_names(state, {*cls._state_names, *({"feature_names_in_"} & set(state))}, "parts of the state")
    _check_state(state)
    estimator._restore(state)
    return estimator


def _check_state(state: Mapping[str, Any]) -> None:
    """Refuse a state in which learning never leaves an estimator."""
    floats = {name: value for name, value in state.items() if name in SHAPES}
    if not all(map(_is_numeric, floats.values())):
        raise ModelFileError(f"The values of {', '.join(floats)} must be arrays. Got something else.")
    require_floats(floats, {name: SHAPES[name] for name in floats})
    n_outputs, n_inputs = floats["coef_" if "coef_" in floats else "components_"].shape
    for name, value in state.items():
        if name == "classes_":
            fits = isinstance(value, np.ndarray) and value.shape == (n_outputs,) and _are_labels(value)
        elif name == "feature_names_in_":
            fits = isinstance(value, list) and [type(word) for word in value] == [str] * n_inputs
        elif name == "target_ndim_":
            fits = type(value) is int and (value == 2 or value == n_outputs == 1)
        elif name == "n_features_in_":
            fits = type(value) is int and value == n_inputs
        elif name == "seed_":
            fits = type(value) is int and value >= 0
        elif name not in floats:
            fits = is_count(value)
        else:
            continue
        if not fits:
            raise ModelFileError(f"The state of an estimator must fit together. Got {name!r} = {value!r}.")


def _are_labels(values: npt.NDArray[Any]) -> bool:
    """Whether these are labels as `fit` finds them: no fractions, sorted, each once."""
    whole = values.dtype.kind != "f" or bool((values == np.floor(values)).all())
    return whole and np.array_equal(np.unique(values), values)


def _is_numeric(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind in "fiub"
