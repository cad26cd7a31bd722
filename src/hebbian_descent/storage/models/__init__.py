"""Models in files: safetensors arrays and a JSON header. Nothing in a file is ever run.

>>> import tempfile
>>> from hebbian_descent import Layer, load
>>> layer = Layer.from_weights([[0.5], [-0.5]])
>>> with tempfile.TemporaryDirectory() as folder:
...     layer.save(f"{folder}/layer.safetensors")
...     load(f"{folder}/layer.safetensors").weights.ravel()
array([ 0.5, -0.5])
"""

from hebbian_descent.storage.models.container import FORMAT, ModelFile, pack, read_model, unpack, write_model
from hebbian_descent.storage.models.contents import (
    ModelFileError,
    is_count,
    require_floats,
    require_names,
    require_plain,
    shortened,
)
from hebbian_descent.storage.models.registry import KINDS, Saved, load, model_of, restored, save, saveable

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
    "require_names",
    "require_plain",
    "restored",
    "save",
    "saveable",
    "shortened",
    "unpack",
    "write_model",
]
