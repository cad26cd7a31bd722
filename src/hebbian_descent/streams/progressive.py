"""Progress of a stream: how far it has been learned, and how well.

The measure is progressive validation: every example is predicted before it is learned, so one pass is also
a test.
"""

from __future__ import annotations

import hashlib
import math
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hebbian_descent.storage.models import ModelFileError, is_count, require_names, shortened


class RowChecksum:
    """SHA-256 of each part of the rows so far, to verify that a resumed stream is the same.

    It covers rows as they are in the file, by line or by column, so that rows to be skipped need not be
    parsed, and it does not depend on how they are divided into blocks. Line endings, blank lines and
    compression do not count.
    """

    def __init__(self) -> None:
        self._parts: dict[str, Any] = {}

    def add(self, content: Mapping[str, bytes]) -> None:
        """Add the next rows, as `Block.content` returns them."""
        for name, data in content.items():
            if name not in self._parts:
                self._parts[name] = hashlib.sha256()
            self._parts[name].update(data)

    def hexdigest(self) -> str:
        """Return the checksum of all rows so far, names included; an empty one if there are none."""
        digests = [f"{name}\n{part.hexdigest()}\n" for name, part in self._parts.items()]
        return hashlib.sha256("".join(digests).encode()).hexdigest() if digests else ""


STEP = 1024
"""Most examples to predict and then learn together; a power of two."""
STEP_CELLS = 2**20
"""Most inputs of these examples together, counting zeros."""
LARGEST = sys.float_info.max  # infinity has no place in a file


def steps(start: int, end: int, width: int) -> Iterator[tuple[int, int]]:
    """Divide examples numbered from `start` to `end` into steps that end at 1, 2, 4, ... and at multiples.

    They depend only on the numbers, so a resumed stream takes the same steps.
    """
    longest = max(1, min(STEP, 2 ** int(math.log2(max(1, STEP_CELLS // width)))))
    while start < end:
        doubled = 1 << start.bit_length() if start else 1
        stop = min(end, doubled, (start // longest + 1) * longest)
        yield start, stop
        start = stop


@dataclass
class Position:
    """How far a stream has been learned: whole passes, then rows of the current one."""

    passes: int = 0
    rows: int = 0
    checksum: str = ""
    """Checksum of these rows, or of those of the last whole pass, or empty before the first row."""

    @classmethod
    def from_json(cls, found: Any) -> Position:
        """Return a position from a file, after checking it."""
        require_names(found, cls.__dataclass_fields__, "parts of a position")
        if not (is_count(found["passes"]) and is_count(found["rows"]) and isinstance(found["checksum"], str)):
            raise ModelFileError(f"A position must be two counts and a checksum. Got {shortened(found)}.")
        return cls(**found)


@dataclass
class Tally:
    """The errors of predictions: wrong classes, or squared differences of numbers."""

    task: str
    examples: int = 0
    loss: float = 0.0
    recent_examples: int = 0
    recent_loss: float = 0.0

    def add(self, targets: npt.NDArray[Any], predictions: npt.NDArray[Any] | None) -> None:
        """Count predictions; before anything is learned, no class is predicted, and a number is 0."""
        if self.task == "classification":
            n_wrong = len(targets) if predictions is None else np.count_nonzero(predictions != targets)
            loss = float(n_wrong)
        else:
            with np.errstate(over="ignore"):
                loss = float(np.square(targets - (0.0 if predictions is None else predictions)).sum())
        self.examples += len(targets)
        self.recent_examples += len(targets)
        self.loss = min(self.loss + loss, LARGEST)
        self.recent_loss = min(self.recent_loss + loss, LARGEST)

    def take_recent(self) -> float:
        """Return the error since this was last called."""
        error = self._error(self.recent_loss, self.recent_examples)
        self.recent_examples, self.recent_loss = 0, 0.0
        return error

    @property
    def error(self) -> float:
        """The rate of wrong classes, or the root of the mean squared error."""
        return self._error(self.loss, self.examples)

    def _error(self, loss: float, examples: int) -> float:
        mean = loss / examples if examples else math.nan
        return mean if self.task == "classification" else math.sqrt(mean)

    @property
    def measure(self) -> str:
        """The name of the error."""
        return "error rate" if self.task == "classification" else "RMSE"

    def as_json(self) -> dict[str, Any]:
        """Return this as JSON; the task is that of the encoding."""
        return {name: value for name, value in asdict(self).items() if name != "task"}

    @classmethod
    def from_json(cls, found: Any, task: str) -> Tally:
        """Return a tally from a file, after checking it."""
        require_names(found, set(cls.__dataclass_fields__) - {"task"}, "parts of a tally")
        counts = (found["examples"], found["recent_examples"])
        losses = (found["loss"], found["recent_loss"])
        if not all(map(is_count, counts)) or not all(
            isinstance(loss, int | float) and loss >= 0 for loss in losses
        ):
            raise ModelFileError(f"A tally must be counts and sums of errors. Got {shortened(found)}.")
        return cls(task, **found)
