"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from hebbian_descent.cli.messages import say
from reproduction.context import Context
from reproduction.numbers import described
from reproduction.running import parts_of

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
    """Name the tables whose numbers are those of your own runs; the others are under version control."""
    if own := [described(label) for label in labels if parts_of(label, context)]:
        say(f"From your own runs in {context.folder}: {', '.join(own)}. What they lack was not run.")
