"""The idx format of MNIST: a magic number, the size of each dimension, then the bytes."""

from __future__ import annotations

import math
import struct

import numpy as np
import numpy.typing as npt

UNSIGNED_BYTE = 0x08


def parse_idx(content: bytes) -> npt.NDArray[np.uint8]:
    """Return the array of unsigned bytes that an idx file holds."""
    if len(content) < 4:
        raise ValueError(
            f"an idx file has a header of at least 4 bytes, and this one ends after {len(content)}"
        )
    zero, element_type, n_dimensions = struct.unpack(">HBB", content[:4])
    if zero != 0 or element_type != UNSIGNED_BYTE or n_dimensions == 0:
        raise ValueError(
            f"an idx file of bytes begins with 00 00 08, and this one with {content[:3].hex(' ')}"
        )
    header_size = 4 + 4 * n_dimensions
    if len(content) < header_size:
        raise ValueError(f"the header must have {header_size} bytes, and ends after {len(content)}")
    shape = struct.unpack(f">{n_dimensions}I", content[4:header_size])
    expected = header_size + math.prod(shape)
    if len(content) != expected:
        raise ValueError(f"an array of shape {shape} takes {expected} bytes, and the file has {len(content)}")
    return np.frombuffer(content, dtype=np.uint8, offset=header_size).reshape(shape)
