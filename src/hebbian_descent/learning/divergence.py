"""When learning counts as diverged: activities beyond a limit, or a step that would take them there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from hebbian_descent.checks import Array

LARGEST_PREACTIVATION = 1e6
"""Limit of |a| in training and in memories, whose patterns are of about unit size."""


class DivergenceError(ArithmeticError):
    """The activity of a network grew beyond all bounds; the step that would have made it so was not taken."""

    def __init__(
        self,
        step: int,
        learning_rate: float | None,
        largest: float | None = None,
        limit: float = LARGEST_PREACTIVATION,
        largest_input: float | None = None,
        largest_target: float | None = None,
        largest_weight: float | None = None,
    ) -> None:
        """Say when it happened, with which learning rate (None: an automatic one), and what was too large."""
        rate = "an automatic learning rate" if learning_rate is None else f"learning rate {learning_rate:g}"
        sizes = {"inputs": largest_input, "targets": largest_target, "sample weights": largest_weight}
        known = {name: size for name, size in sizes.items() if size is not None}
        # A step may be too large while the activities are not yet.
        got = "" if largest is None or largest <= limit else f" Got {largest:g}."
        if known:
            got += f" Got {', '.join(f'{name} up to {size:g}' for name, size in known.items())}."
        super().__init__(
            f"Learning diverged at step {step} with {rate}: |a| must stay below {limit:g}.{got} "
            f"Try {_advice(learning_rate, known, limit)}."
        )
        self.step = step
        self.learning_rate = learning_rate
        self.largest = largest
        self.limit = limit
        self.largest_input = largest_input
        self.largest_target = largest_target
        self.largest_weight = largest_weight

    @classmethod
    def by_inputs(cls, step: int, learning_rate: float | None, inputs: Array) -> DivergenceError:
        """Return the error for inputs that are too large, whatever was learned."""
        return cls(step, learning_rate, limit=limit_of(inputs), largest_input=float(np.abs(inputs).max()))

    def __reduce__(self) -> tuple[type[DivergenceError], tuple[Any, ...]]:
        """Pickle all arguments, so that the error survives the way between processes."""
        sizes = self.largest_input, self.largest_target, self.largest_weight
        return type(self), (self.step, self.learning_rate, self.largest, self.limit, *sizes)


def _advice(learning_rate: float | None, sizes: Mapping[str, float], limit: float) -> str:
    """Return what to make smaller: whatever is largest, if it is large enough to be the cause."""
    name = max(sizes, key=lambda name: sizes[name], default=None)
    if name is not None and not sizes[name] <= limit**0.5:
        return "smaller sample weights" if name == "sample weights" else f"{name} of a smaller scale"
    return "a fixed learning rate, a small one" if learning_rate is None else "a smaller learning rate"


class Bound(NamedTuple):
    """How large preactivations may become."""

    limit: float | None = LARGEST_PREACTIVATION
    """Limit of |a|; None is the square root of the largest number, beyond which products are not finite."""
    looks_ahead: bool = False
    """Whether a step that would exceed the limit is refused, instead of the step after it."""

    def of(self, array: Array) -> float:
        """Return the limit for numbers of this dtype."""
        return limit_of(array) if self.limit is None else self.limit

    def exceeded_by(self, *arrays: Array) -> bool:
        """Return whether a number is beyond the limit, or not a number."""
        return not all(self._holds(array) for array in arrays)

    def _holds(self, array: Array) -> bool:
        limit = self.of(array)
        # No number exceeds the norm of all, which for a single pattern takes a fifth of the time.
        return bool(np.vdot(array, array) < 0.5 * limit * limit or np.abs(array).max() <= limit)


REPRESENTABLE = Bound(limit=None, looks_ahead=True)
"""The bound of estimators, whose targets may be of any size: nothing ever becomes infinite."""


def limit_of(array: Array) -> float:
    """Return the square root of the largest number of a dtype.

    There is no smaller bound for estimators, since the targets of a regression may be of any size.
    """
    return float(np.sqrt(np.finfo(array.dtype).max))
