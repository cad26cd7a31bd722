"""Which classes can be saved, by name, and how each is taken apart and put together again.

A class gives its parameters and arrays in `_contents` and takes them in `_from_contents`; estimators have a
state instead.
"""

from __future__ import annotations

import importlib
import os
from typing import Any, Self

from hebbian_descent.checks import unknown_name
from hebbian_descent.storage.models.container import ModelFile, read_model, write_model
from hebbian_descent.storage.models.errors import ModelFileError, named
from hebbian_descent.storage.models.estimators import estimator_contents, restored_estimator
from hebbian_descent.storage.models.values import from_json

KINDS = {
    "Layer": "hebbian_descent.network.layer",
    "Autoencoder": "hebbian_descent.network.autoencoder",
    "AssociativeMemory": "hebbian_descent.memory.associative",
    "HebbianDescentClassifier": "hebbian_descent.estimators",
    "HebbianDescentRegressor": "hebbian_descent.estimators",
    "HebbianDescentAutoencoder": "hebbian_descent.estimators",
}
"""The module of each class, imported only when a file of that class is read."""


class Saved:
    """A base for classes whose objects can be written to a file and read again."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write this model to a file of safetensors arrays and a JSON header, whole or not at all."""
        save(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a model that `save` wrote; whatever else the file holds is a `ModelFileError`."""
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


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a model of any class in `KINDS`."""
    kind = type(model).__name__
    if kind not in KINDS or type(model) is not _class_of(kind):
        raise unknown_name("class of a model to save", kind, KINDS)
    parameters, arrays = model._contents() if hasattr(model, "_contents") else estimator_contents(model)
    write_model(path, kind, parameters, arrays)


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model of any class in `KINDS`."""
    return model_of(read_model(path), path)


def model_of(found: ModelFile, path: str | os.PathLike[str]) -> Any:
    """Return the model that was found in a file."""
    with named(path):
        return restored(found)


def restored(found: ModelFile) -> Any:
    """Return the model that is described, or raise `ModelFileError` where there is none."""
    cls = _class_of(found.kind)
    try:
        parameters = from_json(found.parameters)
        if hasattr(cls, "_from_contents"):
            return cls._from_contents(parameters, found.arrays)
        return restored_estimator(cls, parameters, found.arrays)
    except ModelFileError:
        raise
    except (TypeError, ValueError) as error:  # what every check of the package raises
        raise ModelFileError(f"A {found.kind} cannot be made from what the file holds: {error}") from error


def _class_of(kind: str) -> Any:
    if kind not in KINDS:
        raise ModelFileError(str(unknown_name("class in a model file", kind, KINDS)))
    return getattr(importlib.import_module(KINDS[kind]), kind)
