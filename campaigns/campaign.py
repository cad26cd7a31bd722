"""Campaigns, and their results."""

from __future__ import annotations

import json
import os
import platform
import signal
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from hebbian_descent.safe_files import write_atomically

BROKEN_KEPT = 20
"""Broken promises that a result describes; the others are only counted."""


class Campaign(NamedTuple):
    """A promise, and trials that try to break it.

    `trial` takes the number of the trial, which alone decides what is tried, and an empty folder. It returns
    the outcome in a word or two ("refused", "loaded unchanged"), and raises if the promise is broken. A trial
    that takes longer than `seconds` hangs, which breaks every promise.
    """

    title: str
    promise: str
    trial: Callable[[int, Path], str]
    goal: int
    in_tests: int
    per_trial: int = 1
    block: int = 1000
    seconds: float = 10.0


class BrokenPromiseError(BaseException):
    """A failure that breaks every promise. No `except Exception` in the code under test can swallow it."""


class HungError(BrokenPromiseError):
    """A trial took too long."""


@dataclass
class Result:
    """How many trials were made, with which outcomes, and those that broke the promise."""

    trials: int = 0
    seconds: float = 0.0
    outcomes: Counter[str] = field(default_factory=Counter)
    n_broken: int = 0
    broken: list[dict[str, Any]] = field(default_factory=list)
    machine: dict[str, str] = field(default_factory=dict)

    def add(self, other: Result) -> None:
        """Add the trials of another result."""
        self.trials += other.trials
        self.outcomes.update(other.outcomes)
        self.n_broken += other.n_broken
        self.broken = (self.broken + other.broken)[:BROKEN_KEPT]

    def save(self, path: Path) -> None:
        """Write the result as JSON, whole or not at all."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self.machine = _machine()
        # Python 3.11 copies a Counter by counting its pairs.
        content = {**asdict(self), "outcomes": dict(self.outcomes), "seconds": round(self.seconds, 1)}
        write_atomically(path, (json.dumps(content, indent=1, sort_keys=True) + "\n").encode())

    @classmethod
    def load(cls, path: Path) -> Result:
        """Read a result; a missing one has no trials."""
        if not path.exists():
            return cls()
        content = json.loads(path.read_text())
        return cls(**{**content, "outcomes": Counter(content["outcomes"])})


def run(campaign: Campaign, numbers: Iterable[int]) -> Result:
    """Run some trials of a campaign, one after another, in this process."""
    result = Result()
    for number, folder in _with_folders(numbers):
        result.trials += 1
        try:
            with _limit(campaign.seconds):
                result.outcomes[campaign.trial(number, folder)] += 1
        except (Exception, BrokenPromiseError) as error:  # whatever a trial raises is a broken promise
            result.n_broken += 1
            result.broken.append({"trial": number, "what": f"{type(error).__name__}: {error}"[:500]})
    result.broken = result.broken[:BROKEN_KEPT]
    return result


def _with_folders(numbers: Iterable[int]) -> Iterator[tuple[int, Path]]:
    """Give every trial an empty folder; one left empty is reused, since making it may outlast a trial."""
    left = deque(numbers)
    while left:
        with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            while left and not os.listdir(folder):
                yield left.popleft(), Path(folder)


@contextmanager
def _limit(seconds: float) -> Iterator[None]:
    def hung(*_: object) -> None:
        raise HungError(f"longer than {seconds:g} s")

    before = signal.signal(signal.SIGALRM, hung)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _machine() -> dict[str, str]:
    return {
        "cores": str(os.cpu_count()),
        "processor": platform.machine(),
        "python": platform.python_version(),
        **{name: version(name) for name in ("hebbian-descent", "numpy")},
    }
