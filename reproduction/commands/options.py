"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from hebbian_descent.cli.messages import say
from reproduction.context import Context
from reproduction.numbers import described
from reproduction.rows import committed, only
from reproduction.running import cells_of, finished

Output = Annotated[
    Path,
    typer.Option(
        help="Folder of runs under way and of what is written.",
        file_okay=False,
        show_default="reproduction/output",
    ),
]
Quick = Annotated[bool, typer.Option("--quick", help="Fewer trials, learning rates and epochs.")]
Names = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="NAME",
        help="Labels, numbers such as 'Table 3', or names of studies.",
        show_default=False,
    ),
]


def say_source(context: Context, labels: Iterable[str]) -> None:
    """Say which tables show your own runs, and which runs do not count yet."""
    for label in labels:
        own, kept = finished(label, context), only(committed(), label)
        if len(own) and cells_of(kept) <= cells_of(own):
            say(f"{described(label)} is of your own run.")
        elif len(own):
            say(f"Your run of {described(label)} lacks cells: the numbers are those under version control.")
