"""A chain of areas: patterns are stored once through all its projections, recalled, and replayed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array, as_count
from hebbian_descent.memory.base import Memory
from hebbian_descent.memory.between import Between, get_between, winners
from hebbian_descent.network import Layer
from hebbian_descent.storage.models import (
    KINDS,
    ModelFileError,
    is_count,
    require_names,
    saveable,
    shortened,
)
from hebbian_descent.transaction import alone

Projection: TypeAlias = Layer | Memory
"""A `Layer` is fixed, a memory is plastic."""
PREFIX = "p{}_"
"""Prefix of the arrays of a projection in the file of a chain."""


@dataclass(frozen=True)
class Area:
    """A population of units; with `winners`, the k most excited units are 1 and the others 0."""

    name: str
    n_units: int
    winners: int | None = None

    def __post_init__(self) -> None:
        as_count(self.n_units, f"number of units of {self.name!r}")
        if self.winners is not None and as_count(self.winners, "number of winners") > self.n_units:
            raise ValueError(
                f"{self.name!r} can have at most {self.n_units} winners, one per unit. Got {self.winners}."
            )

    def respond(self, excitation: Array) -> Array:
        """Return the activity of the area, one row per pattern."""
        return excitation if self.winners is None else winners(self.winners)(excitation)


def random_projection(n_inputs: int, n_outputs: int, *, connections: int | None = None, seed: int) -> Layer:
    """Return a fixed projection to linear units with Gaussian weights.

    Each unit receives `connections` inputs, drawn at random, or all of them. Weights have the variance
    1/connections.
    """
    n_inputs, n_outputs = as_count(n_inputs, "number of inputs"), as_count(n_outputs, "number of outputs")
    fan_in = as_count(n_inputs if connections is None else connections, "number of connections")
    if fan_in > n_inputs:
        raise ValueError(f"A unit can receive at most as many inputs as there are, {n_inputs}. Got {fan_in}.")
    rng = np.random.default_rng(as_count(seed, "seed", at_least=0))
    weights = rng.normal(scale=fan_in**-0.5, size=(n_inputs, n_outputs))
    if fan_in < n_inputs:
        weights *= rng.random(weights.shape).argsort(axis=0).argsort(axis=0) < fan_in
    return Layer.from_weights(weights, activation="linear")


@saveable
class Chain(Memory):
    """Areas joined by projections, one after another: a circuit that stores each pair in one pass.

    Args:
        areas: At least two, with different names.
        projections: One from each area to the next. A `Layer` is fixed (see `random_projection`); a memory
            is plastic and learns by its own rule (`AssociativeMemory(n_inputs, n_outputs, rule="hebb")`).
        recurrent: Projections of areas to themselves, by the name of the area. `replay` runs through the
            first of them. `store` leaves them as they are: train them beforehand.

    While pairs are stored, the first area shows the cue and the last one the target. An area in between has
    the activity that its incoming projection evokes, or the one it is given. Each plastic projection then
    learns to map the activity before it to the activity after it, which must therefore be given.

    >>> from hebbian_descent.memory import AssociativeMemory
    >>> chain = Chain(
    ...     [Area("input", 8), Area("code", 64, winners=4), Area("output", 8)],
    ...     [random_projection(8, 64, seed=0), AssociativeMemory(64, 8)],
    ... )
    >>> chain.store(np.eye(8), np.eye(8))
    >>> chain.recall(np.eye(8)).argmax(axis=1)
    array([0, 1, 2, 3, 4, 5, 6, 7])
    """

    def __init__(
        self,
        areas: Sequence[Area],
        projections: Sequence[Projection],
        *,
        recurrent: Mapping[str, Projection] | None = None,
    ) -> None:
        self.areas = tuple(areas)
        self.projections = tuple(projections)
        self.recurrent = dict(recurrent or {})
        self.n_stored = 0
        names = [area.name for area in self.areas]
        if len(names) < 2 or len(set(names)) < len(names):
            raise ValueError(f"A chain must have two or more areas, with different names. Got {names}.")
        if len(self.projections) != len(names) - 1:
            raise ValueError(
                f"A chain of {len(names)} areas has {len(names) - 1} projections. "
                f"Got {len(self.projections)}."
            )
        for (source, target), projection in zip(pairwise(self.areas), self.projections, strict=True):
            _check_fit(projection, source, target)
        for name, projection in self.recurrent.items():
            area = self.areas[self._place(name)]
            _check_fit(projection, area, area)

    @property
    def n_inputs(self) -> int:
        """Units of the first area."""
        return self.areas[0].n_units

    @property
    def n_outputs(self) -> int:
        """Units of the last area."""
        return self.areas[-1].n_units

    @property
    def is_auto(self) -> bool:
        """A chain stores pairs; patterns that recall themselves are stored as `store(x, x)`."""
        return False

    def activities(
        self, x: npt.ArrayLike, *, given: Mapping[str, npt.ArrayLike] | None = None
    ) -> dict[str, Array]:
        """Return the activity of every area, one row per cue; `given` sets the activity of some areas."""
        cues = self._patterns(x, "cues", self.n_inputs)
        clamped = {self.areas[0].name: cues, **self._given(given or {}, len(cues))}
        found: dict[str, Array] = {}
        before = cues
        for place, area in enumerate(self.areas):
            if area.name in clamped:
                before = clamped[area.name]
            else:
                before = self._excite(self.projections[place - 1], area, before)
            found[area.name] = before
        return found

    @alone
    def store(
        self,
        x: npt.ArrayLike,
        t: npt.ArrayLike | None = None,
        *,
        given: Mapping[str, npt.ArrayLike] | None = None,
    ) -> None:
        """Store one pair or many, in order, once each, in all plastic projections.

        `given` holds activities of areas while the pairs are stored, by name, one row per pair. Any exception
        leaves the chain as it was.
        """
        cues, targets = self._pairs(x, t)
        shown = self._given({**(given or {}), self.areas[-1].name: targets}, len(cues))
        for (source, target), projection in zip(pairwise(self.areas), self.projections, strict=True):
            if isinstance(projection, Memory) and target.name not in shown:
                raise ValueError(
                    f"The plastic projection from {source.name!r} to {target.name!r} learns the activity of "
                    f"{target.name!r}. Got none: pass given={{{target.name!r}: …}}, or use a fixed Layer."
                )
        activity = self.activities(cues, given=shown)
        learned = tuple(
            projection if isinstance(projection, Layer) else projection.copy()
            for projection in self.projections
        )
        for (source, target), projection in zip(pairwise(self.areas), learned, strict=True):
            if isinstance(projection, Memory):
                projection.store(activity[source.name], activity[target.name])
        vars(self).update(projections=learned, n_stored=self.n_stored + len(cues))

    def replay(self, cue: npt.ArrayLike, steps: int, *, between: str | Between | None = None) -> Array:
        """Return the activity of the last area in `steps` steps after a cue, one row per step.

        With a recurrent area the cue runs up to that area, whose activity then evolves by itself, and each
        of its states runs on to the end. Otherwise the end of the chain is fed back to its start.
        """
        if not self.recurrent:
            return super().replay(cue, steps, between=between)
        place = self._place(next(iter(self.recurrent)))
        area, apply = self.areas[place], get_between(between)
        state = self._run(self._patterns(cue, "cues", self.n_inputs), 0, place)
        replayed = []
        for _ in range(as_count(steps, "number of steps")):
            state = self._excite(self.recurrent[area.name], area, state)
            replayed.append(apply(self._run(state, place, len(self.areas) - 1)))
        sequences = np.stack(replayed, axis=1)  # (n_cues, steps, n_outputs)
        return sequences if np.ndim(cue) == 2 else sequences[0]

    def copy(self) -> Self:
        """Return an independent copy of the chain."""
        copied = super().copy()
        copied.projections = tuple(projection.copy() for projection in self.projections)
        copied.recurrent = {name: projection.copy() for name, projection in self.recurrent.items()}
        return copied

    def __repr__(self) -> str:
        areas = " → ".join(f"{area.name} ({area.n_units})" for area in self.areas)
        return f"Chain({areas}, {self.n_stored} stored)"

    def _respond(self, x: Array) -> Array:
        return self._run(x, 0, len(self.areas) - 1)

    def _run(self, state: Array, start: int, stop: int) -> Array:
        """Return what an activity of the area at `start` becomes in the area at `stop`."""
        for place in range(start, stop):
            state = self._excite(self.projections[place], self.areas[place + 1], state)
        return state

    def _excite(self, projection: Projection, area: Area, state: Array) -> Array:
        excitation = (
            projection.forward(state)[1] if isinstance(projection, Layer) else projection.recall(state)
        )
        return area.respond(excitation)

    def _place(self, name: str) -> int:
        names = [area.name for area in self.areas]
        if name not in names:
            raise ValueError(f"An area must be one of {', '.join(names)}. Got {name!r}.")
        return names.index(name)

    def _given(self, given: Mapping[str, npt.ArrayLike], n_patterns: int) -> dict[str, Array]:
        found = {}
        for name, values in given.items():
            area = self.areas[self._place(name)]
            found[name] = self._patterns(values, f"activity of {name!r}", area.n_units)
            if len(found[name]) != n_patterns:
                raise ValueError(
                    f"The activity of {name!r} must have one row per pattern, {n_patterns}. "
                    f"Got {len(found[name])}."
                )
        return found

    def _contents(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        described, arrays = [], {}
        for number, projection in enumerate((*self.projections, *self.recurrent.values())):
            parameters, its_arrays = projection._contents()
            described.append({"kind": type(projection).__name__, "parameters": parameters})
            arrays.update({f"{PREFIX.format(number)}{name}": array for name, array in its_arrays.items()})
        areas = [[area.name, area.n_units, area.winners] for area in self.areas]
        parameters = {"areas": areas, "recurrent": list(self.recurrent), "projections": described}
        return {**parameters, "n_stored": self.n_stored}, arrays

    @classmethod
    def _from_contents(cls, parameters: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> Self:
        require_names(parameters, ("areas", "recurrent", "projections", "n_stored"), "parameters")
        areas, names, described, n_stored = (
            parameters[name] for name in ("areas", "recurrent", "projections", "n_stored")
        )
        if not is_count(n_stored) or not all(isinstance(part, list) for part in (areas, names, described)):
            raise ModelFileError(
                "A chain must have lists of areas, recurrent areas and projections, and a number of patterns "
                f"stored. Got {shortened(parameters)}."
            )
        for area in areas:
            if not isinstance(area, list) or len(area) != 3 or not isinstance(area[0], str):
                raise ModelFileError(f"An area must have a name, units and winners. Got {shortened(area)}.")
        projections = [_projection(form, _arrays_of(number, arrays)) for number, form in enumerate(described)]
        n_used = sum(len(_arrays_of(number, arrays)) for number in range(len(described)))
        if n_used != len(arrays) or len(projections) - len(names) != len(areas) - 1:
            raise ModelFileError(
                f"The projections of a chain must lead from area to area, and use all arrays. Got "
                f"{len(areas)} areas, {len(projections)} projections, {len(names)} of them recurrent, and "
                f"{len(arrays) - n_used} other arrays."
            )
        n_forward = len(areas) - 1
        recurrent = dict(zip(names, projections[n_forward:], strict=True))
        chain = cls([Area(*area) for area in areas], projections[:n_forward], recurrent=recurrent)
        chain.n_stored = n_stored
        return chain


def _arrays_of(number: int, arrays: Mapping[str, npt.NDArray[Any]]) -> dict[str, npt.NDArray[Any]]:
    prefix = PREFIX.format(number)
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


def _projection(form: Any, arrays: Mapping[str, npt.NDArray[Any]]) -> Projection:
    """Return the projection that a file describes."""
    require_names(form, ("kind", "parameters"), "description of a projection")
    kind = form["kind"]
    if not isinstance(kind, str) or kind not in KINDS or not issubclass(KINDS[kind](), Layer | Memory):
        raise ModelFileError(f"A projection must be a Layer or a memory. Got {shortened(kind)}.")
    projection: Projection = KINDS[kind]()._from_contents(form["parameters"], arrays)
    return projection


def _check_fit(projection: Projection, source: Area, target: Area) -> None:
    if not isinstance(projection, Layer | Memory):
        raise TypeError(
            f"A projection must be a Layer or a memory. Got {projection!r} from {source.name!r} to "
            f"{target.name!r}."
        )
    if isinstance(projection, Memory) and projection.is_auto:
        raise ValueError(
            f"A plastic projection must store pairs. Got {projection!r}, whose patterns recall themselves."
        )
    sizes = projection.n_inputs, projection.n_outputs
    if sizes != (source.n_units, target.n_units):
        raise ValueError(
            f"The projection from {source.name!r} to {target.name!r} must have {source.n_units} inputs and "
            f"{target.n_units} outputs. Got {sizes[0]} and {sizes[1]}."
        )
