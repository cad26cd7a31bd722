"""Arrays as safetensors bytes and back: a few plain dtypes, plain names, finite numbers."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from hebbian_descent.storage.models.contents import ModelFileError, shortened

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
MOST_AXES = 8

Arrays = Mapping[str, npt.NDArray[Any]]


def serialized(tensors: Arrays, metadata: Mapping[str, str]) -> bytes:
    """Return arrays and metadata as the bytes of a safetensors file."""
    import safetensors.numpy  # only here: learning does not need it

    if not tensors:  # safetensors 0.4.0 writes a header that is not JSON
        header = json.dumps({"__metadata__": dict(metadata)}).encode()
        header += b" " * (-len(header) % 8)
        return len(header).to_bytes(8, "little") + header
    return bytes(safetensors.numpy.save(dict(tensors), metadata=dict(metadata)))


def deserialized(entries: Mapping[str, Any], data: memoryview) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of a safetensors file, sorted by name, as copies.

    `entries` are those of the header; `data` is what follows it: the arrays side by side, nothing else.
    """
    places = {name: _place(name, entry) for name, entry in entries.items()}
    position = 0
    for start, end in sorted((start, end) for _, _, start, end in places.values()):
        if start != position:
            raise ModelFileError(
                f"The arrays of a model file must lie side by side. Got one at byte {start} where byte "
                f"{position} is free."
            )
        position = end
    if position != len(data):
        raise ModelFileError(
            f"A model file must be whole. Got {len(data)} bytes of arrays where the header announces "
            f"{position}: it was cut off, or something was added."
        )
    tensors = {}
    for name, (dtype, shape, start, end) in sorted(places.items()):
        content = data[start:end]
        if dtype.kind == "b" and (largest := np.frombuffer(content, np.uint8).max()) > 1:
            raise ModelFileError(f"The values of {name!r} must be 0 or 1. Got {largest}.")
        tensors[name] = np.frombuffer(content, dtype).reshape(shape).copy()
    return tensors


def size_announced(entries: Mapping[str, Any]) -> int:
    """Return how many bytes the arrays take, by their entries."""
    return max((_place(name, entry)[3] for name, entry in entries.items()), default=0)


def _place(name: str, entry: Any) -> tuple[np.dtype[Any], list[int], int, int]:
    """Return dtype, shape, first and last byte of an array, from its entry in the header."""
    if not NAME.fullmatch(name):
        raise ModelFileError(
            f"The name of an array must be letters, digits and underscores. Got {name[:100]!r}."
        )
    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
        raise ModelFileError(
            f"The array {name!r} must have dtype, shape and data_offsets. Got {shortened(entry)}."
        )
    word, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(word, str) or word not in DTYPES:
        raise ModelFileError(f"The numbers of {name!r} must be of {', '.join(DTYPES)}. Got {word!r}.")
    if not _are_whole(shape) or len(shape) > MOST_AXES or 0 in shape:
        raise ModelFileError(
            f"The array {name!r} must have at most {MOST_AXES} axes, none of them empty. Got shape {shape!r}."
        )
    n_bytes = math.prod(shape) * DTYPES[word].itemsize
    if not _are_whole(offsets) or len(offsets) != 2 or offsets[1] - offsets[0] != n_bytes:
        raise ModelFileError(f"The array {name!r} must take {n_bytes} bytes. Got data_offsets {offsets!r}.")
    return DTYPES[word], shape, offsets[0], offsets[1]


def _are_whole(values: Any) -> bool:
    return isinstance(values, list) and all(type(value) is int and value >= 0 for value in values)


def storable(name: str, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return an array in a form that can be written, or raise a `ModelFileError`."""
    little_endian = array.dtype.newbyteorder("<") if array.dtype.byteorder == ">" else array.dtype
    if not NAME.fullmatch(name) or little_endian not in DTYPES.values():
        kinds = ", ".join(str(dtype) for dtype in DTYPES.values())
        raise ModelFileError(f"An array to be saved must be of {kinds}. Got {name!r} of {array.dtype}.")
    if array.ndim > MOST_AXES or array.size == 0:
        raise ModelFileError(
            f"An array to be saved must have at most {MOST_AXES} axes, none of them empty. Got {name!r} of "
            f"shape {array.shape}."
        )
    must_be_finite(name, array)
    return np.ascontiguousarray(array, dtype=little_endian)


def must_be_finite(name: str, array: npt.NDArray[Any]) -> None:
    """Refuse NaN and infinities."""
    if n_wrong := np.count_nonzero(~np.isfinite(array)):
        raise ModelFileError(f"The numbers of {name!r} must be finite. Got {n_wrong} that are not.")
