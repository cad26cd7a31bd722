"""DIGITS: the small handwritten digits that come with scikit-learn."""

from __future__ import annotations

import functools

import numpy as np

from hebbian_descent.datasets.dataset import Split, Splits
from hebbian_descent.datasets.description import BuiltIn, Description

N_TRAIN = 1297


@functools.cache
def _digits() -> Splits:
    from sklearn.datasets import load_digits

    inputs, labels = load_digits(return_X_y=True)
    inputs, labels = inputs.astype(np.uint8), labels.astype(np.uint8)
    return Splits(
        train=Split(inputs[:N_TRAIN], labels[:N_TRAIN]), test=Split(inputs[N_TRAIN:], labels[N_TRAIN:])
    )


DIGITS = Description(
    title="DIGITS",
    what="Grey images (8×8) of handwritten digits; the last 500 serve as the test set.",
    origin=BuiltIn(_digits),
    n_features=64,
    n_train=N_TRAIN,
    n_test=500,
    class_names=tuple("0123456789"),
    image_shape=(8, 8),
    divisor=16,
    source="scikit-learn, from UCI Optical Recognition of Handwritten Digits (E. Alpaydin, C. Kaynak)",
    licence="CC BY 4.0",
)
