"""A record to store, and user modules to load."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from hebbian_descent.storage.results import Record

MakeRecord = Callable[..., Record]
Load = Callable[..., ModuleType]


@pytest.fixture
def make_record() -> MakeRecord:
    """A maker of small records whose numbers follow from `level`; other words go into the specification."""

    def make(level: float = 1.0, **specification: Any) -> Record:
        learning_rate = np.array([0.01, 0.1, 1.0])
        error = level * np.arange(3 * 2 * 4, dtype=np.float64).reshape(3, 2, 4)
        return Record(
            specification={"rule": "hebb", "seed": 7, **specification},
            axes={"learning_rate": learning_rate, "trial": np.arange(2), "pattern": np.arange(4)},
            values={"error": error, "diverged": error.max(axis=2) > 10},
            seconds=0.25,
        )

    return make


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """A loader of modules from text, each from its own file."""
    numbers = count()

    def load_text(text: str, name: str = "") -> ModuleType:
        name = name or f"own_{next(numbers)}"
        path = tmp_path / f"{name}.py"
        path.write_text(text)
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load_text
