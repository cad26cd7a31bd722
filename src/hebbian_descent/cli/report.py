"""`hebbian-descent report` and `evidence`: everything that was run, as a page and as files to keep."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from hebbian_descent.cli.json_output import write_json
from hebbian_descent.cli.messages import say_detail, say_written, waiting_for
from hebbian_descent.cli.options import OUTPUT, Json, Output
from hebbian_descent.paper.evidence import write_document, write_summary
from hebbian_descent.paper.measurements import Measurements
from hebbian_descent.paper.report import write_report
from hebbian_descent.paper.run_context import Effort


def report(
    show: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="Show what `run --quick` computed.")] = False,
    output: Output = OUTPUT,
    as_json: Json = False,
) -> None:
    """Write a page on everything that was run: counts, claims, tables, figures, protocol.

    The page is one file, report.html in OUTPUT, and needs no network. Results of `run --quick` get no
    verdicts; without --quick they appear in a separate section at the end.

    **Example**

        hebbian-descent report --open
    """
    with waiting_for("Reading the measurements") as say_what:
        path = write_report(output, Effort(quick=quick), say_what)
    say_written(path)
    say_detail(f"It has {path.stat().st_size / 1e6:.1f} MB.")
    if as_json:
        write_json({"wrote": [path]})
    if show:
        webbrowser.open(path.resolve().as_uri())


SUMMARY = Path("reproduction") / "summary.csv"
DOCUMENT = Path("docs") / "reproduction.md"


def evidence(
    output: Output = OUTPUT,
    summary: Annotated[Path, typer.Option(help="CSV file with one line per printed result.")] = SUMMARY,
    document: Annotated[
        Path, typer.Option(help="Document with counts, differences and tables, beside copied figures.")
    ] = DOCUMENT,
    as_json: Json = False,
) -> None:
    """Write how every printed result compares with ours, as a CSV file and as a document.

    Both use the results of `run` in OUTPUT with the paper's protocol.

    **Example**

        hebbian-descent evidence --summary summary.csv --document reproduction.md
    """
    if not Measurements(output, Effort()).labels():
        raise ValueError(
            "--output must be a folder in which `hebbian-descent run` left results by the paper's protocol. "
            f"Got {output}, which has none; nothing was written."
        )
    with waiting_for("Comparing the tables"):
        write_summary(output, summary)
        write_document(output, document)
    say_written(summary, document)
    if as_json:
        write_json({"wrote": [summary, document]})
