"""`hebbian-descent list` and `status`: the paper's labels, and what was run."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal, NamedTuple

from hebbian_descent.cli.console import PlainConsole, print_fitting
from hebbian_descent.cli.json_output import write_json
from hebbian_descent.cli.messages import say
from hebbian_descent.cli.options import OUTPUT, Json, Output
from hebbian_descent.table_formats import Cell, Marked, TextTable
from reproduction.experiments import Experiment
from reproduction.figures import FIGURES
from reproduction.formula_tables import FormulaTable
from reproduction.index import INDEX, Entry
from reproduction.measurements import Measurements, efforts_in
from reproduction.run_context import Effort

PAPER, QUICK = Effort(), Effort(quick=True)


def list_labels(output: Output = OUTPUT, as_json: Json = False) -> None:
    """List every table and figure of the paper: content, approximate time, and what was run.

    A full run follows the paper's protocol, a partial run has only some jobs done, and a quick run used
    --quick.

    **Example**

        hebbian-descent list
    """
    if as_json:
        write_json([_record(known, output) for known in INDEX.values()])
        return
    rows: list[list[Cell]] = []
    for known in INDEX.values():
        minutes = f"{known.minutes:.0f}" if known.minutes > 1 else "<1"
        what = (f"{known.label}\n", Marked(known.title, style="dim"))
        rows.append([what, str(known.n_rows or ""), minutes, _in_two_lines(known.label, output)])
    headings = ["Label, and what it shows", "Rows", "Minutes", "Run"]
    print_fitting(TextTable(headings, rows, alignment="lrrr"), wrap=[0])
    say("Minutes are for ten draws on two cores. `hebbian-descent run LABEL` computes one of them.")


def status(output: Output = OUTPUT, as_json: Json = False) -> None:
    """Show how much of each table and figure was run, with the paper's protocol and otherwise.

    For a partial run, 3/7 means that 3 of 7 jobs are done. Custom tables are counted in jobs. Runs with
    `--set` or `--search halving` are listed below.

    **Example**

        hebbian-descent status --output reproduction
    """
    others = [
        OtherRuns(effort.options, _labels_of(output, effort))
        for effort in efforts_in(output)
        if effort.name not in (PAPER.name, QUICK.name)
    ]
    labels = (*INDEX, *_own_labels(output, (PAPER, QUICK)))
    states = {label: _states(label, output) for label in labels}
    if as_json:
        runs = [{"label": label, **found} for label, found in states.items()]
        write_json({"labels": runs, "other": others})
        return
    rows = [[label, *map(str, found.values())] for label, found in states.items()]
    print_fitting(TextTable(["Label", "Paper's\nprotocol", "Quick"], rows, alignment="lrr"), wrap=[0])
    for other in others:
        with_options = f"With {shlex.join(other.options)}: {', '.join(other.labels)}"
        PlainConsole().print(with_options, soft_wrap=True)


class OtherRuns(NamedTuple):
    """What was run with options that change the protocol."""

    options: list[str]
    labels: list[str]


class State(NamedTuple):
    """How much of a label was run in one way."""

    state: Literal["not run", "partial", "full", "checked"]
    """Formulas are checked and need no run."""
    n_jobs_done: int = 0
    n_jobs: int | None = None
    """Of the first draw of the patterns; unknown for custom tables."""
    draws: float = 0

    def __str__(self) -> str:
        if self.state == "not run":
            return ""
        if self.state == "partial":
            return f"partial {self.n_jobs_done}/{self.n_jobs}"
        if self.n_jobs is None and self.n_jobs_done:
            return f"{self.n_jobs_done} job{'' if self.n_jobs_done == 1 else 's'}"
        return f"{self.state}, {self.draws:.3g} draws" if self.draws > 1 else self.state


def state_of(label: str, output: Path, effort: Effort) -> State:
    """Return how much of a label was run with an effort."""
    if label not in INDEX:
        n_jobs = len(Measurements(output, effort).read(label))
        return State("full" if n_jobs else "not run", n_jobs)
    content = INDEX[label].content
    if isinstance(content, FormulaTable):
        return State("checked")
    if not isinstance(content, Experiment):
        name = label.removeprefix("fig:")
        drawn = output / "figures" / effort.name / f"{name}.svg"
        return State("full" if drawn.exists() else "not run")
    found = {measurement.job for measurement in Measurements(output, effort).read(label)}
    first = [job.name for job in content.jobs(Effort(draws=1))]
    n_done = sum(name in found for name in first)
    if n_done < len(first):
        return State("partial" if n_done else "not run", n_done, len(first))
    return State("full", n_done, len(first), len(found) / len(first))


def _states(label: str, output: Path) -> dict[str, State]:
    return {"paper": state_of(label, output, PAPER), "quick": state_of(label, output, QUICK)}


def _in_two_lines(label: str, output: Path) -> str:
    """Return how much was run by the paper's protocol, and below it how much quickly."""
    by_protocol, quick = _states(label, output).values()
    quickly = {"partial": f"quick {quick.n_jobs_done}/{quick.n_jobs}", "full": "quick"}.get(quick.state)
    return "\n".join(filter(None, (str(by_protocol), quickly)))


def _record(known: Entry, output: Path) -> dict[str, Any]:
    return {
        "label": known.label,
        "kind": known.kind,
        "title": known.title,
        "rows": known.n_rows or None,
        "minutes": known.minutes,
        "datasets": known.datasets,
        **_states(known.label, output),
    }


def _labels_of(output: Path, effort: Effort) -> list[str]:
    figures = (label for label in FIGURES if state_of(label, output, effort).state != "not run")
    return [*Measurements(output, effort).labels(), *figures]


def _own_labels(output: Path, efforts: Iterable[Effort]) -> list[str]:
    found = (label for effort in efforts for label in Measurements(output, effort).labels())
    return [label for label in dict.fromkeys(found) if label not in INDEX]
