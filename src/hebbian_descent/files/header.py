"""The header of a safetensors file, read with distrust: eight bytes of length, then JSON."""

from __future__ import annotations

import json
from typing import Any

from hebbian_descent.files.errors import ModelFileError

PREFIX = 8
LARGEST_HEADER = 16 * 2**20
KEY = "hebbian_descent"
LARGEST_INTEGER = 2**63


def header_length(prefix: bytes, file_size: int) -> int:
    """Return how many bytes the header takes, from the first eight bytes of a file of known size."""
    if len(prefix) < PREFIX:
        raise ModelFileError(f"A model file must have at least {PREFIX} bytes. Got {len(prefix)}.")
    length = int.from_bytes(prefix[:PREFIX], "little")
    if length > LARGEST_HEADER:
        raise ModelFileError(
            f"The header of a model file must have at most {LARGEST_HEADER} bytes. Its first bytes announce "
            f"{length}: this is no model file, or it is damaged."
        )
    if PREFIX + length > file_size:
        raise ModelFileError(
            f"A model file must be whole. Got {file_size} bytes, less than the header alone: it was cut off."
        )
    return length


def parse_header(text: bytes) -> dict[str, Any]:
    """Return the JSON object of a header; no key stands twice, and every number is finite."""
    header = strict_json(text)
    if not isinstance(header, dict):
        raise ModelFileError("The header of a model file must be a JSON object. Got something else.")
    return header


def size_announced(header: dict[str, Any], length: int) -> int:
    """Return how many bytes a file with this header has in all."""
    ends = [0]
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        offsets = entry.get("data_offsets") if isinstance(entry, dict) else None
        if not (isinstance(offsets, list) and len(offsets) == 2 and type(offsets[1]) is int):
            raise ModelFileError("Every array in a model file must have a place. Got one without.")
        ends.append(offsets[1])
    return PREFIX + length + max(ends)


def strict_json(text: bytes | str) -> Any:
    """Parse JSON without what Python adds to it: doubled keys, NaN, infinities, numbers of any length."""
    try:
        return json.loads(
            text, object_pairs_hook=_unique, parse_constant=_refuse, parse_float=_finite, parse_int=_whole
        )
    except (ValueError, RecursionError) as error:  # also text that is not UTF-8, and numbers without end
        raise ModelFileError(f"The header of a model file must be JSON. Got other bytes: {error}.") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice")
    return found


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no number")


def _finite(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise ValueError(f"{text} is too large")
    return number


def _whole(text: str) -> int:
    number = int(text)
    if abs(number) >= LARGEST_INTEGER:
        raise ValueError(f"{text[:30]} is too large")
    return number
