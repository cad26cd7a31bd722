"""Random numbers that Python and JavaScript draw alike, bit for bit; the twin is `parts/generator.mjs`.

The k-th number of a stream is a hash of k, in integers of 32 bits, which both languages compute exactly.
Numbers are multiples of 2⁻³², so that a comparison or a single product rounds the same in both.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array

Words = npt.NDArray[np.uint32]

GOLDEN = 0x9E3779B9
"""2³² over the golden ratio: its multiples visit all words of 32 bits, evenly."""
STREAM = 0x85EBCA6B


def uniform(seed: int, stream: int, shape: tuple[int, ...]) -> Array:
    """Draw numbers in [0, 1); a larger draw of the same stream begins with the smaller one."""
    n = math.prod(shape)
    key = scrambled(np.array([seed * GOLDEN + stream * STREAM & 0xFFFFFFFF], np.uint32))
    counters = np.arange(1, n + 1, dtype=np.uint32)
    return (scrambled(key + counters * np.uint32(GOLDEN)) * 2.0**-32).reshape(shape)


def scrambled(words: Words) -> Words:
    """Return words whose every bit depends on all bits of the given ones: the finalizer of MurmurHash3."""
    z = words.copy()
    z ^= z >> np.uint32(16)
    z *= np.uint32(0x85EBCA6B)
    z ^= z >> np.uint32(13)
    z *= np.uint32(0xC2B2AE35)
    z ^= z >> np.uint32(16)
    return z
