"""`hebbian-descent evidence`: what was found, as files small enough to be kept with the source."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hebbian_descent.cli.console import PlainConsole
from hebbian_descent.cli.run import OUTPUT, Output
from hebbian_descent.paper.effort import Effort
from hebbian_descent.paper.evidence import write_document, write_summary
from hebbian_descent.paper.measurements import Measurements

SUMMARY = Path("reproduction") / "summary.csv"
DOCUMENT = Path("docs") / "reproduction.md"


def evidence(
    output: Output = OUTPUT,
    summary: Annotated[Path, typer.Option(help="A line for each printed result.")] = SUMMARY,
    document: Annotated[
        Path, typer.Option(help="Counts, times, what differs, tables; figures go beside.")
    ] = DOCUMENT,
) -> None:
    """Write down how every printed result compares with ours, as a CSV file and as a document.

    Both are made from what `run` left in OUTPUT with the paper's protocol.
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
