"""Which engine runs a cell, and why."""

from __future__ import annotations

from typing import NamedTuple

from hebbian_descent.checks import unknown_name
from hebbian_descent.rules import RULES
from hebbian_descent.sweep.engine import Engine
from hebbian_descent.sweep.kernel import RULE_OF_KERNEL, kernel
from hebbian_descent.sweep.reference import reference
from hebbian_descent.sweep.setting import Cell, Patterns, Setting
from hebbian_descent.sweep.stacked import stacked

ENGINES: dict[str, Engine] = {"reference": reference, "kernel": kernel, "stacked": stacked}

LONGEST_SEQUENCE = 4096
"""Steps beyond which the square matrix of the sequence kernel is too large to be worth it."""


class Choice(NamedTuple):
    """The name of an engine, and the reason for it in words."""

    engine: str
    reason: str


def choose(engine: str, cell: Cell, setting: Setting, patterns: Patterns) -> Choice:
    """Return the engine for a cell: the one asked for if it can run it, or the fastest for "auto"."""
    if engine not in (*ENGINES, "auto"):
        raise unknown_name("engine", engine, (*ENGINES, "auto"))
    obstacles = {
        "kernel": kernel_obstacle(cell, setting, patterns),
        "stacked": stacked_obstacle(cell, setting),
    }
    if engine != "auto":
        if obstacle := obstacles.get(engine):
            raise ValueError(f"The engine {engine!r} cannot run {cell}: {obstacle}. Use engine='auto'.")
        return Choice(engine, "it was asked for")
    if obstacles["kernel"] is None:
        return Choice("kernel", "patterns come one at a time, in a sequence short enough for the kernel")
    if obstacles["stacked"] is None:
        return Choice("stacked", f"{obstacles['kernel']}, so runs are stacked as columns of one matrix")
    return Choice("reference", f"{obstacles['stacked']}, so each run is trained by the plain loop")


def stacked_obstacle(cell: Cell, setting: Setting) -> str | None:
    """Return why runs cannot be stacked, or None."""
    if cell.rule != RULES.get(cell.rule.name):
        return f"the rule {cell.rule.name!r} is a function of your own"
    if not cell.activation.is_built_in:
        return f"the activation {cell.activation.name!r} is a function of your own"
    if not setting.error.is_built_in:
        return f"the error term {setting.error.name!r} is a function of your own"
    return None


def kernel_obstacle(cell: Cell, setting: Setting, patterns: Patterns) -> str | None:
    """Return why the sequence kernel cannot run a cell, or should not, or None."""
    if obstacle := stacked_obstacle(cell, setting):
        return obstacle
    if cell.rule.name not in RULE_OF_KERNEL:
        return f"the kernel does not know the rule {cell.rule.name!r}"
    learns_from_error = cell.rule.name in ("hebbian_descent", "gradient_descent")
    if learns_from_error and setting.error.name != "difference":
        return f"the kernel does not know the error term {setting.error.name!r}"
    if setting.batch_size > 1:
        return "patterns come in batches"
    if setting.shuffle:
        return "patterns come in another order in each epoch"
    repeats = setting.epochs == 1 or (cell.weight_decay == 0 and setting.shift == 0)
    length = len(patterns.inputs) * (1 if repeats else setting.epochs)
    if length > max(4 * patterns.inputs.shape[1], 256) or length > LONGEST_SEQUENCE:
        return f"the sequence of {length} steps is long for {patterns.inputs.shape[1]} inputs"
    return None
