"""How a run is done: how much effort, in which folder, by which workers."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy.typing as npt

from hebbian_descent.checks import as_count, unknown_name
from hebbian_descent.storage.results import Store
from hebbian_descent.sweep import SweepResult, TargetRangeWarning, sweep, sweep_autoencoders

OUTPUT = Path(__file__).parent / "output"
"""Where runs under way keep their parts and pages; ignored by git."""


@dataclass(frozen=True)
class Effort:
    """How a run differs from the protocol of its experiment."""

    draws: int = 5
    quick: bool = False
    changes: Mapping[str, Any] = field(default_factory=dict)
    """Settings that replace the protocol's, by name, such as trials or epochs."""

    def __post_init__(self) -> None:
        as_count(self.draws, "number of draws")

    @property
    def is_the_papers(self) -> bool:
        """Whether results may be judged."""
        return not self.quick and not self.changes

    @property
    def name(self) -> str:
        """Name of the folder that keeps these parts apart from those of other efforts."""
        text = ",".join(f"{name}={value}" for name, value in sorted(self.changes.items()))
        changed = f"set-{hashlib.sha256(text.encode()).hexdigest()[:8]}" if text else ""
        return "-".join(filter(None, ("quick" if self.quick else "", changed))) or "paper"

    def applied_to(self, protocol: Mapping[str, Any], quick: Mapping[str, Any]) -> dict[str, Any]:
        """Return a protocol with the settings of a quick look, and with the changes."""
        for name in self.changes:
            if name not in protocol:
                raise unknown_name("setting of this experiment", name, protocol)
        return {**protocol, **(quick if self.quick else {}), **self.changes}


@dataclass(frozen=True)
class Context:
    """Everything an experiment, a claim or a figure needs besides its own settings."""

    folder: Path = OUTPUT
    effort: Effort = field(default_factory=Effort)
    workers: int | None = None
    scheduler: str | None = None
    progress: Callable[[int, int], None] | None = None

    @property
    def parts(self) -> Path:
        """The folder of the finished parts of this effort."""
        return self.folder / "parts" / self.effort.name

    def sweep(self, inputs: npt.ArrayLike, targets: npt.ArrayLike, **options: Any) -> SweepResult:
        """Call `sweep` with these workers; its cells are kept, so that a stopped job resumes."""
        with warnings.catch_warnings():
            # That some units cannot reach some targets is what the paper's tables are about.
            warnings.simplefilter("ignore", TargetRangeWarning)
            return sweep(inputs, targets, **self._where(), **options)

    def sweep_autoencoders(self, inputs: npt.ArrayLike, **options: Any) -> SweepResult:
        """Call `sweep_autoencoders` with these workers; its cells are kept, too."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TargetRangeWarning)
            return sweep_autoencoders(inputs, **self._where(), **options)

    def _where(self) -> dict[str, Any]:
        return {
            "store": Store(self.folder / "cells"),
            "workers": self.workers,
            "scheduler": self.scheduler,
            "progress": self.progress,
        }
