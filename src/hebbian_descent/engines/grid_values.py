"""Values of a grid: validation, and how they are named and described."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import as_count, as_number
from hebbian_descent.learning.rates import Automatic, as_rate
from hebbian_descent.measures import get_measure
from hebbian_descent.rules import get_error_term

Rate: TypeAlias = float | Automatic
RateLike: TypeAlias = float | str | Automatic
"""As users write it: "auto" is the automatic rate."""

DEFAULTS: dict[str, Any] = {
    "weight_decays": (0.0,),
    "trials": 10,
    "error": "difference",
    "epochs": 1,
    "batch_size": 1,
    "shuffle": None,
    "measures": ("mae",),
    "seed": 0,
    "dtype": np.float64,
}
"""What all grids share, unless other values are given."""


def checked(
    *,
    learning_rates: Any,
    weight_decays: Any,
    trials: Any,
    error: Any,
    epochs: Any,
    batch_size: Any,
    shuffle: bool | None,
    measures: Any,
    seed: Any,
    dtype: Any,
) -> dict[str, Any]:
    """Check the values that all grids share and give them their final form."""
    batch_size = as_count(batch_size, "batch size")
    return {
        "learning_rates": tuple(rate_of(rate) for rate in listed(learning_rates, "learning rates")),
        "weight_decays": tuple(
            as_number(decay, "weight decay", at_least=0, at_most=2)
            for decay in listed(weight_decays, "weight decays")
        ),
        "trials": tuple(range(as_count(trials, "number of trials")))
        if np.isscalar(trials)
        else tuple(as_count(trial, "trial", at_least=0) for trial in listed(trials, "trials")),
        "error": get_error_term(error),
        "epochs": as_count(epochs, "number of epochs"),
        "batch_size": batch_size,
        "shuffle": batch_size > 1 if shuffle is None else bool(shuffle),
        "measures": tuple(get_measure(name).name for name in listed(measures, "measures")),
        "seed": as_count(seed, "seed", at_least=0),
        "dtype": np.dtype(dtype),
    }


def rate_of(value: Any) -> Rate:
    """Return a learning rate: a number above 0, or an automatic one."""
    is_automatic = isinstance(value, str | Automatic)
    return as_rate(value) if is_automatic else as_number(value, "learning rate", above=0)


def labels_of_rates(rates: Sequence[Rate]) -> npt.NDArray[Any]:
    """Return the labels of the learning-rate axis: numbers, or words if one of them is automatic."""
    if not any(isinstance(rate, Automatic) for rate in rates):
        return np.array(rates)
    return np.array([str(rate) for rate in rates])


def rate_of_label(label: Any) -> float | str:
    """Return a learning rate from its label, which may be a word."""
    try:
        return float(label)
    except ValueError:
        return str(label)


def listed(values: Any, name: str) -> Sequence[Any]:
    """Return one value as a list of one, and refuse an empty list."""
    single = isinstance(values, str) or hasattr(values, "name") or np.isscalar(values)
    found = [values] if single else list(values)
    if not found:
        raise ValueError(f"There must be at least one value for the {name}. Got none.")
    return found


def described(member: Any) -> Any:
    """Return a built-in member as its name and parameters; a user's own is hashed as it is."""
    if getattr(member, "is_built_in", False):
        return {"name": member.name, "parameters": dict(member.parameters)}
    return member


def name_of(member: Any) -> str:
    """Return the name under which something is listed."""
    return str(member.name)
