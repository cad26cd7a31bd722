"""ADULT: census records as 123 binary features, and whether the income exceeds 50,000 dollars.

LIBSVM publishes the records as `a9a`, and a part of them, in the same order, as `a5a`, the rest as `a5a.t`.
The training and validation parts are the rows of `a5a` in another order, which is stored relative to the
sorted rows: the sorted order does not depend on which of several identical records of `a9a` are in `a5a`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hebbian_descent.datasets.dataset import Description, FileFormat, PublicFiles, RemoteFile, Split, Splits
from hebbian_descent.datasets.formats import archive_format, parse_binary_libsvm, shipped_arrays

N_FEATURES = 123
N_TRAIN = 5000
N_A5A = 6414
ARRAYS_SHA256 = {
    "x_train": "51f7e476ddebd27c873cfaf59d08af97930089470434483e8023bfb529c37e4f",
    "y_train": "286de5e203159d5e0cd7ef8d04a46af283d82e873a9b6400ffe805f2e6b54191",
    "x_valid": "e7e7fe06cb496ce3a400b320fa238e156123c3d155543740250cb10e664c4aa3",
    "y_valid": "81c0bd26c4eebd73f9e71d2a074a11f6827046d0271be5900f99267aeae7d421",
    "x_test": "dcb38cb27fe5ae13b4286a1b1c257027081647c39cb8ae5cc46679d86671f729",
    "y_test": "1952d664084bdc08837090649cd4273c6cc79abedc1174ad9bca1e86563656c1",
}
# Of several identical records, `a5a` may hold a different one, with the other label.
A5A_SHA256 = {
    "x_train": ARRAYS_SHA256["x_train"],
    "x_valid": ARRAYS_SHA256["x_valid"],
    "records": "cbb23ac83bbd2953c5f47d0ce0363b0afbf6e2c3b608222be43555ff0d37a52d",
}


def parse_records(content: bytes) -> Split:
    """Return the records of a LIBSVM file, in file order."""
    inputs, signs = parse_binary_libsvm(content, N_FEATURES)
    if not np.isin(signs, (-1, 1)).all():
        raise ValueError("labels must be -1 or +1, but some are not")
    return Split(inputs, (signs > 0).astype(np.uint8))


def _arrange_a9a(records: Split) -> Splits:
    split = shipped_arrays("adult")
    in_a5a = np.unpackbits(split["in_a5a"], count=int(split["n_a9a"])).astype(bool)
    if len(records) != len(in_a5a):
        raise ValueError(f"a9a must have {len(in_a5a)} lines, but has {len(records)}")
    return _arrange(_rows(records, in_a5a), _rows(records, ~in_a5a))


def _arrange(a5a: Split, rest: Split) -> Splits:
    """Split `a5a` into training and validation part, in the order of the paper's files."""
    if len(a5a) != N_A5A:
        raise ValueError(f"a5a must have {N_A5A} lines, but has {len(a5a)}")
    ordered = _rows(a5a, np.lexsort(a5a.inputs.T[::-1]))
    rows = shipped_arrays("adult")["place"].astype(np.intp)
    return Splits(_rows(ordered, rows[:N_TRAIN]), _rows(ordered, rows[N_TRAIN:]), rest)


def _rows(records: Split, rows: npt.NDArray[np.intp] | npt.NDArray[np.bool_]) -> Split:
    assert records.labels is not None
    return Split(records.inputs[rows], records.labels[rows])


ADULT = Description(
    title="ADULT",
    what="Census records as binary features; the class is whether a person earns more than 50,000 dollars.",
    origin=PublicFiles(
        formats=(
            archive_format("adult.npz", ARRAYS_SHA256),
            FileFormat(("a9a",), parse_records, _arrange_a9a, ARRAYS_SHA256),
            FileFormat(("a5a", "a5a.t"), parse_records, _arrange, A5A_SHA256),
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
                size=2_329_875,
            ),
        ),
        label_error=0.2399,
        deviation=0.1248,
    ),
    n_features=N_FEATURES,
    n_train=N_TRAIN,
    n_valid=1414,
    n_test=26_147,
    class_names=("<=50K", ">50K"),
    source="UCI Adult (B. Becker, R. Kohavi), binarised by J. Platt for LIBSVM; split of H. Larochelle",
    licence="CC BY 4.0",
)
