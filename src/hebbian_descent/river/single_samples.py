"""The fast path of single samples: arrays and the compiled call are bound once, for as long as they last.

With few features, finding and checking the arrays would take several times longer than learning.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from functools import partial
from math import isfinite
from typing import Any

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array
from hebbian_descent.engines.online import ALL_LEARNED, LayerArrays, Progress, native_loop
from hebbian_descent.estimators.base import FIRST, ONE
from hebbian_descent.estimators.parameters import Parameters
from hebbian_descent.learning.averaging import Averaging
from hebbian_descent.river.columns import Columns, Sample, check_numbers
from hebbian_descent.transaction import as_it_is


@dataclass(slots=True, eq=False)
class SingleSamples:
    """Learns and recalls single samples, with arrays of an estimator that are bound once."""

    columns: Columns
    cue: Columns
    """The same columns for samples to be recalled, so that reading in another thread disturbs no learning."""
    labels: list[Any]
    """The classes in the order of the output units; of a regressor there are none."""
    places: dict[Any, int]
    """The output unit of each class."""
    step: Callable[[], int] | None
    """Learns the row of `columns` and the `target` in one compiled call; None without a compiled form."""
    target: npt.NDArray[Any]
    """(1,), the target itself, or the number of the output unit that is on."""
    respond: Callable[[], None]
    """Writes the preactivation of the row, that of the layer that learns."""
    respond_on_average: Callable[[], None] | None
    """The same of its average, where there is one after `average_from` samples."""
    average_from: int
    progress: Progress
    preactivation: Array

    def learn(self, x: Sample, target: float) -> bool:
        """Learn a sample in one compiled call, and return whether it was learned; if not, nothing changed."""
        if self.step is None or not self.columns.read(x):
            return False
        self.target[0] = target
        return self.step() == ALL_LEARNED

    def recall(self, x: Sample) -> Array:
        """Return the preactivation of each output unit, (n_outputs,), until the next call."""
        self.cue.read(x)
        average = self.respond_on_average
        if average is not None and self.progress[0] >= self.average_from:
            average()
        else:
            self.respond()
        a = self.preactivation
        if not isfinite(a[0]):
            check_numbers(x.items())
        return a

    def __reduce__(self) -> Any:
        """Become None in copies and pickles, which bind their own arrays."""
        return type(None), ()


def single_samples(columns: Columns, estimator: Any, *, has_labels: bool) -> SingleSamples:
    """Bind the arrays of an estimator that has learned at least one sample."""
    estimator = as_it_is(estimator)
    setting: Parameters = estimator._setting()
    in_stream, dtype, n_inputs = setting.in_stream, estimator._dtype, estimator.n_features_in_
    arrays: LayerArrays = estimator._arrays(in_stream)
    target = np.zeros(1, np.int64 if has_labels else dtype)
    labels = estimator.classes_.tolist() if has_labels else []
    cue, row, a = copy(columns), columns.row, np.empty_like(arrays.bias)
    step, respond = None, _respond
    is_own = estimator._progress.flags.writeable  # unlike that of a file mapped into memory
    if is_own and setting.compiles(in_stream) and (has_labels or not setting.error.target_values):
        loop = native_loop(in_stream, n_inputs, dtype, per_pass=1)
        learn, targets = (loop.learn_labels, target) if has_labels else (loop.learn, target[np.newaxis])
        shown = row[np.newaxis], targets, ONE[dtype], FIRST, estimator._progress
        step = partial(learn, tuple(map(_data, arrays)), *map(_data, shown))
        respond = loop.respond
    layer = partial(respond, *map(_data, (arrays.weights, arrays.bias, arrays.offset, cue.row, a)))
    average = None if arrays.mean is None else partial(respond, *map(_data, (*arrays.mean, None, cue.row, a)))
    return SingleSamples(
        columns,
        cue,
        labels,
        {label: place for place, label in enumerate(labels)},
        step,
        target,
        layer,
        average,
        Averaging.first_look(n_inputs),
        estimator._progress,
        a,
    )


def _respond(weights: Any, bias: Any, offset: Any, row: Any, preactivation: Any) -> None:
    """Write W(x − μ) + b, or Wx + b without an offset; the plain twin of the compiled call."""
    x, a = np.asarray(row), np.asarray(preactivation)
    np.add(np.asarray(weights) @ (x if offset is None else x - np.asarray(offset)), bias, a)


def _data(array: Any) -> Any:
    """Return the memory of an array, which is passed faster than the array."""
    return None if array is None else array.data
