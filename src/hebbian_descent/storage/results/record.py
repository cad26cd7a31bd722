"""The record of one cell: arrays over labelled axes, their specification, and how they were computed."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import as_number
from hebbian_descent.source_digest import PACKAGE, source_digest
from hebbian_descent.storage.results.values import Json
from hebbian_descent.thread_pools import thread_pools

EXACT_KINDS = "biuU"  # booleans, integers, texts
FLOATS = (np.dtype(np.float32), np.dtype(np.float64))  # readers of Parquet do not agree on any other


@dataclass(frozen=True, eq=False)
class Record:
    """Arrays over a common list of axes, with the specification they were computed for.

    An array runs over the first axes of the list, as many as it has dimensions: with the axes learning rate,
    trial and pattern, an error per pattern has shape (35, 10, 100) and a flag per run has shape (35, 10).

    The specification holds everything that the numbers depend on, the seed included; its hash is the cell's
    key. `notes` (how it was computed) and `provenance` (on what) do not enter the key. A record read from a
    file has the plain values of its specification, and a description in place of each array and function.
    """

    specification: Mapping[str, Any]
    axes: Mapping[str, npt.NDArray[Any]]
    values: Mapping[str, npt.NDArray[Any]]
    seconds: float = 0.0
    notes: Mapping[str, Any] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        axes = {name: _as_axis(values, name) for name, values in self.axes.items()}
        values = {name: _as_storable(array, name) for name, array in self.values.items()}
        object.__setattr__(self, "axes", axes)
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "seconds", as_number(self.seconds, "seconds", at_least=0))
        for name, array in values.items():
            if array.shape != self.shape[: array.ndim]:
                raise ValueError(
                    f"The array {name!r} must run over the first of the axes {', '.join(axes)}, "
                    f"of lengths {self.shape}. Got shape {array.shape}."
                )

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes."""
        return tuple(len(labels) for labels in self.axes.values())


def _as_axis(values: npt.ArrayLike, name: str) -> npt.NDArray[Any]:
    labels = _as_storable(values, name)
    if labels.ndim != 1 or labels.size == 0:
        raise ValueError(f"The axis {name!r} must be a list of one label or more. Got shape {labels.shape}.")
    # NaN is refused with the repetitions: it differs from itself, and labels nothing.
    if len(np.unique(labels)) < len(labels) or (labels != labels).any():
        raise ValueError(f"The labels of the axis {name!r} must differ from each other. Got {labels!r}.")
    return labels


def _as_storable(values: npt.ArrayLike, name: str) -> npt.NDArray[Any]:
    array = np.asarray(values)
    is_kept_exactly = (
        array.dtype.newbyteorder("=") in FLOATS
        if array.dtype.kind == "f"
        else array.dtype.kind in EXACT_KINDS
    )
    if not is_kept_exactly:
        raise TypeError(
            f"The array {name!r} must hold booleans, integers, texts, float32 or float64. "
            f"Got {array.dtype}; convert it with astype first."
        )
    return np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("=")).reshape(array.shape)


def provenance() -> dict[str, Json]:
    """Return what a result may depend on besides its specification: versions, code, BLAS, machine."""
    return {
        "versions": _versions(),
        "source_digest": source_digest(),
        "thread_pools": _thread_pools(),
        "machine": platform.machine(),
        "system": platform.system(),
        "cpu_count": os.cpu_count(),
    }


def _versions() -> dict[str, Json]:
    versions: dict[str, Json] = {"python": platform.python_version(), "numpy": np.__version__}
    # Only loaded libraries can have affected the numbers; nothing is imported just to be asked.
    for name in (PACKAGE, "scipy", "torch"):
        version = getattr(sys.modules.get(name), "__version__", None)
        if version is not None:
            versions[name] = str(version)
    return versions


def _thread_pools() -> list[Json]:
    asked = ("user_api", "internal_api", "version", "num_threads", "architecture")
    return [{name: pool.get(name) for name in asked} for pool in thread_pools()]
