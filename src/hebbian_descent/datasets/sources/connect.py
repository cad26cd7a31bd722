"""CONNECT: positions of the game Connect Four after eight moves, and who will win.

The public files list the positions in one order; training and validation parts are rows of it, the test part
is the rest. UCI's `connect-4.data` has 42 squares per line as x, b (blank) or o, then the value of the game.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hebbian_descent.datasets.dataset import Split, Splits
from hebbian_descent.datasets.description import (
    Description,
    FileFormat,
    PublicFiles,
    RemoteFile,
    archive_format,
)
from hebbian_descent.datasets.formats.libsvm import parse_binary_libsvm
from hebbian_descent.datasets.splits import connect_split

N_SQUARES = 42
SQUARE_STATES = np.frombuffer(b"xbo", dtype=np.uint8)
OUTCOMES = ("loss", "draw", "win")
MOST_ROWS = 100_000
"""More positions than the file has; a short line takes as much memory as a long one."""


def parse_connect(content: bytes) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
    """Return one-hot squares, three inputs (x, b, o) per square, and 0, 1, 2 for loss, draw, win of x."""
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


N_TRAIN = 16_000
N_POSITIONS = 67_557
ARRAYS_SHA256 = {
    "x_train": "66f16f5e0557149943a973dde30c08f720e501a774f197249fa91622ac9b3819",
    "y_train": "2507b1b154be67ef1d36419e490adb6f2daa97ca2526233794629caaf9c4892a",
    "x_valid": "fd3490a0962bd89889a0bea8dd4aee9ebcee61323b494eadc6a3fed3551ea0ce",
    "y_valid": "ae293c682dd6f4fd619e35dfbe182153cb56fba9d7f7669b2f271a10bd4afe8e",
    "x_test": "e75937488dbd4d68348e9662074397dcac867a4f0d45eb4fbcdd287c56d4f032",
    "y_test": "f4f792cfb96e40a7ad5604f0ba9e82150f8100b332fb074bd330e2b43f892c31",
}


def parse_libsvm(content: bytes) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
    """Return the same arrays as `parse_connect`, from LIBSVM's file."""
    inputs, values = parse_binary_libsvm(content, 3 * N_SQUARES)
    if not np.isin(values, (-1, 0, 1)).all():
        raise ValueError("labels must be -1, 0 or 1, and some are not")
    return inputs, (values + 1).astype(np.uint8)


def _arrange(positions: tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]) -> Splits:
    inputs, labels = positions
    if len(inputs) != N_POSITIONS:
        raise ValueError(f"it must have {N_POSITIONS} positions, and has {len(inputs)}")
    chosen = connect_split()
    train, valid = chosen[:N_TRAIN], chosen[N_TRAIN:]
    in_test = np.ones(len(inputs), dtype=bool)
    in_test[chosen] = False
    return Splits(*(Split(inputs[rows], labels[rows]) for rows in (train, valid, in_test)))


CONNECT = Description(
    title="CONNECT",
    what="Connect Four after eight moves, each square as x, blank or o; the class is the value for x.",
    origin=PublicFiles(
        formats=(
            archive_format("connect4.npz", ARRAYS_SHA256),
            FileFormat(("connect-4.data",), parse_connect, _arrange, ARRAYS_SHA256),
            FileFormat(("connect-4",), parse_libsvm, _arrange, ARRAYS_SHA256),
        ),
        downloads=(
            RemoteFile(
                "connect-4",
                (
                    "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/multiclass/connect-4",
                    "https://raw.githubusercontent.com/ross-nordstrom/cs5860-gear_smarts/master/"
                    "eval/connect-4/connect-4.txt",
                ),
                sha256="6fd5ca7fb3d027ab19412a3ee4af7f9198a699064bc478cfc915b208a7addcac",
                size=14_744_061,
            ),
        ),
        label_error=0.3409,
        deviation=0.1717,
    ),
    n_features=3 * N_SQUARES,
    n_train=N_TRAIN,
    n_valid=4000,
    n_test=47_557,
    class_names=OUTCOMES,
    source="UCI Connect-4 (J. Tromp), binarised for LIBSVM; split of H. Larochelle",
    licence="CC BY 4.0",
)
