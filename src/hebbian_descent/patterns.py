"""Patterns to store (sparse, correlated, drifting, graded, ±1) and damaged cues."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array, as_count, as_number, as_patterns, refuse_masked


def sparse(n: int, size: int, activity: float, seed: int) -> Array:
    """Draw `n` binary patterns of `size` units, each with the same share of ones.

    `activity` is that share; at least one unit is on, and one off. A larger draw of the same seed begins with
    the smaller one.

    >>> sparse(2, 8, activity=0.25, seed=0).sum(axis=1)
    array([2., 2.])
    """
    n, size, n_on = _counts(n, size, activity)
    # The places of the ones: the first few of a random order of the units.
    order = _generator(seed).random((n, size)).argsort(axis=1)
    return (order.argsort(axis=1) < n_on).astype(np.float64)


def correlated(
    n: int, size: int, activity: float, correlation: float, seed: int, *, prototypes: int = 1
) -> Array:
    """Draw binary patterns that are changed copies of a common prototype.

    `correlation` is the expected correlation over the units between any two patterns of the same prototype.
    With several prototypes the patterns take them in turn; those of different prototypes are uncorrelated.
    A pattern correlates with its prototype by √correlation = s, so that a unit that is on in the prototype
    is on with probability f + s(1 − f), and any other with f(1 − s), where f is the activity.

    All patterns have the same share of ones. A larger draw of the same seed begins with the smaller one.

    >>> x = correlated(100, 500, activity=0.2, correlation=0.3, seed=0)
    >>> round(float(np.corrcoef(x)[np.triu_indices(100, 1)].mean()), 2)
    0.3
    """
    n, size, n_on = _counts(n, size, activity)
    s = as_number(correlation, "correlation", at_least=0, at_most=1) ** 0.5
    prototype = sparse(as_count(prototypes, "number of prototypes"), size, activity, seed)
    prototype = prototype[np.arange(n) % prototypes]
    share = n_on / size
    draws = _generator(seed, 1).random((n, size + 1))
    # Rounded up or down at random, so that the correlation is right on average even where few units are on.
    n_kept = np.floor(n_on * (share + s * (1 - share)) + draws[:, :1])
    n_kept = np.minimum(n_kept, n_on)
    # Ranks in a random order of the units, those that are on in the prototype first.
    rank = (draws[:, 1:] + (prototype == 0)).argsort(axis=1).argsort(axis=1)
    is_on = (rank < n_kept) | ((rank >= n_on) & (rank < 2 * n_on - n_kept))
    return np.asarray(is_on, dtype=np.float64)


def drifting(n: int, size: int, activity: float, overlap: float, seed: int) -> Array:
    """Draw binary patterns each of which is a changed copy of the one before.

    `overlap` is the share of the active units that stay on from one pattern to the next; the others move to
    units that were off. All patterns have the same share of ones. A larger draw of the same seed begins with
    the smaller one.

    >>> x = drifting(3, 20, activity=0.5, overlap=0.8, seed=0)
    >>> (x[:-1] * x[1:]).sum(axis=1)  # neighbours share 8 of their 10 active units
    array([8., 8.])
    """
    n, size, n_on = _counts(n, size, activity)
    n_kept = round(n_on * as_number(overlap, "overlap", at_least=0, at_most=1))
    if n_on - n_kept > size - n_on:
        least = (2 * n_on - size) / n_on
        raise ValueError(
            f"With {n_on} of {size} units on, the overlap must be at least {least:.3g}, since the units that "
            f"move need others that are off. Got {overlap}."
        )
    draws = _generator(seed).random((n, size))
    x = np.zeros((n, size))
    x[0, draws[0].argsort()[:n_on]] = 1
    for before, (row, draw) in enumerate(zip(x[1:], draws[1:], strict=True)):
        order = (draw + (x[before] == 0)).argsort()  # the active units first
        row[order[:n_kept]] = 1
        row[order[n_on : 2 * n_on - n_kept]] = 1
    return x


def graded(n: int, size: int, activity: float, seed: int, *, concentration: float = 2.0) -> Array:
    """Draw patterns of independent values between 0 and 1, from a beta distribution of mean `activity` f.

    The variance is f(1 − f)/(1 + concentration): a small concentration gives nearly binary values, a large
    one values near the mean; 2 with activity 0.5 is the uniform distribution.

    >>> graded(200, 100, activity=0.2, seed=0).mean().round(2)
    np.float64(0.2)
    """
    n, size = as_count(n, "number of patterns"), as_count(size, "number of units")
    f = as_number(activity, "activity", above=0, at_most=1)
    if f == 1:
        raise ValueError(f"The activity of graded patterns must be below 1. Got {activity!r}.")
    c = as_number(concentration, "concentration", above=0)
    return _generator(seed).beta(f * c, (1 - f) * c, size=(n, size))


def bipolar(x: npt.ArrayLike) -> Array:
    """Return binary patterns with −1 in place of 0.

    >>> bipolar([[1, 0, 0]])
    array([[ 1., -1., -1.]])
    """
    patterns = as_patterns(x, "patterns")
    if (wrong := patterns[(patterns != 0) & (patterns != 1)]).size:
        raise ValueError(f"Patterns to be made bipolar must be 0 and 1. Got {wrong[0]:g}.")
    return 2 * patterns - 1


def corrupt(
    x: npt.ArrayLike, *, flip: float = 0.0, erase: float = 0.0, swap: float = 0.0, seed: int
) -> Array:
    """Return a damaged copy of patterns: flipped, erased or swapped units.

    Args:
        x: One pattern per row, or a vector.
        flip: The share of units inverted, within the range of all given patterns: 1 becomes 0, and 0.2
            becomes 0.8, if they lie between 0 and 1. It raises the activity of sparse patterns: flipping
            0.1 of the units of patterns with activity 0.05 gives 0.14.
        erase: The share of units set to 0.
        swap: The share of the active units that change places with inactive ones, which keeps the activity
            exactly. A unit is active above the middle of the range.
        seed: The same seed damages the same units.

    Exactly these shares of each pattern are hit, different units in each, and no unit is hit twice.

    >>> corrupt([1.0, 1.0, 0.0, 0.0], flip=0.25, seed=0)
    array([1., 1., 0., 1.])
    >>> corrupt([1.0, 1.0, 0.0, 0.0], swap=0.5, seed=0)
    array([1., 0., 0., 1.])
    """
    refuse_masked(x, "patterns")
    given = np.asarray(x)
    patterns = as_patterns(given[np.newaxis] if given.ndim == 1 else given, "patterns")
    share_flipped = as_number(flip, "share of flipped units", at_least=0, at_most=1)
    share_erased = as_number(erase, "share of erased units", at_least=0, at_most=1)
    share_swapped = as_number(swap, "share of swapped units", at_least=0, at_most=1)
    if share_swapped and (share_flipped or share_erased):
        raise ValueError(
            "Swapped units keep the activity, flipped and erased ones do not: give swap alone. "
            f"Got swap={swap}, flip={flip} and erase={erase}."
        )
    size = patterns.shape[1]
    n_flipped, n_erased = round(share_flipped * size), round(share_erased * size)
    if n_flipped + n_erased > size:
        raise ValueError(
            f"No unit can be flipped and erased: the shares must sum to at most 1. Got {flip} and {erase}."
        )
    draws = _generator(seed).random(patterns.shape)
    if share_swapped:
        return _swapped(patterns, share_swapped, draws).reshape(given.shape)
    rank = draws.argsort(axis=1).argsort(axis=1)
    damaged = np.where(rank < n_flipped, patterns.min() + patterns.max() - patterns, patterns)
    damaged[(rank >= n_flipped) & (rank < n_flipped + n_erased)] = 0
    return damaged.reshape(given.shape)


def _swapped(x: Array, share: float, draws: Array) -> Array:
    is_active = x > (x.min() + x.max()) / 2
    n_active = is_active.sum(axis=1)
    n_moved = np.rint(share * n_active).astype(np.int64)
    if (crowded := n_moved > x.shape[1] - n_active).any():
        first = int(np.flatnonzero(crowded)[0])
        raise ValueError(
            f"There must be an inactive unit for each active one that is moved. Got {n_moved[first]} to move "
            f"and {x.shape[1] - n_active[first]} inactive in pattern {first}: swap fewer."
        )
    order = (draws + ~is_active).argsort(axis=1)  # the active units first, both kinds in random order
    row, place = np.nonzero(np.arange(x.shape[1]) < n_moved[:, np.newaxis])
    active, inactive = order[row, place], order[row, n_active[row] + place]
    damaged = x.copy()
    damaged[row, active], damaged[row, inactive] = x[row, inactive], x[row, active]
    return damaged


def _counts(n: int, size: int, activity: float) -> tuple[int, int, int]:
    """Return the checked number of patterns and units, and how many units are on."""
    n, size = as_count(n, "number of patterns"), as_count(size, "number of units", at_least=2)
    share = as_number(activity, "activity", above=0, at_most=1)
    return n, size, min(max(round(share * size), 1), size - 1)


def _generator(seed: int, *stream: int) -> np.random.Generator:
    return np.random.default_rng([as_count(seed, "seed", at_least=0), *stream])
