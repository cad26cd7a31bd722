"""Labels of a classifier: one per sample, or several at once; and the weights of classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.multiclass import check_classification_targets, unique_labels

from hebbian_descent.checks import Array, as_number
from hebbian_descent.network import Activation
from hebbian_descent.rules import ErrorTerm
from hebbian_descent.storage.models import ModelFileError, shortened

ClassWeight = Mapping[Any, float] | str | None


def takes_several_labels(activation: Activation, error: ErrorTerm) -> bool:
    """Whether outputs are independent probabilities."""
    return activation.name == "sigmoid" and error.codes == (0, 1)


def check_labels_apart(activation: Activation, error: ErrorTerm) -> None:
    """Refuse units that cannot give the probability of each label."""
    if not takes_several_labels(activation, error):
        raise ValueError(
            "Samples with several labels need units that are on or off independently, with the targets 1 and "
            f'0: set activation="sigmoid" and error="difference". Got {activation.name!r} and {error.name!r}.'
        )


def check_labels(y: Any, *, in_stream: bool) -> None:
    """Refuse numbers that are not labels, and labels that cannot be saved.

    If most labels differ, scikit-learn warns that they may be targets of a regression. In a short block of a
    stream they may well differ.
    """
    check_kind(y)
    if not (in_stream and y.ndim == 1 and y.dtype.kind in "biuUS"):
        check_classification_targets(y)


def check_kind(labels: Any) -> None:
    """Refuse labels that are neither numbers nor words, which a model file could not hold."""
    kind, dtype = labels.dtype.kind, labels.dtype
    if kind not in "biufUO" or (kind == "f" and dtype.itemsize not in (4, 8)):
        raise ValueError(f"The labels y must be numbers or words. Got {dtype}: use labels.astype(str).")
    if kind == "O":
        refuse_null(labels)


def refuse_null(labels: Any) -> None:
    """Refuse words that NumPy would shorten, so that "a" and "a" with a null character were one label."""
    if not isinstance(labels, np.ndarray) or labels.dtype == object:
        for label in labels:
            if isinstance(label, str) and "\0" in label:
                raise ValueError(f"The labels y must not hold null characters. Got {label!r}.")


def with_new(known: npt.NDArray[Any], labels: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return all labels, sorted, each once; whole numbers stay whole, and objects stay objects."""
    if len(known) == 0:
        return labels
    if known.dtype.kind in "iuf" and labels.dtype.kind in "iuf" and known.dtype != labels.dtype:
        labels = _as_kind_of(known, labels)
    if known.dtype.kind == labels.dtype.kind != "O":
        if len(labels) == 1:
            place = int(np.searchsorted(known, labels[0]))
            is_known = place < len(known) and known[place] == labels[0]
            wide = known.astype(np.result_type(known, labels), copy=False)
            return known if is_known else np.insert(wide, place, labels[0])
        return np.union1d(known, labels)
    every: npt.NDArray[Any] = unique_labels(known, labels)
    return every.astype(object) if known.dtype == object else every  # which `unique_labels` does not keep


def _as_kind_of(known: npt.NDArray[Any], labels: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return numbers as whole ones if those known are, and otherwise as fractions, with the same values."""
    wide = np.result_type(known, labels)
    with np.errstate(invalid="ignore"):
        same = labels.astype(wide if wide.kind == known.dtype.kind else known.dtype)
    if same.tolist() != labels.tolist():
        raise ValueError(
            f"The labels y must be of one kind. Got {labels[0]!r} after labels of {known.dtype}."
        )
    return same


def as_indicator(y: Any) -> npt.NDArray[np.int64]:
    """Return which labels samples have, (n_samples, n_labels), as zeros and ones."""
    indicator = y.toarray() if hasattr(y, "toarray") else np.asarray(y)
    is_other = (indicator != 0) & (indicator != 1)
    if is_other.any():
        raise ValueError(
            "A matrix of labels must hold 1 where a sample has a label and 0 where it does not. "
            f"Got {indicator[is_other][0].item()!r}."
        )
    return indicator.astype(np.int64)


def as_class_weight(class_weight: Any) -> ClassWeight:
    """Return None, "balanced", or the weights of classes by label; refuse anything else."""
    if class_weight is None or (isinstance(class_weight, str) and class_weight == "balanced"):
        return class_weight
    if not isinstance(class_weight, Mapping):
        raise ValueError(
            'The class_weight must be None, "balanced" or a dictionary of weights by label. '
            f"Got {class_weight!r}."
        )
    return {
        label: as_number(weight, f"class_weight of {label!r}", above=0)
        for label, weight in class_weight.items()
    }


def class_weight_of_pairs(pairs: Any) -> ClassWeight:
    """Return weights by label from a file, whose keys can only be strings."""
    are_pairs = isinstance(pairs, list) and all(isinstance(pair, list) and len(pair) == 2 for pair in pairs)
    if not are_pairs or not all(isinstance(label, bool | int | float | str) for label, _ in pairs):
        raise ModelFileError(
            f"The class_weight must be pairs of a label and a weight. Got {shortened(pairs)}."
        )
    try:
        return as_class_weight(dict(pairs))
    except (TypeError, ValueError) as error:
        raise ModelFileError(str(error)) from None


def check_names_of_classes(class_weight: ClassWeight, labels: npt.NDArray[Any]) -> None:
    """Refuse weights of absent classes while some class in y has none, as scikit-learn does.

    One of the two is probably misspelled.
    """
    if not isinstance(class_weight, Mapping):
        return
    classes = np.unique(labels).tolist()
    absent = [label for label in class_weight if label not in classes]
    unnamed = [label for label in classes if label not in class_weight]
    if absent and unnamed:
        raise ValueError(
            f"The class_weight must name classes that are in y. Got {absent[0]!r}, which is not in y, but "
            f"not {unnamed[0]!r}, which is: correct the label, or leave out what should weigh 1."
        )


def weights_of_labels(class_weight: ClassWeight, labels: npt.NDArray[Any], scales: Array) -> Array:
    """Return the weights of samples, times those of their classes; a class that is not named weighs 1.

    Balanced classes have the same total weight, and the sum over all classes stays.
    """
    if class_weight is None or len(labels) == 0:
        return scales
    classes, places = np.unique(labels, return_inverse=True)
    if isinstance(class_weight, Mapping):
        weights = np.array([class_weight.get(label, 1.0) for label in classes.tolist()])
    else:
        sums = np.bincount(places, scales)
        weights = sums.sum() / (np.count_nonzero(sums) * np.where(sums > 0, sums, np.inf))
    product: Array = scales * weights.astype(scales.dtype)[places]
    return product


def refuse_balance_in_a_stream(class_weight: ClassWeight) -> None:
    """Refuse weights that follow from the class frequencies in the whole data."""
    if isinstance(class_weight, str):
        raise ValueError(
            'partial_fit does not have the whole data, which class_weight="balanced" needs. Compute the '
            "weights from a large enough sample y of all labels, as sklearn.utils.class_weight."
            'compute_class_weight("balanced", classes=classes, y=y), and pass them as a dictionary '
            "{label: weight}."
        )
