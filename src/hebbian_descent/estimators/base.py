"""What classifier and regressor share: a layer that learns from samples, whole or one at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils import Tags, assert_all_finite, check_array, check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from hebbian_descent.aligned import aligned_zeros
from hebbian_descent.checks import Array
from hebbian_descent.engines.online import (
    LayerArrays,
    Loop,
    OnlineSetting,
    Progress,
    in_codes,
    samples_in_a_call,
)
from hebbian_descent.engines.sparse_online import SparseArrays, as_rows, is_sparse
from hebbian_descent.estimators.batches import LearnsBatches
from hebbian_descent.estimators.describe import describe_layer
from hebbian_descent.estimators.epochs import Stopping
from hebbian_descent.estimators.online_pass import (
    Samples,
    check_mean,
    largest_of,
    learn,
    read_only,
    values_of,
    weighted_mean,
    weighted_spread,
    weights_of_a_sample,
)
from hebbian_descent.estimators.parameters import SPARSE, Parameters
from hebbian_descent.estimators.state import HasState
from hebbian_descent.learning.averaging import Averaging
from hebbian_descent.learning.centering import Offset
from hebbian_descent.learning.divergence import limit_of
from hebbian_descent.learning.run import DivergenceError
from hebbian_descent.learning.scaling import precisions_of
from hebbian_descent.network import Layer, glorot_uniform
from hebbian_descent.storage.models import is_count
from hebbian_descent.transaction import keep_so_far, own

DTYPES = (np.float64, np.float32)
STATE = (
    *("weights_", "bias_", "offset_"),
    *("n_samples_seen_", "weight_seen_", "n_epochs_", "seed_", "n_features_in_"),
)
SPREAD = ("mean_squares_", "precisions_")
AVERAGES = ("mean_weights_", "mean_bias_")
LEARNED = ("weights_", "bias_", "offset_", *SPREAD, *AVERAGES)
"""The arrays of a layer, in the order of `LayerArrays`."""
ORDINARY_SIZE = 1e12
FIRST = read_only(np.arange(1))
SLOW_SAMPLES = 256
"""After how many samples what the plain loop has learned is kept: some hundredths of a second."""
ONE = {np.dtype(dtype): read_only(np.ones(1, dtype)) for dtype in DTYPES}


class ArrayOfLayer:
    """An array of the layer, given as a copy while `_sparse` stands in its place."""

    name: str

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, estimator: Any, owner: type) -> Any:
        if estimator is None:
            return self
        if (known := estimator.__dict__.get("_sparse")) is not None:
            arrays = known.dense(scales=estimator._setting().scales_inputs)
            if (array := arrays[LEARNED.index(self.name)]) is not None:
                return array
        raise AttributeError(f"{type(estimator).__name__!r} object has no attribute {self.name!r}")


class LayerEstimator(LearnsBatches, HasState, BaseEstimator):
    """A centered layer with the methods of a scikit-learn estimator.

    The state is a few arrays: `weights_`, `bias_` and `offset_` make h = φ((x − offset_)·weights_ᵀ + bias_).
    Predictions are those of its average where there is one, `mean_weights_` and `mean_bias_`.
    """

    _state_names: tuple[str, ...] = STATE
    _optional_state: tuple[str, ...] = (
        *("feature_names_in_", "target_offset_", "n_iter_", "loss_curve_"),
        *(*SPREAD, *AVERAGES),
    )
    _together = (SPREAD, AVERAGES)
    _later_parameters = MappingProxyType(
        {"offset_start": None, "scaling": None, "average": False, **Stopping()._asdict()}
    )
    _purpose: str

    weights_ = ArrayOfLayer()
    bias_ = ArrayOfLayer()
    offset_ = ArrayOfLayer()
    mean_squares_ = ArrayOfLayer()
    precisions_ = ArrayOfLayer()
    mean_weights_ = ArrayOfLayer()
    mean_bias_ = ArrayOfLayer()
    n_epochs_: int
    seed_: int
    n_features_in_: int
    _progress: Progress
    _sparse: SparseArrays
    """Stands in place of the arrays while sparse samples are learned."""

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
        if (precisions := getattr(self, "precisions_", None)) is None:
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
        return "weights_" in vars(self) or "_sparse" in vars(self)

    # What parameters say

    def _setting(self) -> Parameters:
        """Return the checked parameters; they are checked again only after they have changed."""
        has = self.__dict__
        told = [*map(has.get, self._parameter_names()), type(self.average)]  # True equals 1.0, and is another
        remembered = has.get("_remembered")
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

    def _state(self, **known: Any) -> dict[str, Any]:
        """Return what was learned; who goes on learning after saving has the same bits as who loads it."""
        if "_sparse" in self.__dict__:
            self._sparse = SparseArrays.of(self._sparse.dense(scales=True))
            arrays = self._sparse.dense(scales=self._setting().scales_inputs)  # once for all of its names
            known |= {name: array for name, array in zip(LEARNED, arrays, strict=True) if array is not None}
        return super()._state(**known)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

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
        for name in {"_sparse", *self._optional_state} - {"feature_names_in_"}:
            self.__dict__.pop(name, None)
        self.n_samples_seen_ = self.n_epochs_ = 0

    def _arrays(self, setting: OnlineSetting) -> LayerArrays:
        """Return what learning changes; what a setting needs and is not there yet begins now."""
        has = self.__dict__
        if "_sparse" in has:
            known = self._sparse.dense(scales=setting.scale is not None)
            has |= {name: array for name, array in zip(LEARNED, known, strict=True) if array is not None}
            del has["_sparse"]
        for unused in (() if setting.scale else SPREAD, () if setting.averaging else AVERAGES):
            for name in unused:
                has.pop(name, None)
        if setting.scale is not None and "precisions_" not in has:
            # No spread as yet: a scale may also begin in mid-stream, around an offset that is known.
            self.mean_squares_, self.precisions_ = self.offset_**2, np.zeros_like(self.offset_)
        if setting.averaging is not None and "mean_weights_" not in has:
            self.mean_weights_ = aligned_zeros(self.weights_.shape, self.weights_.dtype)
            self.mean_weights_[:], self.mean_bias_ = self.weights_, self.bias_ - self.weights_ @ self.offset_
        return LayerArrays(*map(has.get, LEARNED))  # type: ignore[arg-type]

    def _sparse_arrays(self, setting: OnlineSetting) -> SparseArrays:
        """Return the same for sparse samples."""
        has = self.__dict__
        is_averaged = "_sparse" in has and self._sparse.mean_weights is not None
        if "_sparse" not in has or is_averaged != (setting.averaging is not None):
            self._sparse = SparseArrays.of(self._arrays(setting))
            for name in LEARNED:
                has.pop(name, None)
        return self._sparse

    def _learned_arrays(
        self, setting: OnlineSetting, samples: Samples, loop: Loop | None
    ) -> LayerArrays | SparseArrays:
        """Return what learning of these samples changes."""
        learns_sparse = loop is not None and is_sparse(samples.inputs)
        return self._sparse_arrays(setting) if learns_sparse else self._arrays(setting)

    def _start_at(self, setting: OnlineSetting, samples: Samples, first: int) -> None:
        """Let the running mean of scaled inputs start at the first sample, which so teaches the bias alone.

        It says nothing of the spread: in units of it, an input that happens to be near 0 would have an
        enormous weight. The bias of linear units takes it whole, since the next samples would teach weights
        what is left. A sample whose squares are not finite has no spread at all.
        """
        starts = setting.scale is not None and setting.offset.starts_as_mean
        if not starts or self.n_samples_seen_ > 0:
            return
        sample, error = samples.dense_at([first]), setting.update.error
        x = sample.inputs[0]
        if not np.abs(x).max() <= limit_of(x):
            raise DivergenceError.by_inputs(0, setting.update.fixed_rate, x)
        self.offset_[:] = x
        if setting.activation.name == "linear" and not error.target_values:
            self.bias_[:] = in_codes(sample.targets, self._n_outputs, error, x.dtype)[0]

    def _take_mean(self, setting: Parameters, samples: Samples, mean: Array) -> None:
        """Center on the data mean and scale by the spread around it; what was learned stays the same."""
        if self.n_samples_seen_ == 0:
            self.offset_[:] = mean
        else:
            Layer(self.weights_.T, self.bias_, self.offset_, setting.activation).move_offset(mean)
        if setting.scales_inputs:
            squares, variance = weighted_spread(samples.inputs, samples.scales, mean)
            if not np.isfinite(squares).all():
                raise DivergenceError.by_inputs(0, setting.learning_rate, values_of(samples.inputs))
            self.mean_squares_[:], self.precisions_[:] = squares, precisions_of(variance, squares)

    def _stream_samples(self, setting: Parameters, samples: Samples) -> None:
        """Learn one sample after another, in the given order; Ctrl-C leaves those of whole calls."""
        in_stream, n_samples = setting.in_stream, len(samples.scales)
        if n_samples == 0:
            return
        self._start_at(in_stream, samples, 0)
        loop = self._loop(setting, in_stream, samples)
        arrays = self._learned_arrays(in_stream, samples, loop)
        size = samples_in_a_call(weights_of_a_sample(arrays, samples))
        size = min(size, SLOW_SAMPLES) if loop is None else size
        order = FIRST if n_samples == 1 else np.arange(n_samples)
        for start in range(0, n_samples, size):
            learn(
                in_stream,
                arrays,
                samples,
                order[start : start + size],
                self._progress,
                loop=loop,
                target_offset=self._target_offset(setting, in_stream.offset),
            )
            if start + size < n_samples:
                keep_so_far(self)

    def _loop(self, setting: Parameters, online: OnlineSetting, samples: Samples) -> Loop | None:
        """Return the compiled loop for single samples, two of them per pass in `fit`, or None."""
        in_fit = online is setting.in_fit
        if in_fit and setting.batch_size > 1:
            return None
        per_pass = SPARSE if is_sparse(samples.inputs) else 2 if in_fit else 1
        return setting.loop(online, self.n_features_in_, samples.inputs.dtype, per_pass=per_pass)

    def _target_offset(self, setting: Parameters, offset: Offset) -> Array | None:
        """Return the running mean of the targets, where the rule needs one."""
        if not offset.centers_targets(setting.rule):
            return None
        if "target_offset_" not in vars(self):
            self.target_offset_: Array = np.zeros(self._n_outputs, self._dtype)
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

    # Input and output

    def _checked(
        self, X: Any, y: Any, *, goes_on: bool, finite: bool = True, **checks: Any
    ) -> tuple[Array, Any]:
        """Return X and y as arrays; whether X is `finite` may be left to learning."""
        dtype = self._dtype if goes_on else DTYPES
        checks["ensure_all_finite"] = finite or is_sparse(X)
        X, y = validate_data(
            self, X, y, reset=not goes_on, dtype=dtype, order="C", accept_sparse="csr", **checks
        )
        return as_rows(X) if is_sparse(X) else X, y

    @property
    def _n_outputs(self) -> int:
        return int(self._sparse.units.shape[1] if "_sparse" in self.__dict__ else len(self.weights_))

    @property
    def _dtype(self) -> np.dtype[Any]:
        return (self._sparse.encoded if "_sparse" in self.__dict__ else self.weights_).dtype

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

    def _shared(self, setting: Parameters, X: Any) -> tuple[str, ...]:
        """Return what need not be copied before sparse samples are learned.

        With an automatic rate and inputs and targets of ordinary size no sample is refused, and compiled code
        learns and counts it as a whole. A copy of all weights would take longer than learning a few samples.
        """
        is_safe = setting.learning_rate is None and setting.compiles(setting.in_stream)
        return ("_sparse", "_progress") if is_safe and is_sparse(X) and "_sparse" in self.__dict__ else ()

    def _own_unless_safe(self, *numbers: Any) -> None:
        """Copy what was shared if samples might be refused after all."""
        if "_sparse" in self.__dict__ and not max(map(largest_of, numbers)) < ORDINARY_SIZE:
            self._sparse, self._progress = own(self._sparse), self._progress.copy()

    def _is_plain(self, X: Any) -> bool:
        """Whether X needs no further checks: an array of the right dtype and width, and finite."""
        has = self.__dict__
        if type(X) is not np.ndarray or "weights_" not in has or "feature_names_in_" in has:
            return False
        fits = X.ndim == 2 and len(X) > 0 and X.shape[1] == self.weights_.shape[1]
        return fits and X.dtype == self.weights_.dtype and bool(np.isfinite(X).all())

    def _is_plain_sample(self, setting: Parameters, X: Any) -> bool:
        """Whether X is one sample that needs no further checks.

        It is learned without a draft, which needs a compiled loop, and an offset that has started.
        """
        is_row = type(X) is np.ndarray and X.ndim == 2 and len(X) == 1 and X.flags.c_contiguous
        return is_row and setting.compiles(setting.in_stream) and self._is_plain(X) and self._progress[0] > 0

    def _is_averaged(self) -> bool:
        """Whether predictions are those of the averaged layer."""
        has = self.__dict__
        if isinstance(self.average, bool | np.bool_) and not self.average:
            return False
        is_there = self._sparse.mean_weights is not None if "_sparse" in has else "mean_weights_" in has
        return is_there and Averaging.has_begun(has["_progress"][0], self.n_features_in_)

    def _raw_layer(self) -> tuple[Array, Array]:
        """Return the weights and the bias of the layer that predicts, as one without centering."""
        check_is_fitted(self)
        if self._is_averaged():
            return self.mean_weights_, self.mean_bias_
        if "_sparse" in self.__dict__:
            return self._sparse.caught_up()[0].T, self._sparse.raw_bias
        return self.weights_, self.bias_ - self.weights_ @ self.offset_

    def _preactivation(self, X: Any) -> Array:
        if not self._is_plain(X):
            check_is_fitted(self)
            X = validate_data(self, X, reset=False, dtype=self._dtype, accept_sparse="csr")
        return self._activity(X)

    def _activity(self, X: Any) -> Array:
        """Return the preactivations of the layer that predicts, for inputs that are checked."""
        if "_sparse" in self.__dict__ or is_sparse(X):
            return self._preactivation_of_raw(X)
        if self._is_averaged():
            a: Array = X @ self.mean_weights_.T + self.mean_bias_
        else:
            a = (X - self.offset_) @ self.weights_.T + self.bias_
        return a

    def _preactivation_of_raw(self, X: Any) -> Array:
        """Return the preactivation from inputs as they are, of which those that are 0 do not count."""
        known = self.__dict__.get("_sparse")
        if known is None or not is_sparse(X):
            W, b = self._raw_layer()
        elif self._is_averaged():
            W, b = known.mean_weights.T, known.mean_bias
        else:
            there = np.unique(X.indices)
            W, b, X = known.caught_up(there)[0].T, known.raw_bias, X[:, there]
        a: Array = X @ W.T + b
        return a


def scales_of(sample_weight: Any, X: Any) -> Array:
    """Return the weight of each sample; 0 is a sample that is not there."""
    n_samples = X.shape[0]
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
