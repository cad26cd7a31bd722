"""Patterns to store and damaged cues: sparse codes, flipped and erased units."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array, as_count, as_number, as_patterns


def sparse(n: int, size: int, activity: float, seed: int) -> Array:
    """Draw `n` binary patterns of `size` units, each with the same share of ones.

    `activity` is that share; at least one unit is on, and one off. A larger draw of the same seed begins with
    the smaller one.

    >>> sparse(2, 8, activity=0.25, seed=0).sum(axis=1)
    array([2., 2.])
    """
    n, size = as_count(n, "number of patterns"), as_count(size, "number of units", at_least=2)
    share = as_number(activity, "activity", above=0, at_most=1)
    n_on = min(max(round(share * size), 1), size - 1)
    rng = np.random.default_rng(as_count(seed, "seed", at_least=0))
    # The places of the ones: the first few of a random order of the units.
    order = rng.random((n, size)).argsort(axis=1)
    return (order.argsort(axis=1) < n_on).astype(np.float64)


def corrupt(x: npt.ArrayLike, *, flip: float = 0.0, erase: float = 0.0, seed: int) -> Array:
    """Return a damaged copy of patterns: `flip` is the share of units inverted, `erase` of units set to 0.

    Exactly these shares of the units of each pattern are hit, other ones in every pattern, and no unit is
    both. A unit is inverted within the range of all given patterns: 1 becomes 0, and 0.2 becomes 0.8, if they
    lie between 0 and 1. One pattern may be given as a vector.

    >>> corrupt([1.0, 1.0, 0.0, 0.0], flip=0.25, seed=0)
    array([1., 1., 0., 1.])
    """
    given = np.asarray(x)
    patterns = as_patterns(given[np.newaxis] if given.ndim == 1 else given, "patterns")
    share_flipped = as_number(flip, "share of flipped units", at_least=0, at_most=1)
    share_erased = as_number(erase, "share of erased units", at_least=0, at_most=1)
    size = patterns.shape[1]
    n_flipped, n_erased = round(share_flipped * size), round(share_erased * size)
    if n_flipped + n_erased > size:
        raise ValueError(
            f"No unit can be flipped and erased: the shares must sum to at most 1. Got {flip} and {erase}."
        )
    rng = np.random.default_rng(as_count(seed, "seed", at_least=0))
    rank = rng.random(patterns.shape).argsort(axis=1).argsort(axis=1)
    damaged = np.where(rank < n_flipped, patterns.min() + patterns.max() - patterns, patterns)
    damaged[(rank >= n_flipped) & (rank < n_flipped + n_erased)] = 0
    return damaged.reshape(given.shape)
