"""Random generators that depend on the seed, the role of the patterns and the dataset alone."""

from __future__ import annotations

import enum
import zlib

import numpy as np

from hebbian_descent.checks import as_count


class Role(enum.IntEnum):
    """What patterns are drawn for; roles draw independently of each other, even from one dataset."""

    INPUT = 0
    TARGET = 1


def generator(seed: int, role: Role, name: str) -> np.random.Generator:
    """Return the generator of one draw; the same on every machine, since the name enters by its CRC-32."""
    return np.random.default_rng((as_count(seed, "seed", at_least=0), int(role), zlib.crc32(name.encode())))
