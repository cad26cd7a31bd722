"""The binary format of CIFAR-10: records of a label and 32×32 red, then green, then blue bytes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

N_PIXELS = 32 * 32
RECORD_SIZE = 1 + 3 * N_PIXELS
LARGEST_BATCH = 10_000 * RECORD_SIZE
RED, GREEN, BLUE = 0.299, 0.587, 0.114


def parse_grey_batch(content: bytes) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
    """Return the images in grey, pixels row by row, and the labels.

    Grey is the luma 0.299 R + 0.587 G + 0.114 B, rounded to a byte.
    """
    if not content or len(content) % RECORD_SIZE:
        raise ValueError(f"a batch must be records of {RECORD_SIZE} bytes, and has {len(content)} bytes")
    if len(content) > LARGEST_BATCH:
        raise ValueError(f"a batch must have at most {LARGEST_BATCH} bytes, and has {len(content)}")
    records = np.frombuffer(content, dtype=np.uint8).reshape(-1, RECORD_SIZE)
    red, green, blue = (records[:, 1 + k * N_PIXELS : 1 + (k + 1) * N_PIXELS] for k in range(3))
    # In whole numbers, or summed in another order, the many exact halves would be rounded otherwise.
    luma = np.multiply(red, RED, dtype=np.float64)
    luma += np.multiply(green, GREEN, dtype=np.float64)
    luma += np.multiply(blue, BLUE, dtype=np.float64)
    return np.rint(luma).astype(np.uint8), records[:, 0].copy()
