"""Context of a run: folder of results, effort, workers and progress callback."""

from __future__ import annotations

import os
import shlex
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy.typing as npt

from hebbian_descent.paper.effort import Effort
from hebbian_descent.storage.results import Store
from hebbian_descent.sweep import SweepResult, TargetRangeWarning, sweep, sweep_autoencoders

DEFAULT_FOLDER = Path("reproduction")


@dataclass(frozen=True)
class RunContext:
    """Everything an experiment needs besides its own protocol."""

    folder: Path
    effort: Effort = field(default_factory=Effort)
    workers: int | None = None
    scheduler: str | None = None
    progress: Callable[[int, int], None] | None = None

    def command(self, *words: str) -> str:
        """Return a shell command for this folder and effort."""
        return self._command(words, str(self.folder))

    def shown_command(self, *words: str) -> str:
        """Return the same command for published pages, with a relative folder or OUTPUT."""
        here, folder = Path.cwd(), Path(os.path.abspath(self.folder))
        return self._command(
            words, str(folder.relative_to(here)) if folder.is_relative_to(here) else "OUTPUT"
        )

    def _command(self, words: Sequence[str], folder: str) -> str:
        options = [] if set(self.effort.options) <= set(words) else list(self.effort.options)
        if folder != str(DEFAULT_FOLDER):
            options += ["--output", folder]
        return shlex.join(["hebbian-descent", *words, *options])

    @cached_property
    def store(self) -> Store:
        """The store of finished sweep cells."""
        return Store(self.folder / "store")

    def sweep(self, inputs: npt.ArrayLike, targets: npt.ArrayLike, **options: Any) -> SweepResult:
        """Call `sweep` with this store and these workers."""
        with warnings.catch_warnings():
            # That some units cannot reach some targets is what the paper's tables are about.
            warnings.simplefilter("ignore", TargetRangeWarning)
            return sweep(inputs, targets, **self._where(), **options)

    def sweep_autoencoders(self, inputs: npt.ArrayLike, **options: Any) -> SweepResult:
        """Call `sweep_autoencoders` with this store and these workers."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TargetRangeWarning)
            return sweep_autoencoders(inputs, **self._where(), **options)

    def _where(self) -> dict[str, Any]:
        return {
            "store": self.store,
            "workers": self.workers,
            "scheduler": self.scheduler,
            "progress": self.progress,
        }
