"""Samples that early stopping holds out: drawn by the seed alone, from each class its share.

Both parts have at least one sample of each class: a class that is not learned cannot be predicted, and one
that is not held out does not count in the loss. Samples without classes, or with several labels each, are
drawn as if they were of one class.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hebbian_descent.engines.online import Order, Targets


def hold_out(targets: Targets, fraction: float, seed: int, labels: Any = None) -> tuple[Order, Order]:
    """Return which samples to learn and which to hold out, both in ascending order.

    `targets` in one dimension are places in `labels`, the names of the classes.
    """
    n_samples = len(targets)
    places = targets if targets.ndim == 1 else np.zeros(n_samples, np.int64)
    classes, counts = np.unique(places, return_counts=True)
    if counts.min() < 2:
        rare = None if targets.ndim == 2 else labels[classes[counts.argmin()]]
        raise _too_few(rare)
    n_held_out = min(max(round(fraction * n_samples), len(counts)), n_samples - len(counts))
    shares = np.repeat(shares_of_classes(counts, n_held_out), counts)
    order = np.random.default_rng((seed, n_samples, n_held_out)).permutation(n_samples)
    by_class = order[np.argsort(places[order], kind="stable")]
    number_in_class = np.arange(n_samples) - np.repeat(np.cumsum(counts) - counts, counts)
    is_held_out = number_in_class < shares
    return np.sort(by_class[~is_held_out]), np.sort(by_class[is_held_out])


def shares_of_classes(counts: npt.NDArray[np.int64], n_held_out: int) -> npt.NDArray[np.int64]:
    """Return how many samples each class gives: in proportion, but some and not all of them."""
    exact = counts * (n_held_out / counts.sum())
    shares: npt.NDArray[np.int64] = np.clip(exact.astype(np.int64), 1, counts - 1)
    while missing := n_held_out - shares.sum():
        step = 1 if missing > 0 else -1
        can_change = shares < counts - 1 if missing > 0 else shares > 1
        shares[np.argmax(np.where(can_change, step * (exact - shares), -np.inf))] += step
    return shares


def _too_few(label: Any) -> ValueError:
    of_each, of_it, others = "", "", ""
    if label is not None:
        name = label.item() if isinstance(label, np.generic) else label
        of_each, of_it, others = " of each class", f" of class {name!r}", " leave the class out,"
    return ValueError(
        f"The early_stopping needs at least 2 samples{of_each}, one to learn and one to hold out. "
        f"Got 1 sample{of_it}: add some,{others} or set early_stopping=False."
    )
