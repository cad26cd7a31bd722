"""The fast path of single samples: arrays and the compiled call are bound once, for as long as they last.

With few features, finding and checking the arrays would take several times longer than learning.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import isfinite
from typing import Any

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array
from hebbian_descent.engines.online import ALL_LEARNED, OnlineSetting, compiled_loop
from hebbian_descent.estimators.base import FIRST, ONE
from hebbian_descent.estimators.parameters import Parameters
from hebbian_descent.river.columns import Columns, Sample, check_numbers


@dataclass(slots=True, eq=False)
class SingleSamples:
    """Learns and recalls single samples, by arrays of an estimator that are bound once."""

    columns: Columns
    coef: Array
    bias: Array
    offset: Array
    step: Callable[[], int] | None
    """Learns the row of `columns` and the `target` in one compiled call; None without a compiled form."""
    target: npt.NDArray[Any]
    """(1,), the target itself, or the number of the output unit that is on."""
    centered: Array
    preactivation: Array

    def learn(self, x: Sample, target: float) -> bool:
        """Learn a sample in one compiled call, and return whether it was learned; if not, nothing changed."""
        if self.step is None or not self.columns.read(x):
            return False
        self.target[0] = target
        return self.step() == ALL_LEARNED

    def recall(self, x: Sample) -> Array:
        """Return the preactivation of each output unit, (n_outputs,), until the next call."""
        self.columns.read(x)
        centered, a = self.centered, self.preactivation
        np.subtract(self.columns.row, self.offset, centered)
        self.coef.dot(centered, a)
        np.add(a, self.bias, a)
        if not isfinite(a[0]):
            check_numbers(x.items())
        return a

    def __reduce__(self) -> Any:
        """Become None in copies and pickles, which bind their own arrays."""
        return type(None), ()


def single_samples(columns: Columns, estimator: Any, *, has_labels: bool) -> SingleSamples:
    """Bind the arrays of an estimator that has learned at least one sample."""
    setting: Parameters = estimator._setting()
    offset, dtype = setting.offset_in_stream, estimator.coef_.dtype
    target = np.zeros(1, np.int64 if has_labels else dtype)
    layer = estimator.coef_, estimator.bias_, estimator.offset_
    step = None
    if setting.learns_compiled(offset) and (has_labels or not setting.error.target_values):
        loop = compiled_loop(OnlineSetting(setting.update, setting.activation, offset), dtype)
        assert loop is not None
        learn, targets = (loop.learn_labels, target) if has_labels else (loop.learn, target[np.newaxis])
        arrays = *layer, columns.row[np.newaxis], targets, ONE[dtype], FIRST, estimator._seen
        step = partial(learn, *(array.data for array in arrays))  # handed over faster than arrays
    room = np.empty_like(estimator.offset_), np.empty_like(estimator.bias_)
    return SingleSamples(columns, *layer, step, target, *room)
