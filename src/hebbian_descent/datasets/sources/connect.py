"""CONNECT: positions of the game Connect Four after eight moves, and who will win.

The public files list the positions in one order; the training and validation parts are rows of it, the test
part is all others.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from hebbian_descent.datasets.dataset import Split, Splits
from hebbian_descent.datasets.description import Description, Form, PublicFiles
from hebbian_descent.datasets.download.remote import RemoteFile
from hebbian_descent.datasets.formats.content import read_content
from hebbian_descent.datasets.formats.damage import reading
from hebbian_descent.datasets.formats.libsvm import parse_binary_libsvm
from hebbian_descent.datasets.formats.npz import read_archive
from hebbian_descent.datasets.formats.uci_connect import N_SQUARES, OUTCOMES, parse_connect
from hebbian_descent.datasets.splits import connect_split

N_TRAIN = 16_000
POSITIONS_SHA256 = "194fe78892ec7045f79b52172d5d26d901b9a4dd62a53d74493ad1fdbf491d92"


def _read_uci(paths: Sequence[Path]) -> Splits:
    (path,) = paths
    with reading(path):
        return _arrange(*parse_connect(read_content(path)))


def _read_libsvm(paths: Sequence[Path]) -> Splits:
    (path,) = paths
    with reading(path):
        inputs, values = parse_binary_libsvm(read_content(path), 3 * N_SQUARES)
        if not np.isin(values, (-1, 0, 1)).all():
            raise ValueError("labels must be -1, 0 or 1, and some are not")
        return _arrange(inputs, (values + 1).astype(np.uint8))


def _arrange(inputs: npt.NDArray[np.uint8], labels: npt.NDArray[np.uint8]) -> Splits:
    # Indices are worth nothing in a file whose rows are others, or stand in another order.
    if hashlib.sha256(inputs.tobytes() + labels.tobytes()).hexdigest() != POSITIONS_SHA256:
        raise ValueError("its positions and labels must be those of UCI, in that order, and are not")
    chosen = connect_split()
    train, valid = chosen[:N_TRAIN], chosen[N_TRAIN:]
    in_test = np.ones(len(inputs), dtype=bool)
    in_test[chosen] = False
    return Splits(*(Split(inputs[rows], labels[rows]) for rows in (train, valid, in_test)))


CONNECT = Description(
    title="CONNECT",
    what="Connect Four after eight moves, each square as x, blank or o; the class is the value for x.",
    origin=PublicFiles(
        forms=(
            Form(("connect4.npz",), read_archive),
            Form(("connect-4.data",), _read_uci),
            Form(("connect-4",), _read_libsvm),
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
            ),
        ),
    ),
    n_features=3 * N_SQUARES,
    n_train=N_TRAIN,
    n_valid=4000,
    n_test=47_557,
    class_names=OUTCOMES,
    source="UCI Connect-4 (J. Tromp), binarised for LIBSVM; split of H. Larochelle",
    licence="CC BY 4.0",
)
