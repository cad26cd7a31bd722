"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from reproduction.catalogue import catalogue

Output = Annotated[
    Path, typer.Option(help="Folder of runs under way and of what is written.", file_okay=False)
]
Quick = Annotated[bool, typer.Option("--quick", help="Fewer trials, learning rates and epochs.")]


def complete(incomplete: str) -> list[str]:
    """Return the names that begin like this, for the shell."""
    return [label for label in ("all", *catalogue()) if label.startswith(incomplete)]


Names = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="NAME",
        help="Labels, numbers such as 'Table 3', or names of studies.",
        autocompletion=complete,
        show_default=False,
    ),
]
