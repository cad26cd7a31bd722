"""The pairs that the explorer stores, and the weights it starts from; the twin is `parts/pairs.mjs`."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import NamedTuple

import numpy as np

from hebbian_descent.checks import Array, as_count, as_number, unknown_name
from hebbian_descent.explorer.generator import uniform
from hebbian_descent.network.layer import glorot_bound

KINDS = ("random", "digits")
N_CUE_UNITS = 200
N_PIXELS = 64
GREY_LEVELS = 16
MOST_PATTERNS = 400
"""The number of digits that come with the page."""

FAMILIES, CUES, COPIES, TARGETS, WEIGHTS, MEMBERSHIP = range(6)  # streams of the generator


class Pairs(NamedTuple):
    """Cues and what they should recall, one pair per row."""

    cues: Array  # (n, 200), or (n, 64) for digits
    targets: Array  # (n, 64)


def draw_pairs(
    n: int,
    *,
    cues: str = "random",
    stored: str = "digits",
    activity: float = 0.5,
    correlation: float = 0.0,
    seed: int = 1,
) -> Pairs:
    """Return the explorer's first `n` pairs; digits as cues of digits recall themselves.

    A unit of a random pattern is on with probability `activity`. Random cues come in two families:
    `correlation` is that of two cues of the same family, cues of different families are independent. So the
    mean of all cues is only a part of what they share.
    """
    n = as_count(n, "number of patterns")
    if n > MOST_PATTERNS:
        raise ValueError(f"The number of patterns must be at most {MOST_PATTERNS}. Got {n}.")
    for kind in (cues, stored):
        if kind not in KINDS:
            raise unknown_name("kind of pattern", kind, KINDS)
    seed = as_count(seed, "seed", at_least=0)
    share = as_number(activity, "activity", at_least=0, at_most=1)
    common = as_number(correlation, "correlation", at_least=0, at_most=1)
    shown = digits()[:n] if cues == "digits" else _families(n, share, common, seed)
    if stored == "digits":
        return Pairs(shown, digits()[:n])
    return Pairs(shown, (uniform(seed, TARGETS, (n, N_PIXELS)) < share).astype(np.float64))


def _families(n: int, activity: float, correlation: float, seed: int) -> Array:
    """Draw cues whose units copy their family with probability √correlation, else are independent."""
    families = uniform(seed, FAMILIES, (2, N_CUE_UNITS)) < activity
    member = (uniform(seed, MEMBERSHIP, (n,)) < 0.5).astype(np.intp)
    own = uniform(seed, CUES, (n, N_CUE_UNITS)) < activity
    copies = uniform(seed, COPIES, (n, N_CUE_UNITS)) < np.sqrt(correlation)
    return np.where(copies, families[member], own).astype(np.float64)


def initial_weights(n_inputs: int, n_outputs: int = N_PIXELS, *, seed: int = 1) -> Array:
    """Return the small random weights from which all rules start."""
    draws = uniform(seed, WEIGHTS, (n_inputs, n_outputs))
    return glorot_bound(n_inputs, n_outputs) * (2 * draws - 1)


@cache
def digits() -> Array:
    """Return images of handwritten digits, 0 to 9 in turn, in grey values between 0 and 1."""
    rows = [[int(level, GREY_LEVELS + 1) for level in line] for line in digits_text().splitlines()]
    images = np.array(rows, np.float64) / GREY_LEVELS
    images.setflags(write=False)
    return images


def digits_text() -> str:
    """Return the images as text: one per line, one character per pixel, from 0 (white) to g (black)."""
    return resources.files(__package__).joinpath("parts", "digits.txt").read_text(encoding="ascii")
