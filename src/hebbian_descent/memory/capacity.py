"""Capacity: how many patterns a memory holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing, nullcontext, suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from hebbian_descent.checks import as_count, as_flag, as_number, unknown_name
from hebbian_descent.memory.capacity_cell import VALUES, CapacityCell, Draw, Factory, Settings
from hebbian_descent.memory.capacity_result import CapacityResult
from hebbian_descent.memory.criteria import READOUTS, Criterion, CriterionLike, Readout
from hebbian_descent.storage.results import Record, Store, StoreError

if TYPE_CHECKING:
    from hebbian_descent.sweep.executors import Executor

Progress = Callable[[int, int], None]
KINDS_OF_NOISE = ("flip", "erase", "swap")


def capacity(
    memory: Factory | str,
    sizes: int | Sequence[int],
    *,
    activity: float = 0.5,
    correlation: float = 0.0,
    noise: float | Mapping[str, float] = 0.0,
    criterion: CriterionLike = "error < 1 %",
    pairs: bool = False,
    signed: bool = False,
    patterns: Draw | None = None,
    readout: Readout = "threshold",
    passes: int = 1,
    loads: Sequence[float] | None = None,
    at_most: float = 10.0,
    precision: float = 0.02,
    draws: int = 10,
    seed: int = 0,
    store: Store | str | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> CapacityResult:
    """Measure how many patterns a memory holds: the largest number for which a criterion is met.

    Args:
        memory: A function of the number of units that returns a new memory, any object with `store` and
            `recall` for patterns as rows; or a name of `hebbian_descent.memory.MEMORIES`.
        sizes: Numbers of units.
        activity: Share of active units in each pattern.
        correlation: Correlation of any two patterns; see `patterns.correlated`.
        noise: The share of a cue's active units that are moved elsewhere, or the shares of
            `patterns.corrupt`, such as {"flip": 0.1}.
        criterion: A measure compared with a number: "error < 1 %" of all units, or "overlap > 0.95", the
            correlation with the pattern, both of what is recalled once it is made binary; one of `MEASURES`,
            such as "identification > 0.95"; or a function from targets and recalled patterns to True or
            False. It is judged for all stored patterns together. In sparse patterns a small share of all
            units is a large share of the active ones: prefer the overlap.
        pairs: Whether patterns recall others, `store(x, t)`, instead of themselves, `store(x)`.
        signed: Whether patterns consist of −1 and 1 instead of 0 and 1.
        patterns: Your own function from (n, size, seed) to n patterns, in place of activity and correlation;
            the first of them must not depend on n.
        readout: How recalled patterns are made binary: "threshold", the middle of the range of the targets;
            or "winners", the largest units, as many as are active in the target.
        passes: How often all patterns are stored, in the same order.
        loads: Patterns per unit to try, all of them; the largest at which the criterion is met counts. By
            default the load doubles, starting at 0.05, until the criterion fails; then the interval is
            bisected.
        at_most: Patterns per unit beyond which the search ends.
        precision: Precision of the search, relative to the number held.
        draws: Number of repetitions, each with other patterns.
        seed: All patterns and noise follow from it, the size and the draw.
        store: A folder in which each finished size and draw is kept; a run that was stopped resumes from
            there. The function that makes the memory is part of the key, by its source and the values it
            uses.
        workers: Run in this many processes; by default in this one. The result is the same.
        progress: Called with the number of cells done and their total.

    >>> from hebbian_descent import AssociativeMemory
    >>> found = capacity(lambda n: AssociativeMemory(n, n), [20, 40], pairs=True, draws=3)
    >>> found.n_patterns.shape, bool((found.n_patterns[1] > found.n_patterns[0]).all())
    ((2, 3), True)
    """
    settings = Settings(
        memory=as_factory(memory, activity=activity, signed=signed),
        pairs=as_flag(pairs, "pairs"),
        activity=as_number(activity, "activity", above=0, at_most=1),
        correlation=as_number(correlation, "correlation", at_least=0, at_most=1),
        signed=as_flag(signed, "signed"),
        patterns=_as_draw(patterns),
        noise=_as_noise(noise),
        criterion=Criterion.of(criterion),
        readout=_as_readout(readout),
        passes=as_count(passes, "number of passes"),
        loads=None if loads is None else _as_loads(loads),
        at_most=as_number(at_most, "largest number of patterns per unit", above=0),
        precision=as_number(precision, "precision", at_least=0, at_most=1),
        seed=as_count(seed, "seed", at_least=0),
    )
    checked = [as_count(size, "number of units", at_least=2) for size in _listed(sizes)]
    if len(set(checked)) < len(checked) or not checked:
        raise ValueError(f"The sizes must be different numbers of units, at least one. Got {sizes!r}.")
    n_draws = as_count(draws, "number of draws")
    cells = [CapacityCell(settings, size, draw) for size in checked for draw in range(n_draws)]
    records = _run(cells, Store(store) if isinstance(store, str) else store, workers, progress)
    arrays = {
        name: np.array([record.values[name][()] for record in records]).reshape(len(checked), n_draws)
        for name in VALUES
    }
    traces = {
        (cell.size, cell.draw): (record.axes["n_patterns"], record.values["score"])
        for cell, record in zip(cells, records, strict=True)
    }
    return CapacityResult(np.array(checked), arrays, traces, settings.criterion.text)


def _run(
    cells: Sequence[CapacityCell], store: Store | None, workers: int | None, progress: Progress | None
) -> list[Record]:
    """Return the record of each cell; those in the store are not computed again."""
    # Here, since it loads the engines, which a memory can do without.
    from hebbian_descent.sweep.executors import get_executor

    executor: Executor = get_executor(workers=workers)
    found: dict[int, Record] = {}
    if store is not None:
        for number, cell in enumerate(cells):
            record = store.find(store.key(cell.specification), cell.fits)
            if record is not None:
                found[number] = record
    missing = [number for number in range(len(cells)) if number not in found]
    if store is not None:
        # A finished measurement can be read from a folder that nobody may write to.
        with nullcontext() if missing else suppress(StoreError):
            store.prepare()
    report = progress or (lambda done, total: None)
    report(len(found), len(cells))
    with closing(executor.run([cells[number] for number in missing], None)) as finished:
        for place, record in finished:
            cell = cells[missing[place]]
            if store is not None:
                store.write(replace(record, specification=cell.specification))
            found[missing[place]] = record
            report(len(found), len(cells))
    return [found[number] for number in range(len(cells))]


def as_factory(memory: Factory | str, *, activity: float, signed: bool) -> Factory:
    """Return a function that makes a memory of some size, for a function or a name."""
    if isinstance(memory, str):
        names = memories()
        if memory not in names:
            raise unknown_name("memory", memory, names)
        return partial(made_by_name, memory, activity=activity, signed=signed)
    if not callable(memory):
        raise TypeError(
            "The memory must be a function of the number of units that makes a new one, such as "
            f"lambda size: AssociativeMemory(size, size). Got {memory!r}."
        )
    return memory


def memories() -> Mapping[str, Any]:
    """Return the classes of memories by name."""
    from hebbian_descent import memory

    return memory.MEMORIES


def made_by_name(name: str, size: int, *, activity: float, signed: bool) -> Any:
    """Return a new memory of a listed class for patterns that recall themselves."""
    return memories()[name].for_patterns(size, activity=activity, signed=signed)


def _as_noise(noise: float | Mapping[str, float]) -> dict[str, float]:
    shares = noise if isinstance(noise, Mapping) else {"swap": noise} if noise else {}
    for name in shares:
        if name not in KINDS_OF_NOISE:
            raise unknown_name("kind of noise", name, KINDS_OF_NOISE)
    return {
        name: as_number(share, f"share of noise by {name}", at_least=0, at_most=1)
        for name, share in shares.items()
    }


def _as_draw(patterns: Draw | None) -> Draw | None:
    if not (patterns is None or callable(patterns)):
        got = type(patterns).__name__
        raise TypeError(f"The patterns must be drawn by a function of (n, size, seed). Got {got}.")
    return patterns


def _as_readout(readout: Any) -> Readout:
    if readout not in READOUTS:
        raise unknown_name("readout", readout, READOUTS)
    found: Readout = readout
    return found


def _as_loads(loads: Iterable[float]) -> tuple[float, ...]:
    checked = tuple(as_number(load, "load in patterns per unit", above=0) for load in loads)
    if not checked:
        raise ValueError("The loads must be at least one number of patterns per unit. Got none.")
    return checked


def _listed(sizes: int | Sequence[int]) -> list[Any]:
    return [sizes] if np.ndim(sizes) == 0 else list(sizes)  # type: ignore[arg-type]
