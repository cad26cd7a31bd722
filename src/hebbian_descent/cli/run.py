"""`hebbian-descent list` and `run`: tables of the paper, computed from data and shown beside the print."""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path
from typing import Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from hebbian_descent.cli.interruption import resumable
from hebbian_descent.paper.associations import ASSOCIATIONS, Job, Measured, jobs, run_job
from hebbian_descent.paper.comparison import Verdict, compare, summarise
from hebbian_descent.paper.printed import printed_rows
from hebbian_descent.results import Store

SHORT_NAMES = {
    "hebbian_descent": "Hebbian-d.",
    "gradient_descent": "Gradient-d.",
    "hebb": "Hebb",
    "covariance": "Covariance",
}


def list_tables() -> None:
    """List the tables of the paper that can be computed, with the number of printed rows."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for heading in ("Label", "Experiment"):
        table.add_column(heading, no_wrap=True)
    table.add_column("Rows", justify="right")
    table.add_column("Computed")
    rows_of: dict[tuple[str, str], int] = defaultdict(int)
    for row in printed_rows():
        rows_of[row.label, row.file] += 1
    for (label, file), count in rows_of.items():
        table.add_row(label, file.replace("_", " "), str(count), "yes" if file in ASSOCIATIONS else "not yet")
    Console().print(table)


def run(
    labels: Annotated[list[str], typer.Argument(help="Labels of tables, as tab:Hetero_online_centered_1.")],
    draws: Annotated[int, typer.Option(help="Draws of the patterns; the first has ten trials.", min=1)] = 3,
    pair: Annotated[
        str | None, typer.Option(help="Only this pair of datasets, as rand:adult, instead of all.")
    ] = None,
    output: Annotated[Path, typer.Option(help="Folder for the store of results and the CSV files.")] = Path(
        "reproduction"
    ),
) -> None:
    """Compute tables of the paper from data and show them beside the printed numbers.

    The patterns that the authors drew are unknown: a printed number is compared with several draws, as one
    draw more. Finished parts are kept in OUTPUT/store, so a run that was stopped goes on.

    Example:
        hebbian-descent run tab:Hetero_online_centered_1 --draws 10

        hebbian-descent run tab:Hetero_online_centered_2 --pair rand:rand
    """
    console = Console()
    store = Store(output / "store")
    store.prepare()
    for label in labels:
        file = printed_rows(label)[0].file
        if file not in ASSOCIATIONS:
            raise ValueError(
                f"The table must be a hetero-associative one. Got {label}, which this version cannot compute."
            )
        todo = list(jobs(ASSOCIATIONS[file], draws, label, _pair(pair)))
        with resumable(console, store.path):
            measured = _run_jobs(console, label, todo, store)
        verdicts = compare(measured)
        _show(console, label, verdicts)
        path = output / f"{label.removeprefix('tab:')}.csv"
        _write(path, verdicts)
        console.print(f"Wrote {path}", highlight=False)


def _pair(text: str | None) -> tuple[str, str] | None:
    if text is None:
        return None
    first, colon, second = text.partition(":")
    if not colon:
        raise ValueError(
            f"--pair must be two datasets with a colon between them, as rand:adult. Got {text!r}."
        )
    return first, second


def _run_jobs(console: Console, label: str, todo: list[Job], store: Store) -> list[Measured]:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    measured: list[Measured] = []
    with Progress(*columns, console=console) as bar:
        task = bar.add_task(label, total=len(todo))
        for job in todo:
            measured += run_job(job, store=store)
            bar.advance(task)
    return measured


def _show(console: Console, label: str, verdicts: list[Verdict]) -> None:
    judged = verdicts[0].column
    rules = list(dict.fromkeys(verdict.row.cell["rule"] for verdict in verdicts))
    table = Table(
        title=f"{label}, {judged}: ours and printed, red where they differ",
        box=SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )
    for heading in ("Association", "Units"):
        table.add_column(heading, no_wrap=True)
    for rule in rules:
        table.add_column(SHORT_NAMES[rule], justify="right", no_wrap=True)
    lines: dict[tuple[str, str], dict[str, Verdict]] = defaultdict(dict)
    for verdict in verdicts:
        if verdict.column == judged:
            cell = verdict.row.cell
            variant = cell.get("offsets") or cell.get("centering") or ""
            pair = f"{cell['input']}→{cell['target']} {variant}".strip()
            lines[pair, cell["activation"]][cell["rule"]] = verdict
    for (pair, activation), by_rule in lines.items():
        table.add_row(pair, activation, *(_beside(by_rule.get(rule)) for rule in rules))
    console.print(table)
    for column in summarise(verdicts):
        console.print(
            f"{column.column}: {column.n_agree} of {column.n_results} agree, rms z {column.rms_z:.2f}",
            highlight=False,
        )


def _beside(verdict: Verdict | None) -> str:
    if verdict is None:
        return ""
    text = f"{verdict.mean:.3f} {verdict.printed:.3f}"
    return text if verdict.agrees else f"[red]{text}[/red]"


def _write(path: Path, verdicts: list[Verdict]) -> None:
    names = list(verdicts[0].row.cell)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(
            ["table", *names, "column", "ours", "sd", "draws", "printed", "z", "verdict", "learning_rate"]
        )
        for v in verdicts:
            numbers = (
                f"{v.mean:.6f}",
                f"{v.sd:.6f}",
                v.n_draws,
                v.printed,
                f"{v.z:.3f}",
                v.word,
                v.learning_rate,
            )
            writer.writerow([v.row.label, *v.row.cell.values(), v.column, *numbers])
