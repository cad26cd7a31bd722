"""Context of a run: how much effort, the paper's or less, in which folder, by which workers."""

from __future__ import annotations

import hashlib
import os
import shlex
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, get_args

import numpy.typing as npt

from hebbian_descent.checks import as_count, as_number, unknown_name
from hebbian_descent.storage.results import Store
from hebbian_descent.sweep import SweepResult, TargetRangeWarning, sweep, sweep_autoencoders

Search = Literal["grid", "halving", "kept"]
SEARCHES = get_args(Search)


@dataclass(frozen=True)
class Effort:
    """How a run differs from the protocol of its experiment."""

    draws: int = 3
    quick: bool = False
    overrides: Mapping[str, Any] = field(default_factory=dict)
    """Settings that replace the paper's, by name, such as trials or epochs."""
    search: Search | None = None
    """How the learning rate is searched; None leaves it to the experiment."""

    def __post_init__(self) -> None:
        as_count(self.draws, "number of draws")
        if self.search not in (None, *SEARCHES):
            raise unknown_name("search", str(self.search), SEARCHES)
        if self.search == "kept" and (self.quick or self.overrides):
            raise ValueError(
                "The search 'kept' must come without --quick and without changed settings, because the kept "
                "learning rates were found by the paper's protocol. "
                f"Got {'quick' if self.quick else ', '.join(self.overrides)}."
            )

    @property
    def is_the_papers(self) -> bool:
        """Whether results may be judged against the printed numbers."""
        return not self.quick and not self.overrides and self.search != "halving"

    @property
    def name(self) -> str:
        """Name of the folder that separates these results from those of other efforts."""
        if self.is_the_papers:
            return "paper"
        text = ",".join(f"{name}={value}" for name, value in sorted(self.overrides.items()))
        changed = f"set-{hashlib.sha256(text.encode()).hexdigest()[:8]}" if text else ""
        words = ("quick" if self.quick else "", "halving" if self.search == "halving" else "", changed)
        return "-".join(word for word in words if word)

    @property
    def options(self) -> list[str]:
        """The command-line options for this effort; none for the paper's protocol."""
        quick = ["--quick"] if self.quick else []
        search = ["--search", "halving"] if self.search == "halving" else []
        changes = (("--set", f"{name}={value}") for name, value in self.overrides.items())
        return [*quick, *search, *(word for change in changes for word in change)]

    def applied_to(self, protocol: Mapping[str, Any], quick: Mapping[str, Any]) -> dict[str, Any]:
        """Return a protocol with the settings of a quick look, and with the overrides."""
        for name, value in self.overrides.items():
            if name not in protocol:
                raise unknown_name("setting of this experiment", name, protocol)
            _check_like(value, protocol[name], name)
        return {**protocol, **(quick if self.quick else {}), **self.overrides}


WORDS = {"patterns": "number of patterns", "trials": "number of trials", "epochs": "number of epochs"}
"""Settings whose names say too little in a message."""
CHOICES = {"centering": ("mean", "moving", None), "input_order": ("random", "label")}
BOUNDS: Mapping[str, Mapping[str, float]] = {
    "learning_rates": {"above": 0},
    "weight_decays": {"at_least": 0},
    "shift": {"above": 0, "at_most": 1},
    "hidden_shift": {"at_least": 0, "at_most": 1},
}


def _check_like(value: Any, default: Any, name: str) -> None:
    """Raise an error unless a setting is one of its choices, or of the kind of its default."""
    what = WORDS.get(name, name.replace("_", " "))
    if name in CHOICES:
        if value not in CHOICES[name]:
            raise unknown_name(what, value, map(str, CHOICES[name]))
    elif default is None or isinstance(default, int):
        if value is not None or default is not None:
            as_count(value, what, at_least=0 if name == "seed" else 1)
    elif isinstance(default, float):
        as_number(value, what, **BOUNDS.get(name, {}))
    elif isinstance(default, tuple):
        for number in value if isinstance(value, tuple) else [value]:
            as_number(number, what.removesuffix("s"), **BOUNDS.get(name, {}))


DEFAULT_FOLDER = Path("reproduction/data")


@dataclass(frozen=True)
class RunContext:
    """Everything an experiment needs besides its own protocol."""

    folder: Path
    effort: Effort = field(default_factory=Effort)
    workers: int | None = None
    scheduler: str | None = None
    progress: Callable[[int, int], None] | None = None
    kept_rate: Callable[[Mapping[str, str]], float] | None = None
    """Returns the learning rate that an earlier search found for a cell, for the search "kept"."""

    def rate_of(self, cell: Mapping[str, str]) -> float:
        """Return the learning rate that an earlier search found for a cell."""
        if self.kept_rate is None:
            raise ValueError(
                "The search 'kept' must know the learning rates of an earlier search. "
                "Got none: pass kept_rate= to RunContext."
            )
        return self.kept_rate(cell)

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
