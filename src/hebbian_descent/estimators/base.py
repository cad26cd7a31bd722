"""What classifier and regressor share: a layer that learns from samples, whole or one at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils import assert_all_finite, check_array, check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from hebbian_descent.aligned import aligned_zeros
from hebbian_descent.checks import Array
from hebbian_descent.engines.online import LayerArrays, Loop, OnlineSetting, Progress
from hebbian_descent.estimators.describe import describe_layer
from hebbian_descent.estimators.online_pass import (
    Samples,
    check_mean,
    learn,
    mean_target,
    read_only,
    weighted_mean,
    weighted_spread,
)
from hebbian_descent.estimators.parameters import Parameters
from hebbian_descent.estimators.state import HasState
from hebbian_descent.learning.averaging import Averaging
from hebbian_descent.learning.centering import Offset
from hebbian_descent.learning.divergence import limit_of
from hebbian_descent.learning.run import DivergenceError, epoch_order
from hebbian_descent.learning.scaling import precisions_of
from hebbian_descent.network import Layer, glorot_uniform
from hebbian_descent.storage.models import is_count

DTYPES = (np.float64, np.float32)
STATE = (
    *("weights_", "bias_", "offset_"),
    *("n_samples_seen_", "weight_seen_", "n_epochs_", "seed_", "n_features_in_"),
)
SPREAD = ("mean_squares_", "precisions_")
AVERAGES = ("mean_weights_", "mean_bias_")
FIRST = read_only(np.arange(1))
ONE = {np.dtype(dtype): read_only(np.ones(1, dtype)) for dtype in DTYPES}


class LayerEstimator(HasState, BaseEstimator):
    """A centered layer with the methods of a scikit-learn estimator.

    The state is a few arrays: `weights_`, `bias_` and `offset_` make h = φ((x − offset_)·weights_ᵀ + bias_).
    Predictions are those of its average where there is one, `mean_weights_` and `mean_bias_`.
    """

    _state_names: tuple[str, ...] = STATE
    _optional_state: tuple[str, ...] = ("feature_names_in_", "target_offset_", *SPREAD, *AVERAGES)
    _together = (SPREAD, AVERAGES)
    _later_parameters = MappingProxyType({"offset_start": None, "scaling": None, "average": False})
    _purpose: str

    weights_: Array
    bias_: Array
    offset_: Array
    n_epochs_: int
    seed_: int
    n_features_in_: int
    _progress: Progress

    def describe(self) -> str:
        """Say in plain words what the setting is."""
        return describe_layer(self._setting())

    @property
    def n_samples_seen_(self) -> int:
        """How many samples have been learned; compiled code counts them while it changes the weights."""
        return int(self._progress[0])

    @n_samples_seen_.setter
    def n_samples_seen_(self, n_samples: int) -> None:
        self._progress = np.full(2, float(n_samples))

    @property
    def weight_seen_(self) -> float:
        """The sum of the weights of these samples."""
        return float(self._progress[1])

    @weight_seen_.setter
    def weight_seen_(self, weight: float) -> None:
        self._progress[1] = weight

    @property
    def scale_(self) -> Array | None:
        """The spread σ of each input in whose units it is learned, 0 if it has none; None without scaling."""
        check_is_fitted(self)
        if (precisions := vars(self).get("precisions_")) is None:
            return None
        scale: Array = np.sqrt(np.divide(1, precisions, out=np.zeros_like(precisions), where=precisions > 0))
        return scale

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take over a pickled state; earlier versions had other names, and no scaling or averages."""
        state = {**self._later_parameters, **state}
        if "coef_" in state:
            state["weights_"] = state.pop("coef_")
        for name in ("_seen", "n_samples_seen_"):
            if (n_samples := state.pop(name, None)) is not None:
                state["_progress"] = np.full(2, float(np.ravel(n_samples)[0]))
        super().__setstate__(state)

    @classmethod
    def _in_present_names(cls, state: dict[str, Any]) -> dict[str, Any]:
        if "coef_" in state and "weight_seen_" not in state and is_count(state.get("n_samples_seen_")):
            state = {**state, "weights_": state["coef_"], "weight_seen_": float(state["n_samples_seen_"])}
            del state["coef_"]
        return state

    def __sklearn_is_fitted__(self) -> bool:
        return "weights_" in vars(self)

    # What parameters say

    def _setting(self) -> Parameters:
        """Return the checked parameters; they are checked again only after they have changed."""
        told: list[Any] = [self.__dict__.get(name) for name in self._parameter_names()]
        told.append(type(self.average))  # True is equal to 1.0, and means something else
        remembered = self.__dict__.get("_remembered")
        if remembered is None or _differ(remembered[0], told):
            remembered = self._remembered = (told, Parameters.of(self))
        setting: Parameters = remembered[1]
        return setting

    @classmethod
    def _parameter_names(cls) -> list[str]:
        if "_names" not in cls.__dict__:
            cls._names = cls._get_param_names()
        names: list[str] = cls._names
        return names

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = dict(super().__getstate__())
        state.pop("_remembered", None)
        return state

    # Learning

    def _start(self, setting: Parameters, n_outputs: int, dtype: npt.DTypeLike, offset: Offset) -> None:
        """Begin with no weights, or small random ones."""
        n_inputs = self.n_features_in_
        self.seed_ = seed_of(self.random_state)
        self.weights_ = aligned_zeros((n_outputs, n_inputs), dtype)
        if setting.initial_weights == "random" and n_outputs:
            weights = glorot_uniform(n_inputs, n_outputs, rng=np.random.default_rng(self.seed_), dtype=dtype)
            self.weights_[:] = weights.T
        self.bias_ = np.zeros(n_outputs, dtype)
        self.offset_ = start_of_offset(offset, n_inputs, dtype)
        for name in ("target_offset_", *SPREAD, *AVERAGES):
            self.__dict__.pop(name, None)
        self.n_samples_seen_ = self.n_epochs_ = 0

    def _arrays(self, setting: OnlineSetting) -> LayerArrays:
        """Return what learning changes; what a setting needs and is not there yet begins now."""
        has = self.__dict__
        unused = (SPREAD if setting.scale is None else ()) + (AVERAGES if setting.averaging is None else ())
        for name in unused:
            has.pop(name, None)
        if setting.scale is not None and "precisions_" not in has:
            # No spread as yet: a scale may also begin in mid-stream, around an offset that is known.
            self.mean_squares_, self.precisions_ = self.offset_**2, np.zeros_like(self.offset_)
        if setting.averaging is not None and "mean_weights_" not in has:
            self.mean_weights_ = aligned_zeros(self.weights_.shape, self.weights_.dtype)
            self.mean_weights_[:], self.mean_bias_ = self.weights_, self.bias_ - self.weights_ @ self.offset_
        return LayerArrays(
            self.weights_,
            self.bias_,
            self.offset_,
            has.get("mean_squares_"),
            has.get("precisions_"),
            has.get("mean_weights_"),
            has.get("mean_bias_"),
        )

    def _fit_samples(self, setting: Parameters, samples: Samples, mean: Array | None) -> None:
        """Learn epoch after epoch; orders follow from (seed, epoch), so that epochs can be continued."""
        in_fit, means = setting.in_fit, None
        loop = self._loop(setting, in_fit)
        arrays = self._arrays(in_fit)
        if mean is not None:
            if in_fit.offset.takes_data_mean:
                self._take_mean(setting, samples, mean)
            if loop is None:
                means = mean, mean_target(samples, len(self.bias_), setting.error)
        n_samples = len(samples.inputs)
        for _ in range(setting.epochs):
            order = (
                epoch_order(n_samples, self.seed_, self.n_epochs_)
                if setting.shuffle
                else np.arange(n_samples)
            )
            learn(
                in_fit,
                arrays,
                samples,
                order,
                self._progress,
                loop=loop,
                batch_size=setting.batch_size,
                means=means,
                target_offset=self._target_offset(setting, in_fit.offset),
            )
            self.n_epochs_ += 1

    def _take_mean(self, setting: Parameters, samples: Samples, mean: Array) -> None:
        """Center on the data mean and scale by the spread around it; what was learned stays the same."""
        if self.n_samples_seen_ == 0:
            self.offset_[:] = mean
        else:
            Layer(self.weights_.T, self.bias_, self.offset_, setting.activation).move_offset(mean)
        if setting.scales_inputs:
            squares, variance = weighted_spread(samples.inputs, samples.scales, mean)
            if not np.isfinite(squares).all():
                raise DivergenceError.by_inputs(0, setting.learning_rate, samples.inputs)
            self.mean_squares_[:], self.precisions_[:] = squares, precisions_of(variance, squares)

    def _stream_samples(self, setting: Parameters, samples: Samples) -> None:
        """Learn one sample after another, in the given order."""
        in_stream, n_samples = setting.in_stream, len(samples.inputs)
        learn(
            in_stream,
            self._arrays(in_stream),
            samples,
            FIRST if n_samples == 1 else np.arange(n_samples),
            self._progress,
            loop=self._loop(setting, in_stream),
            target_offset=self._target_offset(setting, in_stream.offset),
        )

    def _loop(self, setting: Parameters, online: OnlineSetting) -> Loop | None:
        """Return the compiled loop for single samples, two of them per pass in `fit`, or None."""
        in_fit = online is setting.in_fit
        if in_fit and setting.batch_size > 1:
            return None
        n_inputs, dtype = self.n_features_in_, self.weights_.dtype
        return setting.loop(online, n_inputs, dtype, per_pass=2 if in_fit else 1)

    def _target_offset(self, setting: Parameters, offset: Offset) -> Array | None:
        """Return the running mean of the targets, where the rule needs one."""
        if not offset.centers_targets(setting.rule):
            return None
        if "target_offset_" not in vars(self):
            self.target_offset_ = np.zeros_like(self.bias_)
        return self.target_offset_

    @contextmanager
    def _refusing_what_is_not_finite(self, X: Array) -> Iterator[None]:
        """Refuse inputs that are not finite; look only if learning came to a halt.

        A sample that is not finite is never learned: its activity is none either. So nobody needs to read
        all of X beforehand, which takes a fifth of the time of learning it.
        """
        try:
            yield
        except DivergenceError:
            self._assert_finite(X)
            raise

    def _assert_finite(self, X: Array) -> None:
        assert_all_finite(X, estimator_name=type(self).__name__, input_name="X")

    def _check_stream(self, setting: Parameters) -> None:
        """Refuse what a stream cannot have."""
        offset, rule = setting.offset_in_stream, setting.rule
        if rule.needs_data_mean and not offset.centers_targets(rule):
            raise ValueError(
                f"The rule {rule.name!r} needs the means of the whole data, which partial_fit does "
                'not have. Use fit, or centering="moving", which learns the means with the weights.'
            )

    # Input and output

    def _checked(
        self, X: Any, y: Any, *, goes_on: bool, finite: bool = True, **checks: Any
    ) -> tuple[Array, Any]:
        """Return X and y as arrays; whether X is `finite` may be left to learning."""
        dtype = self.weights_.dtype if goes_on else DTYPES
        checks["ensure_all_finite"] = finite
        X, y = validate_data(self, X, y, reset=not goes_on, dtype=dtype, order="C", **checks)
        return X, y

    @contextmanager
    def _checking_by_mean(self, setting: Parameters, X: Array, scales: Array) -> Iterator[Array | None]:
        """Give the mean of the inputs if it is needed; in any case refuse inputs that are not finite.

        The mean shows it: large data take longer to bring from memory than to add up, so once is better.
        """
        needs_it = setting.in_fit.offset.takes_data_mean or setting.batch_size > 1
        if needs_it or not setting.compiles(setting.in_fit):
            mean = weighted_mean(X, scales)
            if not np.isfinite(mean).all():
                self._assert_finite(X)
            check_mean(mean, X, setting.learning_rate)
            yield mean
        else:
            with self._refusing_what_is_not_finite(X):
                yield None

    def _is_plain(self, X: Any) -> bool:
        """Whether X needs no further checks: an array of the right dtype and width, and finite."""
        has = self.__dict__
        if type(X) is not np.ndarray or "weights_" not in has or "feature_names_in_" in has:
            return False
        fits = X.ndim == 2 and len(X) > 0 and X.shape[1] == self.weights_.shape[1]
        return fits and X.dtype == self.weights_.dtype and bool(np.isfinite(X).all())

    def _is_plain_sample(self, setting: Parameters, X: Any) -> bool:
        """Whether X is one sample that needs no further checks.

        It is learned without a draft, which needs a compiled loop.
        """
        is_row = type(X) is np.ndarray and X.ndim == 2 and len(X) == 1 and X.flags.c_contiguous
        return is_row and setting.compiles(setting.in_stream) and self._is_plain(X)

    def _is_averaged(self) -> bool:
        """Whether predictions are those of the averaged layer."""
        has = self.__dict__
        is_there = self.average is not False and "mean_weights_" in has
        return is_there and has["_progress"][0] >= Averaging.spacing(self.weights_.shape[1])

    def _raw_layer(self) -> tuple[Array, Array]:
        """Return the weights and the bias of the layer that predicts, as one without centering."""
        check_is_fitted(self)
        if self._is_averaged():
            return self.mean_weights_, self.mean_bias_
        return self.weights_, self.bias_ - self.weights_ @ self.offset_

    def _preactivation(self, X: Any) -> Array:
        if not self._is_plain(X):
            check_is_fitted(self)
            X = validate_data(self, X, reset=False, dtype=self.weights_.dtype)
        if self._is_averaged():
            a: Array = X @ self.mean_weights_.T + self.mean_bias_
        else:
            a = (X - self.offset_) @ self.weights_.T + self.bias_
        return a


def scales_of(sample_weight: Any, X: Array) -> Array:
    """Return the weight of each sample; 0 is a sample that is not there."""
    n_samples = len(X)
    if sample_weight is None:
        return np.ones(n_samples, X.dtype)
    scales: Array = check_array(sample_weight, ensure_2d=False, dtype=X.dtype, input_name="sample_weight")
    if scales.shape != (n_samples,):
        raise ValueError(f"The sample_weight must have the shape ({n_samples},). Got {scales.shape}.")
    if (scales < 0).any():
        raise ValueError(f"The sample_weight must not be negative. Got {scales.min()}.")
    if scales.max() > limit_of(scales):  # so that sums of them are finite
        raise ValueError(f"The sample_weight must be at most {limit_of(scales):g}. Got {scales.max():g}.")
    return scales


def start_of_offset(offset: Offset, n_inputs: int, dtype: npt.DTypeLike) -> Array:
    """Return the offset before the first sample."""
    start = np.asarray(offset.start)
    if start.ndim and len(start) != n_inputs:
        raise ValueError(f"The centering must be one number or {n_inputs}, one per input. Got {len(start)}.")
    return np.full(n_inputs, start, dtype)


def _differ(remembered: list[Any], told: list[Any]) -> bool:
    """Return whether a parameter has changed; two arrays count as different unless they are one object."""
    try:
        return remembered != told
    except ValueError:
        return True


def seed_of(random_state: Any) -> int:
    """Return a whole number itself, or one drawn from a generator as scikit-learn knows them."""
    if isinstance(random_state, (int, np.integer)) and random_state >= 0:
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31))
