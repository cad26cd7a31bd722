"""A model file: kind, parameters and arrays, with a checksum.

The file is an ordinary safetensors file, which other programs can read: eight bytes with the length of a JSON
header, the header, the arrays. The metadata in the header hold one JSON object: format, kind, version of the
writer, parameters, what the writer attached for its own use, if anything, and a checksum of all of that and
the arrays. The checksum detects accidents. It is not a signature, so everything is checked as if the file
were forged.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy.typing as npt

from hebbian_descent.safe_files import open_regular, write_atomically
from hebbian_descent.source_digest import package_version
from hebbian_descent.storage.models.arrays import (
    NAME,
    Arrays,
    deserialized,
    must_be_finite,
    serialized,
    size_announced,
    storable,
)
from hebbian_descent.storage.models.contents import INTEGER_BOUND, ModelFileError, named, shortened, to_json
from hebbian_descent.storage.strict_json import strict_json

FORMAT = 1
FIELDS = {"format", "kind", "version", "parameters", "checksum"}
ATTACHED = "attached"
PREFIX = 8
LARGEST_HEADER = 2 * 2**20
"""Bytes, with room for the names of some eighty thousand features or classes."""
MOST_VALUES = 10_000
"""Numbers, lists and objects on one level of a header; a model has some dozens, and many strings."""
DEEPEST = 20
KEY = "hebbian_descent"
VERSION = re.compile(r"[0-9][0-9A-Za-z.+!-]{0,49}")


@dataclass(frozen=True, eq=False)
class ModelFile:
    """The content of a model file, checked as far as possible without knowing the class."""

    kind: str
    version: str
    format: int
    parameters: dict[str, Any]
    """As JSON; `hebbian_descent.storage.models.contents.from_json` returns what it stands for."""
    arrays: dict[str, npt.NDArray[Any]]
    attached: dict[str, Any] = field(default_factory=dict)
    """What the program that wrote the file added to the model, by name, as JSON."""


def write_model(
    path: str | os.PathLike[str],
    kind: str,
    parameters: Mapping[str, Any],
    arrays: Arrays,
    attached: Mapping[str, Any] | None = None,
) -> None:
    """Write a model to a file, whole or not at all, replacing an existing one."""
    write_atomically(Path(path), pack(kind, parameters, arrays, attached))


def read_model(path: str | os.PathLike[str]) -> ModelFile:
    """Read what `write_model` wrote; anything else raises a `ModelFileError` before much of it is read."""
    with named(path), open_regular(Path(path)) as file:
        size = os.fstat(file.fileno()).st_size
        length = _header_length(file.read(PREFIX), size)
        described, entries = _parts(file.read(length))
        n_bytes = min(size_announced(entries), size - PREFIX - length)
        return _checked(described, entries, file.read(n_bytes + 1))  # one more byte reveals anything appended


def pack(
    kind: str, parameters: Mapping[str, Any], arrays: Arrays, attached: Mapping[str, Any] | None = None
) -> bytes:
    """Return the bytes of a model file; the same model and version give the same bytes."""
    tensors = {name: storable(name, array) for name, array in arrays.items()}
    header = {
        "format": FORMAT,
        "kind": kind,
        "version": package_version(),
        "parameters": to_json(parameters),
    }
    if attached:
        header[ATTACHED] = to_json(attached, ATTACHED)
    header["checksum"] = _checksum(header, tensors)
    content = serialized(tensors, {KEY: _canonical(header)})
    length = int.from_bytes(content[:PREFIX], "little")
    if length > LARGEST_HEADER:
        raise ModelFileError(
            f"Everything but the arrays of a model must fit into {LARGEST_HEADER} bytes. Got {length}: try "
            "shorter names of classes and features, or numbers."
        )
    return content


def unpack(data: bytes) -> ModelFile:
    """Return what the bytes of a file say, or raise `ModelFileError`."""
    length = _header_length(data[:PREFIX], len(data))
    return _checked(*_parts(data[PREFIX : PREFIX + length]), data[PREFIX + length :])


def _parts(text: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return this package's part of a header, and the entries of the arrays."""
    header = _parsed(text)
    if not isinstance(header, dict):
        raise ModelFileError(f"The header of a model file must be a JSON object. Got {shortened(header)}.")
    return _described(header.pop("__metadata__", None)), header


def _header_length(prefix: bytes, file_size: int) -> int:
    """Return the length of the header, from the first eight bytes of a file of known size."""
    if len(prefix) < PREFIX:
        raise ModelFileError(f"A model file must have at least {PREFIX} bytes. Got {len(prefix)}.")
    length = int.from_bytes(prefix[:PREFIX], "little")
    if length > LARGEST_HEADER:
        raise ModelFileError(
            f"The header of a model file must have at most {LARGEST_HEADER} bytes. Its first bytes announce "
            f"{length}: this is not a model file, or it is damaged."
        )
    if PREFIX + length > file_size:
        raise ModelFileError(
            f"A model file must be whole. Got {file_size} bytes, less than the header alone: it was cut off."
        )
    return length


def _parsed(text: bytes | str) -> Any:
    """Parse JSON that is no larger and no deeper than any model needs."""
    try:
        return strict_json(text, deepest=DEEPEST, most_values=MOST_VALUES, integer_bound=INTEGER_BOUND)
    except ValueError as error:
        raise ModelFileError(f"The header of a model file must be JSON. Got other bytes: {error}.") from None


def _checked(described: dict[str, Any], entries: dict[str, Any], data: bytes) -> ModelFile:
    """Return the content of a file whose checksum is right."""
    tensors = deserialized(entries, memoryview(data))
    checksum = described.pop("checksum")
    if checksum != _checksum(described, tensors):
        raise ModelFileError("A model file must be as it was written. Got another checksum: it is damaged.")
    for name, array in tensors.items():
        must_be_finite(name, array)
    return ModelFile(arrays=tensors, **described)


def _described(metadata: Any) -> dict[str, Any]:
    """Return this package's part of the header, with every field of the right kind."""
    text = metadata.get(KEY) if isinstance(metadata, dict) else None
    if not isinstance(text, str):
        raise ModelFileError("A model file must be written by hebbian-descent. Got one of another program.")
    found = _parsed(text)
    if not isinstance(found, dict) or type(found.get("format")) is not int:
        raise ModelFileError(f"The header of a model file must state its format. Got {shortened(found)}.")
    if found["format"] != FORMAT:
        raise ModelFileError(
            f"A model file must have format {FORMAT}, which this version reads and writes. Got format "
            f"{found['format']}: try pip install --upgrade hebbian-descent."
        )
    well_formed = (
        set(found) - {ATTACHED} == FIELDS
        and isinstance(found["kind"], str)
        and NAME.fullmatch(found["kind"])
        and isinstance(found["version"], str)
        and VERSION.fullmatch(found["version"])
        and isinstance(found["parameters"], dict)
        and isinstance(found.get(ATTACHED, {}), dict)
    )
    if not well_formed:
        fields = ", ".join(sorted(FIELDS))
        raise ModelFileError(f"The header of a model file must hold {fields}. Got {shortened(found)}.")
    return found


def _checksum(described: Mapping[str, Any], tensors: Arrays) -> str:
    digest = hashlib.sha256(_canonical(described).encode())
    for name, array in sorted(tensors.items()):
        digest.update(f"\n{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def _canonical(described: Mapping[str, Any]) -> str:
    return json.dumps(described, sort_keys=True, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
