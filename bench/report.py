"""Display of the results: tables on the screen and the same tables in Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from comparison import Comparison, Contender, Variant
from growth import Growth
from rich.table import Table
from workers import MINIMUM, Workers


class Sheet(NamedTuple):
    """A table before it is drawn."""

    title: str
    columns: tuple[str, ...]
    rows: list[tuple[str, ...]]

    def drawn(self) -> Table:
        """Return the table for a screen."""
        table = Table(title=self.title, title_justify="left")
        for number, column in enumerate(self.columns):
            table.add_column(column, justify="left" if number < 2 else "right")
        for row in self.rows:
            table.add_row(*row)
        return table

    def markdown(self) -> str:
        """Return the table for a document."""
        lines = [self.columns, tuple("---" for _ in self.columns), *self.rows]
        return "\n".join([f"### {self.title}", "", *(f"| {' | '.join(line)} |" for line in lines), ""])


def sheet_of(result: Comparison | Growth | Workers) -> Sheet:
    """Return the table of one task."""
    if isinstance(result, Comparison):
        return contenders(result)
    return growth(result) if isinstance(result, Growth) else workers(result)


def summary(comparisons: Sequence[Comparison]) -> Sheet:
    """Return one row per task: how many times faster than the best peer."""
    columns = ("task", "best peer", "times faster", "at least", "goal", "share of matrix product", "reached")
    rows = []
    for comparison in comparisons:
        work = comparison.work
        share = f"{comparison.share:.0%}"
        expected = {
            "at least": work.minimum_share,
            "or at least": work.sufficient_share,
            "goal": work.goal_share,
        }
        if words := ", ".join(f"{word} {part:.0%}" for word, part in expected.items() if part):
            share += f" ({words})"
        rows.append(
            (
                work.name,
                comparison.best_peer.name,
                f"{comparison.ratio:.1f}",
                f"{work.minimum:g}",
                f"{work.goal:g}",
                share,
                reached(comparison),
            )
        )
    return Sheet("Ours and the best peer", columns, rows)


def reached(comparison: Comparison) -> str:
    """Return whether the goal, the minimum or neither was reached."""
    work, ratio, share = comparison.work, comparison.ratio, comparison.share
    if ratio >= work.goal and share >= (work.goal_share or 0):
        return "goal"
    if ratio >= work.minimum and share >= (work.minimum_share or 0):
        return "minimum"
    if work.sufficient_share and share >= work.sufficient_share:
        return "minimum"
    return "no"


def contenders(comparison: Comparison) -> Sheet:
    """Return one row per contender of one work."""
    columns = (
        "contender",
        "variant",
        "runs timed",
        "seconds",
        "ms per run",
        "times ours",
        "first call",
        "differs",
    )
    n_runs, ours = comparison.work.problem.n_runs, comparison.ours
    rows = [
        (
            contender.name,
            in_words(contender.variant),
            f"{contender.runs_timed} of {n_runs}",
            f"{contender.seconds:.2f}",
            f"{contender.seconds / n_runs * 1e3:.2f}",
            f"{contender.seconds / ours.seconds:.1f}",
            f"{contender.first_call:.1f} s",
            difference(contender, comparison),
        )
        for contender in comparison.contenders
    ]
    return Sheet(f"{comparison.work.name}: {comparison.work.description}", columns, rows)


def difference(contender: Contender, comparison: Comparison) -> str:
    """Return by how much the errors of a peer differ from ours, and whether that is too much."""
    if contender is comparison.ours:
        return ""
    too_much = " (too much)" if contender.name in comparison.disagreements else ""
    return f"{contender.deviation:.0e}{too_much}"


def in_words(variant: Variant | None) -> str:
    """Return the fastest variant of a peer in words."""
    if variant is None:
        return "the whole sweep"
    at_once = f"{variant.chunk} at once, " if variant.chunk > 1 else ""
    if variant.run_threads > 1:
        return f"{at_once}runs in {variant.run_threads} threads"
    return f"{at_once}library on {variant.library_threads}"


def growth(result: Growth) -> Sheet:
    """Return one row per size."""
    rows = [(f"{n_runs:,}", f"{ms:.2f}") for n_runs, ms in result.milliseconds.items()]
    return Sheet("growth: 100 patterns, 200 → 200 sigmoid, more and more runs", ("runs", "ms per run"), rows)


def workers(result: Workers) -> Sheet:
    """Return one row for each number of processes."""
    rows = [
        ("1", f"{result.one:.1f}", "1"),
        ("2", f"{result.two:.1f}", f"{result.ratio:.2f} (at least {MINIMUM:g})"),
    ]
    return Sheet(
        f"workers: a sweep of {result.n_cells} cells", ("processes", "seconds", "times faster"), rows
    )


def in_markdown(found: Sequence[Sheet], machine: dict[str, Any]) -> str:
    """Return the tables and the machine that they were measured on, as a part of a document."""
    versions = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in machine.items())
    return "\n".join([f"Measured with {versions}.", "", *(sheet.markdown() for sheet in found)])
