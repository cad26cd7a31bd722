"""The search of a learning rate: a walk to the rate whose neighbours are no better."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Generic, TypeVar

Run = TypeVar("Run")


class RateSearch(Generic[Run]):
    """What networks gave at each learning rate tried so far; a rate is a number of steps from a usual one."""

    def __init__(
        self, train: Callable[[Sequence[int]], Iterable[Run]], validation_error: Callable[[Run], float]
    ) -> None:
        self.train, self.validation_error = train, validation_error
        self.tried: dict[int, Run] = {}

    def best(self, *starts: int) -> int:
        """Return the step whose neighbours have no smaller error, from the best of `starts` on."""
        best = self._best_of(starts)
        while (better := self._best_of((best, best - 1, best + 1))) != best:  # ties: the first
            best = better
        return best

    def _best_of(self, steps: Sequence[int]) -> int:
        missing = [step for step in steps if step not in self.tried]
        if missing:
            self.tried |= zip(missing, self.train(missing), strict=True)
        return min(steps, key=lambda step: self.validation_error(self.tried[step]))
