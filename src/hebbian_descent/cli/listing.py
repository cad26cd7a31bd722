"""`hebbian-descent list` and `status`: what there is, and what was run."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path

from rich.text import Text

from hebbian_descent.cli.console import PlainConsole
from hebbian_descent.cli.run import OUTPUT, Output
from hebbian_descent.cli.tables import new_table, print_whole
from hebbian_descent.paper.effort import Effort
from hebbian_descent.paper.experiments import Experiment
from hebbian_descent.paper.figures import FIGURES
from hebbian_descent.paper.formula_tables import FormulaTable
from hebbian_descent.paper.index import INDEX
from hebbian_descent.paper.measurements import Measurements, efforts_in


def list_labels(output: Output = OUTPUT) -> None:
    """List every table and figure of the paper: what it shows, about how long it takes, what was run."""
    table = new_table()
    table.add_column("Label, and what it shows")
    for name in ("Rows", "Minutes", "Run"):
        table.add_column(name, justify="right", no_wrap=True)
    for known in INDEX.values():
        minutes = f"{known.minutes:.0f}" if known.minutes > 1 else "<1"
        what = Text.assemble(known.label, "\n", (known.title, "dim"))
        table.add_row(what, str(known.n_rows or ""), minutes, _state(known.label, output, Effort()))
    console = PlainConsole()
    console.print(table)
    console.print("Minutes are for ten draws on two cores. `hebbian-descent run LABEL` computes one of them.")


def status(output: Output = OUTPUT) -> None:
    """Show how much of each table and figure was run, with the paper's protocol and otherwise.

    Tables of your own are counted in jobs. What was run with `--set` or `--search halving` is listed below.
    """
    console = PlainConsole()
    efforts = {"Paper's protocol": Effort(), "Quick": Effort(quick=True)}
    table = new_table()
    table.add_column("Label", no_wrap=True)
    for name in efforts:
        table.add_column(name, justify="right", no_wrap=True)
    for label in (*INDEX, *_own_labels(output, efforts.values())):
        table.add_row(label, *(_state(label, output, effort) for effort in efforts.values()))
    print_whole(table)
    for effort in efforts_in(output):
        if effort.name not in {known.name for known in efforts.values()}:
            figures = (label for label in FIGURES if _state(label, output, effort))
            labels = ", ".join([*Measurements(output, effort).labels(), *figures])
            console.print(f"With {shlex.join(effort.options)}: {labels}", soft_wrap=True)


def _own_labels(output: Path, efforts: Iterable[Effort]) -> list[str]:
    found = (label for effort in efforts for label in Measurements(output, effort).labels())
    return [label for label in dict.fromkeys(found) if label not in INDEX]


def _state(label: str, output: Path, effort: Effort) -> str:
    if label not in INDEX:
        n_jobs = len(Measurements(output, effort).read(label))
        return f"{n_jobs} job{'' if n_jobs == 1 else 's'}" if n_jobs else ""
    content = INDEX[label].content
    if isinstance(content, FormulaTable):
        return "checked"
    if not isinstance(content, Experiment):
        name = label.removeprefix("fig:")
        return "drawn" if (output / "figures" / effort.name / f"{name}.svg").exists() else ""
    found = {measurement.job for measurement in Measurements(output, effort).read(label)}
    first = [job.name for job in content.jobs(Effort(draws=1))]
    n_done = sum(name in found for name in first)
    if n_done < len(first):
        return f"{n_done}/{len(first)} jobs" if n_done else ""
    extra = len(found) / len(first)
    return f"{extra:.3g} draws" if extra > 1 else "done"
