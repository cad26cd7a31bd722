"""The format of UCI's `connect-4.data`: 42 squares as x, b (blank) or o, and the value of the game."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

N_SQUARES = 42
SQUARE_STATES = np.frombuffer(b"xbo", dtype=np.uint8)
OUTCOMES = ("loss", "draw", "win")
MOST_ROWS = 100_000
"""More positions than the file has. A short line takes as much memory as a long one."""


def parse_connect(content: bytes) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
    """Return the squares one-hot, three inputs (x, b, o) a square, and 0, 1, 2 for loss, draw, win of x."""
    lines = content.split()
    if not 0 < len(lines) <= MOST_ROWS:
        raise ValueError(f"it must hold one position per line, at most {MOST_ROWS}, and holds {len(lines)}")
    boards = np.array([line[: 2 * N_SQUARES] for line in lines])
    if boards.dtype.itemsize != 2 * N_SQUARES:
        raise ValueError(f"a line must begin with {N_SQUARES} squares, and none does")
    cells = boards.view(np.uint8).reshape(len(lines), N_SQUARES, 2)  # a square and the comma behind it
    inputs = (cells[:, :, :1] == SQUARE_STATES).reshape(len(lines), 3 * N_SQUARES)
    malformed = (inputs.sum(axis=1) != N_SQUARES) | (cells[:, :, 1] != ord(",")).any(axis=1)
    if malformed.any():
        line_number = int(malformed.argmax()) + 1
        raise ValueError(f"a line must hold {N_SQUARES} squares (x, b or o), and line {line_number} does not")
    return inputs.astype(np.uint8), _labels(lines)


def _labels(lines: list[bytes]) -> npt.NDArray[np.uint8]:
    numbers = {outcome.encode(): number for number, outcome in enumerate(OUTCOMES)}
    try:
        return np.array([numbers[line[2 * N_SQUARES :]] for line in lines], dtype=np.uint8)
    except KeyError as error:
        raise ValueError(
            f"a line must end in {', '.join(OUTCOMES)}, and one ends in {error.args[0]!r}"
        ) from None
