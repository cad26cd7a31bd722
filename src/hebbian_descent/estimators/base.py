"""Base of classifier and regressor: a layer that learns from all samples or from one at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import isfinite
from typing import Any

import numpy as np
from sklearn.utils import Tags, assert_all_finite, check_array
from sklearn.utils.validation import check_is_fitted, validate_data

from hebbian_descent.checks import Array, read_only, refuse_masked
from hebbian_descent.engines.online import (
    LayerArrays,
    Loop,
    OnlineSetting,
    in_codes,
    is_compiled,
    samples_in_a_call,
)
from hebbian_descent.engines.sparse_online import SparseArrays, as_rows, has_ordinary_size, is_sparse
from hebbian_descent.estimators.batches import LearnsBatches
from hebbian_descent.estimators.describe import describe_layer, or_what_is_wrong
from hebbian_descent.estimators.layer_state import LayerState
from hebbian_descent.estimators.online_pass import (
    Samples,
    check_mean,
    largest_of,
    learn,
    values_of,
    weighted_mean,
    weighted_spread,
    weights_of_a_sample,
)
from hebbian_descent.estimators.parameters import SPARSE, Parameters
from hebbian_descent.estimators.sparse_input import checked_rows
from hebbian_descent.learning.centering import Offset
from hebbian_descent.learning.divergence import DivergenceError, limit_of
from hebbian_descent.learning.scaling import FLOORS, precisions_of
from hebbian_descent.network import Layer
from hebbian_descent.transaction import as_it_is, keep_so_far, own

DTYPES = (np.float64, np.float32)
ORDINARY_SIZE = 1e12
LEAST_SHARE = 1e-6
"""Least share of an input in its own spread: the root of how little it counts in a running mean."""
FIRST = read_only(np.arange(1))
SLOW_SAMPLES = 256
"""After this many samples, some hundredths of a second, what the plain loop has learned is kept."""
ONE = {np.dtype(dtype): read_only(np.ones(1, dtype)) for dtype in DTYPES}


class LayerEstimator(LearnsBatches, LayerState):
    """A centered layer with the methods of a scikit-learn estimator."""

    _purpose: str

    def describe(self) -> str:
        """Describe the parameters in plain words."""
        return or_what_is_wrong(lambda: describe_layer(self._setting()))

    # Parameters

    def _setting(self) -> Parameters:
        """Return the checked parameters; they are checked again only after they have changed."""
        has = self.__dict__
        told = [*map(has.get, self._parameter_names()), type(self.average)]  # True equals 1.0, but differs
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

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    # Learning

    def _learned_arrays(
        self, setting: OnlineSetting, samples: Samples, loop: Loop | None
    ) -> LayerArrays | SparseArrays:
        """Return the arrays that learning these samples changes."""
        learns_sparse = loop is not None and is_sparse(samples.inputs)
        return self._sparse_arrays(setting) if learns_sparse else self._arrays(setting)

    def _start_at(self, setting: OnlineSetting, samples: Samples, first: int) -> None:
        """Start the running mean of scaled inputs at the first sample, which then teaches only the bias.

        One sample says nothing about the spread: in units of it, an input that happens to be near 0 would
        have an enormous weight. The bias of linear units takes the whole target, since the next samples would
        teach the weights the rest. A sample whose squares are not finite has no spread at all.
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
        if isinstance(arrays, SparseArrays):
            keep_so_far(self, shared=True)  # if they are shared, an interrupt must leave the classes as well
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
                keep_so_far(self, shared=loop is not None and is_compiled())

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

        A sample that is not finite is never learned: its activity is not finite either. So X need not be
        read beforehand, which takes a fifth of the time of learning it.
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
        self, setting: Parameters, X: Any, y: Any, *, goes_on: bool, finite: bool = True, **checks: Any
    ) -> tuple[Array, Any]:
        """Return X and y as arrays; whether X is `finite` may be left to learning."""
        refuse_masked(X, "X")
        refuse_masked(y, "y")
        dtype = self._dtype if goes_on else setting.dtypes
        X, y = (checked_rows(part, name) if is_sparse(part) else part for part, name in ((X, "X"), (y, "y")))
        checks["ensure_all_finite"] = finite or is_sparse(X)
        X, y = validate_data(
            self, X, y, reset=not goes_on, dtype=dtype, order="C", accept_sparse="csr", **checks
        )
        return as_rows(X) if is_sparse(X) else X, y

    @contextmanager
    def _checking_by_mean(self, setting: Parameters, X: Array, scales: Array) -> Iterator[Array | None]:
        """Give the mean of the inputs if it is needed; in any case refuse inputs that are not finite.

        The mean shows it: large data take longer to load from memory than to add up, so one pass is better.
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

        With an automatic rate, and with inputs and targets of ordinary size, no sample is refused, and
        compiled code learns and counts it as a whole. A copy of all weights would take longer than learning a
        few samples.
        """
        is_safe = setting.learning_rate is None and setting.compiles(setting.in_stream)
        is_safe = is_safe and self.__sklearn_is_fitted__() and self._progress.flags.writeable
        return ("_sparse", "_progress") if is_safe and is_sparse(X) and "_sparse" in self.__dict__ else ()

    def _own_unless_safe(self, X: Any, *targets: Any) -> None:
        """Copy what was shared if samples might be refused after all: large ones, or far from others.

        So might ordinary ones after large ones, until the weights are known to be of ordinary size again, and
        any by units whose slope has no bound. A single sample is learned or refused as a whole.
        """
        if "_sparse" not in self.__dict__:
            return
        x, layer = values_of(X), self._sparse
        largest = largest_of(x)
        is_ordinary = layer.is_ordinary and largest < ORDINARY_SIZE and has_ordinary_size(*targets)
        self._sparse = layer._replace(is_ordinary=is_ordinary)
        has_bound = not self._setting().activation.slope_is_output
        if X.shape[0] <= 1 or (has_bound and is_ordinary and self._is_near(X, largest)):
            return
        known = layer.dense()
        is_ordinary = largest < ORDINARY_SIZE and has_ordinary_size(known.weights, known.bias, *targets)
        self._take_sparse(own(layer._replace(is_ordinary=is_ordinary)))

    def _is_near(self, X: Any, largest: float) -> bool:
        """Whether sparse samples are so near to all others that none of them can be refused."""
        x, layer = values_of(X), self._sparse
        if not layer.scales:
            # The longest possible x − μ, since μ moves towards x.
            longest = largest**2 * np.diff(X.indptr).max()
            return bool(4 * max(layer.square_sum, longest) < limit_of(x))
        smallest = np.abs(x).min(where=x != 0, initial=np.inf)
        finest = min(layer.finest_scale, smallest * LEAST_SHARE * np.sqrt(FLOORS[x.dtype]))
        return bool(largest / finest < limit_of(x) ** 0.75)

    def _is_plain(self, X: Any) -> bool:
        """Whether X needs no further checks: an array of the right dtype and width, and finite.

        Its squared length is not finite if any number is not, and faster to compute than a check of each.
        """
        has = self.__dict__
        if type(X) is not np.ndarray or "weights_" not in has or "feature_names_in_" in has:
            return False
        fits = X.ndim == 2 and len(X) > 0 and X.shape[1] == self.weights_.shape[1]
        return fits and X.dtype == self.weights_.dtype and isfinite(np.vdot(X, X))

    def _is_plain_sample(self, setting: Parameters, X: Any) -> bool:
        """Whether X is one sample that needs no further checks.

        It is learned without a draft, which needs a compiled loop, an offset that has started, and arrays
        that can be written, unlike those of a file that is mapped into memory.
        """
        is_row = type(X) is np.ndarray and X.ndim == 2 and len(X) == 1 and X.flags.c_contiguous
        is_plain = is_row and setting.compiles(setting.in_stream) and self._is_plain(X)
        return is_plain and self._progress[0] > 0 and self._progress.flags.writeable

    def _preactivation(self, X: Any) -> Array:
        if not self._is_plain(X):
            check_is_fitted(self)
            refuse_masked(X, "X")
            X = checked_rows(X, "X") if is_sparse(X) else X
            X = validate_data(self, X, reset=False, dtype=self._dtype, accept_sparse="csr")
        return as_it_is(self)._activity(X)


def scales_of(sample_weight: Any, X: Any) -> Array:
    """Return the weight of each sample; a sample of weight 0 counts as absent."""
    n_samples = X.shape[0]
    if sample_weight is None:
        return np.ones(n_samples, X.dtype)
    refuse_masked(sample_weight, "sample_weight")
    scales: Array = check_array(sample_weight, ensure_2d=False, dtype=X.dtype, input_name="sample_weight")
    if scales.shape != (n_samples,):
        raise ValueError(f"The sample_weight must have the shape ({n_samples},). Got {scales.shape}.")
    if (scales < 0).any():
        raise ValueError(f"The sample_weight must not be negative. Got {scales.min()}.")
    if scales.max() > limit_of(scales):  # so that sums of them are finite
        raise ValueError(f"The sample_weight must be at most {limit_of(scales):g}. Got {scales.max():g}.")
    return scales


def _differ(remembered: list[Any], told: list[Any]) -> bool:
    """Return whether a parameter has changed; two arrays count as different unless they are one object."""
    try:
        return remembered != told
    except ValueError:
        return True
