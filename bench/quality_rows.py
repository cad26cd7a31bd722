"""The rows of bench/quality.py: which datasets, shown how, with which targets."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
from quality_data import (
    Data,
    class_by_class,
    doctor_visits,
    drawn,
    drifting_regression,
    friedman,
    from_river,
    from_scikit_learn,
    generated,
    label_noise,
    mixed_scales,
    mixed_scales_regression,
    poisson_counts,
    scaled_digits,
    sea,
    solar_flares,
    stream,
    texts,
)
from sklearn.preprocessing import StandardScaler

Kind = Literal["batch", "stream", "ordered"]
Target = Literal["classes", "numbers", "counts"]
FORMS = ("raw", "standardised")


class Row(NamedTuple):
    """A dataset, how it is shown, and what its targets are."""

    name: str
    kind: Kind
    target: Target
    make: Callable[[int], Data]
    recipe: str
    forms: tuple[str, ...]


def standardised(data: Data, kind: Kind) -> Data:
    """Return the inputs less their mean, divided by their deviation.

    Both are those of the training set, or, where examples come one at a time, of the examples up to and
    including the one that is scaled; the test set is then scaled like the last example.
    """
    X, test = data.inputs, data.test_inputs
    if kind == "batch":
        scaler = StandardScaler().fit(X)
        return data._replace(inputs=scaler.transform(X), test_inputs=scaler.transform(test))
    counts = np.arange(1, len(X) + 1)[:, np.newaxis]
    near = X - X[0]  # squares of numbers far from 0 would cancel
    mean = np.cumsum(near, axis=0) / counts
    deviation = np.sqrt(np.maximum(np.cumsum(near**2, axis=0) / counts - mean**2, 0))
    data = data._replace(inputs=_divided(near - mean, deviation))
    if test is None:
        return data
    return data._replace(test_inputs=_divided(test - X[0] - mean[-1], deviation[-1:]))


def _divided(inputs: Any, deviation: Any) -> Any:
    """Return a column that has not varied yet as zeros."""
    return np.where(deviation > 1e-9, inputs / np.maximum(deviation, 1e-9), 0)


mnist = partial(drawn, "mnist", 5_000, 2_500)
digits = partial(from_scikit_learn, "digits")
FROM_SCIKIT_LEARN, FROM_RIVER = "comes with scikit-learn", "comes with River; order drawn"
Made = dict[str, tuple[Callable[[int], Data], str]]

BATCH_CLASSES: Made = {
    "digits": (digits, FROM_SCIKIT_LEARN),
    "wine": (partial(from_scikit_learn, "wine"), FROM_SCIKIT_LEARN),
    "breast cancer": (partial(from_scikit_learn, "breast_cancer"), FROM_SCIKIT_LEARN),
    "label noise": (
        label_noise,
        "`make_classification`; 30 % of the training labels are wrong, no test label",
    ),
    "mixed scales": (mixed_scales, "`make_classification`; 20 columns times 1e-3 to 1e4, in random order"),
    "ADULT": (partial(drawn, "adult", 5_000, 5_000), "examples drawn from all"),
    "CONNECT": (partial(drawn, "connect", 10_000, 5_000), "examples drawn from all"),
    "MNIST": (mnist, "examples drawn from all"),
}
SCALED_DIGITS: Made = {
    f"digits, 0 to {scale:g}": (partial(scaled_digits, scale), "digits, times one factor")
    for scale in (1, 0.1, 0.03, 0.01, 1e-6, 1e6)
}
BATCH_NUMBERS: Made = {
    "diabetes": (partial(from_scikit_learn, "diabetes"), FROM_SCIKIT_LEARN),
    "Friedman 1": (friedman, "`make_friedman1`; noise of deviation 1"),
    "mixed scales, numbers": (
        mixed_scales_regression,
        "`make_regression`; noise of deviation 50, 20 columns times 1e-3 to 1e4",
    ),
}
BATCH_COUNTS: Made = {
    "Poisson counts": (poisson_counts, "rate exp(1 + Σ wᵢ·xᵢ), xᵢ normal, wᵢ normal of deviation 0.3"),
    "doctor visits": (doctor_visits, "RAND health insurance experiment; comes with statsmodels"),
    "solar flares": (solar_flares, "C-class flares, ten properties one-hot; comes with River"),
}
STREAMS_OF_CLASSES: Made = {
    "Phishing": (partial(from_river, "Phishing"), FROM_RIVER),
    "Bananas": (partial(from_river, "Bananas"), FROM_RIVER),
    "ImageSegments": (partial(from_river, "ImageSegments"), FROM_RIVER),
    "Shuttle": (partial(from_river, "Shuttle"), FROM_RIVER),
    "SEA": (sea, "variants 0 to 3, 2,500 examples each; 10 % noise"),
    "Agrawal": (
        partial(generated, "Agrawal", 5_000, classification_function=8, perturbation=0.1),
        "function 8, perturbation 0.1",
    ),
    "Hyperplane": (
        partial(generated, "Hyperplane", 5_000, n_drift_features=5, mag_change=0.001),
        "5 of 10 weights drift by 0.001 per example; 5 % noise",
    ),
    "Waveform": (partial(generated, "Waveform", 5_000), "21 noisy columns"),
    "LED": (
        partial(generated, "LED", 5_000, noise_percentage=0.1, irrelevant_features=True),
        "10 % noise, 17 irrelevant columns",
    ),
    "MNIST stream": (partial(stream, mnist), "examples drawn from all"),
}
STREAMS_OF_TEXTS: Made = {
    "texts": (partial(texts, 2**10), "20 topics, their words in bursts among others, hashed"),
    "texts, sparse": (partial(texts, 2**18), "the same, hashed into a sparse matrix"),
}
STREAMS_OF_NUMBERS: Made = {
    "TrumpApproval": (partial(from_river, "TrumpApproval"), FROM_RIVER),
    "drifting weights": (drifting_regression, "weights walk by 0.01 per example; inputs from 5 to 6"),
    "Friedman": (partial(generated, "Friedman", 5_000), "noise of deviation 1"),
}
ORDERED: Made = {
    "digits, class by class": (partial(class_by_class, digits), "order of classes drawn"),
    "MNIST, class by class": (partial(class_by_class, mnist), "order of classes drawn"),
}


def _rows(made: Made, kind: Kind, target: Target, forms: tuple[str, ...] = FORMS) -> list[Row]:
    return [Row(name, kind, target, make, recipe, forms) for name, (make, recipe) in made.items()]


ROWS = (
    *_rows(BATCH_CLASSES, "batch", "classes"),
    *_rows(SCALED_DIGITS, "batch", "classes", ("raw",)),
    *_rows(BATCH_NUMBERS, "batch", "numbers"),
    *_rows(BATCH_COUNTS, "batch", "counts"),
    *_rows(STREAMS_OF_CLASSES, "stream", "classes"),
    *_rows(STREAMS_OF_TEXTS, "stream", "classes", ("raw",)),
    *_rows(STREAMS_OF_NUMBERS, "stream", "numbers"),
    *_rows(ORDERED, "ordered", "classes"),
)
MOSTLY_ZERO = ("ADULT", "CONNECT", *STREAMS_OF_TEXTS)
"""Words and categories: the benefit of centering and scaling inputs is shown for these."""
