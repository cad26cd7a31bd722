"""ADULT: census records as 123 binary features, and whether the income exceeds 50,000 dollars.

LIBSVM publishes the records as `a9a`, and a part of them, in the same order, as `a5a`, the rest as `a5a.t`.
The training and validation parts are the rows of `a5a` in another order, which is stored relative to the
sorted rows: sorted, they do not depend on which of several identical records of `a9a` stand in `a5a`.
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
from hebbian_descent.datasets.splits import adult_split

N_FEATURES = 123
N_TRAIN = 5000
SORTED_A5A_SHA256 = "7171c66cdf2cb5c9c26115c3202f49bcb651917f6be82f1ad0a7195bfca499c5"


def _read_a9a(paths: Sequence[Path]) -> Splits:
    (path,) = paths
    with reading(path):
        records = _parse(path)
        in_a5a, _ = adult_split()
        if len(records) != len(in_a5a):
            raise ValueError(f"a9a must have {len(in_a5a)} lines, and has {len(records)}")
        return _arrange(_rows(records, in_a5a), _rows(records, ~in_a5a))


def _read_a5a(paths: Sequence[Path]) -> Splits:
    a5a_path, rest_path = paths
    with reading(rest_path):
        rest = _parse(rest_path)
    with reading(a5a_path):
        return _arrange(_parse(a5a_path), rest)


def _arrange(a5a: Split, rest: Split) -> Splits:
    """Split `a5a` into training and validation part, in the order of the paper's files."""
    ordered = _rows(a5a, np.lexsort(a5a.inputs.T[::-1]))
    # Indices are worth nothing in a file whose rows are others, or stand in another order.
    if hashlib.sha256(ordered.inputs.tobytes()).hexdigest() != SORTED_A5A_SHA256:
        raise ValueError("its rows must be those that LIBSVM publishes, in that order, and are not")
    _, place = adult_split()
    return Splits(_rows(ordered, place[:N_TRAIN]), _rows(ordered, place[N_TRAIN:]), rest)


def _parse(path: Path) -> Split:
    inputs, signs = parse_binary_libsvm(read_content(path), N_FEATURES)
    if not np.isin(signs, (-1, 1)).all():
        raise ValueError("labels must be -1 or +1, and some are not")
    return Split(inputs, (signs > 0).astype(np.uint8))


def _rows(records: Split, rows: npt.NDArray[np.intp] | npt.NDArray[np.bool_]) -> Split:
    assert records.labels is not None
    return Split(records.inputs[rows], records.labels[rows])


ADULT = Description(
    title="ADULT",
    what="Census records as binary features; the class is whether a person earns more than 50,000 dollars.",
    origin=PublicFiles(
        forms=(
            Form(("adult.npz",), read_archive),
            Form(("a9a",), _read_a9a),
            Form(("a5a", "a5a.t"), _read_a5a),
        ),
        downloads=(
            RemoteFile(
                "a9a",
                (
                    "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary/a9a",
                    "https://raw.githubusercontent.com/carolinetfls/gpu_svm_acceleration/"
                    "773907bd4fd79c7e47fb1f9a54333c01aea74f49/datasets/a9a",
                ),
                sha256="f5d5ffd8d865ff41328e7ee043e4b020816914ff6843ff15b98905ddbedce906",
            ),
        ),
    ),
    n_features=N_FEATURES,
    n_train=N_TRAIN,
    n_valid=1414,
    n_test=26_147,
    class_names=("<=50K", ">50K"),
    source="UCI Adult (B. Becker, R. Kohavi), binarised by J. Platt for LIBSVM; split of H. Larochelle",
    licence="CC BY 4.0",
)
