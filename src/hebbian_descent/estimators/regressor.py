"""A regressor with one output unit per target."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import RegressorMixin
from sklearn.utils import Tags

from hebbian_descent.checks import Array, refuse_masked
from hebbian_descent.estimators.base import ONE, LayerEstimator, scales_of
from hebbian_descent.estimators.epochs import fit_epochs
from hebbian_descent.estimators.layer_state import STATE
from hebbian_descent.estimators.online_pass import Samples
from hebbian_descent.estimators.parameters import Parameters, available_unless, why_no_stream
from hebbian_descent.learning.averaging import Average
from hebbian_descent.learning.centering import SHIFT, Centering
from hebbian_descent.learning.scaling import Scaling
from hebbian_descent.network import Activation, get_activation
from hebbian_descent.rules import ErrorTerm, Rule
from hebbian_descent.storage.models import saveable
from hebbian_descent.transaction import all_or_nothing, alone


def power_of_two_above(targets: Array) -> npt.NDArray[np.float64]:
    """Return the smallest power of two, at least 1, that no target of a row exceeds in magnitude."""
    largest = np.abs(targets).max(axis=1).astype(np.float64)
    powers: npt.NDArray[np.float64] = np.exp2(np.ceil(np.log2(np.maximum(largest, 1))))
    return powers


@saveable
class HebbianDescentRegressor(RegressorMixin, LayerEstimator):
    """A regressor that learns one example at a time; targets are numbers or vectors.

    With linear units and the difference as error, the defaults, it is linear regression by gradient descent
    on the squared error; with the automatic learning rate that is the normalised LMS filter, centered. Other
    activations give generalised linear models: "sigmoid" for targets between 0 and 1, "exponential" for
    counts, "rectifier" or "softplus" for targets that cannot be negative.

    Args:
        rule: "hebbian_descent", "gradient_descent", "contrastive", "hebb", "covariance", or a `Rule`.
        activation: The name of an activation, or an `Activation`.
        error: "difference", "saturating" (robust to outliers), "leaky_hinge" (for targets −1 and 1), or a
            function of targets and output.
        learning_rate: η, or "auto": κ / (L·(‖x − μ‖² + 1)), see `learning.rates`.
        weight_decay: ω, the share of the weights that each update removes; not multiplied by η.
        centering: "auto" (the data mean in `fit`, moving in `partial_fit`), "mean", "moving", None, or
            numbers for a fixed offset.
        scaling: "auto" (inputs are learned in units of their spread, see `learning.scaling`) or None.
        average: Over which samples the layer that predicts is averaged: True is the last quarter, False none,
            a rate β about the last 1/β; "auto" is True in `fit` and 0.003 in `partial_fit`.
        shift: ν, the rate at which a moving offset, and the spread, follow the inputs.
        epochs: Passes over the data in `fit`, unless `max_epochs` is given.
        batch_size: Samples per update in `fit`; `partial_fit` takes them one by one.
        shuffle: Whether `fit` takes a new random order in every epoch.
        random_state: The seed of orders and of random weights.
        warm_start: Whether `fit` continues from where it stopped.
        offset_start: Where a moving offset starts, 0.5 in the paper; None is the mean of the inputs so far.
        initial_weights: "zeros" or "random".
        max_epochs: The maximum number of passes over the data; None is exactly `epochs`.
        tol, n_iter_no_change: With `max_epochs`, `fit` ends when for `n_iter_no_change` epochs in a row the
            loss has not been below the lowest before by more than `tol` times the loss of the first one; see
            `estimators.epochs`.
        early_stopping: Whether the loss is that of held-out samples, and the state after the best epoch is
            kept; otherwise it is that of all samples.
        validation_fraction: The share of the samples that is then held out.
        verbose: Whether `fit` writes a line per epoch to standard error.

    Attributes:
        coef_, intercept_: The layer that predicts, as one without centering, in the shapes of scikit-learn.
        weights_, bias_, offset_: The layer that learns, h = φ((x − offset_)·weights_ᵀ + bias_).
        scale_: The spread of each input.
        target_ndim_: 1 if targets came as numbers, 2 if as vectors.
        largest_target_: What exponential units assume as the largest count; see `learning.rates`.
        n_iter_, loss_curve_: With `max_epochs` or `verbose`, how many epochs the last `fit` took, and the
            mean loss after each.
        n_features_in_, feature_names_in_: As in scikit-learn.
        n_samples_seen_, n_epochs_, seed_: How far learning has come, and the seed of its orders.

    Paper: eqn:update_general_hebbian_descent_sup_w_1
    """

    _purpose = "regress"
    _state_names = (*STATE, "target_ndim_")
    _optional_state = (*LayerEstimator._optional_state, "largest_target_")
    target_ndim_: int
    largest_target_: float

    def __init__(
        self,
        rule: str | Rule = "hebbian_descent",
        activation: str | Activation = "linear",
        error: str | ErrorTerm = "difference",
        learning_rate: float | str = "auto",
        weight_decay: float = 0.0,
        centering: Centering = "auto",
        scaling: Scaling = "auto",
        average: Average = "auto",
        shift: float = SHIFT,
        epochs: int = 10,
        batch_size: int = 1,
        shuffle: bool = True,
        random_state: Any = None,
        warm_start: bool = False,
        initial_weights: str = "zeros",
        offset_start: float | None = None,
        max_epochs: int | None = None,
        tol: float = 1e-3,
        n_iter_no_change: int = 5,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        verbose: bool = False,
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
        self.epochs = epochs
        self.batch_size = batch_size
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.initial_weights = initial_weights
        self.offset_start = offset_start
        self.max_epochs = max_epochs
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.verbose = verbose

    @alone
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> HebbianDescentRegressor:
        """Learn all samples for some epochs; a sample of weight 0 counts as absent."""
        with all_or_nothing(self) as draft:
            draft._fit(X, y, sample_weight)
        return self

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        setting = self._setting()
        goes_on = self.warm_start and self.__sklearn_is_fitted__()
        samples = self._read(setting, X, y, sample_weight, goes_on=goes_on, finite=sample_weight is not None)
        if samples.inputs.shape[0] == 0:
            raise ValueError("The sample_weight must be positive for at least one sample. Got zeros only.")
        with self._checking_by_mean(setting, samples.inputs, samples.scales) as mean:
            if not goes_on:
                self._start(setting, samples.targets.shape[1], samples.inputs.dtype, setting.offset_in_fit)
            fit_epochs(self, self._expecting(setting, samples.targets), samples, mean)

    @available_unless(why_no_stream)
    @alone
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> HebbianDescentRegressor:
        """Learn the samples once, one after another; equal to as many calls with one sample each."""
        setting = self._setting()
        if sample_weight is None and self._is_plain_sample(setting, X):
            targets = self._plain_target(setting, y)
            if targets is not None:
                self._stream_samples(self._expecting(setting, targets), Samples(X, targets, ONE[X.dtype]))
                return self
        with all_or_nothing(self, self._shared(setting, X)) as draft:
            draft._partial_fit(setting, X, y, sample_weight)
        return self

    def _partial_fit(self, setting: Parameters, X: Any, y: Any, sample_weight: Any) -> None:
        goes_on = self.__sklearn_is_fitted__()
        finite = sample_weight is not None or not setting.compiles(setting.in_stream)
        samples = self._read(setting, X, y, sample_weight, goes_on=goes_on, finite=finite)
        with self._refusing_what_is_not_finite(samples.inputs):
            if not goes_on:
                self._start(setting, samples.targets.shape[1], samples.inputs.dtype, setting.offset_in_stream)
            self._own_unless_safe(samples.inputs, samples.targets)
            self._stream(setting, samples)

    def _stream(self, setting: Parameters, samples: Samples) -> None:
        """Learn in order, with a pause wherever a target is larger than expected."""
        grows: list[int] = []
        if setting.needs_largest_target:
            largest = np.maximum.accumulate(power_of_two_above(samples.targets))
            grows = np.flatnonzero(np.diff(largest, prepend=largest[:1])).tolist()
        for start, end in pairwise([0, *grows, len(samples.targets)]):
            part = samples.at(slice(start, end))
            self._stream_samples(self._expecting(setting, part.targets[:1]), part)

    def _expecting(self, setting: Parameters, targets: Array) -> Parameters:
        """Return the setting for targets as large as these and all earlier ones."""
        if not setting.needs_largest_target:
            return setting
        known = self.__dict__.get("largest_target_", 1.0)
        self.largest_target_ = max(known, float(power_of_two_above(targets).max(initial=1.0)))
        return setting.for_targets_up_to(self.largest_target_)

    @property
    def coef_(self) -> Array:
        """The weights of the layer that predicts, (n_outputs, n_features), or one row for plain numbers."""
        weights = self._raw_layer()[0]
        return weights[0] if self.target_ndim_ == 1 else weights

    @property
    def intercept_(self) -> Array:
        """The bias of the equivalent layer without centering, (n_outputs,), or one number."""
        bias = self._raw_layer()[1]
        return bias[0] if self.target_ndim_ == 1 else bias

    def predict(self, X: Any) -> Array:
        """Return the output, in the shape that the targets had."""
        h = self._setting().activation(self._preactivation(X))
        return h[:, 0] if self.target_ndim_ == 1 else h

    def _read(
        self, setting: Parameters, X: Any, y: Any, sample_weight: Any, *, goes_on: bool, finite: bool = True
    ) -> Samples:
        X, y = self._checked(setting, X, y, goes_on=goes_on, finite=finite, multi_output=True, y_numeric=True)
        targets = np.ascontiguousarray(y.reshape(len(y), -1), dtype=X.dtype)
        if goes_on and targets.shape[1] != self._n_outputs:
            raise ValueError(f"The targets must have {self._n_outputs} columns. Got {targets.shape[1]}.")
        setting.error.check_targets(targets)
        if not goes_on:
            self.target_ndim_ = y.ndim
        scales = scales_of(sample_weight, X)
        samples, there = Samples(X, targets, scales), scales > 0
        return samples if there.all() else samples.at(there)

    def _plain_target(self, setting: Parameters, y: Any) -> Array | None:
        """Return the target of one sample as a row, or None if there is more to check."""
        if setting.error.target_values:
            return None
        refuse_masked(y, "y")
        targets = np.asarray(y)
        if (
            targets.dtype.kind != "f"
            or targets.size != len(self.weights_)
            or targets.ndim != self.target_ndim_
        ):
            return None
        targets = targets.astype(self.weights_.dtype, copy=False).reshape(1, -1)
        most = self.__dict__.get("largest_target_", 0.0) if setting.needs_largest_target else math.inf
        return targets if np.isfinite(targets).all() and np.abs(targets).max() <= most else None

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        activation = get_activation(self.activation)
        tags.target_tags.multi_output = True
        tags.target_tags.positive_only = activation.output_range[0] >= 0
        # Units that cannot reach every target cannot fit every dataset.
        tags.regressor_tags.poor_score = activation.name != "linear" or self.rule in ("hebb", "covariance")
        return tags
