"""`hebbian-descent inspect`: what the file of a model holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from hebbian_descent.cli.console import PlainConsole
from hebbian_descent.storage.models import ModelFile, read_model
from hebbian_descent.storage.models.registry import model_of


def inspect(
    file: Annotated[Path, typer.Argument(help="A file that a model's save(path) wrote.", show_default=False)],
) -> None:
    """Show what a model file holds: class, parameters, arrays, versions.

    The file is read as `load` reads it, so what is shown can also be loaded. Nothing in it is ever run.

    Example:
        hebbian-descent inspect memory.safetensors
    """
    found = read_model(file)
    model_of(found, file)
    console = PlainConsole()
    console.print(_facts(found))
    console.print(_arrays(found))


def _facts(found: ModelFile) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    table.add_row("class", found.kind)
    table.add_row("written by", f"hebbian-descent {found.version}, format {found.format}")
    for name, value in _flat(found.parameters):
        table.add_row(Text(name), Text(value))
    return table


def _arrays(found: ModelFile) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("array", no_wrap=True)
    table.add_column("shape")
    table.add_column("dtype")
    for heading in ("least", "mean", "largest"):
        table.add_column(heading, justify="right")
    for name, array in found.arrays.items():
        table.add_row(
            name, " x ".join(map(str, array.shape)) or "one number", str(array.dtype), *_range(array)
        )
    return table


def _range(array: npt.NDArray[Any]) -> tuple[str, str, str]:
    with np.errstate(over="ignore"):  # the sum of the largest numbers is infinite
        return f"{float(array.min()):.4g}", f"{float(array.mean()):.4g}", f"{float(array.max()):.4g}"


def _flat(value: Any, name: str = "") -> list[tuple[str, str]]:
    """Return names and values of nested parameters, in words; a member of a list by its own name."""
    if isinstance(value, dict) and set(value) == {"$member"}:
        member = value["$member"]
        settings = ", ".join(f"{key}={_word(part)}" for key, part in member["parameters"].items())
        return [(name, f"{member['name']}({settings})" if settings else str(member["name"]))]
    if isinstance(value, dict) and set(value) != {"$strings"}:
        inner = (_flat(part, f"{name}.{key}" if name else key) for key, part in value.items())
        return [row for rows in inner for row in rows]
    return [(name, _word(value))]


def _word(value: Any) -> str:
    # As JSON in ASCII, so that nothing in a file can steer the terminal.
    text = value if isinstance(value, str) and value.isascii() and value.isprintable() else json.dumps(value)
    return text if len(text) <= 200 else f"{text[:200]}…"
