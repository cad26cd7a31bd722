"""RAND and RANDN: patterns without any structure, drawn afresh for every seed."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hebbian_descent.datasets.description import Description, RandomPatterns

N_UNITS = 200


def binary_patterns(rng: np.random.Generator, n: int) -> npt.NDArray[np.uint8]:
    """Draw patterns of independent units, each one with probability 1/2, else zero."""
    return rng.integers(0, 2, size=(n, N_UNITS), dtype=np.uint8)


def gaussian_patterns(rng: np.random.Generator, n: int) -> npt.NDArray[np.float64]:
    """Draw patterns from an isotropic Gaussian, then stretch the whole matrix to [0, 1] by one map."""
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
