"""One model, one file: its kind, parameters and arrays, sealed by a checksum.

The file is an ordinary safetensors file, which other programs can read. Its metadata hold one JSON object:
format, kind, version of the writer, parameters, and a checksum of all of that and of the arrays. The checksum
finds accidents. It is no signature, so everything is checked as if somebody had made the file on purpose.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy.typing as npt

from hebbian_descent.atomic import write_atomically
from hebbian_descent.files.arrays import NAME, Arrays, deserialized, must_be_finite, serialized, storable
from hebbian_descent.files.errors import ModelFileError
from hebbian_descent.files.header import (
    KEY,
    PREFIX,
    header_length,
    parse_header,
    size_announced,
    strict_json,
)
from hebbian_descent.files.values import to_json

FORMAT = 1
FIELDS = {"format", "kind", "version", "parameters", "checksum"}
VERSION = re.compile(r"[0-9][0-9A-Za-z.+!-]{0,49}")


@dataclass(frozen=True, eq=False)
class ModelFile:
    """What a file says about a model, checked as far as that goes without knowing the class."""

    kind: str
    version: str
    format: int
    parameters: dict[str, Any]
    """As JSON; `hebbian_descent.files.values.from_json` brings back what the words stand for."""
    arrays: dict[str, npt.NDArray[Any]]


def write_model(
    path: str | os.PathLike[str], kind: str, parameters: Mapping[str, Any], arrays: Arrays
) -> None:
    """Write a model under a name, whole or not at all; what stood there before is replaced."""
    write_atomically(Path(path), pack(kind, parameters, arrays))


def read_model(path: str | os.PathLike[str]) -> ModelFile:
    """Read what `write_model` wrote; anything else is a `ModelFileError`, before much of it is read."""
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise ModelFileError(f"A model is read from a file. Got {os.fspath(path)}, which is none.")
    with Path(path).open("rb") as file:
        try:
            return unpack(_read_whole(file, os.fstat(file.fileno()).st_size))
        except ModelFileError as error:
            raise ModelFileError(f"{os.fspath(path)}: {error}") from None
        except MemoryError:
            raise ModelFileError(f"{os.fspath(path)}: the arrays do not fit into memory.") from None


def pack(kind: str, parameters: Mapping[str, Any], arrays: Arrays) -> bytes:
    """Return the bytes of the file of a model; the same model of the same version has the same bytes."""
    tensors = {name: storable(name, array) for name, array in arrays.items()}
    header = {
        "format": FORMAT,
        "kind": kind,
        "version": _version(),
        "parameters": to_json(parameters),
    }
    header["checksum"] = _checksum(header, tensors)
    return serialized(tensors, {KEY: _canonical(header)})


def unpack(data: bytes) -> ModelFile:
    """Return what the bytes of a file say, or raise `ModelFileError`."""
    length = header_length(data[:PREFIX], len(data))
    header = parse_header(data[PREFIX : PREFIX + length])
    size = size_announced(header, length)
    if size != len(data):
        raise ModelFileError(
            f"A model file must be whole. Got {len(data)} bytes where the header announces {size}: it was "
            "cut off, or something was added."
        )
    described = _described(header)
    tensors = deserialized(data)
    checksum = described.pop("checksum")
    if checksum != _checksum(described, tensors):
        raise ModelFileError("A model file must be as it was written. Got another checksum: it is damaged.")
    for name, array in tensors.items():
        must_be_finite(name, array)
    return ModelFile(arrays=tensors, **described)


def _described(header: dict[str, Any]) -> dict[str, Any]:
    """Return our own part of the header, with every field of the right kind."""
    metadata = header.get("__metadata__")
    text = metadata.get(KEY) if isinstance(metadata, dict) else None
    if not isinstance(text, str):
        raise ModelFileError("A model file must be written by hebbian-descent. Got one of another program.")
    found = strict_json(text)
    if not isinstance(found, dict) or type(found.get("format")) is not int:
        raise ModelFileError("The header of a model file must state its format. Got none.")
    if found["format"] != FORMAT:
        raise ModelFileError(
            f"A model file must have format {FORMAT}, which this version reads and writes. Got format "
            f"{found['format']}: try pip install --upgrade hebbian-descent."
        )
    well_formed = (
        set(found) == FIELDS
        and isinstance(found["kind"], str)
        and NAME.fullmatch(found["kind"])
        and isinstance(found["version"], str)
        and VERSION.fullmatch(found["version"])
        and isinstance(found["parameters"], dict)
    )
    if not well_formed:
        fields = ", ".join(sorted(FIELDS))
        raise ModelFileError(f"The header of a model file must hold {fields}. Got something else.")
    return found


def _checksum(described: Mapping[str, Any], tensors: Arrays) -> str:
    digest = hashlib.sha256(_canonical(described).encode())
    for name, array in sorted(tensors.items()):
        digest.update(f"\n{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def _canonical(described: Mapping[str, Any]) -> str:
    return json.dumps(described, sort_keys=True, ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def _read_whole(file: Any, size: int) -> bytes:
    """Read a file whose header announces no other size than it has."""
    start: bytes = file.read(PREFIX)
    length = header_length(start, size)
    start += file.read(length)
    announced = size_announced(parse_header(start[PREFIX:]), length)
    rest = file.read(max(min(announced, size) - len(start), 0) + 1)  # one byte more shows what was added
    return start + bytes(rest)


def _version() -> str:
    return str(importlib.import_module("hebbian_descent").__version__)  # the package imports this module
