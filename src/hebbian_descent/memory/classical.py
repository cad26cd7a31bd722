"""What the classical memories share: storing all or nothing, and their files."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array, as_count
from hebbian_descent.memory.base import Memory
from hebbian_descent.storage.models import ModelFileError, is_count, require_names, require_plain
from hebbian_descent.transaction import all_or_nothing, alone


class ClassicalMemory(Memory):
    """A memory whose state is a few arrays; they depend on which patterns were stored, not on their order."""

    SETTINGS: ClassVar[Sequence[str]]
    """Arguments of the constructor, which are attributes as well."""
    ARRAYS: ClassVar[Mapping[str, tuple[str, ...]]]
    """What is learned: the names of the arrays, and the size that each axis has."""

    def __init__(self, n_inputs: int, n_outputs: int | None = None) -> None:
        self._n_inputs = as_count(n_inputs, "number of units")
        self._n_outputs = None if n_outputs is None else as_count(n_outputs, "number of outputs")
        self.n_stored = 0

    @property
    def n_inputs(self) -> int:
        """Units of a cue."""
        return self._n_inputs

    @property
    def n_outputs(self) -> int:
        """Units of what is recalled."""
        return self._n_inputs if self._n_outputs is None else self._n_outputs

    @property
    def n_units(self) -> int:
        """Units of a pattern, where patterns recall themselves."""
        return self._n_inputs

    @property
    def is_auto(self) -> bool:
        """Whether patterns recall themselves: no number of outputs was given."""
        return self._n_outputs is None

    @alone
    def store(self, x: npt.ArrayLike, t: npt.ArrayLike | None = None) -> None:
        """Store one pattern or pair, or many, one per row; any exception leaves the memory as it was."""
        cues, targets = self._pairs(x, t)
        self._check(cues, "patterns" if self.is_auto else "cues")
        if not self.is_auto:
            self._check(targets, "targets")
        with all_or_nothing(self) as draft:
            draft._learn(cues, targets)
            draft.n_stored += len(cues)

    def __repr__(self) -> str:
        how = "auto-association" if self.is_auto else "pairs"
        sizes = f"{self.n_inputs} → {self.n_outputs}"
        return f"{type(self).__name__}({sizes}, {how}, {self.n_stored} stored)"

    def _check(self, patterns: Array, name: str) -> None:
        """Raise if patterns are not of the kind that this memory stores; by default any real numbers are."""

    @abstractmethod
    def _learn(self, cues: Array, targets: Array) -> None:
        """Add checked pairs to what is stored; what exists may be changed in place."""

    def _contents(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        settings = {name: self._setting(name) for name in self.SETTINGS}
        arrays = {name: getattr(self, name) for name in self._arrays(settings | {"n_stored": self.n_stored})}
        return {**settings, "n_stored": self.n_stored}, arrays

    def _setting(self, name: str) -> Any:
        return self._n_outputs if name == "n_outputs" else getattr(self, name)

    @classmethod
    def _arrays(cls, parameters: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
        """Return the names and shapes of the arrays that a memory with these parameters has."""

        def size(axis: str) -> int:
            found = parameters[axis]
            return int(parameters["n_inputs"] if axis == "n_outputs" and found is None else found)

        shapes = {name: tuple(map(size, axes)) for name, axes in cls.ARRAYS.items()}
        return {name: shape for name, shape in shapes.items() if 0 not in shape}  # no patterns, no array

    @classmethod
    def _from_contents(cls, parameters: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> Self:
        require_names(parameters, (*cls.SETTINGS, "n_stored"), "parameters")
        require_plain(parameters)
        wrong = [name for name in parameters if name.startswith("n_") and not _is_size(parameters, name)]
        if wrong:
            raise ModelFileError(
                f"The {wrong[0]} must be a whole number from 0 on. Got {parameters[wrong[0]]!r}."
            )
        shapes = cls._arrays(parameters)
        found = {name: array.shape for name, array in arrays.items()}
        if found != shapes:  # before anything of that size is allocated
            raise ModelFileError(f"The arrays must have the shapes {shapes}. Got {found}.")
        memory = cls(**{name: parameters[name] for name in cls.SETTINGS})
        for name, array in arrays.items():
            if array.dtype != (dtype := getattr(memory, name).dtype):
                raise ModelFileError(f"The array {name!r} must have the dtype {dtype}. Got {array.dtype}.")
        vars(memory).update(arrays, n_stored=parameters["n_stored"])
        return memory


def _is_size(parameters: Mapping[str, Any], name: str) -> bool:
    value = parameters[name]
    return is_count(value) or (value is None and name in ("n_outputs", "n_winners"))


def require_binary(patterns: Array, name: str) -> None:
    """Refuse patterns with values other than 0 and 1."""
    hint = 'try x > 0.5, between="threshold" in recall, or signed=False in capacity'
    require_values(patterns, (0.0, 1.0), name, hint)


def require_values(patterns: Array, values: Sequence[float], name: str, hint: str) -> None:
    """Refuse patterns with values other than the given ones."""
    if (strangers := patterns[~np.isin(patterns, values)]).size:
        either = " or ".join(f"{value:g}" for value in values)
        raise ValueError(f"The {name} must be {either}. Got {strangers[0]:g}: {hint}.")
