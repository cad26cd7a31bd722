"""A regressor for River, with one output unit."""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np
import numpy.typing as npt
from river import base

from hebbian_descent import estimators
from hebbian_descent.learning.averaging import Average
from hebbian_descent.learning.centering import SHIFT
from hebbian_descent.learning.scaling import Scaling
from hebbian_descent.network import Activation, get_activation
from hebbian_descent.river.columns import Frame, Sample, Series
from hebbian_descent.river.stream_model import StreamModel
from hebbian_descent.rules import ErrorTerm, Rule
from hebbian_descent.transaction import alone


class HebbianDescentRegressor(StreamModel, base.MiniBatchRegressor):
    """A regressor that learns one example at a time.

    It learns what `hebbian_descent.HebbianDescentRegressor` learns by `partial_fit`, to the last bit.
    Features need not be announced: one that is first seen later has a weight of zero until then, and one
    that is absent counts as 0. `learn_many` is the same as `learn_one` row by row.

    Args:
        rule: "hebbian_descent", "gradient_descent", "contrastive", "hebb", "covariance", or a `Rule`.
        activation: The name of an activation, or an `Activation`.
        error: "difference", "saturating" (robust to outliers), "leaky_hinge" (for targets −1 and 1), or a
            function of targets and output.
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

    _kind = estimators.HebbianDescentRegressor
    _has_labels = False

    def __init__(
        self,
        rule: str | Rule = "hebbian_descent",
        activation: str | Activation = "linear",
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
        self._activation = get_activation(activation)

    @alone
    def learn_one(self, x: Sample, y: base.typing.RegTarget, w: float = 1.0) -> None:
        """Learn one sample; a weight `w` of 3 is three presentations in a row."""
        check_target(y)
        ready = self._ready or self._prepare()
        if ready is None or w != 1 or not ready.learn(x, y):
            self._learn_one(x, np.array([y], np.float64), w)

    @alone
    def learn_many(self, X: Frame, y: Series, w: npt.ArrayLike = 1.0) -> None:
        """Learn the rows of a DataFrame, one after another."""
        targets = list(y)
        for target in targets:
            check_target(target)
        self._learn_many(X, np.array(targets, np.float64), w)

    def predict_one(self, x: Sample) -> base.typing.RegTarget:
        """Return the output, 0 before the first sample."""
        ready = self._ready or self._prepare()
        return 0.0 if ready is None else self._activation(ready.recall(x)).item()

    def predict_many(self, X: Frame) -> Series:
        """Return the output for each row."""
        import pandas as pd

        if not self._has_learned:
            return pd.Series(0.0, index=X.index)
        return pd.Series(self._activation(self._recall_many(X))[:, 0], index=X.index)


def check_target(y: Any) -> None:
    """Raise unless a target is a finite number."""
    try:
        is_finite = isfinite(y)
    except TypeError:
        raise TypeError(f"The target must be a number. Got {y!r}.") from None
    if not is_finite:
        raise ValueError(f"The target must be finite. Got {y!r}.")
