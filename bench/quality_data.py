"""The datasets of bench/quality.py: one small function for each, which returns the data of a seed.

The seed draws what can be drawn: the split, the order, or the data themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from sklearn import datasets as bundled
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import OneHotEncoder

from hebbian_descent.datasets import load

DENSE_COLUMNS = 2**12
"""Texts hashed into more columns are a sparse matrix."""


class Data(NamedTuple):
    """What is learned, and what is predicted afterwards; a stream is predicted as it is learned."""

    inputs: Any  # (n_examples, n_features)
    targets: Any  # (n_examples,)
    test_inputs: Any = None
    test_targets: Any = None


# --- batches


def split(X: Any, y: Any, seed: int) -> Data:
    """Return three quarters to learn and one to test."""
    train, test, t_train, t_test = train_test_split(X, y, random_state=seed, test_size=0.25)
    return Data(train, t_train, test, t_test)


def from_scikit_learn(name: str, seed: int) -> Data:
    """Return a dataset that comes with scikit-learn."""
    return split(*getattr(bundled, f"load_{name}")(return_X_y=True), seed)


def scaled_digits(scale: float, seed: int) -> Data:
    """Return the digits between 0 and `scale`."""
    X, y = bundled.load_digits(return_X_y=True)
    return split(X / 16 * scale, y, seed)


def separable(n: int, seed: int) -> tuple[Any, Any]:
    """Return clouds of two classes in 20 columns, of which 10 are informative and 5 redundant."""
    return bundled.make_classification(
        n, n_features=20, n_informative=10, n_redundant=5, flip_y=0, class_sep=1.0, random_state=seed
    )


def label_noise(seed: int) -> Data:
    """Return clouds with 30 % of the training labels wrong."""
    data = split(*separable(4_000, seed), seed)
    wrong = np.random.default_rng(seed).random(len(data.targets)) < 0.3
    return data._replace(targets=np.where(wrong, 1 - data.targets, data.targets))


def mixed_scales(seed: int) -> Data:
    """Return clouds whose columns have scales from 1e-3 to 1e4."""
    X, y = separable(2_000, seed)
    return split(X * np.random.default_rng(seed).permutation(np.logspace(-3, 4, 20)), y, seed)


def mixed_scales_regression(seed: int) -> Data:
    """Return a noisy linear function of columns that have scales from 1e-3 to 1e4."""
    X, y = bundled.make_regression(2_000, 20, n_informative=10, noise=50.0, random_state=seed)
    return split(X * np.random.default_rng(seed).permutation(np.logspace(-3, 4, 20)), y, seed)


def friedman(seed: int) -> Data:
    """Return Friedman's first function of 10 uniform columns, with noise of deviation 1."""
    return split(*bundled.make_friedman1(2_000, noise=1.0, random_state=seed), seed)


def drawn(name: str, n_train: int, n_test: int, seed: int) -> Data:
    """Return a part of ADULT, CONNECT or MNIST, drawn from all its examples."""
    X, y = _all_of(name)
    chosen = np.random.default_rng(seed).permutation(len(y))[: n_train + n_test]
    train, test = chosen[:n_train], chosen[n_train:]
    return Data(X[train].astype(float), y[train], X[test].astype(float), y[test])


@cache
def _all_of(name: str) -> tuple[Any, Any]:
    whole = load(name, download=False, dtype="float32")
    parts: list[Any] = [part for part in (whole.train, whole.valid, whole.test) if part is not None]
    return np.concatenate([part.inputs for part in parts]), np.concatenate([part.labels for part in parts])


# --- counts


def poisson_counts(seed: int) -> Data:
    """Return counts whose logarithmic rate is linear: 1 + Σ wᵢ·xᵢ, xᵢ normal, wᵢ normal of deviation 0.3."""
    rng = np.random.default_rng(seed)
    X, w = rng.normal(size=(2_000, 10)), rng.normal(scale=0.3, size=10)
    return split(X, rng.poisson(np.exp(1 + X @ w)).astype(float), seed)


def doctor_visits(seed: int) -> Data:
    """Return the visits to a doctor in a year, of the RAND health insurance experiment."""
    from statsmodels.datasets import randhie

    table = randhie.load_pandas()
    return split(table.exog.to_numpy(float), table.endog.to_numpy(float), seed)


def solar_flares(seed: int) -> Data:
    """Return how many C-class flares a region of the sun had in a day; its ten properties one-hot."""
    from river.datasets import SolarFlare

    pairs = list(SolarFlare())
    properties = np.array([[str(value) for value in x.values()] for x, _ in pairs])
    counts = np.array([y["c-class-flares"] for _, y in pairs], dtype=float)
    return split(OneHotEncoder(sparse_output=False).fit_transform(properties), counts, seed)


# --- streams


def arrays(pairs: Iterator[tuple[dict[str, Any], Any]], n: int) -> tuple[Any, Any]:
    """Return the first n of River's examples."""
    first = list(islice(pairs, n))
    return np.array([list(x.values()) for x, _ in first], dtype=float), np.array([y for _, y in first])


def from_river(name: str, seed: int) -> Data:
    """Return 5,000 examples, or all, of a stream that comes with River, in an order drawn by the seed."""
    X, y = _river_arrays(name)
    order = np.random.default_rng(seed).permutation(len(y))[:5_000]
    return Data(X[order], _codes(y)[order])


@cache
def _river_arrays(name: str) -> tuple[Any, Any]:
    from river import datasets

    return arrays(iter(getattr(datasets, name)()), 100_000)


def _codes(y: Any) -> Any:
    """Return labels as whole numbers from 0, and numbers as they are."""
    return y if y.dtype.kind == "f" else np.unique(y, return_inverse=True)[1]


def generated(name: str, n: int, seed: int, **options: Any) -> Data:
    """Return a stream made by one of River's generators."""
    from river.datasets import synth

    X, y = arrays(iter(getattr(synth, name)(seed=seed, **options)), n)
    return Data(X, _codes(y))


def sea(seed: int) -> Data:
    """Return SEA with its four boundaries in turn."""
    parts = [generated("SEA", 2_500, seed + 10 * variant, variant=variant, noise=0.1) for variant in range(4)]
    return Data(np.concatenate([part.inputs for part in parts]), np.concatenate([p.targets for p in parts]))


def drifting_regression(seed: int) -> Data:
    """Return a noisy linear function whose weights walk at random; inputs between 5 and 6."""
    rng = np.random.default_rng(seed)
    n, n_inputs = 5_000, 20
    X = rng.random((n, n_inputs)) + 5
    weights = rng.normal(size=n_inputs) + np.cumsum(rng.normal(scale=0.01, size=(n, n_inputs)), axis=0)
    y = ((X - 5.5) * weights).sum(axis=1) + rng.normal(scale=0.2, size=n)
    return Data(X, y + 20)


def texts(n_columns: int, seed: int) -> Data:
    """Return 5,000 texts of 20 topics, hashed.

    A text has 20 to 60 words. Most come from 20,000 words by Zipf's law; each is one of the topic's own 200
    words with probability 0.15, also by Zipf's law, and such a word comes in a burst of one to four.
    """
    rng = np.random.default_rng(seed)
    n_topics, n_words, n_own = 20, 20_000, 200
    own = rng.permutation(n_words)[: n_topics * n_own].reshape(n_topics, n_own)
    topics = rng.integers(n_topics, size=5_000)
    lengths = rng.integers(20, 61, size=len(topics))
    written = []
    for topic, length in zip(topics, lengths, strict=True):
        words = _zipf(rng, n_words, length)
        bursts = own[topic, _zipf(rng, n_own, rng.binomial(length, 0.15))]
        words = np.concatenate([words, bursts.repeat(rng.integers(1, 5, size=len(bursts)))])
        written.append(" ".join(f"w{word}" for word in words))
    return Data(hashed(written, n_columns), topics)


def hashed(written: list[str], n_columns: int) -> Any:
    """Return texts as rows of unit length."""
    X = HashingVectorizer(n_features=n_columns).transform(written)
    return X if n_columns > DENSE_COLUMNS else X.toarray()


def _zipf(rng: np.random.Generator, n_words: int, size: int) -> Any:
    """Draw words whose probability is proportional to one over their rank."""
    return np.minimum(n_words ** rng.random(size), n_words - 1).astype(int)


def class_by_class(make: Callable[[int], Data], seed: int) -> Data:
    """Return examples to learn sorted by class, the classes in an order drawn by the seed."""
    data = make(seed)
    ranks = np.random.default_rng(seed).permutation(int(data.targets.max()) + 1)
    order = np.argsort(ranks[data.targets], kind="stable")
    return data._replace(inputs=data.inputs[order], targets=data.targets[order])


def stream(make: Callable[[int], Data], seed: int) -> Data:
    """Return the examples to learn as a stream."""
    data = make(seed)
    return Data(data.inputs, data.targets)
