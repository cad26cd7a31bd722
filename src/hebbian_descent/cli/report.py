"""`hebbian-descent report` and `evidence`: everything that was run, as a page and as files to keep."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from hebbian_descent.cli.console import PlainConsole
from hebbian_descent.cli.options import OUTPUT, Output
from hebbian_descent.paper.evidence import write_document, write_summary
from hebbian_descent.paper.measurements import Measurements
from hebbian_descent.paper.report import write_report
from hebbian_descent.paper.run_context import Effort


def report(
    show: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="Show what `run --quick` computed.")] = False,
    output: Output = OUTPUT,
) -> None:
    """Write a page on everything that was run: counts, claims, tables, figures, protocol.

    The page is one file, report.html in OUTPUT, and needs no network. Results of `run --quick` get no
    verdicts; without --quick they appear in a separate section at the end.
    """
    console = PlainConsole()
    with console.status("Reading the measurements") as status:
        path = write_report(output, Effort(quick=quick), status.update)
    console.print(f"Wrote {path} ({path.stat().st_size / 1e6:.1f} MB)", soft_wrap=True)
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
) -> None:
    """Write how every printed result compares with ours, as a CSV file and as a document.

    Both use the results of `run` in OUTPUT with the paper's protocol.
    """
    if not Measurements(output, Effort()).labels():
        raise ValueError(
            "--output must be a folder in which `hebbian-descent run` left results by the paper's protocol. "
            f"Got {output}, which has none; nothing was written."
        )
    console = PlainConsole()
    with console.status("Comparing the tables"):
        write_summary(output, summary)
        write_document(output, document)
    for path in (summary, document):
        console.print(f"Wrote {path}", soft_wrap=True)
