"""One cell of work, wherever it is done: run it, and describe it for the store."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hebbian_descent.results import Record, provenance
from hebbian_descent.rules import RULES
from hebbian_descent.sweep.choosing import ENGINES, Choice
from hebbian_descent.sweep.engine import CellResult
from hebbian_descent.sweep.setting import Cell, Patterns, Setting

NUMERICS_VERSION = 1
"""Raised when a built-in rule, activation, measure or engine changes its numbers beyond rounding."""


@dataclass(frozen=True, eq=False)
class Work:
    """A cell with everything but the patterns that is needed to run it, small enough to send anywhere."""

    cell: Cell
    setting: Setting
    choice: Choice
    memory_budget: int

    def run(self, patterns: Patterns, threads: int = 1) -> Record:
        """Compute the cell."""
        start = time.perf_counter()
        engine = ENGINES[self.choice.engine]
        result = engine(self.cell, self.setting, patterns, threads=threads, memory_budget=self.memory_budget)
        return Record(
            specification=self.specification(patterns),
            axes={
                "learning_rate": np.array(self.setting.learning_rates),
                "trial": np.array(self.setting.trials),
                "pattern": np.arange(len(patterns.evaluated_inputs)),
            },
            values={**result.values, "diverged_at": result.diverged_at},
            seconds=time.perf_counter() - start,
            notes={"engine": self.choice.engine, "reason": self.choice.reason, "threads": threads},
            provenance=provenance(),
        )

    def specification(self, patterns: Patterns) -> Mapping[str, Any]:
        """Everything that the numbers depend on; the engine is among it, since engines differ by rounding."""
        cell, setting = self.cell, self.setting
        return {
            "kind": "layer",
            "numerics_version": NUMERICS_VERSION,
            "rule": cell.rule.name if cell.rule == RULES.get(cell.rule.name) else cell.rule,
            "activation": _named(cell.activation),
            "error": _named(setting.error),
            "weight_decay": cell.weight_decay,
            "learning_rates": setting.learning_rates,
            "trials": setting.trials,
            "seed": setting.seed,
            "centering": setting.centering or "none",
            "shift": setting.shift,
            "offset_start": setting.offset_start,
            "epochs": setting.epochs,
            "batch_size": setting.batch_size,
            "shuffle": setting.shuffle,
            "measures": setting.measures,
            "dtype": setting.dtype.name,
            "engine": self.choice.engine,
            "inputs": patterns.inputs,
            "targets": patterns.targets,
            "evaluated_inputs": patterns.evaluated_inputs,
            "evaluated_targets": patterns.evaluated_targets,
        }


def cell_result(record: Record) -> CellResult:
    """Return the result of a cell from its record."""
    values = dict(record.values)
    return CellResult(diverged_at=values.pop("diverged_at").astype(np.int64), values=values)


def _named(member: Any) -> Any:
    """Return what the package knows by name as its name and parameters; a user's own is hashed as it is."""
    return {"name": member.name, "parameters": dict(member.parameters)} if member.is_built_in else member
