"""The capacity of one memory of one size, for one draw of patterns."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from hebbian_descent import patterns
from hebbian_descent.checks import Array, as_patterns
from hebbian_descent.learning.divergence import DivergenceError
from hebbian_descent.memory.criteria import Criterion, Readout, active, binary, information
from hebbian_descent.memory.footprint import n_bytes, n_synapses
from hebbian_descent.storage.results import Record, provenance
from hebbian_descent.thread_pools import one_thread

NUMERICS_VERSION = 1
"""Increased when the search or a kind of patterns changes its numbers."""
FIRST_LOAD = 0.05
"""Patterns per unit with which the search begins."""


class Memory(Protocol):
    """Anything that stores patterns, one per row, and recalls them from cues."""

    def store(self, *patterns: Any) -> Any:
        """Learn patterns, or cues and their targets."""

    def recall(self, cue: Any) -> Any:
        """Return what each cue recalls."""


Factory: TypeAlias = Callable[[int], Any]
Draw: TypeAlias = Callable[[int, int, int], npt.ArrayLike]
"""From the number of patterns, the number of units and a seed to patterns, one per row."""

VALUES = ("capacity", "is_limited", "n_synapses", "n_bytes", "bits", "gained_bits")


class Trial(NamedTuple):
    """How well a memory recalled a number of patterns."""

    score: float
    holds: bool
    n_synapses: int
    n_bytes: int
    bits: float
    """Information about all patterns in what is recalled."""
    gained_bits: float
    """The same, minus what the cues tell about the patterns."""


@dataclass(frozen=True, eq=False)
class Settings:
    """Settings that all sizes and draws of a measurement share."""

    memory: Factory
    pairs: bool
    activity: float
    correlation: float
    signed: bool
    patterns: Draw | None
    noise: Mapping[str, float]
    criterion: Criterion
    readout: Readout
    passes: int
    loads: tuple[float, ...] | None
    at_most: float
    precision: float
    seed: int

    def draw(self, n: int, size: int, seed: int) -> Array:
        """Return patterns; a larger draw begins with the smaller one."""
        if self.patterns is not None:
            drawn = as_patterns(self.patterns(n, size, seed), "patterns of your own function", n_columns=size)
            if len(drawn) != n:
                raise ValueError(f"Your own function must draw {n} patterns. Got {len(drawn)}.")
            return drawn
        if self.correlation:
            x = patterns.correlated(n, size, self.activity, self.correlation, seed)
        else:
            x = patterns.sparse(n, size, self.activity, seed)
        return patterns.bipolar(x) if self.signed else x

    def prototype(self, size: int, seed: int) -> Array:
        """Return what all patterns of a draw have in common, which need not be stored for each of them."""
        if self.patterns is None and self.correlation:
            prototype: Array = patterns.sparse(1, size, self.activity, seed)[0]
            return prototype
        return np.zeros(size)


@dataclass(frozen=True, eq=False)
class CapacityCell:
    """One size and one draw, small enough to send to any process."""

    settings: Settings
    size: int
    draw: int

    @property
    def cell(self) -> str:
        """The name of the cell, for messages."""
        return f"{self.size} units, draw {self.draw}"

    def run(self, patterns: Any = None, threads: int = 1) -> Record:
        """Search for the capacity; the result does not depend on the number of threads."""
        start = time.perf_counter()
        with one_thread():
            tried = self._grid() if self.settings.loads is not None else self._bisection()
        held = [n for n in tried if tried[n].holds]
        best = tried[max(held)] if held else tried[min(tried)]
        found: dict[str, Any] = {
            "capacity": max(held, default=0),
            "is_limited": bool(held) and max(held) == max(tried),
            "n_synapses": best.n_synapses,
            "n_bytes": best.n_bytes,
            "bits": best.bits if held else 0.0,
            "gained_bits": best.gained_bits if held else 0.0,
        }
        numbers = sorted(tried)
        return Record(
            specification={},  # added where the record is stored
            axes={"n_patterns": np.array(numbers)},
            values={
                "score": np.array([tried[n].score for n in numbers]),
                **{name: np.array(found[name]) for name in VALUES},
            },
            seconds=time.perf_counter() - start,
            provenance=provenance(),
        )

    def fits(self, record: Record) -> bool:
        """Return whether a record has the axes and arrays of this cell; files are not trusted."""
        return (
            list(record.axes) == ["n_patterns"]
            and set(record.values) == {"score", *VALUES}
            and all(record.values[name].ndim == 0 for name in VALUES)
        )

    @property
    def specification(self) -> dict[str, Any]:
        """Everything that the numbers depend on."""
        settings = {field.name: getattr(self.settings, field.name) for field in fields(self.settings)}
        return {
            "kind": "capacity",
            "numerics_version": NUMERICS_VERSION,
            "size": self.size,
            "draw": self.draw,
            **settings,
        }

    def trial(self, n: int) -> Trial:
        """Store n patterns in a new memory, and judge what it recalls."""
        settings = self.settings
        seeds = np.random.SeedSequence([settings.seed, self.size, self.draw]).generate_state(3).tolist()
        x = settings.draw(n, self.size, seeds[0])
        t = settings.draw(n, self.size, seeds[1]) if settings.pairs else x
        cue = patterns.corrupt(x, **settings.noise, seed=seeds[2])
        memory = as_memory(settings.memory(self.size))
        try:
            for _ in range(settings.passes):
                memory.store(x, t) if settings.pairs else memory.store(x)
        except DivergenceError:
            return Trial(np.nan, False, n_synapses(memory), n_bytes(memory), 0.0, 0.0)
        recalled = np.asarray(memory.recall(cue), dtype=np.float64)
        if recalled.shape != t.shape:
            raise ValueError(
                f"A memory must recall a pattern for each cue, shape {t.shape}. Got shape {recalled.shape}."
            )
        score, holds = settings.criterion.judge(t, recalled, settings.readout)
        bits = gained = np.nan
        if len(np.unique(t)) <= 2:  # the formula is for binary units
            common = settings.prototype(self.size, seeds[1] if settings.pairs else seeds[0])
            bits = information(active(t), binary(recalled, t, settings.readout), common)
            known = 0.0 if settings.pairs else information(active(t), binary(cue, t, "threshold"), common)
            gained = bits - known
        return Trial(score, holds, n_synapses(memory), n_bytes(memory), bits, gained)

    def _grid(self) -> dict[int, Trial]:
        loads = self.settings.loads or ()
        return {n: self.trial(n) for n in sorted({max(1, round(load * self.size)) for load in loads})}

    def _bisection(self) -> dict[int, Trial]:
        """Double the number of patterns until the criterion fails, then halve the interval.

        The first failure does not count: a memory may fail with few patterns and hold more, such as one that
        has to learn their mean first.
        """
        most = max(1, round(self.settings.at_most * self.size))
        n = first = min(most, max(1, round(FIRST_LOAD * self.size)))
        tried = {n: self.trial(n)}
        while n < most and (tried[n].holds or n == first):
            n = min(2 * n, most)
            tried[n] = self.trial(n)
        n = first
        while n > 1 and not any(trial.holds for trial in tried.values()):
            n //= 2
            tried[n] = self.trial(n)
        low = max((n for n in tried if tried[n].holds), default=0)
        high = min((n for n in tried if n > low), default=low)
        while high - low > max(1, self.settings.precision * low):
            n = (low + high) // 2
            tried[n] = self.trial(n)
            low, high = (n, high) if tried[n].holds else (low, n)
        return tried


def as_memory(memory: Any) -> Memory:
    """Return the memory if it has the methods of one."""
    missing = [name for name in ("store", "recall") if not callable(getattr(memory, name, None))]
    if missing:
        raise TypeError(
            "The memory must be a function of the number of units that returns an object with store and "
            f"recall. Got one that returns {type(memory).__name__}, without {' and '.join(missing)}."
        )
    found: Memory = memory
    return found
