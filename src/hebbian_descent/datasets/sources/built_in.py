"""Datasets that need no download: RAND and RANDN, drawn by seed, and the DIGITS of scikit-learn."""

from __future__ import annotations

import enum
import functools
import zlib

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import as_count
from hebbian_descent.datasets.dataset import BuiltIn, Description, RandomPatterns, Split, Splits


class Role(enum.IntEnum):
    """Purpose of a draw; inputs and targets are drawn independently, even from the same dataset."""

    INPUT = 0
    TARGET = 1


def generator(seed: int, role: Role, name: str) -> np.random.Generator:
    """Return the random generator of one draw, a function of seed, role and dataset name on any machine."""
    return np.random.default_rng((as_count(seed, "seed", at_least=0), int(role), zlib.crc32(name.encode())))


N_UNITS = 200


def binary_patterns(rng: np.random.Generator, n: int) -> npt.NDArray[np.uint8]:
    """Draw patterns of independent units, each 1 with probability 1/2 and 0 otherwise."""
    return rng.integers(0, 2, size=(n, N_UNITS), dtype=np.uint8)


def gaussian_patterns(rng: np.random.Generator, n: int) -> npt.NDArray[np.float64]:
    """Draw patterns from an isotropic Gaussian, then rescale the whole matrix to [0, 1]."""
    values = rng.standard_normal((n, N_UNITS))
    values -= values.min()
    values /= values.max()
    return values


RAND = Description(
    title="RAND",
    what="Binary random patterns: 200 independent units, one with probability 1/2.",
    origin=RandomPatterns(binary_patterns),
    n_features=N_UNITS,
    n_train=100,
    source="generated",
    licence="none needed",
)

RANDN = Description(
    title="RANDN",
    what="Gaussian random patterns: 200 independent units, the matrix rescaled to [0, 1].",
    origin=RandomPatterns(gaussian_patterns),
    n_features=N_UNITS,
    n_train=100,
    source="generated",
    licence="none needed",
)


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
