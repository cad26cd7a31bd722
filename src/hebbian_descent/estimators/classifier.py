"""A classifier with one output unit per class."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.special import expit, softmax
from sklearn.base import ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.multiclass import is_multilabel

from hebbian_descent.aligned import aligned_zeros
from hebbian_descent.checks import Array, refuse_masked
from hebbian_descent.estimators.base import ONE, LayerEstimator, scales_of
from hebbian_descent.estimators.describe import describe_layer, or_what_is_wrong
from hebbian_descent.estimators.epochs import fit_epochs
from hebbian_descent.estimators.labels import (
    ClassWeight,
    as_class_weight,
    as_indicator,
    check_kind,
    check_labels,
    check_labels_apart,
    check_names_of_classes,
    class_weight_of_pairs,
    refuse_balance_in_a_stream,
    refuse_null,
    takes_several_labels,
    weights_of_labels,
    with_new,
)
from hebbian_descent.estimators.layer_state import AVERAGES, STATE
from hebbian_descent.estimators.online_pass import Samples
from hebbian_descent.estimators.parameters import Parameters, available_unless, why_no_stream
from hebbian_descent.estimators.state import Arrays
from hebbian_descent.learning.averaging import Average
from hebbian_descent.learning.centering import SHIFT, Centering, Offset
from hebbian_descent.learning.scaling import Scaling
from hebbian_descent.network import Activation, get_activation
from hebbian_descent.rules import ErrorTerm, Rule, get_error_term
from hebbian_descent.storage.models import saveable
from hebbian_descent.transaction import all_or_nothing, alone, as_it_is


def _why_no_probabilities(classifier: HebbianDescentClassifier) -> str | None:
    name = getattr(classifier.activation, "name", classifier.activation)
    if name in ("softmax", "sigmoid"):
        return None
    return f'Only activation="softmax" and "sigmoid" give probabilities. Got {name!r}: try decision_function.'


@saveable
class HebbianDescentClassifier(ClassifierMixin, LayerEstimator):
    """A classifier that learns one example at a time, with one output unit per class.

    With softmax units and the difference as error, the defaults, it is softmax regression by gradient descent
    on the cross entropy; what differs from other implementations is the centering of the inputs and the
    automatic learning rate. The predicted class is that of the largest preactivation.

    `partial_fit` is one pass in the given order. A class need not be announced: one that is first seen later
    has weights of zero until then.

    With sigmoid units samples may have several labels: y is then a matrix of zeros and ones, one column per
    label, and so are the predictions.

    Args:
        rule: "hebbian_descent", "gradient_descent", "contrastive", "hebb", "covariance", or a `Rule`.
        activation: The name of an activation, or an `Activation`.
        error: "difference", "saturating", "leaky_hinge" (targets are then −1 and 1), or a function of
            targets and output.
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
        initial_weights: "zeros", or "random" for the classes that are known before the first sample.
        class_weight: The weight of a sample by class, {label: weight} with 1 for others, or "balanced" (in
            `fit`): all classes have the same total weight. It multiplies `sample_weight`.
        max_epochs: The maximum number of passes over the data; None is exactly `epochs`.
        tol, n_iter_no_change: With `max_epochs`, `fit` ends when for `n_iter_no_change` epochs in a row the
            loss has not been below the lowest before by more than `tol` times the loss of the first one; see
            `estimators.epochs`.
        early_stopping: Whether the loss is that of held-out samples, and the state after the best epoch is
            kept; otherwise it is that of all samples.
        validation_fraction: The share of each class that is then held out, at least one sample; the share of
            all samples if these have several labels.
        verbose: Whether `fit` writes a line per epoch to standard error.

    Attributes:
        classes_: The labels, sorted; the numbers of the columns where samples have several.
        multilabel_: Whether samples have several labels.
        coef_, intercept_: The layer that predicts, as one without centering, in the shapes of scikit-learn.
        weights_, bias_, offset_: The layer that learns, h = φ((x − offset_)·weights_ᵀ + bias_).
        scale_: The spread of each input.
        n_iter_, loss_curve_: With `max_epochs` or `verbose`, how many epochs the last `fit` took, and the
            mean loss after each.
        n_features_in_, feature_names_in_: As in scikit-learn.
        n_samples_seen_, n_epochs_, seed_: How far learning has come, and the seed of its orders.

    Paper: eqn:update_general_hebbian_descent_sup_w_1
    """

    _purpose = "classify"
    _state_names = (*STATE, "classes_")
    _optional_state = (*LayerEstimator._optional_state, "multilabel_")
    classes_: npt.NDArray[Any]
    multilabel_ = False

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
        class_weight: ClassWeight = None,
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
        self.class_weight = class_weight
        self.max_epochs = max_epochs
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.verbose = verbose

    def describe(self) -> str:
        """Describe the parameters in plain words."""
        return or_what_is_wrong(lambda: describe_layer(self._setting(), as_class_weight(self.class_weight)))

    @alone
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> HebbianDescentClassifier:
        """Learn all samples for some epochs; a sample of weight 0 counts as absent."""
        with all_or_nothing(self) as draft:
            draft._fit(X, y, sample_weight)
        return self

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        setting = self._setting()
        goes_on = self.warm_start and self.__sklearn_is_fitted__()
        X, y, scales = self._read(
            setting, X, y, sample_weight, goes_on=goes_on, finite=False, in_stream=False
        )
        if X.shape[0] == 0:
            raise ValueError("The sample_weight must be positive for at least one sample. Got zeros only.")
        with self._checking_by_mean(setting, X, scales) as mean:
            if not goes_on:
                self._begin(setting, y, y, setting.offset_in_fit, X.dtype)
            else:
                self._add_classes(y)
            fit_epochs(self, setting, self._samples(setting, X, y, scales), mean)

    @available_unless(why_no_stream)
    @alone
    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> HebbianDescentClassifier:
        """Learn the samples once, one after another; equal to as many calls with one sample each.

        `classes` may announce labels before they are seen, and others are then refused; it is never needed.
        """
        setting = self._setting()
        has_weight = sample_weight is not None or self.class_weight is not None
        if classes is None and not has_weight and self._is_plain_sample(setting, X):
            targets = self._plain_target(setting, y)
            if targets is not None:
                self._stream_samples(setting, Samples(X, targets, ONE[X.dtype]))
                return self
        with all_or_nothing(self, self._shared(setting, X)) as draft:
            draft._partial_fit(setting, X, y, classes, sample_weight)
        return self

    def _partial_fit(self, setting: Parameters, X: Any, y: Any, classes: Any, sample_weight: Any) -> None:
        refuse_balance_in_a_stream(as_class_weight(self.class_weight))
        if classes is not None:
            if isinstance(classes, list | tuple):
                refuse_null(classes)
            classes = np.asarray(classes)
            check_kind(classes)
        goes_on = self.__sklearn_is_fitted__()
        finite = not setting.compiles(setting.in_stream)
        X, y, scales = self._read(
            setting, X, y, sample_weight, goes_on=goes_on, finite=finite, in_stream=True
        )
        if not goes_on and classes is None and X.shape[0] == 0:
            return  # all weights are 0, so nothing is known
        with self._refusing_what_is_not_finite(X):
            if not goes_on:
                known = y[:0] if classes is None else classes
                self._begin(setting, y, known, setting.offset_in_stream, X.dtype)
            elif classes is not None and not self.multilabel_:
                self._add_classes(classes)
            if classes is not None:
                self._check_announced(y, classes)
            self._own_unless_safe(X)
            if self.multilabel_:
                self._stream_samples(setting, self._samples(setting, X, y, scales))
            else:
                self._stream(setting, X, y, scales)

    def _check_announced(self, y: Any, classes: Any) -> None:
        if self.multilabel_:
            if not np.array_equal(classes, self.classes_):
                raise ValueError(
                    f"The classes of {y.shape[1]} columns of labels must be their numbers, from 0 on. "
                    f"Got {np.asarray(classes).tolist()}."
                )
        elif not (known := np.isin(y, self.classes_)).all():
            raise ValueError(
                "The labels must be among the classes that were announced or seen before. "
                f"Got {y[~known].tolist()[0]!r}: add it to `classes`, or leave them out to learn any label."
            )

    def _stream(self, setting: Parameters, X: Array, y: Any, scales: Array) -> None:
        """Learn in order, with a pause wherever a class is seen for the first time."""
        labels, first_places = np.unique(y, return_index=True)
        new = first_places[~np.isin(labels, self.classes_)]
        for start, end in zip([0, *sorted(new)], [*sorted(new), len(y)], strict=True):
            if start == end:
                continue
            self._add_classes(y[start : start + 1])
            part = slice(start, end)
            inputs = X if end - start == len(y) else X[part]  # a part of a sparse matrix is a copy
            self._stream_samples(setting, self._samples(setting, inputs, y[part], scales[part]))

    def _begin(
        self, setting: Parameters, y: npt.NDArray[Any], classes: Any, offset: Offset, dtype: np.dtype[Any]
    ) -> None:
        """Start with units for the classes that are known, or for the columns of labels."""
        self.classes_ = np.arange(y.shape[1]) if y.ndim == 2 else np.unique(classes)
        self._start(setting, len(self.classes_), dtype, offset)
        if y.ndim == 2:
            self.multilabel_ = True

    def _add_classes(self, labels: Any) -> None:
        """Add unknown classes, with weights of zero."""
        if self.multilabel_:
            return
        known = self.classes_
        every = with_new(known, np.unique(labels))
        if len(every) == len(known):
            return
        places = np.searchsorted(every, known)
        self.classes_ = every
        if "_sparse" in vars(self):
            wide = self._sparse.with_outputs(len(every), places)
            if wide.rows is self._sparse.rows:
                self._sparse = wide
            else:
                self._take_sparse(wide)
        starts = (np.flatnonzero(np.diff(places) > 1) + 1).tolist()
        for name in ("weights_", "bias_", "target_offset_", *AVERAGES):
            if (old := vars(self).get(name)) is not None:
                grown = aligned_zeros((len(every), *old.shape[1:]), old.dtype)
                for start, end in pairwise([0, *starts, len(known)]):  # slices are faster than places
                    if start < end:
                        grown[places[start] : places[end - 1] + 1] = old[start:end]
                setattr(self, name, grown)

    def _read(
        self,
        setting: Parameters,
        X: Any,
        y: Any,
        sample_weight: Any,
        *,
        goes_on: bool,
        finite: bool,
        in_stream: bool,
    ) -> tuple[Array, npt.NDArray[Any], Array]:
        """Return inputs, labels or a matrix of them, and weights of the samples whose weight is not 0."""
        class_weight, several = as_class_weight(self.class_weight), is_multilabel(y)
        if isinstance(y, list | tuple):
            refuse_null(y)
        X, y = self._checked(
            setting, X, y, goes_on=goes_on, finite=finite or sample_weight is not None, multi_output=several
        )
        check_labels(y, in_stream=in_stream)
        if several:
            check_labels_apart(setting.activation, setting.error)
            y = as_indicator(y)
        if several and class_weight is not None:
            raise ValueError(
                "The class_weight must be None where samples have several labels. "
                f"Got {self.class_weight!r}: use sample_weight."
            )
        if goes_on and (several != self.multilabel_ or (several and y.shape[1] != len(self.classes_))):
            was = f"a matrix of {len(self.classes_)} columns" if self.multilabel_ else "one label per sample"
            raise ValueError(f"The labels must be {was}, as before. Got the shape {y.shape}.")
        if not in_stream:
            check_names_of_classes(class_weight, y)
        scales = weights_of_labels(class_weight, y, scales_of(sample_weight, X))
        there = scales > 0
        return (X, y, scales) if there.all() else (X[there], y[there], scales[there])

    def _samples(self, setting: Parameters, X: Array, y: npt.NDArray[Any], scales: Array) -> Samples:
        if y.ndim == 2:
            return Samples(X, y.astype(X.dtype), scales)
        return Samples(X, np.searchsorted(self.classes_, y).astype(np.int64, copy=False), scales)

    def _plain_target(self, setting: Parameters, y: Any) -> npt.NDArray[Any] | None:
        """Return what the units are to learn from one sample, or None if there is more to check."""
        refuse_masked(y, "y")
        labels = np.asarray(y)
        if labels.dtype.kind == "U" and isinstance(y, list | tuple):
            refuse_null(y)
        if self.multilabel_:
            fits = labels.shape == (1, len(self.classes_)) and labels.dtype.kind in "biu"
            takes = fits and takes_several_labels(setting.activation, setting.error)
            is_plain = takes and bool(((labels == 0) | (labels == 1)).all())
            return labels.astype(self.weights_.dtype) if is_plain else None
        place = self._place_of(labels)
        return None if place is None else np.array([place])

    def _place_of(self, labels: npt.NDArray[Any]) -> int | None:
        """Return the place of the one label in `classes_`, or None."""
        if labels.shape != (1,) or labels.dtype.kind != self.classes_.dtype.kind:
            return None
        known = self.__dict__.get("_places")
        if known is None or known[0] is not self.classes_:
            places = {label: place for place, label in enumerate(self.classes_.tolist())}
            known = self._places = (self.classes_, places)
        place: int | None = known[1].get(labels.item())
        return place

    def _of_two(self, rows: Array) -> Array:
        """Return the difference of two classes as the one row that scikit-learn has for them."""
        return rows[1:] - rows[:1] if len(rows) == 2 and not self.multilabel_ else rows

    @property
    def coef_(self) -> Array:
        """The weights of the layer that predicts, (n_classes, n_features), or one row for two classes."""
        return self._of_two(self._raw_layer()[0])

    @property
    def intercept_(self) -> Array:
        """The bias of the equivalent layer without centering, (n_classes,), or (1,) for two classes."""
        return self._of_two(self._raw_layer()[1])

    def decision_function(self, X: Any) -> Array:
        """Return the preactivation of each class, (n_samples, n_classes), or a₁ − a₀ of two, (n_samples,).

        Two labels that a sample may both have are not two classes: they keep their columns.
        """
        a = self._preactivation(X)
        return a[:, 1] - a[:, 0] if a.shape[1] == 2 and not self.multilabel_ else a

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the class with the largest preactivation; among equal ones the first.

        If samples have several labels, return 1 for those that are more likely than not.
        """
        present = as_it_is(self)
        a = present._preactivation(X)
        if present.multilabel_:
            return (a > 0).astype(np.int64)
        labels: npt.NDArray[Any] = present.classes_[a.argmax(axis=1)]
        return labels

    @available_unless(_why_no_probabilities)
    def predict_proba(self, X: Any) -> Array:
        """Return the probability of each class.

        For softmax units this is the output. For sigmoid units it is the probability of each class given
        that exactly one is on, which is also the softmax of the preactivation; if samples have several
        labels, it is their output.
        """
        a = self._preactivation(X)
        probabilities: Array = expit(a) if self.multilabel_ else softmax(a, axis=1)
        return probabilities

    @available_unless(_why_no_probabilities)
    def predict_log_proba(self, X: Any) -> Array:
        """Return the logarithms of the probabilities, −inf where these underflow."""
        with np.errstate(divide="ignore"):
            logarithms: Array = np.log(self.predict_proba(X))
        return logarithms

    def _contents(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        contents, arrays = super()._contents()
        if isinstance(self.class_weight, Mapping):
            contents["parameters"]["class_weight"] = None
            contents["class_weight"] = [list(pair) for pair in self.class_weight.items()]
        return contents, arrays

    @classmethod
    def _from_contents(cls, contents: Mapping[str, Any], arrays: Arrays) -> Self:
        others = {name: part for name, part in contents.items() if name != "class_weight"}
        classifier = super()._from_contents(others, arrays)
        if "class_weight" in contents:
            classifier.class_weight = class_weight_of_pairs(contents["class_weight"])
        as_class_weight(classifier.class_weight)
        return classifier

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        state.pop("_places", None)
        return state

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        units, error = get_activation(self.activation), get_error_term(self.error)
        tags.classifier_tags.multi_label = takes_several_labels(units, error)
        return tags
