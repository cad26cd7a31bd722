"""What classifier and regressor share: an estimator whose features come and go.

A sample whose features and label are known is learned in one compiled call. Anything else goes through
`partial_fit` of the estimator, which learns the same bits, or says what is wrong and learns nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import partial
from math import isfinite
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from hebbian_descent.aligned import aligned_zeros
from hebbian_descent.checks import Array
from hebbian_descent.engines.online import ALL_LEARNED, Targets
from hebbian_descent.estimators.base import FIRST, ONE, LayerEstimator, start_of_offset
from hebbian_descent.estimators.parameters import Parameters
from hebbian_descent.river.columns import Columns, Frame, Sample, check_numbers, values_of
from hebbian_descent.transaction import draft_of

PRECISION = np.dtype(np.float64)
SEED = 0
"""Of weights that all start at zero: not drawn from NumPy's global generator."""


class Learned(NamedTuple):
    """The whole state, so that one assignment replaces it."""

    columns: Columns
    estimator: Any


class Ready(NamedTuple):
    """What single samples need, looked up once for many of them."""

    columns: Columns
    target: memoryview
    """Of one number, that of an output unit for a classifier."""
    step: Callable[[], int] | None
    """Learns the row of `columns` with the `target` in one compiled call; None where there is no such call."""
    preactivation: Callable[[Array], Array] | None
    """Of a row; None before the first sample."""
    labels: list[Any]
    places: dict[Any, int]
    """Those of the labels, in a classifier."""

    def learn(self, x: Sample, target: float) -> bool:
        """Learn a sample if that takes no more than one compiled call; return whether it was learned."""
        if self.step is None or not self.columns.read(x):
            return False
        self.target[0] = target
        return self.step() == ALL_LEARNED

    def recall(self, x: Sample) -> list[float]:
        """Return the preactivation of each output unit; there are none before the first sample."""
        if self.preactivation is None:
            return []
        self.columns.read(x)
        a: list[float] = self.preactivation(self.columns.row).tolist()
        if not isfinite(a[0]):
            check_numbers(x.items())
        return a

    def __reduce__(self) -> Any:
        """Leave it out of copies and files: it points to arrays that others must not share."""
        return type(None), ()


class StreamModel:
    """A base of River models that learn by an estimator of ours."""

    _kind: ClassVar[type[LayerEstimator]]
    _get_params: Callable[[], dict[str, Any]]
    _learned: Learned
    _ready: Ready | None

    def _begin(self) -> None:
        """Check the parameters, and start without features."""
        estimator = self._kind(**self._get_params(), random_state=SEED)
        estimator._offset_in_stream(estimator._setting())
        if np.ndim(centering := estimator.centering):
            raise ValueError(
                f"The centering must be one number for all features, a word or None. Got {centering!r}."
            )
        self._learned, self._ready = Learned(Columns(), estimator), None

    def _room_for_target(self) -> Targets:
        """Return an array for the target of one sample."""
        raise NotImplementedError

    def _labels(self) -> list[Any]:
        """Return what the output units stand for, in a classifier."""
        return []

    def _takes_any_target(self, setting: Parameters) -> bool:
        """Whether targets need no further checks."""
        return True

    def _learn_one(self, x: Sample, targets: Any, w: float) -> None:
        check_numbers(x.items())
        self._learn(tuple(x), np.array([list(x.values())], PRECISION), targets, w)

    def _learn_many(self, X: Frame, targets: Any, w: Any) -> None:
        if len(X):
            self._learn(tuple(X.columns), values_of(X), targets, w)

    def _learn(self, names: tuple[Hashable, ...], values: Array, targets: Any, w: npt.ArrayLike) -> None:
        """Learn one sample per row, after room has been made for new features."""
        columns, estimator = self._learned
        wider = columns.including(names)
        if wider is not columns:
            estimator = with_columns(estimator, len(wider.names))
        scales = np.broadcast_to(np.asarray(w, PRECISION), len(values))
        self._ready = None  # its arrays are replaced
        estimator.partial_fit(
            wider.spread(names, values), targets, sample_weight=None if (scales == 1).all() else scales
        )
        self._learned = Learned(wider, estimator)

    def _prepare(self) -> Ready:
        """Look up what single samples need."""
        columns, estimator = self._learned
        target = self._room_for_target()
        step = preactivation = None
        labels: list[Any] = []
        if hasattr(estimator, "coef_"):
            setting = estimator._setting()
            offset = setting.offset_in_stream
            if setting.learns_compiled(offset) and self._takes_any_target(setting):
                loop = setting.loop(offset, PRECISION, per_pass=1)
                layer = estimator.coef_, estimator.bias_, estimator.offset_
                sample = columns.row[np.newaxis], target, ONE[PRECISION], FIRST
                step = partial(loop, *map(memoryview, (*layer, *sample, estimator._seen)))
            preactivation, labels = estimator._preactivation_of_checked, self._labels()
        places = {label: place for place, label in enumerate(labels)}
        ready = Ready(columns, memoryview(target.ravel()), step, preactivation, labels, places)
        self._ready = ready
        return ready

    def _preactivation(self, X: Frame) -> Array:
        """Return the preactivation of each output unit for each row."""
        columns, estimator = self._learned
        a: Array = estimator._preactivation_of_checked(columns.spread(tuple(X.columns), values_of(X)))
        return a


def with_columns(estimator: Any, n_columns: int) -> Any:
    """Return a copy of an estimator with room for more features: their weights are zero."""
    wider = draft_of(estimator)
    if hasattr(estimator, "coef_"):
        n_outputs, n_before = estimator.coef_.shape
        wider.n_features_in_ = n_columns
        wider.coef_ = aligned_zeros((n_outputs, n_columns), PRECISION)
        wider.coef_[:, :n_before] = estimator.coef_
        start = start_of_offset(estimator._setting().offset_in_stream, n_columns - n_before, PRECISION)
        wider.offset_ = np.append(estimator.offset_, start)
    return wider
