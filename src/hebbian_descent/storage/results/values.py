"""Canonical forms of plain values, containers and NumPy arrays.

A canonical form is made of JSON values. What JSON cannot express is an object with one key that starts with
a dollar sign: `{"$tuple": [...]}`, `{"$array": {...}}`. Values that could lead to different numbers have
different forms: 1, 1.0 and True; a tuple and a list; `np.float32(1)` and 1.0 (NumPy computes with them in
different precision). The order of a mapping's keys does not count.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
Visit: TypeAlias = Callable[[object, str], Json]
"""Returns the form of a part; the text says where in the whole it was found."""

ARRAY_KINDS = "biufcSUmM"  # the data types that their bytes fully determine
PADDED_TYPES = "gG"  # long doubles, whose padding bytes are arbitrary
SCALARS: dict[str, Callable[[Any], Any]] = {
    "bool": np.bool,
    "int8": np.int8,
    "int16": np.int16,
    "int32": np.int32,
    "int64": np.int64,
    "intc": np.intc,
    "longlong": np.longlong,
    "uint8": np.uint8,
    "uint16": np.uint16,
    "uint32": np.uint32,
    "uint64": np.uint64,
    "uintc": np.uintc,
    "ulonglong": np.ulonglong,
    "float16": np.float16,
    "float32": np.float32,
    "float64": np.float64,
    "str_": np.str_,
}
"""The only scalar types that a form may name, since it may come from a stranger's file."""
MOST_OF_ONE_HASH = 100


class RefusalError(Exception):
    """A value has no canonical form; raised where the value is seen but its place is unknown."""


def to_json(form: Json) -> str:
    """Return the unique text of a canonical form: sorted keys, no spaces, ASCII."""
    return json.dumps(form, sort_keys=True, separators=(",", ":"), allow_nan=False)


def sha256(form: Json) -> str:
    """Return the hash of a canonical form, 64 hexadecimal digits."""
    return hashlib.sha256(to_json(form).encode()).hexdigest()


def restore(form: Json) -> Any:
    """Return the value of a form; arrays and functions, which a form does not hold, stay descriptions.

    A form that `canonical` did not make gives some value or exception, and has no other effect.
    """
    if isinstance(form, list):
        return [restore(item) for item in form]
    if not isinstance(form, dict):
        return form
    tag, content = next(iter(form.items()), ("", None))
    if tag in RESTORED and len(form) == 1:
        return RESTORED[tag](content)
    return {key: restore(value) for key, value in form.items()}


def _as_is(value: Any, visit: Visit) -> Json:
    return value  # type: ignore[no-any-return]  # None, a bool, an int or a str


def _float(value: float, visit: Visit) -> Json:
    return value if math.isfinite(value) else {"$float": repr(value)}


def _list(values: list[object], visit: Visit) -> list[Json]:
    return [visit(value, str(position)) for position, value in enumerate(values)]


def _tuple(values: tuple[object, ...], visit: Visit) -> Json:
    return {"$tuple": _list(list(values), visit)}


def _set(values: Iterable[object], visit: Visit) -> Json:
    return {"$set": sorted((visit(value, "member") for value in values), key=to_json)}


def _dict(mapping: Mapping[Any, object], visit: Visit) -> Json:
    if all(type(key) is str for key in mapping):
        return {key: visit(mapping[key], key) for key in sorted(mapping)}
    pairs: list[Json] = [[visit(key, "key"), visit(value, str(key))] for key, value in mapping.items()]
    return {"$mapping": sorted(pairs, key=to_json)}


def _bytes(value: bytes, visit: Visit) -> Json:
    return {"$bytes": value.hex()}


def _complex(value: complex, visit: Visit) -> Json:
    return {"$complex": [_float(value.real, visit), _float(value.imag, visit)]}


def _range(value: range, visit: Visit) -> Json:
    return {"$range": [value.start, value.stop, value.step]}


def _slice(value: slice, visit: Visit) -> Json:
    return {"$slice": [visit(part, "slice") for part in (value.start, value.stop, value.step)]}


def _array(value: npt.NDArray[Any], visit: Visit) -> Json:
    if value.dtype.kind not in ARRAY_KINDS or value.dtype.char in PADDED_TYPES:
        raise RefusalError(
            f"an array of {value.dtype}, whose bytes do not determine its values; convert it to float64"
        )
    little_endian = np.ascontiguousarray(value, dtype=value.dtype.newbyteorder("<"))
    return {
        "$array": {
            "dtype": value.dtype.name,
            "shape": list(value.shape),
            "sha256": hashlib.sha256(little_endian.tobytes()).hexdigest(),
        }
    }


def _numpy_scalar(value: np.generic, visit: Visit) -> Json:
    name = type(value).__name__
    if name not in SCALARS:
        return _array(np.asarray(value), visit)
    return {"$scalar": {"type": name, "value": visit(value.item(), "value")}}


def _dtype(value: np.dtype[Any], visit: Visit) -> Json:
    return {"$dtype": str(value)}


def _restored_list(items: Json) -> list[Any]:
    """Return the listed members of a form: a range in their place could stand for any number of them."""
    if type(items) is not list:
        raise ValueError(f"members must be a list, but are {items!r:.200}")
    return [restore(item) for item in items]


def _restored_scalar(scalar: Any) -> Any:
    value = restore(scalar["value"])
    if type(value) not in (bool, int, float, str):
        raise ValueError(f"a scalar must be a number or a text, but is {value!r:.200}")
    return SCALARS[scalar["type"]](value)


def _restored_set(items: Json) -> Any:
    members = _restored_list(items)
    return frozenset(members) if _can_be_keys(members) else {"$set": members}


def _restored_mapping(pairs: Json) -> Any:
    items = _restored_list(pairs)
    return dict(items) if _can_be_keys([key for key, _ in items]) else {"$mapping": items}


def _can_be_keys(values: list[Any]) -> bool:
    """Return whether values can be hashed: descriptions cannot, and numbers chosen to collide take hours."""
    try:
        return max(Counter(map(hash, values)).values(), default=0) <= MOST_OF_ONE_HASH
    except TypeError:
        return False


FORMS: dict[type, Callable[[Any, Visit], Json]] = {
    type(None): _as_is,
    bool: _as_is,
    int: _as_is,
    str: _as_is,
    float: _float,
    list: _list,
    tuple: _tuple,
    set: _set,
    frozenset: _set,
    dict: _dict,
    MappingProxyType: _dict,
    bytes: _bytes,
    complex: _complex,
    range: _range,
    slice: _slice,
    np.ndarray: _array,
    np.memmap: _array,
}
"""Forms by exact type: a subclass may hold more than its base."""

FORMS_OF_SUBCLASSES: dict[type, Callable[[Any, Visit], Json]] = {np.generic: _numpy_scalar, np.dtype: _dtype}

RESTORED: dict[str, Callable[[Any], Any]] = {
    "$float": float,
    "$tuple": lambda items: tuple(_restored_list(items)),
    "$set": _restored_set,
    "$mapping": _restored_mapping,
    "$bytes": bytes.fromhex,
    "$complex": lambda parts: complex(*_restored_list(parts)),
    "$range": lambda parts: range(*parts),
    "$scalar": _restored_scalar,
}
