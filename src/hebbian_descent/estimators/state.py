"""Estimators in files: what their constructor takes, and what they have learned."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from hebbian_descent.storage.models import (
    ModelFileError,
    Saved,
    is_count,
    require_floats,
    require_names,
    require_plain,
    shortened,
)

Arrays = Mapping[str, npt.NDArray[Any]]

SHAPES = {
    "weights_": "MN",
    "mean_weights_": "MN",
    "components_": "MN",
    "bias_": "M",
    "mean_bias_": "M",
    "decoder_bias_": "N",
    "offset_": "N",
    "mean_squares_": "N",
    "precisions_": "N",
    "hidden_offset_": "M",
    "target_offset_": "M",
}
"""The floating arrays of all estimators: N is the number of inputs, M that of output or hidden units."""


class HasState(Saved):
    """Base of estimators whose state is a few arrays and whole numbers, with `save` and `load`."""

    _state_names: tuple[str, ...]
    _optional_state: tuple[str, ...]
    _together: tuple[tuple[str, ...], ...] = ()
    """Optional parts that are present only together."""

    def _state(self, **known: Any) -> dict[str, Any]:
        """Return what was learned, as arrays, whole numbers and lists of strings; `known` is part of it."""
        check_is_fitted(self)
        state = {name: known[name] if name in known else getattr(self, name) for name in self._state_names}
        state |= {name: vars(self)[name] for name in self._optional_state if name in vars(self)} | known
        if "feature_names_in_" in state:
            state["feature_names_in_"] = [str(name) for name in state["feature_names_in_"]]
        return state

    def _restore(self, state: Mapping[str, Any]) -> None:
        """Restore what `_state` returned."""
        for name, value in sorted(state.items()):  # the count of samples before their weight
            setattr(self, name, np.array(value, object) if name == "feature_names_in_" else value)

    def _contents(self: Any) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        state = self._state()
        arrays = {name: value for name, value in state.items() if _is_numeric(value)}
        words = {name: value for name, value in state.items() if name not in arrays}
        return {"parameters": self.get_params(deep=False), "state": words}, arrays

    @classmethod
    def _from_contents(cls, contents: Mapping[str, Any], arrays: Arrays) -> Self:
        require_names(contents, ("parameters", "state"), "parts of an estimator")
        estimator: Any = cls(**_checked_parameters(cls, contents["parameters"]))
        estimator._setting()  # checks the parameters, which the constructor of an estimator does not
        words = contents["state"]
        if not isinstance(words, dict) or set(words) & set(arrays):
            raise ModelFileError(
                f"The parts of the state must be given by name, each once. Got {shortened(words)}."
            )
        state = {**words, **arrays}
        optional = set(cls._optional_state) & set(state)
        optional |= {name for parts in cls._together if optional & set(parts) for name in parts}
        require_names(state, {*cls._state_names, *optional}, "parts of the state")
        _check_state(state)
        estimator._restore(state)
        return estimator  # type: ignore[no-any-return]


def _checked_parameters(cls: Any, parameters: Any) -> dict[str, Any]:
    """Return the parameters of a constructor, each of them a plain value."""
    require_names(parameters, cls().get_params(deep=False), "parameters")
    require_plain(parameters)
    seed = parameters["random_state"]
    if not (seed is None or (isinstance(seed, int) and seed >= 0)):
        raise ModelFileError(f"The random_state must be none or a whole number from 0 on. Got {seed!r}.")
    return dict(parameters)


def _check_state(state: Mapping[str, Any]) -> None:
    """Refuse a state that learning cannot produce."""
    floats = {name: value for name, value in state.items() if name in SHAPES}
    for name, value in floats.items():
        if not _is_numeric(value):
            raise ModelFileError(f"The value of {name!r} must be an array. Got {shortened(value)}.")
    require_floats(floats, {name: SHAPES[name] for name in floats})
    n_outputs, n_inputs = floats["weights_" if "weights_" in floats else "components_"].shape
    for name in state.keys() - floats.keys():
        if not _fits(name, state[name], n_inputs, n_outputs):
            raise ModelFileError(
                f"The state of an estimator must fit together. Got {name!r} = {state[name]!r}."
            )


def _fits(name: str, value: Any, n_inputs: int, n_outputs: int) -> bool:
    """Return whether a part of the state other than the floating arrays is possible."""
    if name == "classes_":
        return isinstance(value, np.ndarray) and value.shape == (n_outputs,) and _are_labels(value)
    if name == "feature_names_in_":
        return isinstance(value, list) and [type(word) for word in value] == [str] * n_inputs
    if name == "target_ndim_":
        return type(value) is int and (value == 2 or value == n_outputs == 1)
    if name == "n_features_in_":
        return type(value) is int and value == n_inputs
    if name in ("weight_seen_", "largest_target_"):
        return type(value) is float and 0 <= value < math.inf
    if name == "multilabel_":
        return value is True
    if name == "loss_curve_":
        is_curve = isinstance(value, np.ndarray) and value.dtype == np.float64 and value.ndim == 1
        return is_curve and not np.isnan(value).any()
    if name == "seed_":
        return type(value) is int and value >= 0
    return is_count(value)


def _are_labels(values: npt.NDArray[Any]) -> bool:
    """Return whether these are labels as `fit` finds them: no fractions, sorted, each once."""
    whole = values.dtype.kind != "f" or bool((values == np.floor(values)).all())
    return whole and np.array_equal(np.unique(values), values)


def _is_numeric(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind in "fiub"
