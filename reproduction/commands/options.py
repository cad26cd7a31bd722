"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Output = Annotated[
    Path, typer.Option(help="Folder of runs under way and of what is written.", file_okay=False)
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
