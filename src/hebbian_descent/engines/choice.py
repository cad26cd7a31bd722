"""Choice of the engine that runs a cell, with the reason: both follow from what the members declare."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from hebbian_descent.checks import unknown_name
from hebbian_descent.engines.base import Engine
from hebbian_descent.engines.closed_form import imprints
from hebbian_descent.engines.grid import Grid, GridCell
from hebbian_descent.engines.network_grids import AutoencoderCell, AutoencoderGrid, LayerCell, LayerGrid
from hebbian_descent.engines.patterns import Patterns
from hebbian_descent.engines.reference import reference
from hebbian_descent.engines.sequence import sequence
from hebbian_descent.engines.stacked import stacked
from hebbian_descent.engines.stacked_inputs import leaves_out_zeros
from hebbian_descent.engines.tied import leaves_out_zeros as leaves_out_zeros_of_autoencoder
from hebbian_descent.engines.tied import tied
from hebbian_descent.native import core

LAYER_ENGINES: dict[str, Engine] = {"reference": reference, "sequence": sequence, "stacked": stacked}
AUTOENCODER_ENGINES: dict[str, Engine] = {"reference": reference, "tied": tied}
ENGINES = {**LAYER_ENGINES, **AUTOENCODER_ENGINES}

LONGEST_SEQUENCE = 4096
"""Number of steps beyond which the square matrix of couplings is too large to be worthwhile."""


class Choice(NamedTuple):
    """The name of an engine, and the reason for it in words."""

    engine: str
    reason: str


def choose(engine: str, cell: GridCell[Any, Any], grid: Grid[Any, Any], patterns: Patterns) -> Choice:
    """Return the engine for a cell: the requested one if it can run it, or the fastest for "auto"."""
    judges = JUDGES[type(grid)]
    if engine not in ("reference", *judges, "auto"):
        raise unknown_name("engine", engine, ("reference", *judges, "auto"))
    obstacles = {
        name: automatic_rate(grid) or grid.conditions.obstacle or obstacle(cell, grid, patterns)
        for name, (obstacle, _) in judges.items()
    }
    if engine != "auto":
        if obstacle := obstacles.get(engine):
            raise ValueError(f"The engine {engine!r} cannot run {cell}: {obstacle}. Use engine='auto'.")
        return Choice(engine, "it was requested")
    slower_because = ""
    for name, (_, reason) in judges.items():
        if obstacles[name] is None:
            return Choice(name, slower_because + reason(cell, grid, patterns))
        slower_because = f"{obstacles[name]}, so "
    return Choice("reference", f"{slower_because}each run is trained by the plain loop")


def automatic_rate(grid: Grid[Any, Any]) -> str | None:
    """Return why a grid needs the plain loop whatever its members are, or None."""
    return "an automatic learning rate is computed for each update" if grid.has_automatic_rate else None


def without_compiled_form(*members: tuple[str, Any]) -> str | None:
    """Return the first of some members, each with its kind, that has no compiled form, or None."""
    for kind, member in members:
        if member.compiled_form is None:
            with_parameters = (
                f" with {dict(member.parameters)}" if kind == "rule" and member.parameters else ""
            )
            return f"the {kind} {member.name!r}{with_parameters} has no compiled form"
    return None


def stacked_obstacle(cell: LayerCell, grid: LayerGrid, patterns: Patterns) -> str | None:
    """Return why runs cannot be stacked, or None."""
    if grid.offset_moves.centers_targets(cell.rule):
        return f"the rule {cell.rule.name!r} learns the means with the weights"
    members: list[tuple[str, Any]] = [("rule", cell.rule), ("activation", cell.activation)]
    if cell.rule.takes_error_term:
        members.append(("error term", grid.error))
    return without_compiled_form(*members)


def sequence_obstacle(cell: LayerCell, grid: LayerGrid, patterns: Patterns) -> str | None:
    """Return why the sequence engine cannot run a cell, or should not, or None."""
    if obstacle := stacked_obstacle(cell, grid, patterns):
        return obstacle
    if grid.batch_size > 1:
        return "patterns come in batches"
    if grid.shuffle:
        return "patterns come in another order in each epoch"
    repeats = grid.epochs == 1 or (cell.weight_decay == 0 and grid.shift == 0)
    length = len(patterns.inputs) * (1 if repeats else grid.epochs)
    if length > max(4 * patterns.inputs.shape[1], 256) or length > LONGEST_SEQUENCE:
        return f"the sequence of {length} steps is long for {patterns.inputs.shape[1]} inputs"
    return None


def tied_obstacle(cell: AutoencoderCell, grid: AutoencoderGrid, patterns: Patterns) -> str | None:
    """Return why the tied engine cannot run an auto-encoder, or None."""
    hidden, output = cell.activation
    if not output.elementwise:
        return f"output units of the activation {output.name!r} depend on each other"
    return without_compiled_form(
        ("rule", cell.rule), ("activation", hidden), ("activation", output), ("error term", grid.error)
    )


def reason_for_sequence(cell: LayerCell, grid: LayerGrid, patterns: Patterns) -> str:
    """Return why the sequence engine is the fastest."""
    return "patterns come one at a time, in a sequence short enough to couple all its steps"


def reason_for_stacked(cell: LayerCell, grid: LayerGrid, patterns: Patterns) -> str:
    """Return how the stacked engine runs a cell."""
    reason = "runs are stacked as columns of one matrix"
    if imprints(cell, grid):
        return f"{reason}, and one imprint serves all of them, times their learning rate"
    if leaves_out_zeros(cell, grid, patterns):
        zeros = 1 - patterns.share_of_inputs
        return f"{reason}, and products leave out the {zeros:.0%} of the inputs that are zero"
    return reason


def reason_for_tied(cell: AutoencoderCell, grid: AutoencoderGrid, patterns: Patterns) -> str:
    """Return how the tied engine runs a cell."""
    if core() is None:
        return "without the compiled core, it leaves each run to the plain loop"
    reason = "each run learns by compiled products"
    if leaves_out_zeros_of_autoencoder(grid, patterns):
        zeros = 1 - patterns.share_of_inputs
        return f"{reason}, which leave out the {zeros:.0%} of the inputs that are zero"
    return reason


Judge = tuple[Callable[[Any, Any, Patterns], str | None], Callable[[Any, Any, Patterns], str]]
"""The obstacle to an engine, and the reason to choose it if there is none."""

JUDGES: dict[type, dict[str, Judge]] = {
    LayerGrid: {
        "sequence": (sequence_obstacle, reason_for_sequence),
        "stacked": (stacked_obstacle, reason_for_stacked),
    },
    AutoencoderGrid: {"tied": (tied_obstacle, reason_for_tied)},
}
"""The engines that are faster than the plain loop, by what they train, the fastest first."""
