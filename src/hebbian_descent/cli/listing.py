"""`hebbian-descent list` and `status`: the paper's labels, and what was run."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path

from hebbian_descent.cli.console import PlainConsole, show_table
from hebbian_descent.cli.options import OUTPUT, Output
from hebbian_descent.paper.experiments import Experiment
from hebbian_descent.paper.figures import FIGURES
from hebbian_descent.paper.formula_tables import FormulaTable
from hebbian_descent.paper.index import INDEX
from hebbian_descent.paper.measurements import Measurements, efforts_in
from hebbian_descent.paper.run_context import Effort
from hebbian_descent.table_formats import Cell, Marked, TextTable, terminal_table


def list_labels(output: Output = OUTPUT) -> None:
    """List every table and figure of the paper: content, approximate time, and what was run."""
    rows: list[list[Cell]] = []
    for known in INDEX.values():
        minutes = f"{known.minutes:.0f}" if known.minutes > 1 else "<1"
        what = (f"{known.label}\n", Marked(known.title, style="dim"))
        rows.append([what, str(known.n_rows or ""), minutes, _state(known.label, output, Effort())])
    table = TextTable(["Label, and what it shows", "Rows", "Minutes", "Run"], rows, alignment="lrrr")
    console = PlainConsole()
    console.print(terminal_table(table, compact=True, wrap=[0]))
    console.print("Minutes are for ten draws on two cores. `hebbian-descent run LABEL` computes one of them.")


def status(output: Output = OUTPUT) -> None:
    """Show how much of each table and figure was run, with the paper's protocol and otherwise.

    Custom tables are counted in jobs. Runs with `--set` or `--search halving` are listed below.
    """
    console = PlainConsole()
    efforts = {"Paper's protocol": Effort(), "Quick": Effort(quick=True)}
    labels = (*INDEX, *_own_labels(output, efforts.values()))
    rows = [[label, *(_state(label, output, effort) for effort in efforts.values())] for label in labels]
    show_table(TextTable(["Label", *efforts], rows, alignment="lrr"))
    for effort in efforts_in(output):
        if effort.name not in {known.name for known in efforts.values()}:
            figures = (label for label in FIGURES if _state(label, output, effort))
            found = ", ".join([*Measurements(output, effort).labels(), *figures])
            console.print(f"With {shlex.join(effort.options)}: {found}", soft_wrap=True)


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
