"""What all memories share: recall in steps, sequences, forgetting curves, copies and checks of patterns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Literal, Self, Unpack, overload

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array, as_count, as_patterns, refuse_masked
from hebbian_descent.forgetting import ForgettingCurve
from hebbian_descent.learning.divergence import LARGEST_PREACTIVATION
from hebbian_descent.learning.update_base import ORDINARY
from hebbian_descent.measures import MeasureLike, get_measure
from hebbian_descent.memory.between import Between, get_between
from hebbian_descent.memory.recall import Counts, Order, RecallSettings, Until, recalled, steps_of
from hebbian_descent.storage.models import Saved
from hebbian_descent.transaction import as_it_is, draft_of


class Memory(Saved, ABC):
    """A memory that stores patterns, or pairs of cues and targets, and recalls them from cues."""

    n_stored: int
    """Patterns stored so far, counting repetitions."""

    @classmethod
    def for_patterns(cls, n_units: int, *, activity: float = 0.5, signed: bool = False) -> Self:
        """Return a memory of binary patterns that recall themselves, with the settings that these need.

        `activity` is the share of active units; `signed` patterns are −1 and 1 instead of 0 and 1.
        """
        return cls(n_units)  # type: ignore[call-arg]  # what a memory of another kind needs, it says itself

    @property
    @abstractmethod
    def n_inputs(self) -> int:
        """Units of a cue."""

    @property
    @abstractmethod
    def n_outputs(self) -> int:
        """Units of what is recalled."""

    @property
    @abstractmethod
    def is_auto(self) -> bool:
        """Whether patterns recall themselves; otherwise cues recall targets."""

    @property
    def n_bytes(self) -> int:
        """Size in bytes of all that is kept of the patterns: the arrays in a file of the memory."""
        return sum(array.nbytes for array in self._contents()[1].values())

    @abstractmethod
    def store(self, x: npt.ArrayLike, t: npt.ArrayLike | None = None) -> None:
        """Store one pattern or pair, or many, one per row; any exception leaves the memory as it was."""

    @overload
    def recall(
        self,
        cue: npt.ArrayLike,
        steps: int | None = ...,
        *,
        between: str | Between | None = ...,
        until: Until = ...,
        clamp: npt.ArrayLike | None = ...,
        order: Order = ...,
        seed: int = ...,
        return_steps: Literal[False] = ...,
    ) -> Array: ...

    @overload
    def recall(
        self,
        cue: npt.ArrayLike,
        steps: int | None = ...,
        *,
        between: str | Between | None = ...,
        until: Until = ...,
        clamp: npt.ArrayLike | None = ...,
        order: Order = ...,
        seed: int = ...,
        return_steps: Literal[True],
    ) -> tuple[Array, int | Counts]: ...

    def recall(
        self,
        cue: npt.ArrayLike,
        steps: int | None = None,
        *,
        between: str | Between | None = None,
        until: Until = None,
        clamp: npt.ArrayLike | None = None,
        order: Order = "synchronous",
        seed: int = 0,
        return_steps: bool = False,
    ) -> Array | tuple[Array, int | Counts]:
        """Return what each cue recalls; with several steps, the output of each is the cue of the next.

        Args:
            cue: One pattern, or many, one per row.
            steps: Number of steps, 1 by default; with `until` the largest number, 100 by default.
            between: What happens to the units after each step: "threshold", "sign", `threshold(0.3)`,
                `winners(20)`, or your own function.
            until: When a cue has settled: "converged" if no unit changes by more than 1e-6 in a step, a
                number for another tolerance, or a function of the units before and after a step.
            clamp: Mask of the known units, which keep the values of the cue.
            order: "synchronous" updates all units at once. "asynchronous" updates them one after another, in
                random order, each with the latest state of the others; a step is one pass through all units.
            seed: Seed of the random orders.
            return_steps: Whether to also return the number of steps that each cue took.
        """
        x = self._patterns(cue, "cues", self.n_inputs)
        if steps_of(steps, until) > 1:
            self._must_feed_itself("recall in several steps")
        if clamp is not None:
            self._must_feed_itself("clamp units")
        if order == "asynchronous" and not self.is_auto:
            raise ValueError(
                "Units are updated one after another where patterns recall themselves. "
                'Got a memory of pairs: use order="synchronous".'
            )
        settings = RecallSettings(
            steps=steps, between=between, until=until, clamp=clamp, order=order, seed=seed
        )
        output, taken = recalled(as_it_is(self), x, **settings)
        if np.ndim(cue) != 2:
            return (output[0], int(taken[0])) if return_steps else output[0]
        return (output, taken) if return_steps else output

    def energy(self, x: npt.ArrayLike) -> Array:
        """Return the energy of each pattern, which no asynchronous update of a unit increases."""
        patterns = self._patterns(x, "patterns", self.n_inputs)
        energy = as_it_is(self)._energy(patterns)
        return energy if np.ndim(x) == 2 else energy[0]

    def store_sequence(self, patterns: npt.ArrayLike) -> None:
        """Store a sequence as pairs of neighbours, in order: each pattern recalls the next."""
        if self.is_auto:
            raise ValueError(
                "A sequence is stored as pairs of neighbours. Got an auto-associative memory: "
                + self._for_sequences()
            )
        self._must_feed_itself("store a sequence")
        x = as_patterns(patterns, "patterns of a sequence", n_columns=self.n_inputs)
        if len(x) < 2:
            raise ValueError("A sequence must have at least two patterns. Got one.")
        self.store(x[:-1], x[1:])

    def replay(self, cue: npt.ArrayLike, steps: int, *, between: str | Between | None = None) -> Array:
        """Return the next `steps` patterns after a cue, one per row; for several cues one such matrix each.

        `between` is applied to each pattern before it becomes the cue of the next, as in `recall`.
        """
        self._must_feed_itself("replay")
        x = self._patterns(cue, "cues", self.n_inputs)
        apply, memory = get_between(between), as_it_is(self)
        replayed = []
        for _ in range(as_count(steps, "number of steps")):
            x = apply(memory._respond(x))
            replayed.append(x)
        sequences = np.stack(replayed, axis=1)  # (n_cues, steps, n_outputs)
        return sequences if np.ndim(cue) == 2 else sequences[0]

    def forgetting_curve(
        self,
        x: npt.ArrayLike,
        t: npt.ArrayLike | None = None,
        *,
        cue: npt.ArrayLike | None = None,
        measure: MeasureLike = "mae",
        **recalling: Unpack[RecallSettings],
    ) -> ForgettingCurve:
        """Measure the recall of stored patterns by their age; x and t are in the order of storage.

        `cue` replaces x where recall should start from something else, such as damaged patterns.
        `measure` is a name of `MEASURES`, or a function from targets and outputs to one number per pattern.
        Other settings are those of `recall`, such as `steps` and `between`.
        """
        if t is None and not self.is_auto:
            raise ValueError(
                "The forgetting of pairs is measured with their targets. Got cues alone: pass the targets as "
                "the second argument."
            )
        targets = as_patterns(x if t is None else t, "targets", n_columns=self.n_outputs)
        cues = as_patterns(x if cue is None else cue, "cues", n_columns=self.n_inputs)
        if len(cues) != len(targets):
            raise ValueError(f"There must be a cue for each target. Got {len(cues)} and {len(targets)}.")
        chosen = get_measure(measure)
        value = chosen.checked(targets, self.recall(cues, **recalling))
        return ForgettingCurve(np.arange(1, len(targets) + 1), value[::-1].copy(), chosen.name)

    def copy(self) -> Self:
        """Return an independent copy of the memory."""
        return draft_of(self)

    @abstractmethod
    def _contents(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Return the parameters and the arrays that a file holds."""

    @abstractmethod
    def _respond(self, x: Array) -> Array:
        """Return what the units do next, all at once."""

    def _respond_unit(self, x: Array, unit: int) -> Array:
        """Return what one unit does next; a memory that need not compute the others overrides it."""
        return self._respond(x)[:, unit]

    def _energy(self, x: Array) -> Array:
        raise ValueError(
            f"An energy exists where patterns recall themselves through symmetric weights. Got {self!r}, "
            "which has none."
        )

    def _for_sequences(self) -> str:
        """Return what to use for sequences instead of an auto-associative memory."""
        return f"use {type(self).__name__}({self.n_inputs}, {self.n_inputs})."

    def _patterns(self, values: npt.ArrayLike, name: str, n_units: int) -> Array:
        refuse_masked(values, name)
        array = np.asarray(values)
        patterns = as_patterns(
            array[np.newaxis] if array.ndim == 1 else array, name, dtype=np.float64, n_columns=n_units
        )
        if ORDINARY.exceeded_by(patterns):
            raise ValueError(
                f"The {name} of a memory must be of about unit size, at most {LARGEST_PREACTIVATION:g}. "
                f"Got {np.abs(patterns).max():g}: scale them down."
            )
        return patterns

    def _pairs(self, x: npt.ArrayLike, t: npt.ArrayLike | None) -> tuple[Array, Array]:
        """Return cues and targets to store; where patterns recall themselves, both are the patterns."""
        cues = self._patterns(x, "cues", self.n_inputs)
        if self.is_auto:
            if t is not None:
                raise ValueError("An auto-associative memory stores patterns alone. Got targets as well.")
            return cues, cues
        if t is None:
            raise ValueError("A memory of pairs stores cues and targets. Got no targets.")
        targets = self._patterns(t, "targets", self.n_outputs)
        if len(targets) != len(cues):
            raise ValueError(
                f"Cues and targets must be pairs. Got {len(cues)} cues and {len(targets)} targets."
            )
        return cues, targets

    def _must_feed_itself(self, what: str) -> None:
        if self.n_inputs != self.n_outputs:
            raise ValueError(
                f"To {what}, outputs must be as many as inputs, {self.n_inputs}. Got {self.n_outputs}."
            )
