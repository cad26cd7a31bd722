"""Figures of the paper: a label, a title, and a function that draws from results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from reproduction.run_context import Effort, RunContext

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class NotMeasuredError(ValueError):
    """A figure shows rows of tables that were not run yet."""


class PaperFigure(NamedTuple):
    """One figure under the paper's own label."""

    label: str
    title: str
    draw: Callable[[RunContext], Figure]
    """Computes what the store of the run context lacks, and draws."""
    datasets: frozenset[str] = frozenset()
    tables: tuple[str, ...] = ()
    """The tables whose measured rows it shows; they must be run first."""
    protocol: Mapping[str, Any] = {}
    """The settings, by the names that `--set` accepts; none if nothing is computed from patterns."""

    def check(self, effort: Effort) -> None:
        """Raise a ValueError for settings that this figure does not have, before anything is drawn."""
        if effort.overrides and not self.protocol:
            raise ValueError(
                f"{self.label} must be drawn without --set: it has no settings. Got "
                f"{', '.join(map(repr, effort.overrides))}."
            )
        effort.applied_to(self.protocol, {})


def name_panels(panels: list[Axes], titles: list[str]) -> None:
    """Write (a), (b) and so on above the panels, each with its title."""
    for letter, axes, title in zip("abcdef", panels, titles, strict=False):
        axes.set_title(f"({letter}) {title}", fontsize=11, loc="left")
