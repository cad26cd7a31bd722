"""A classifier with one output unit per class."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import softmax
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets, unique_labels

from hebbian_descent.aligned import aligned_zeros
from hebbian_descent.checks import Array
from hebbian_descent.estimators.base import AVERAGES, ONE, STATE, LayerEstimator, scales_of
from hebbian_descent.estimators.online_pass import Samples
from hebbian_descent.estimators.parameters import Parameters
from hebbian_descent.learning.averaging import Average
from hebbian_descent.learning.centering import SHIFT, Centering
from hebbian_descent.learning.scaling import Scaling
from hebbian_descent.network import Activation
from hebbian_descent.rules import ErrorTerm, Rule
from hebbian_descent.storage.models import saveable
from hebbian_descent.transaction import all_or_nothing


def _gives_probabilities(estimator: HebbianDescentClassifier) -> bool:
    name = getattr(estimator.activation, "name", estimator.activation)
    if name in ("softmax", "sigmoid"):
        return True
    raise AttributeError(
        f"predict_proba needs an output that is a probability, softmax or sigmoid. Got activation {name!r}."
    )


def _of_two(rows: Array) -> Array:
    """Return the difference of two classes as the one row that scikit-learn has for them."""
    return rows[1:] - rows[:1] if len(rows) == 2 else rows


@saveable
class HebbianDescentClassifier(ClassifierMixin, LayerEstimator):
    """A classifier that learns one example at a time, one output unit a class, the targets one-hot.

    With softmax units and the difference as error, the defaults, it is softmax regression by gradient descent
    on the cross entropy; what differs from other implementations is the centering of the inputs and the
    automatic learning rate. The predicted class is that of the largest preactivation.

    `partial_fit` is one pass in the given order. A class need not be announced: one that is first seen later
    has weights of zero until then.

    Args:
        rule: "hebbian_descent", "gradient_descent", "contrastive", "hebb", "covariance", or a `Rule`.
        activation: The name of an activation, or an `Activation`.
        error: "difference", "saturating", "leaky_hinge" (targets are then −1 and 1), or a function of
            targets and output.
        learning_rate: η, or "auto": κ / (L·(‖x − μ‖² + 1)), see `learning.rates`.
        weight_decay: ω, the part of the weights that each update takes away; not multiplied by η.
        centering: "auto" (the data mean in `fit`, moving in `partial_fit`), "mean", "moving", None, or
            numbers at which the offset stays. The old word "half" is "moving" with `offset_start=0.5`.
        scaling: "auto" (inputs are learned in units of their spread, see `learning.scaling`) or None.
        average: Over which samples the layer that predicts is averaged: True is the last quarter, False none,
            a rate β about the last 1/β; "auto" is True in `fit` and 0.001 in `partial_fit`.
        shift: ν, the rate at which a moving offset, and the spread, follow the inputs.
        epochs: Passes over the data in `fit`.
        batch_size: Samples an update in `fit`; `partial_fit` takes them one by one.
        shuffle: Whether `fit` takes another order in every epoch.
        random_state: The seed of orders and of random weights.
        warm_start: Whether `fit` goes on from where it was.
        offset_start: Where a moving offset starts, 0.5 in the paper; None is the mean of the inputs so far.
        initial_weights: "zeros", or "random" for the classes that are known before the first sample.

    Attributes:
        classes_: The labels, sorted.
        coef_, intercept_: The layer that predicts, as one without centering, in the shapes of scikit-learn.
        weights_, bias_, offset_: The layer that learns, h = φ((x − offset_)·weights_ᵀ + bias_).
        scale_: The spread of each input.
        n_features_in_, feature_names_in_: As in scikit-learn.
        n_samples_seen_, n_epochs_, seed_: How far learning has come, and the seed of its orders.

    Paper: eqn:update_general_hebbian_descent_sup_w_1
    """

    _purpose = "classify"
    _state_names = (*STATE, "classes_")
    classes_: npt.NDArray[Any]

    def __init__(
        self,
        rule: str | Rule = "hebbian_descent",
        activation: str | Activation = "softmax",
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

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> HebbianDescentClassifier:
        """Learn all samples for some epochs; a sample of weight 0 is as if it were not there."""
        with all_or_nothing(self) as draft:
            draft._fit(X, y, sample_weight)
        return self

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        setting = self._setting()
        goes_on = self.warm_start and self.__sklearn_is_fitted__()
        X, y = self._checked(X, y, goes_on=goes_on, finite=sample_weight is not None)
        check_classification_targets(y)
        X, y, scales = self._present(X, y, sample_weight)
        if X.shape[0] == 0:
            raise ValueError("The sample_weight must be positive for at least one sample. Got zeros only.")
        with self._checking_by_mean(setting, X, scales) as mean:
            if not goes_on:
                self.classes_ = np.unique(y)
                self._start(setting, len(self.classes_), X.dtype, setting.offset_in_fit)
            else:
                self._add_classes(y)
            self._fit_samples(setting, self._samples(X, y, scales), mean)

    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> HebbianDescentClassifier:
        """Learn the samples once, one after another; equal to as many calls with one sample each.

        `classes` may announce labels before they are seen, and others are then refused; it is never needed.
        """
        setting = self._setting()
        self._check_stream(setting)
        if classes is None and sample_weight is None and self._is_plain_sample(setting, X):
            place = self._place_of(y)
            if place is not None:
                self._stream_samples(setting, Samples(X, np.array([place]), ONE[X.dtype]))
                return self
        with all_or_nothing(self, self._shared(setting, X)) as draft:
            draft._partial_fit(setting, X, y, classes, sample_weight)
        return self

    def _partial_fit(self, setting: Parameters, X: Any, y: Any, classes: Any, sample_weight: Any) -> None:
        goes_on = self.__sklearn_is_fitted__()
        finite = sample_weight is not None or not setting.compiles(setting.in_stream)
        X, y = self._checked(X, y, goes_on=goes_on, finite=finite)
        check_classification_targets(y)
        X, y, scales = self._present(X, y, sample_weight)
        with self._refusing_what_is_not_finite(X):
            if not goes_on:
                self.classes_ = np.unique(y[:0] if classes is None else classes)
                self._start(setting, len(self.classes_), X.dtype, setting.offset_in_stream)
            elif classes is not None:
                self._add_classes(classes)
            if classes is not None and not (known := np.isin(y, self.classes_)).all():
                raise ValueError(
                    "The labels must be among the classes that were announced or seen before. "
                    f"Got {y[~known].tolist()[0]!r}: add it to `classes`, or leave them out to learn "
                    "any label."
                )
            self._stream(setting, X, y, scales)

    def _stream(self, setting: Parameters, X: Array, y: Any, scales: Array) -> None:
        """Learn in order, with a pause wherever a class is seen for the first time."""
        self._own_unless_safe(self._samples(X, y[:0], scales))
        _, first_places = np.unique(y, return_index=True)
        new = [place for place in first_places if y[place] not in self.classes_]
        for start, end in zip([0, *sorted(new)], [*sorted(new), len(y)], strict=True):
            if start == end:
                continue
            self._add_classes(y[start : start + 1])
            samples = self._samples(X[start:end], y[start:end], scales[start:end])
            self._stream_samples(setting, samples)

    def _add_classes(self, labels: Any) -> None:
        """Let unknown classes have weights of zero."""
        known = self.classes_
        every = unique_labels(known, np.unique(labels)) if len(known) else np.unique(labels)
        if known.dtype == object:  # which `unique_labels` does not keep
            every = every.astype(object)
        if len(every) == len(known):
            return
        places = np.searchsorted(every, known)
        self.classes_ = every
        if "_sparse" in vars(self):
            self._sparse = self._sparse.with_outputs(len(every), places)
            self._progress = self._progress.copy()
        for name in ("weights_", "bias_", "target_offset_", *AVERAGES):
            if (old := vars(self).get(name)) is not None:
                grown = aligned_zeros((len(every), *old.shape[1:]), old.dtype)
                grown[places] = old
                setattr(self, name, grown)

    def _present(self, X: Array, y: Any, sample_weight: Any) -> tuple[Array, Any, Array]:
        scales = scales_of(sample_weight, X)
        there = scales > 0
        return (X, y, scales) if there.all() else (X[there], y[there], scales[there])

    def _samples(self, X: Array, y: Any, scales: Array) -> Samples:
        return Samples(X, np.searchsorted(self.classes_, y).astype(np.int64, copy=False), scales)

    def _place_of(self, y: Any) -> int | None:
        """Return the place of the one label in `classes_`, or None if there is none or more to check."""
        labels = np.asarray(y)
        if labels.shape != (1,) or labels.dtype.kind != self.classes_.dtype.kind:
            return None
        known = self.__dict__.get("_places")
        if known is None or known[0] is not self.classes_:
            places = {label: place for place, label in enumerate(self.classes_.tolist())}
            known = self._places = (self.classes_, places)
        place: int | None = known[1].get(labels.item())
        return place

    @property
    def coef_(self) -> Array:
        """The weights of the layer that predicts, (n_classes, n_features), or one row for two classes."""
        return _of_two(self._raw_layer()[0])

    @property
    def intercept_(self) -> Array:
        """The bias of the equivalent layer without centering, (n_classes,), or (1,) for two classes."""
        return _of_two(self._raw_layer()[1])

    def decision_function(self, X: Any) -> Array:
        """Return the preactivation of each class, (n_samples, n_classes), or a₁ − a₀ of two, (n_samples,)."""
        a = self._preactivation(X)
        return a[:, 1] - a[:, 0] if a.shape[1] == 2 else a

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the class with the largest preactivation, the first of equal ones."""
        a = self._preactivation(X)
        labels: npt.NDArray[Any] = self.classes_[a.argmax(axis=1)]
        return labels

    @available_if(_gives_probabilities)
    def predict_proba(self, X: Any) -> Array:
        """Return the probability of each class.

        For softmax units this is the output. For sigmoid units it is the probability of each class given
        that exactly one is on, which is the softmax of the preactivation, too.
        """
        probabilities: Array = softmax(self._preactivation(X), axis=1)
        return probabilities

    @available_if(_gives_probabilities)
    def predict_log_proba(self, X: Any) -> Array:
        """Return the logarithms of the probabilities, −inf where these are too small for a number."""
        with np.errstate(divide="ignore"):
            logarithms: Array = np.log(self.predict_proba(X))
        return logarithms

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        state.pop("_places", None)
        return state
