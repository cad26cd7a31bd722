"""A classifier for River, with one output unit per class."""

from __future__ import annotations

from math import exp
from typing import Any

import numpy as np
import numpy.typing as npt
from river import base
from scipy.special import softmax

from hebbian_descent import estimators
from hebbian_descent.learning.averaging import Average
from hebbian_descent.learning.centering import SHIFT
from hebbian_descent.learning.scaling import Scaling
from hebbian_descent.network import Activation
from hebbian_descent.river.columns import Frame, Sample, Series
from hebbian_descent.river.stream_model import StreamModel
from hebbian_descent.rules import ErrorTerm, Rule
from hebbian_descent.transaction import alone


class HebbianDescentClassifier(StreamModel, base.MiniBatchClassifier):
    """A classifier that learns one example at a time, one output unit per class, the targets one-hot.

    It learns what `hebbian_descent.HebbianDescentClassifier` learns by `partial_fit`, to the last bit.
    Neither features nor classes need to be announced: one that is first seen later has weights of zero until
    then, and a feature that is absent counts as 0. `learn_many` is the same as `learn_one` row by row.

    Args:
        rule: "hebbian_descent", "gradient_descent", "contrastive", "hebb", "covariance", or a `Rule`.
        activation: The name of an activation, or an `Activation`.
        error: "difference", "saturating", "leaky_hinge" (targets are then −1 and 1), or a function of
            targets and output.
        learning_rate: η, or "auto": κ / (L·(‖x − μ‖² + 1)), see `learning.rates`.
        weight_decay: ω, the share of the weights that each update removes; not multiplied by η.
        centering: "auto" or "moving" (the offset follows the inputs), None, or a number for a fixed offset.
        scaling: "auto" (inputs are learned in units of their spread, see `learning.scaling`) or None.
        average: Over which samples the layer that predicts is averaged: True is the last quarter, False none,
            a rate β about the last 1/β; "auto" is 0.003.
        shift: ν, the rate at which a moving offset, and the spread, follow the inputs.
        offset_start: Where a moving offset starts, 0.5 in the paper; None is the mean of the inputs so far.

    Paper: eqn:update_general_hebbian_descent_sup_w_1
    """

    _kind = estimators.HebbianDescentClassifier
    _has_labels = True

    def __init__(
        self,
        rule: str | Rule = "hebbian_descent",
        activation: str | Activation = "softmax",
        error: str | ErrorTerm = "difference",
        learning_rate: float | str = "auto",
        weight_decay: float = 0.0,
        centering: float | str | None = "auto",
        scaling: Scaling = "auto",
        average: Average = "auto",
        shift: float = SHIFT,
        offset_start: float | None = None,
    ) -> None:
        self.rule = rule
        self.activation = activation
        self.error = error
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.centering = centering
        self.scaling = scaling
        self.average = average
        self.shift = shift
        self.offset_start = offset_start
        self._begin()
        self._gives_probabilities = hasattr(self._learned.estimator, "predict_proba")

    @alone
    def learn_one(self, x: Sample, y: base.typing.ClfTarget, w: float = 1.0) -> None:
        """Learn one sample; a weight `w` of 3 is three presentations in a row."""
        ready = self._ready or self._prepare()
        place = None if ready is None else ready.places.get(y)
        if ready is None or place is None or w != 1 or not ready.learn(x, place):
            self._learn_one(x, as_labels([y]), w)

    @alone
    def learn_many(self, X: Frame, y: Series, w: npt.ArrayLike = 1.0) -> None:
        """Learn the rows of a DataFrame, one after another."""
        self._learn_many(X, as_labels(list(y)), w)

    def predict_one(self, x: Sample, **kwargs: Any) -> base.typing.ClfTarget | None:
        """Return the class with the largest preactivation, or None before the first sample."""
        ready = self._ready or self._prepare()
        return None if ready is None else ready.labels[ready.recall(x).argmax()]

    def predict_proba_one(self, x: Sample, **kwargs: Any) -> dict[base.typing.ClfTarget, float]:
        """Return the probability of each class; there are none before the first sample."""
        self._check_probabilities()
        ready = self._ready or self._prepare()
        if ready is None:
            return {}
        a = ready.recall(x).tolist()
        largest = max(a)
        shares = [exp(value - largest) for value in a]
        total = sum(shares)
        return {label: share / total for label, share in zip(ready.labels, shares, strict=True)}

    def predict_many(self, X: Frame) -> Series:
        """Return the class of each row."""
        import pandas as pd

        if not self._has_learned:
            return pd.Series([None] * len(X), index=X.index, dtype=object)
        places = self._recall_many(X).argmax(axis=1)
        return pd.Series(self._learned.estimator.classes_[places], index=X.index)

    def predict_proba_many(self, X: Frame) -> Frame:
        """Return the probabilities of each row, one column per class."""
        import pandas as pd

        self._check_probabilities()
        if not self._has_learned:
            return pd.DataFrame(index=X.index)
        shares, classes = softmax(self._recall_many(X), axis=1), self._learned.estimator.classes_
        return pd.DataFrame(shares, index=X.index, columns=classes.tolist())

    @property
    def _multiclass(self) -> bool:
        return True

    def _check_probabilities(self) -> None:
        if not self._gives_probabilities:
            raise NotImplementedError(
                f"Probabilities need the activation softmax or sigmoid. Got {self.activation!r}."
            )


def as_labels(labels: list[Any]) -> npt.NDArray[Any]:
    """Return labels as an array, all strings or all numbers."""
    for label in labels:
        if not isinstance(label, str | int | float | np.generic):
            raise TypeError(f"A label must be a bool, a whole number or a string. Got {label!r}.")
    of_kind = {isinstance(label, str): label for label in labels}
    if len(of_kind) > 1:
        raise TypeError(
            f"Labels must be all strings or all numbers. Got {of_kind[True]!r}, {of_kind[False]!r}."
        )
    return np.array(labels)
