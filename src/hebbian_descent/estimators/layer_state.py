"""The state of a layer that learns samples, and which layer predicts.

While sparse samples are learned, `_sparse` replaces the arrays, which are then copies made on request.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from hebbian_descent.aligned import aligned_zeros
from hebbian_descent.checks import Array
from hebbian_descent.engines.online import LayerArrays, OnlineSetting, Progress
from hebbian_descent.engines.sparse_online import SparseArrays, is_sparse
from hebbian_descent.estimators.parameters import Parameters
from hebbian_descent.estimators.state import HasState
from hebbian_descent.learning.averaging import Averaging
from hebbian_descent.learning.centering import Offset
from hebbian_descent.network import glorot_uniform

STATE = (
    *("weights_", "bias_", "offset_"),
    *("n_samples_seen_", "weight_seen_", "n_epochs_", "seed_", "n_features_in_"),
)
SPREAD = ("mean_squares_", "precisions_")
AVERAGES = ("mean_weights_", "mean_bias_")
LEARNED = ("weights_", "bias_", "offset_", *SPREAD, *AVERAGES)
"""The arrays of a layer, in the order of `LayerArrays`."""


class ArrayOfLayer:
    """An array of the layer, given as a copy while `_sparse` replaces it."""

    name: str

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, estimator: Any, owner: type) -> Any:
        if estimator is None:
            return self
        if (known := estimator.__dict__.get("_sparse")) is not None:
            arrays = known.dense()
            if (array := arrays[LEARNED.index(self.name)]) is not None:
                return array
        raise AttributeError(f"{type(estimator).__name__!r} object has no attribute {self.name!r}")


class LayerState(HasState, BaseEstimator):
    """The state of a centered layer that learns samples.

    The state is a few arrays: `weights_`, `bias_` and `offset_` make h = φ((x − offset_)·weights_ᵀ + bias_).
    Predictions are those of its average where there is one, `mean_weights_` and `mean_bias_`.
    """

    _state_names: tuple[str, ...] = STATE
    _optional_state: tuple[str, ...] = (
        *("feature_names_in_", "target_offset_", "n_iter_", "loss_curve_"),
        *(*SPREAD, *AVERAGES),
    )
    _together = (SPREAD, AVERAGES)

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
    """Replaces the arrays while sparse samples are learned."""

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

    def __sklearn_is_fitted__(self) -> bool:
        return "weights_" in vars(self) or "_sparse" in vars(self)

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = dict(super().__getstate__())
        state.pop("_remembered", None)
        return state

    def _state(self, **known: Any) -> dict[str, Any]:
        """Return what was learned; learning more gives the same bits with and without loading the file."""
        if "_sparse" in self.__dict__:
            self._sparse = SparseArrays.of(self._sparse.dense())
            arrays = self._sparse.dense()  # once for all of its names
            known |= {name: array for name, array in zip(LEARNED, arrays, strict=True) if array is not None}
        return super()._state(**known)

    @property
    def _n_outputs(self) -> int:
        return int(len(self._sparse.places) if "_sparse" in self.__dict__ else len(self.weights_))

    @property
    def _dtype(self) -> np.dtype[Any]:
        return (self._sparse.rows if "_sparse" in self.__dict__ else self.weights_).dtype

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
        """Return the arrays that learning changes; those that a setting needs and lacks start now."""
        has = self.__dict__
        if "_sparse" in has:
            known = self._sparse.dense()
            has |= {name: array for name, array in zip(LEARNED, known, strict=True) if array is not None}
            del has["_sparse"]
        for unused in (() if setting.scale else SPREAD, () if setting.averaging else AVERAGES):
            for name in unused:
                has.pop(name, None)
        if setting.scale is not None and "precisions_" not in has:
            # No spread yet: a scale may also start in mid-stream, around a known offset.
            self.mean_squares_, self.precisions_ = self.offset_**2, np.zeros_like(self.offset_)
        if setting.averaging is not None and "mean_weights_" not in has:
            self.mean_weights_ = aligned_zeros(self.weights_.shape, self.weights_.dtype)
            self.mean_bias_ = self.bias_ - self.weights_ @ self.offset_
            if self.weights_.any():
                self.mean_weights_[:] = self.weights_
        return LayerArrays(*map(has.get, LEARNED))  # type: ignore[arg-type]

    def _sparse_arrays(self, setting: OnlineSetting) -> SparseArrays:
        """Return the same for sparse samples."""
        has = self.__dict__
        kind = setting.scale is not None, setting.averaging is not None
        if "_sparse" not in has or kind != (self._sparse.scales, self._sparse.mean_bias is not None):
            self._take_sparse(SparseArrays.of(self._arrays(setting)))
            for name in LEARNED:
                has.pop(name, None)
        return self._sparse

    def _take_sparse(self, layer: SparseArrays) -> None:
        """Replace the layer with a sparse one, with which its counts may have been shared."""
        self._sparse, self._progress = layer, self._progress.copy()

    def _is_averaged(self) -> bool:
        """Whether predictions are those of the averaged layer."""
        has = self.__dict__
        if isinstance(self.average, (bool, np.bool_)) and not self.average:
            return False
        is_there = self._sparse.mean_bias is not None if "_sparse" in has else "mean_weights_" in has
        return is_there and Averaging.has_begun(has["_progress"][0], self.n_features_in_)

    def _raw_layer(self) -> tuple[Array, Array]:
        """Return the weights and the bias of the layer that predicts, as one without centering."""
        check_is_fitted(self)
        if self._is_averaged():
            return self.mean_weights_, self.mean_bias_
        if "_sparse" in self.__dict__:
            return self._sparse.dense().weights, self._sparse.raw_bias
        return self.weights_, self.bias_ - self.weights_ @ self.offset_

    def _activity(self, X: Any) -> Array:
        """Return the preactivations of the layer that predicts, for inputs that are checked."""
        if "_sparse" in self.__dict__ or is_sparse(X):
            return self._preactivation_of_raw(X)
        if self._is_averaged():
            return preactivation(self.mean_weights_, self.mean_bias_, X)
        return preactivation(self.weights_, self.bias_, X - self.offset_)

    def _preactivation_of_raw(self, X: Any) -> Array:
        """Return the preactivation from inputs as they are, of which those that are 0 do not count."""
        known = self.__dict__.get("_sparse")
        if known is not None and is_sparse(X):
            a: Array = known.respond(X, by_average=self._is_averaged())
        else:
            W, b = self._raw_layer()
            a = X @ W.T + b
        return a


def preactivation(weights: Array, bias: Array, inputs: Array) -> Array:
    """Return XWᵀ + b; a single row is treated as a vector, which takes half the time."""
    if len(inputs) == 1:
        a: Array = (weights.dot(inputs[0]) + bias)[np.newaxis]
    else:
        a = inputs @ weights.T + bias
    return a


def start_of_offset(offset: Offset, n_inputs: int, dtype: npt.DTypeLike) -> Array:
    """Return the offset before the first sample."""
    start = np.asarray(offset.start)
    if start.ndim and len(start) != n_inputs:
        raise ValueError(f"The centering must be one number or {n_inputs}, one per input. Got {len(start)}.")
    return np.full(n_inputs, start, dtype)


def seed_of(random_state: Any) -> int:
    """Return an integer itself, or one drawn from a generator, as in scikit-learn."""
    if isinstance(random_state, (int, np.integer)) and random_state >= 0:
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31))
