"""Samples of a dataset by seed: the pattern sets that the paper's associative memories store."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array, as_count, unknown_name
from hebbian_descent.datasets.dataset import RandomPatterns, Split
from hebbian_descent.datasets.loading import floating_type, read_unscaled, scaled
from hebbian_descent.datasets.sources import describe
from hebbian_descent.datasets.sources.built_in import Role, generator

Labels = npt.NDArray[np.int64]

ORDERS = ("random", "label")


def draw_patterns(
    name: str,
    n: int = 100,
    *,
    seed: int,
    order: str = "random",
    dtype: npt.DTypeLike = np.float64,
    download: bool = True,
    folder: str | os.PathLike[str] | None = None,
) -> tuple[Array, Labels | None]:
    """Draw `n` distinct patterns of the training set, with their labels (None if unlabelled).

    `order="label"` sorts the same patterns by class, which gives the drifting input of the paper's experiment
    on adaptive offsets. A larger draw with the same seed starts with the smaller one, except for `randn`,
    whose scale depends on all its patterns.

    Paper: fig:moving_MNIST
    """
    return _draw(name, n, seed, Role.INPUT, order, dtype, download, folder)


def draw_pair(
    input_name: str,
    target_name: str,
    n: int = 100,
    *,
    seed: int,
    input_order: str = "random",
    dtype: npt.DTypeLike = np.float64,
    download: bool = True,
    folder: str | os.PathLike[str] | None = None,
) -> tuple[Array, Array]:
    """Draw `n` inputs and, independently of them, `n` targets to associate them with.

    The inputs are those of `draw_patterns`; the targets differ from them, even for the same dataset.
    """
    inputs, _ = _draw(input_name, n, seed, Role.INPUT, input_order, dtype, download, folder)
    targets, _ = _draw(target_name, n, seed, Role.TARGET, "random", dtype, download, folder)
    return inputs, targets


def _draw(
    name: str,
    n: int,
    seed: int,
    role: Role,
    order: str,
    dtype: npt.DTypeLike,
    download: bool,
    folder: str | os.PathLike[str] | None,
) -> tuple[Array, Labels | None]:
    if order not in ORDERS:
        raise unknown_name("order", order, ORDERS)
    n = as_count(n, "number of patterns")
    floating = floating_type(dtype)
    description = describe(name)
    if order == "label" and not description.n_classes:
        raise ValueError(f"The order must be 'random' for {name}, which has no labels. Got 'label'.")
    rng = generator(seed, role, name)
    if isinstance(description.origin, RandomPatterns):
        chosen = Split(description.origin.generate(rng, n))
    else:
        splits, _ = read_unscaled(name, download=download, folder=folder)
        chosen = _choose(splits.train, n, rng, order, name)
    patterns = scaled(chosen, description.divisor, floating)
    return patterns.inputs, patterns.labels


def _choose(train: Split, n: int, rng: np.random.Generator, order: str, name: str) -> Split:
    if n > len(train):
        raise ValueError(
            f"The number of patterns must be at most {len(train)}, the training set of {name}. Got {n}."
        )
    rows = rng.permutation(len(train))[:n]
    labels: npt.NDArray[Any] | None = train.labels
    if labels is not None and order == "label":
        rows = rows[np.argsort(labels[rows], kind="stable")]
    return Split(train.inputs[rows], None if labels is None else labels[rows])
