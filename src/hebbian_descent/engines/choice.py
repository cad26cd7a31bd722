"""Which engine runs a cell, and why."""

from __future__ import annotations

from typing import Any, NamedTuple

from hebbian_descent.checks import unknown_name
from hebbian_descent.engines.auto_setting import AutoCell, AutoSetting
from hebbian_descent.engines.base import Engine
from hebbian_descent.engines.closed_form import imprints
from hebbian_descent.engines.grid import GridCell
from hebbian_descent.engines.patterns import Patterns
from hebbian_descent.engines.reference import reference
from hebbian_descent.engines.sequence import sequence
from hebbian_descent.engines.setting import Cell, Setting
from hebbian_descent.engines.stacked import stacked
from hebbian_descent.engines.stacked_inputs import leaves_out_zeros
from hebbian_descent.engines.tied import fused
from hebbian_descent.engines.tied_reference import auto_reference
from hebbian_descent.learning.rates import Automatic

LAYER_ENGINES: dict[str, Engine] = {"reference": reference, "sequence": sequence, "stacked": stacked}
AUTOENCODER_ENGINES: dict[str, Engine] = {"auto_reference": auto_reference, "fused": fused}
ENGINES = {**LAYER_ENGINES, **AUTOENCODER_ENGINES}

LONGEST_SEQUENCE = 4096
"""Steps beyond which the square matrix of couplings is too large to be worth it."""


class Choice(NamedTuple):
    """The name of an engine, and the reason for it in words."""

    engine: str
    reason: str


def choose(
    engine: str, cell: GridCell[Any, Any], setting: Setting | AutoSetting, patterns: Patterns
) -> Choice:
    """Return the engine for a cell: the one asked for if it can run it, or the fastest for "auto"."""
    if isinstance(setting, Setting):
        options = list(LAYER_ENGINES)
        obstacles = {
            "sequence": sequence_obstacle(cell, setting, patterns),
            "stacked": stacked_obstacle(cell, setting),
        }
    else:
        options = list(AUTOENCODER_ENGINES)
        obstacles = {"fused": fused_obstacle(cell, setting)}
    if engine not in (*options, "auto"):
        raise unknown_name("engine", engine, (*options, "auto"))
    if engine != "auto":
        if obstacle := obstacles.get(engine):
            raise ValueError(f"The engine {engine!r} cannot run {cell}: {obstacle}. Use engine='auto'.")
        return Choice(engine, "it was asked for")
    slower_because = ""
    for name, obstacle in obstacles.items():
        if obstacle is None:
            return Choice(name, slower_because + reason_for(name, cell, setting, patterns))
        slower_because = f"{obstacle}, so "
    return Choice(options[0], f"{slower_because}each run is trained by the plain loop")


def reason_for(
    engine: str, cell: GridCell[Any, Any], setting: Setting | AutoSetting, patterns: Patterns
) -> str:
    """Return what an engine makes of a cell, in words."""
    reason = REASONS[engine]
    if engine == "stacked" and isinstance(setting, Setting):
        if imprints(cell, setting):
            return f"{reason}, and what one of them learns tells what all learn, times their learning rate"
        if leaves_out_zeros(cell, setting, patterns):
            zeros = 1 - patterns.share_of_inputs
            return f"{reason}, and products leave out the {zeros:.0%} of the inputs that are zero"
    return reason


REASONS = {
    "sequence": "patterns come one at a time, in a sequence short enough to couple all its steps",
    "stacked": "runs are stacked as columns of one matrix",
    "fused": "built-in rules and units of an auto-encoder need one pass over the outputs",
}


def stacked_obstacle(cell: Cell, setting: Setting) -> str | None:
    """Return why runs cannot be stacked, or None."""
    if setting.offset_moves.centers_targets(cell.rule):
        return f"the rule {cell.rule.name!r} learns the means with the weights"
    return automatic_rate(setting) or uncompiled(cell, setting)


def automatic_rate(setting: Setting | AutoSetting) -> str | None:
    """Return that a learning rate is computed for each pattern, which the plain loop alone does, or None."""
    automatic = any(isinstance(rate, Automatic) for rate in setting.learning_rates)
    return "an automatic learning rate is computed for each update" if automatic else None


def uncompiled(cell: Cell, setting: Setting) -> str | None:
    """Return which part of a cell has no compiled form, or None."""
    members: dict[str, Any] = {"rule": cell.rule, "activation": cell.activation}
    if cell.rule.takes_error_term:
        members["error term"] = setting.error
    for kind, member in members.items():
        if member.compiled_form is None:
            return f"the {kind} {member.name!r} has no compiled form"
    return None


def sequence_obstacle(cell: Cell, setting: Setting, patterns: Patterns) -> str | None:
    """Return why the sequence engine cannot run a cell, or should not, or None."""
    if obstacle := stacked_obstacle(cell, setting):
        return obstacle
    if setting.batch_size > 1:
        return "patterns come in batches"
    if setting.shuffle:
        return "patterns come in another order in each epoch"
    repeats = setting.epochs == 1 or (cell.weight_decay == 0 and setting.shift == 0)
    length = len(patterns.inputs) * (1 if repeats else setting.epochs)
    if length > max(4 * patterns.inputs.shape[1], 256) or length > LONGEST_SEQUENCE:
        return f"the sequence of {length} steps is long for {patterns.inputs.shape[1]} inputs"
    return None


def fused_obstacle(cell: AutoCell, setting: AutoSetting) -> str | None:
    """Return why an auto-encoder cannot be run by the fused pass, or None."""
    if obstacle := automatic_rate(setting):
        return obstacle
    if cell.rule.compiled_form is None:
        with_parameters = f" with {dict(cell.rule.parameters)}" if cell.rule.parameters else ""
        return f"the rule {cell.rule.name!r}{with_parameters} has no compiled form"
    return None
