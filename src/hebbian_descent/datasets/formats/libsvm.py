"""The text format of LIBSVM, for data whose features are all zero or one.

A line is `label index:1 index:1 …`, the indices counted from 1.
"""

from __future__ import annotations

import warnings

import numpy as np
import numpy.typing as npt

# Stands for the end of a line among the numbers of a file; no label or index of a dataset is that small.
END_OF_ROW = -(2**31)
MOST_ROWS = 100_000
"""More rows than any of the files has; a short line takes as much memory as a long one."""


def parse_binary_libsvm(
    content: bytes, n_features: int
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    """Return the inputs as a matrix of zeros and ones, and the labels as in the file."""
    lines = [line.rstrip() for line in content.splitlines() if line.strip()]
    if not 0 < len(lines) <= MOST_ROWS:
        raise ValueError(f"it must hold one row per line, at most {MOST_ROWS}, and holds {len(lines)}")
    numbers = _whole_numbers((b"\n".join(lines) + b"\n").replace(b":1\n", b"\n").replace(b":1 ", b" "))
    row_ends = np.flatnonzero(numbers == END_OF_ROW)
    row_starts = np.concatenate([[0], row_ends[:-1] + 1])
    is_index = numbers != END_OF_ROW
    is_index[row_starts] = False
    row_of_number = np.cumsum(numbers == END_OF_ROW)
    indices = numbers[is_index]
    if indices.size and (indices.min() < 1 or indices.max() > n_features):
        raise ValueError(
            f"feature indices must lie in 1..{n_features}, and range from {indices.min()} to {indices.max()}"
        )
    inputs = np.zeros((len(row_ends), n_features), dtype=np.uint8)
    inputs[row_of_number[is_index], indices - 1] = 1
    return inputs, numbers[row_starts]


def _whole_numbers(text: bytes) -> npt.NDArray[np.int64]:
    marked = text.replace(b"\n", b" %d " % END_OF_ROW)
    with warnings.catch_warnings():
        # At what is no number, older versions of NumPy stop and only warn; newer ones raise.
        warnings.simplefilter("error", DeprecationWarning)
        try:
            return np.fromstring(marked, dtype=np.int64, sep=" ")
        except (DeprecationWarning, ValueError):
            raise ValueError("a line must read `label index:1 index:1 …`, and one does not") from None
