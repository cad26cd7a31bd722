"""Models in files: safetensors arrays and a JSON header. Nothing in a file is ever run.

>>> import tempfile
>>> from hebbian_descent import Layer, load
>>> layer = Layer.from_weights([[0.5], [-0.5]])
>>> with tempfile.TemporaryDirectory() as folder:
...     layer.save(f"{folder}/layer.safetensors")
...     load(f"{folder}/layer.safetensors").weights.ravel()
array([ 0.5, -0.5])

A class that can be saved adds itself by name when it is defined. It gives its parameters and arrays in
`_contents` and takes them in `_from_contents`. A file names its class, and the name is looked up in `KINDS`:
nothing is imported because a file says so.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Self, TypeVar

from hebbian_descent.checks import unknown_name
from hebbian_descent.storage.models.container import FORMAT, ModelFile, pack, read_model, unpack, write_model
from hebbian_descent.storage.models.contents import (
    ModelFileError,
    from_json,
    is_count,
    named,
    require_floats,
    require_names,
    require_plain,
    shortened,
)

__all__ = [
    "FORMAT",
    "KINDS",
    "ModelFile",
    "ModelFileError",
    "Saved",
    "is_count",
    "load",
    "model_of",
    "pack",
    "read_model",
    "require_floats",
    "require_folder",
    "require_names",
    "require_plain",
    "restored",
    "save",
    "saveable",
    "shortened",
    "unpack",
    "write_model",
]


KINDS: dict[str, Callable[[], Any]] = {}
"""Functions that return a class, by its name. The package adds classes whose modules load on demand."""

Kind = TypeVar("Kind", bound="type[Saved]")


def saveable(cls: Kind) -> Kind:
    """Let objects of a class, though not of its subclasses, be saved under the name of the class."""
    KINDS[cls.__name__] = lambda: cls
    return cls


class Saved:
    """Base class of objects that can be saved to a file and loaded again."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write this model to a file of safetensors arrays and a JSON header, whole or not at all."""
        save(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a model that `save` wrote; any other content raises a `ModelFileError`."""
        found = read_model(path)
        if found.kind != cls.__name__:
            raise ModelFileError(
                f"The file must hold a model of {cls.__name__}. Got one of {found.kind}: "
                "hebbian_descent.load reads any of them.",
                path,
            )
        model = model_of(found, path)
        assert isinstance(model, cls)
        return model


def save(model: Any, path: str | os.PathLike[str], attached: Mapping[str, Any] | None = None) -> None:
    """Write a model of any class in `KINDS`, with what is attached to it for `read_model`."""
    kind = type(model).__name__
    if kind not in KINDS or type(model) is not KINDS[kind]():
        raise unknown_name("class of a model to save", kind, KINDS)
    require_folder(path)
    parameters, arrays = model._contents()
    write_model(path, kind, parameters, arrays, attached)


def require_folder(path: str | os.PathLike[str]) -> None:
    """Refuse a path that is a folder, or lies in one that does not exist or is not writable."""
    if Path(path).is_dir():
        raise IsADirectoryError(f"A model file must not be a folder. Got {str(path)!r}: name a file in it.")
    if not (folder := Path(path).parent).is_dir():
        raise FileNotFoundError(f"The folder of a model file must exist. Got {str(folder)!r}: make it first.")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(
            f"The folder of a model file must be writable. Got {str(folder)!r}: name another."
        )


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model of any class that can be saved; anything else raises a `ModelFileError`."""
    return model_of(read_model(path), path)


def model_of(found: ModelFile, path: str | os.PathLike[str]) -> Any:
    """Return the model that was found in a file."""
    with named(path):
        return restored(found)


def restored(found: ModelFile) -> Any:
    """Return the model that is described, or raise a `ModelFileError` if there is none."""
    if found.kind not in KINDS:
        raise ModelFileError(str(unknown_name("class in a model file", found.kind, KINDS)))
    try:
        return KINDS[found.kind]()._from_contents(from_json(found.parameters), found.arrays)
    except ModelFileError:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise ModelFileError(f"A {found.kind} cannot be made from what the file holds: {error}") from error
