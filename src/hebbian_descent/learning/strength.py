"""The third factor: one number per pattern that multiplies its change, such as reward or novelty.

0 learns nothing from a pattern, 2 twice as much, and a negative number unlearns it. With an automatic rate
the step is η·strength. Weight decay does not depend on it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array

StrengthFunction = Callable[[Any], npt.ArrayLike]
"""`Activity`, or `AutoActivity` for an auto-encoder, → one number per pattern."""
Strength: TypeAlias = "Array | StrengthFunction"


def as_strength(
    strength: npt.ArrayLike | StrengthFunction | None, n_patterns: int, dtype: npt.DTypeLike
) -> Strength | None:
    """Return one finite number per pattern, or the function that computes it."""
    if strength is None or callable(strength):
        return strength
    try:
        given = np.array(strength, dtype)
    except (TypeError, ValueError):
        raise TypeError(
            f"The strength must be one number per pattern, or a function. Got {strength!r}."
        ) from None
    if given.shape not in ((), (n_patterns,)):
        raise ValueError(
            f"The strength must be one number, or one for each of {n_patterns} patterns. "
            f"Got shape {given.shape}."
        )
    if not np.isfinite(given).all():
        raise ValueError(f"The strength must be finite. Got {given[~np.isfinite(given)][0]}.")
    return np.broadcast_to(given, (n_patterns,)).copy()


def rows_of(strength: Strength | None, rows: Any) -> Strength | None:
    """Return the strength of some of the patterns."""
    return strength if strength is None or callable(strength) else strength[rows]


def strength_of(strength: Strength | None, activity: Any) -> Array | None:
    """Return the strength of each pattern of a batch."""
    if not callable(strength):
        return strength
    inputs, answer = activity.inputs, strength(activity)
    try:
        found = np.asarray(answer, inputs.dtype)
    except (TypeError, ValueError):
        found = np.array(np.nan)  # refused below
    if found.shape not in ((), (len(inputs),)) or not np.isfinite(found).all():
        raise ValueError(
            f"A strength function must return one finite number per pattern, {len(inputs)} of them. "
            f"Got {answer!r}."
        )
    return np.broadcast_to(found, (len(inputs),))
