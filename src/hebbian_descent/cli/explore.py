"""`hebbian-descent explore`: an interactive page that shows a memory filling up."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from hebbian_descent.cli.json_output import write_json
from hebbian_descent.cli.messages import say_written
from hebbian_descent.cli.options import Json
from hebbian_descent.explorer import explore as make_explorer


def explore(
    output: Annotated[Path, typer.Option(help="File to write.", dir_okay=False)] = Path("explorer.html"),
    show: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in the browser.")] = True,
    as_json: Json = False,
) -> None:
    """Watch four rules learn the same patterns, damage cues, and take a tour of the paper in six steps.

    The page is one file that needs no network; send it to anyone.

    **Example**

        hebbian-descent explore --no-open --output page.html
    """
    make_explorer().save(output)
    say_written(output)
    if as_json:
        write_json({"wrote": [output]})
    if show:
        webbrowser.open(output.resolve().as_uri())
