"""Arrays as safetensors bytes and back: a few plain dtypes, plain names, finite numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from hebbian_descent.files.errors import ModelFileError

DTYPES: dict[str, np.dtype[Any]] = {
    "F64": np.dtype("<f8"),
    "F32": np.dtype("<f4"),
    "I64": np.dtype("<i8"),
    "I32": np.dtype("<i4"),
    "I16": np.dtype("<i2"),
    "I8": np.dtype("i1"),
    "U64": np.dtype("<u8"),
    "U32": np.dtype("<u4"),
    "U16": np.dtype("<u2"),
    "U8": np.dtype("u1"),
    "BOOL": np.dtype("?"),
}
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")

Arrays = Mapping[str, npt.NDArray[Any]]


def serialized(tensors: Arrays, metadata: Mapping[str, str]) -> bytes:
    """Return arrays and a few words as the bytes of a safetensors file."""
    return bytes(_safetensors().numpy.save(dict(tensors), metadata=dict(metadata)))


def deserialized(data: bytes) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of a safetensors file, in order of their names, each in memory of its own."""
    safetensors = _safetensors()
    try:
        found = safetensors.deserialize(data)
    except safetensors.SafetensorError as error:
        raise ModelFileError(f"The arrays of a model file must be in order. Got: {error}.") from None
    tensors = {}
    for name, entry in sorted(found):
        if not NAME.fullmatch(name):
            raise ModelFileError(
                f"The name of an array must be letters, digits and underscores. Got {name!r}."
            )
        if entry["dtype"] not in DTYPES:
            raise ModelFileError(
                f"The numbers of {name!r} must be of {', '.join(DTYPES)}. Got {entry['dtype']}."
            )
        array = np.frombuffer(entry["data"], dtype=DTYPES[entry["dtype"]])
        if entry["dtype"] == "BOOL" and (np.frombuffer(entry["data"], dtype=np.uint8) > 1).any():
            raise ModelFileError(f"The values of {name!r} must be 0 or 1. Got others.")
        tensors[name] = array.reshape(entry["shape"]).copy()
    return tensors


def storable(name: str, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return an array as it can be written, or say why it cannot."""
    little_endian = array.dtype.newbyteorder("<") if array.dtype.byteorder == ">" else array.dtype
    if not NAME.fullmatch(name) or little_endian not in DTYPES.values():
        kinds = ", ".join(str(dtype) for dtype in DTYPES.values())
        raise ModelFileError(f"An array to be saved must be of {kinds}. Got {name!r} of {array.dtype}.")
    must_be_finite(name, array)
    return np.ascontiguousarray(array, dtype=little_endian)


def must_be_finite(name: str, array: npt.NDArray[Any]) -> None:
    """Refuse NaN and infinities."""
    if not np.isfinite(array).all():
        raise ModelFileError(f"The numbers of {name!r} must be finite. Got some that are not.")


def _safetensors() -> Any:
    import safetensors.numpy  # where it is used, for it is not needed to learn

    return safetensors
