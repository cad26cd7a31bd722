"""`hebbian-descent report`: everything that was run, as one page."""

from __future__ import annotations

import webbrowser
from typing import Annotated

import typer

from hebbian_descent.cli.console import PlainConsole
from hebbian_descent.cli.run import OUTPUT, Output
from hebbian_descent.paper.effort import Effort
from hebbian_descent.paper.report import write_report


def report(
    show: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="Show what `run --quick` computed.")] = False,
    output: Output = OUTPUT,
) -> None:
    """Write a page on everything that was run: counts, claims, tables beside the print, figures, protocol.

    The page is one file, report.html in OUTPUT, and needs no network. Results of `run --quick` get no
    verdicts; without --quick they have a section of their own at the end.
    """
    console = PlainConsole()
    with console.status("Reading the measurements") as status:
        path = write_report(output, Effort(quick=quick), status.update)
    console.print(f"Wrote {path} ({path.stat().st_size / 1e6:.1f} MB)", soft_wrap=True)
    if show:
        webbrowser.open(path.resolve().as_uri())
