"""`report`: everything on one page, and the pages of the documentation that follow from the rows."""

from __future__ import annotations

import webbrowser
from typing import Annotated

import typer

from hebbian_descent.cli.json_output import write_json
from hebbian_descent.cli.messages import say_written, waiting_for
from hebbian_descent.cli.options import Json
from reproduction.commands.options import Output, Quick
from reproduction.context import OUTPUT, Context, Effort


def report(
    quick: Quick = False,
    show: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    document: Annotated[
        bool, typer.Option("--document", help="Write docs/reproduction.md and docs/studies.md instead.")
    ] = False,
    output: Output = OUTPUT,
    as_json: Json = False,
) -> None:
    """Write OUTPUT/report.html, or report-quick.html: pictures, counts, claims, tables, studies, misprints.

    Numbers are those of your own runs in OUTPUT, or else those under version control. The page needs no
    network and no JavaScript.

    **Example**

        python -m reproduction report --open
    """
    # The two load everything, matplotlib included.
    with waiting_for("Gathering numbers"):
        if document:
            from reproduction.document import write_pages

            wrote = write_pages()
        else:
            from reproduction.report import write_report

            wrote = [write_report(Context(output, Effort(quick=quick)))]
    say_written(*wrote)
    if as_json:
        write_json({"wrote": wrote})
    if show and not document:
        webbrowser.open(wrote[0].resolve().as_uri())
