"""Recall in steps: xₙ₊₁ = between(f(xₙ)), all units at once or one after another, until nothing changes.

Cues are independent: what one of them recalls does not depend on the others, and a cue that has settled no
longer changes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Protocol, TypeAlias, TypedDict

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array, as_count, as_number, unknown_name
from hebbian_descent.memory.between import Between, get_between

Until: TypeAlias = Literal["converged"] | float | Callable[[Array, Array], Any] | None
Order: TypeAlias = Literal["synchronous", "asynchronous"]
Mask: TypeAlias = npt.NDArray[np.bool_]
Counts: TypeAlias = npt.NDArray[np.int64]

MOST_STEPS = 100
"""Recall ends after this many steps, settled or not, unless another number is given."""
TOLERANCE = 1e-6
"""The largest change of a unit that counts as none."""
ORDERS = ("synchronous", "asynchronous")


class RecallSettings(TypedDict, total=False):
    """How recall proceeds from a cue; see `Memory.recall`."""

    steps: int | None
    between: str | Between | None
    until: Until
    clamp: npt.ArrayLike | None
    order: Order
    seed: int


class Units(Protocol):
    """A memory as recall sees it: what its units do next, together or each by itself."""

    def _respond(self, x: Array) -> Array: ...

    def _respond_unit(self, x: Array, unit: int) -> Array: ...


def recalled(
    memory: Units,
    cues: Array,
    *,
    steps: int | None = None,
    between: str | Between | None = None,
    until: Until = None,
    clamp: npt.ArrayLike | None = None,
    order: Order = "synchronous",
    seed: int = 0,
) -> tuple[Array, Counts]:
    """Return what checked cues recall, and how many steps each took."""
    n_steps = steps_of(steps, until)
    apply, has_settled = get_between(between), _settling(until)
    known = None if clamp is None else as_known(clamp, cues)
    if order not in ORDERS:
        raise unknown_name("order of recall", order, ORDERS)
    rng = np.random.default_rng(as_count(seed, "seed", at_least=0))

    def advance(x: Array, rows: npt.NDArray[np.intp]) -> Array:
        given = None if known is None else known[rows]
        if order == "asynchronous":
            return _one_by_one(memory, x, apply, given, rng.permutation(x.shape[1]))
        new = apply(memory._respond(x))
        return new if given is None else np.where(given, cues[rows], new)

    running = np.arange(len(cues))
    x, taken = cues, np.zeros(len(cues), dtype=np.int64)
    for step in range(1, n_steps + 1):
        if not len(running):
            break
        before = x[running]
        after = advance(before, running)
        if step == 1:
            x = after.copy()  # a memory of pairs may recall more units than a cue has, or fewer
        else:
            x[running] = after
        taken[running] = step
        running = running[~has_settled(before, after)]
    return x, taken


def steps_of(steps: int | None, until: Until) -> int:
    """Return the number of steps, or with `until` the largest number."""
    if steps is None:
        return 1 if until is None else MOST_STEPS
    return as_count(steps, "number of steps")


def as_known(clamp: npt.ArrayLike, cues: Array) -> Mask:
    """Return which units of each cue are known, from one mask for all cues or one for each."""
    given = np.asarray(clamp)
    if given.shape not in (cues.shape, cues.shape[1:]):
        raise ValueError(
            f"The known units must be a mask of shape {cues.shape[1:]} or {cues.shape}. Got {given.shape}."
        )
    if given.dtype != bool and (wrong := given[~np.isin(given, (0, 1))]).size:
        raise ValueError(f"The mask of known units must be True or False for each unit. Got {wrong[0]!r}.")
    return np.broadcast_to(given.astype(bool), cues.shape)


def _settling(until: Until) -> Callable[[Array, Array], Mask]:
    """Return the function of two steps that says which cues have settled."""
    if until is None:
        return lambda before, after: np.zeros(len(before), dtype=bool)
    if isinstance(until, str) and until != "converged":
        raise unknown_name("end of recall, unless it is a tolerance or a function,", until, ["converged"])
    if callable(until):
        return lambda before, after: _as_answers(until(before, after), len(before))
    tolerance = TOLERANCE if until == "converged" else as_number(until, "tolerance of recall", at_least=0)
    return lambda before, after: np.abs(after - before).max(axis=1) <= tolerance


def _as_answers(answers: Any, n_cues: int) -> Mask:
    found = np.asarray(answers)
    if found.dtype != bool or found.shape not in ((), (n_cues,)):
        raise ValueError(
            f"The function that ends recall must return True or False, or {n_cues} of them, one for each "
            f"cue. Got {answers!r}."
        )
    return np.broadcast_to(found, (n_cues,))


def _one_by_one(
    memory: Units, x: Array, between: Between, known: Mask | None, order: npt.NDArray[np.intp]
) -> Array:
    """Return the state after each unit was updated once, each with the latest state of the others."""
    state = x.copy()
    for unit in order:
        before = state[:, unit].copy()
        state[:, unit] = memory._respond_unit(state, unit)
        state[:, unit] = between(state)[:, unit]
        if known is not None:
            state[:, unit] = np.where(known[:, unit], before, state[:, unit])
    return state
