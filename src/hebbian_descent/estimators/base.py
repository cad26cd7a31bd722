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
from hebbian_descent.engines.online import Count
from hebbian_descent.estimators.batches import LearnsBatches
from hebbian_descent.estimators.describe import describe_layer
from hebbian_descent.estimators.online_pass import (
    Samples,
    check_mean,
    learn,
    mean_target,
    read_only,
    weighted_mean,
)
from hebbian_descent.estimators.parameters import Parameters
from hebbian_descent.estimators.state import HasState
from hebbian_descent.learning.centering import Offset
from hebbian_descent.learning.run import DivergenceError, epoch_order
from hebbian_descent.network import Layer, glorot_uniform

DTYPES = (np.float64, np.float32)
STATE = ("coef_", "bias_", "offset_", "n_samples_seen_", "n_epochs_", "seed_", "n_features_in_")
FIRST = read_only(np.arange(1))
ONE = {np.dtype(dtype): read_only(np.ones(1, dtype)) for dtype in DTYPES}


class LayerEstimator(LearnsBatches, HasState, BaseEstimator):
    """A centered layer with the methods of a scikit-learn estimator.

    The state is a few arrays: `coef_`, `bias_` and `offset_` make h = φ((x − offset_)·coef_ᵀ + bias_).
    """

    _state_names: tuple[str, ...] = STATE
    _optional_state: tuple[str, ...] = ("feature_names_in_", "target_offset_")
    _later_parameters = MappingProxyType({"offset_start": None})
    _purpose: str

    coef_: Array
    bias_: Array
    offset_: Array
    n_epochs_: int
    seed_: int
    n_features_in_: int
    _seen: Count

    def describe(self) -> str:
        """Say in plain words what the setting is."""
        return describe_layer(self._setting())

    @property
    def intercept_(self) -> Array:
        """The bias b − μW of the model without centering that has the same output, (n_outputs,)."""
        check_is_fitted(self)
        intercept: Array = self.bias_ - self.coef_ @ self.offset_
        return intercept

    @property
    def n_samples_seen_(self) -> int:
        """How many samples have been learned; compiled code counts them while it changes the weights."""
        return int(self._seen[0])

    @n_samples_seen_.setter
    def n_samples_seen_(self, n_samples: int) -> None:
        self._seen = np.array([n_samples], np.int64)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take over a pickled state, in which earlier versions had the count by its public name."""
        state.setdefault("offset_start", None)
        if (n_samples := state.pop("n_samples_seen_", None)) is not None:
            state["_seen"] = np.array([n_samples], np.int64)
        super().__setstate__(state)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "coef_")

    # What parameters say

    def _setting(self) -> Parameters:
        """Return the checked parameters; they are checked again only after they have changed."""
        told = [self.__dict__.get(name) for name in self._parameter_names()]
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

    def _layer(self, setting: Parameters) -> Layer:
        return Layer(self.coef_.T, self.bias_, self.offset_, setting.activation)

    def _start(self, setting: Parameters, n_outputs: int, dtype: npt.DTypeLike, offset: Offset) -> None:
        """Begin with no weights, or small random ones."""
        n_inputs = self.n_features_in_
        self.seed_ = seed_of(self.random_state)
        self.coef_ = aligned_zeros((n_outputs, n_inputs), dtype)
        if setting.initial_weights == "random" and n_outputs:
            weights = glorot_uniform(n_inputs, n_outputs, rng=np.random.default_rng(self.seed_), dtype=dtype)
            self.coef_[:] = weights.T
        self.bias_ = np.zeros(n_outputs, dtype)
        self.offset_ = start_of_offset(offset, n_inputs, dtype)
        self.__dict__.pop("target_offset_", None)
        self.n_samples_seen_ = self.n_epochs_ = 0

    def _fit_samples(self, setting: Parameters, samples: Samples, mean: Array | None, offset: Offset) -> None:
        """Learn epoch after epoch; orders follow from (seed, epoch), so that epochs can be continued."""
        layer, means = self._layer(setting), None
        if mean is not None and offset.takes_data_mean:
            if self.n_samples_seen_ == 0:
                self.offset_[:] = mean
            else:
                layer.move_offset(mean)  # what was learned so far stays the same
        if mean is not None and not self._shows_one_by_one(setting, offset):
            means = mean, mean_target(samples, len(self.bias_), setting.error)
        n_samples = len(samples.inputs)
        for _ in range(setting.epochs):
            order = (
                epoch_order(n_samples, self.seed_, self.n_epochs_)
                if setting.shuffle
                else np.arange(n_samples)
            )
            learn(
                setting,
                layer,
                samples,
                order,
                offset=offset,
                seen=self._seen,
                batch_size=setting.batch_size,
                means=means,
                target_offset=self._target_offset(setting, offset),
                in_pairs=True,
            )
            self.n_epochs_ += 1

    def _stream_samples(self, setting: Parameters, samples: Samples, offset: Offset) -> None:
        """Learn one sample after another, in the given order."""
        n_samples = len(samples.inputs)
        order = FIRST if n_samples == 1 else np.arange(n_samples)
        target_offset = self._target_offset(setting, offset)
        layer = self._layer(setting)
        learn(setting, layer, samples, order, offset=offset, seen=self._seen, target_offset=target_offset)

    def _target_offset(self, setting: Parameters, offset: Offset) -> Array | None:
        """Return the running mean of the targets, where the rule needs one."""
        if not setting.centers_targets(offset):
            return None
        if "target_offset_" not in vars(self):
            self.target_offset_ = np.zeros_like(self.bias_)
        return self.target_offset_

    def _shows_one_by_one(self, setting: Parameters, offset: Offset) -> bool:
        """Whether `fit` takes the compiled loop."""
        return setting.learns_compiled(offset) and setting.batch_size == 1

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

    def _offset_in_stream(self, setting: Parameters) -> Offset:
        offset = setting.offset_in_stream
        if setting.rule.needs_data_mean and not setting.centers_targets(offset):
            raise ValueError(
                f"The rule {setting.rule.name!r} needs the means of the whole data, which partial_fit does "
                'not have. Use fit, or centering="moving", which learns the means with the weights.'
            )
        return offset

    # Input and output

    def _checked(
        self, X: Any, y: Any, *, goes_on: bool, finite: bool = True, **checks: Any
    ) -> tuple[Array, Any]:
        """Return X and y as arrays; whether X is `finite` may be left to learning."""
        dtype = self.coef_.dtype if goes_on else DTYPES
        checks["ensure_all_finite"] = finite
        X, y = validate_data(self, X, y, reset=not goes_on, dtype=dtype, order="C", **checks)
        return X, y

    @contextmanager
    def _checking_by_mean(
        self, setting: Parameters, offset: Offset, X: Array, scales: Array
    ) -> Iterator[Array | None]:
        """Give the mean of the inputs if it is needed; in any case refuse inputs that are not finite.

        The mean shows it: large data take longer to bring from memory than to add up, so once is better.
        """
        if offset.takes_data_mean or not self._shows_one_by_one(setting, offset):
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
        if type(X) is not np.ndarray or "coef_" not in self.__dict__ or "feature_names_in_" in self.__dict__:
            return False
        fits = X.ndim == 2 and len(X) > 0 and X.shape[1] == self.coef_.shape[1]
        return fits and X.dtype == self.coef_.dtype and bool(np.isfinite(X).all())

    def _is_plain_sample(self, setting: Parameters, offset: Offset, X: Any) -> bool:
        """Whether X is one sample that needs no further checks.

        It is learned without a draft, which needs a compiled loop.
        """
        is_row = type(X) is np.ndarray and X.ndim == 2 and len(X) == 1 and X.flags.c_contiguous
        return is_row and setting.learns_compiled(offset) and self._is_plain(X)

    def _preactivation(self, X: Any) -> Array:
        if not self._is_plain(X):
            check_is_fitted(self)
            X = validate_data(self, X, reset=False, dtype=self.coef_.dtype)
        a: Array = (X - self.offset_) @ self.coef_.T + self.bias_
        return a


def scales_of(sample_weight: Any, X: Array) -> Array:
    """Return one factor of the learning rate for each sample; 0 is a sample that is not there."""
    n_samples = len(X)
    if sample_weight is None:
        return np.ones(n_samples, X.dtype)
    scales: Array = check_array(sample_weight, ensure_2d=False, dtype=X.dtype, input_name="sample_weight")
    if scales.shape != (n_samples,):
        raise ValueError(f"The sample_weight must have the shape ({n_samples},). Got {scales.shape}.")
    if (scales < 0).any():
        raise ValueError(f"The sample_weight must not be negative. Got {scales.min()}.")
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
