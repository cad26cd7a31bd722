"""Base of classifier and regressor: an estimator whose features come and go.

A sample whose features and label are known is learned in one compiled call (`single_samples`). Everything
else goes through `partial_fit` of the estimator, which learns the same bits, or raises and learns nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from hebbian_descent.aligned import aligned_zeros
from hebbian_descent.checks import Array
from hebbian_descent.estimators.base import LayerEstimator
from hebbian_descent.estimators.layer_state import SPREAD, start_of_offset
from hebbian_descent.river.columns import Columns, Frame, Sample, check_numbers, read_frame
from hebbian_descent.river.single_samples import SingleSamples, single_samples
from hebbian_descent.transaction import draft_of

SEED = 0
"""Weights start at zero, so any seed will do; a fixed one leaves NumPy's global generator alone."""


class Learned(NamedTuple):
    """The whole state, replaced in one assignment that no interrupt can split."""

    columns: Columns
    estimator: Any


class StreamModel:
    """A River model that wraps a scikit-learn estimator."""

    _kind: ClassVar[type[LayerEstimator]]
    _has_labels: ClassVar[bool]
    _get_params: Callable[[], dict[str, Any]]
    _learned: Learned
    _ready: SingleSamples | None

    def _begin(self) -> None:
        """Check the parameters, and start without features."""
        estimator = self._kind(**self._get_params(), random_state=SEED)
        if (reason := estimator._setting().why_no_stream) is not None:
            raise ValueError(reason)
        if np.ndim(centering := estimator.centering):
            raise ValueError(
                f"The centering must be one number for all features, a name or None. Got {centering!r}."
            )
        self._learned, self._ready = Learned(Columns(), estimator), None

    @property
    def _has_learned(self) -> bool:
        return bool(self._learned.estimator.__sklearn_is_fitted__())

    def _prepare(self) -> SingleSamples | None:
        """Bind the arrays for single samples; None before the first sample."""
        if not self._has_learned:
            return None
        ready = single_samples(*self._learned, has_labels=self._has_labels)
        if ready.progress is self._learned.estimator._progress:  # no other thread has replaced the arrays
            self._ready = ready
        return ready

    def _learn_one(self, x: Sample, targets: Any, w: float) -> None:
        check_numbers(x.items())
        self._learn(tuple(x), np.array([list(x.values())], np.float64), targets, w)

    def _learn_many(self, X: Frame, targets: Any, w: npt.ArrayLike) -> None:
        names, values = read_frame(X)
        if len(values):
            self._learn(names, values, targets, w)

    def _learn(self, names: tuple[Hashable, ...], values: Array, targets: Any, w: npt.ArrayLike) -> None:
        """Learn one sample per row, with new columns for new features."""
        columns, estimator = self._learned
        wider = columns.including(names)
        if wider is not columns:
            estimator = with_columns(estimator, len(wider.names))
        weights = np.broadcast_to(np.asarray(w, np.float64), len(values))
        sample_weight = None if (weights == 1).all() else weights
        self._ready = None  # its arrays may be replaced
        estimator.partial_fit(wider.spread(names, values), targets, sample_weight=sample_weight)
        self._learned = Learned(wider, estimator)
        self._ready = None  # another thread may have bound the replaced ones

    def _recall_many(self, X: Frame) -> Array:
        """Return the preactivation of each output unit for each row, (n_samples, n_outputs)."""
        columns, estimator = self._learned
        inputs = columns.spread(*read_frame(X))
        if len(inputs) == 0:
            return np.zeros((0, estimator._n_outputs))
        a: Array = estimator._preactivation(inputs)
        return a


def with_columns(estimator: Any, n_columns: int) -> Any:
    """Return a copy of an estimator with more features; the weights of the new ones are zero."""
    wider = draft_of(estimator)
    if estimator.__sklearn_is_fitted__():
        wider.n_features_in_, n_before = n_columns, estimator.n_features_in_
        for name in ("weights_", "mean_weights_", "offset_", *SPREAD):
            if (old := vars(estimator).get(name)) is not None:
                new = aligned_zeros((*old.shape[:-1], n_columns), old.dtype)
                new[..., :n_before] = old
                setattr(wider, name, new)
        start = start_of_offset(estimator._setting().offset_in_stream, n_columns - n_before, wider._dtype)
        wider.offset_[n_before:] = start
    return wider
