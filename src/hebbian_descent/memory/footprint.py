"""The size of a memory in synapses and bytes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt


def n_synapses(memory: Any) -> int:
    """Return the number of synapses: `memory.n_synapses`, or the entries of its largest matrix.

    Where the memory holds a mask of the same shape, only its True entries count.
    """
    stated = _stated(memory, "n_synapses")
    if stated is not None:
        return stated
    matrices = [array for array in arrays_of(memory) if array.ndim == 2]
    of_numbers = [matrix for matrix in matrices if matrix.dtype != bool]
    weights = max(of_numbers or matrices, key=np.size, default=None)  # binary synapses if no others
    if weights is None:
        return 0
    masks = [mask for mask in matrices if mask.dtype == bool and mask.shape == weights.shape]
    return int(masks[0].sum()) if masks and of_numbers else weights.size


def n_bytes(memory: Any) -> int:
    """Return the bytes of a memory: `memory.n_bytes`, or those of all arrays that it holds."""
    stated = _stated(memory, "n_bytes")
    return sum(array.nbytes for array in arrays_of(memory)) if stated is None else stated


def arrays_of(value: Any) -> list[npt.NDArray[Any]]:
    """Return the arrays that an object holds, each once."""
    return list({id(array): array for array in _arrays(value, set())}.values())


def _arrays(value: Any, seen: set[int]) -> Iterator[npt.NDArray[Any]]:
    if id(value) in seen or isinstance(value, type | ModuleType | FunctionType):
        return
    seen.add(id(value))
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _arrays(part, seen)
    elif isinstance(value, list | tuple | set):
        for part in value:
            yield from _arrays(part, seen)
    elif hasattr(value, "__dict__"):
        yield from _arrays(vars(value), seen)


def _stated(memory: Any, name: str) -> int | None:
    found = getattr(memory, name, None)
    found = found() if callable(found) else found
    return None if found is None else int(found)
