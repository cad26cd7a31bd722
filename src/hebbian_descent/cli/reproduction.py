"""`hebbian-descent list`, `status`, `compare` and `table`: what there is, what was run, how it compares."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Iterable
from math import isnan
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hebbian_descent.checks import unknown_name
from hebbian_descent.cli import formula_tables, own_tables
from hebbian_descent.cli.overrides import parsed_overrides
from hebbian_descent.cli.run import OUTPUT, Output
from hebbian_descent.cli.tables import as_csv, as_latex, beside, new_table, print_whole
from hebbian_descent.paper.comparison import Verdict, summarise
from hebbian_descent.paper.comparison import compare as compare_with_print
from hebbian_descent.paper.effort import Effort
from hebbian_descent.paper.experiments import Experiment
from hebbian_descent.paper.figures import FIGURES
from hebbian_descent.paper.formula_tables import FORMULA_TABLES, FormulaTable
from hebbian_descent.paper.index import INDEX
from hebbian_descent.paper.layout import cell_name
from hebbian_descent.paper.measurements import Measurements, efforts_in
from hebbian_descent.paper.notes import REASON_UNKNOWN, differences, reason
from hebbian_descent.paper.place import Place
from hebbian_descent.paper.tables import TABLES
from hebbian_descent.paper.winners import winners

FORMATS = ("text", "csv", "latex")
IN_80_COLUMNS: dict[str, Any] = {"show_edge": False, "padding": (0, 1, 0, 0)}
"""Tables without the room that others have between and beside their columns."""


def list_labels(output: Output = OUTPUT) -> None:
    """List every table and figure of the paper: what it shows, about how long it takes, what was run."""
    table = Table(box=SIMPLE_HEAD, **IN_80_COLUMNS)
    table.add_column("Label, and what it shows")
    for name in ("Rows", "Minutes", "Run"):
        table.add_column(name, justify="right", no_wrap=True)
    for known in INDEX.values():
        minutes = f"{known.minutes:.0f}" if known.minutes > 1 else "<1"
        what = Text.assemble(known.label, "\n", (known.title, "dim"))
        table.add_row(what, str(known.n_rows or ""), minutes, _state(known.label, output, Effort()))
    console = Console()
    console.print(table)
    console.print("Minutes are for ten draws on two cores. `hebbian-descent run LABEL` computes one of them.")


def status(output: Output = OUTPUT) -> None:
    """Show how much of each table and figure was run, with the paper's protocol and otherwise.

    Tables of your own are counted in jobs. What was run with `--set` or `--search halving` is listed below.
    """
    console = Console()
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
            console.print(f"With {shlex.join(effort.options)}: {labels}", highlight=False, soft_wrap=True)


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


def compare(
    labels: Annotated[list[str] | None, typer.Argument(help="Tables; all of them by default.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Everything as JSON instead of tables.")] = False,
    output: Output = OUTPUT,
) -> None:
    """Count how many printed numbers agree with ours, by table and column, and list those that differ.

    What differs is listed by the reason for it, as far as that is known.

    Only what `run` computed with the paper's protocol is judged. Where patterns were drawn, a number agrees
    if it lies in the 99 % prediction interval of one more draw, or within 0.005 of our mean.
    """
    measurements = Measurements(output, Effort())
    verdicts = {
        label: compare_with_print(label, measurements.rows(label)) for label in labels or list(TABLES)
    }
    if as_json:
        typer.echo(json.dumps(_as_data(verdicts), indent=1))
        return
    console = Console()
    print_whole(_counts(verdicts))
    everything = [verdict for found in verdicts.values() for verdict in found]
    if not any(verdict.n for verdict in everything):
        console.print(
            f"Nothing of this was run in {output}: `{Place(output).command('run', 'LABEL')}` computes it."
        )
        return
    found = winners(everything)
    counts = Counter(winner.verdict for winner in found)
    console.print(
        f"Winners: {counts['same']} the same, {counts['tie']} within the spread, {counts['other']} other.",
        highlight=False,
    )
    for winner in found:
        if winner.verdict == "other":
            console.print(
                f"  {winner.label} {cell_name(winner.cell)}: ours {winner.ours}, printed "
                f"{', '.join(winner.printed)} by {winner.printed_gap:.4f}, spread {winner.spread:.4f}",
                highlight=False,
                soft_wrap=True,
            )
    for why, different in differences(everything).items():
        console.print(f"\n{why or REASON_UNKNOWN}", highlight=False)
        for verdict in different:
            console.print(
                f"  {verdict.row.label} {cell_name(verdict.row.cell)} {verdict.column}: "
                f"ours {verdict.mean:.4f} ± {verdict.sd:.4f}, printed {verdict.printed:.4f}, "
                f"z {verdict.z:.1f}",
                highlight=False,
                soft_wrap=True,
            )


def _counts(verdicts: dict[str, list[Verdict]]) -> Table:
    table = new_table("Printed numbers")
    for name in ("Table", "Column"):
        table.add_column(name, no_wrap=True)
    for name in ("Agree", "Not judged", "RMS z"):
        table.add_column(name, justify="right", no_wrap=True)
    for label, found in verdicts.items():
        for summary in summarise(found):
            agree = f"{summary.n_agree}/{summary.n_judged}" if summary.n_run else ""
            open_ = summary.n_results - summary.n_judged
            z = "" if isnan(summary.rms_z) else f"{summary.rms_z:.2f}"
            table.add_row(label, summary.column, agree, str(open_ or ""), z)
    return table


def _as_data(verdicts: dict[str, list[Verdict]]) -> dict[str, Any]:
    return {
        label: {
            "summary": [_finite(summary._asdict()) for summary in summarise(found)],
            "results": [
                _finite({**v.row.cell, **v._asdict(), "row": None, "verdict": v.word, "reason": _why(v)})
                for v in found
            ],
            "winners": [_finite(winner._asdict()) for winner in winners(found)],
        }
        for label, found in verdicts.items()
    }


def _why(verdict: Verdict) -> str | None:
    return (reason(verdict) or None) if verdict.word == "differs" else None


def _finite(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record for JSON, which knows no NaN."""
    return {
        name: None if isinstance(value, float) and value != value else value
        for name, value in record.items()
        if name != "row"
    }


def table(
    label: Annotated[str, typer.Argument(help="A table of the paper, or of your own.")],
    form: Annotated[str, typer.Option("--format", help="text, csv or latex.")] = "text",
    column: Annotated[str | None, typer.Option(help="The printed result to show; CSV has all.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="What was run with --quick.")] = False,
    changes: Annotated[
        list[str] | None, typer.Option("--set", help="What was run with these settings, as trials=50.")
    ] = None,
    search: Annotated[str | None, typer.Option(help="halving: what was run with that search.")] = None,
    output: Output = OUTPUT,
) -> None:
    """Print a table of the paper: ours beside the printed numbers, with a dash where nothing was run.

    Tables of your own, and what was run with another protocol than the paper's, are printed by themselves.
    """
    if form not in FORMATS:
        raise unknown_name("format", form, FORMATS)
    if label in FORMULA_TABLES:
        formula_tables.show(FORMULA_TABLES[label], form)
        return
    overrides = parsed_overrides(changes or [])
    effort = Effort(quick=quick, overrides=overrides, search=search)  # type: ignore[arg-type]  # checked
    effort = TABLES[label].limited(effort) if label in TABLES else effort
    measurements = Measurements(output, effort)
    if label in TABLES and effort.is_the_papers:
        _print_beside(compare_with_print(label, measurements.rows(label)), label, form, column)
    elif column is not None:
        raise ValueError("--column must be left out: only what is printed has columns to choose from.")
    elif measurements.read(label):
        _print_own(label, form, measurements)
    else:
        raise _nothing_of(label, output, effort)


def _print_beside(verdicts: list[Verdict], label: str, form: str, column: str | None) -> None:
    columns = [summary.column for summary in summarise(verdicts)]
    if column is not None and column not in columns:
        raise unknown_name("column of this table", column, columns)
    chosen = column or columns[0]
    if form == "csv":
        typer.echo(as_csv(verdicts), nl=False)
    elif form == "latex":
        typer.echo(as_latex(verdicts, chosen))
    else:
        print_whole(beside(f"{label}, {chosen}: ours/printed", verdicts, chosen))


def _print_own(label: str, form: str, measurements: Measurements) -> None:
    rows = measurements.rows(label)
    if form == "text":
        print_whole(own_tables.as_text(f"{label}: {measurements.read(label)[0].title}", rows))
    else:
        write = own_tables.as_csv if form == "csv" else own_tables.as_latex
        typer.echo(write(rows).rstrip())


def _nothing_of(label: str, output: Path, effort: Effort) -> ValueError:
    """Return the error for a table that was not run so, with the options under which it was."""
    ways = [other.options for other in efforts_in(output) if Measurements(output, other).read(label)]
    if ways:
        options = " or ".join(shlex.join(way) or "no options" for way in ways)
        return ValueError(f"{label} must have been run so. Got results in {output} with {options}: try that.")
    if label in TABLES:
        command = Place(output, effort).command("run", label, *effort.options)
        return ValueError(f"{label} must have been run. Got nothing in {output}: try `{command}`.")
    return unknown_name("label of a table", label, [*TABLES, *FORMULA_TABLES, *_own_labels(output, [effort])])
