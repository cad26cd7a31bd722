"""The paper's splits of ADULT and CONNECT, as indices into the public files, which do not contain them.

Made by `tools/make_split_indices.py`. Both splits are Larochelle's.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt


def adult_split() -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.intp]]:
    """Return which rows of `a9a` form `a5a`, and the row of sorted `a5a` of each train and valid pattern."""
    arrays = _arrays("adult")
    in_a5a = np.unpackbits(arrays["in_a5a"], count=int(arrays["n_a9a"])).astype(bool)
    return in_a5a, arrays["place"].astype(np.intp)


def connect_split() -> npt.NDArray[np.intp]:
    """Return the rows of `connect-4.data` that form the train and valid parts, in their order."""
    return _arrays("connect")["rows"].astype(np.intp)


def _arrays(name: str) -> dict[str, npt.NDArray[Any]]:
    with (
        files(__name__).joinpath(f"{name}.npz").open("rb") as file,
        np.load(file, allow_pickle=False) as archive,
    ):
        return dict(archive)
