"""`hebbian-descent inspect`: the content of a model file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
import typer

from hebbian_descent.cli.console import PlainConsole, print_fitting
from hebbian_descent.cli.json_output import write_json
from hebbian_descent.cli.options import Json
from hebbian_descent.storage.models import ModelFile, model_of, read_model
from hebbian_descent.table_formats import Cell, TextTable, terminal_table


def inspect(
    file: Annotated[Path, typer.Argument(help="A file written by a model's save(path).", show_default=False)],
    as_json: Json = False,
) -> None:
    """Show the content of a model file: class, parameters, arrays, versions.

    The file is read in the same way as by `load`, so whatever is shown can be loaded. Nothing in it is
    executed.

    **Example**

        hebbian-descent inspect memory.safetensors
    """
    found = read_model(file)
    model_of(found, file)
    if as_json:
        write_json(_record(found))
        return
    facts = terminal_table(_facts(found), wrap=[1])
    facts.show_header = False
    PlainConsole().print(facts)
    print_fitting(_arrays(found), compact=False)


def _record(found: ModelFile) -> dict[str, Any]:
    return {
        "class": found.kind,
        "version": found.version,
        "format": found.format,
        "parameters": found.parameters,
        "attached": found.attached,
        "arrays": {
            name: {"shape": array.shape, "dtype": str(array.dtype), **_range(array)}
            for name, array in found.arrays.items()
        },
    }


def _facts(found: ModelFile) -> TextTable:
    written_by = f"hebbian-descent {found.version}, format {found.format}"
    rows = [
        ("class", found.kind),
        ("written by", written_by),
        *_flat(found.parameters),
        *_flat(found.attached),
    ]
    return TextTable(["", ""], rows)


def _arrays(found: ModelFile) -> TextTable:
    rows: list[list[Cell]] = [
        [name, " x ".join(map(str, array.shape)) or "one number", str(array.dtype), *_range(array).values()]
        for name, array in found.arrays.items()
    ]
    return TextTable(["array", "shape", "dtype", "least", "mean", "largest"], rows, alignment="lllrrr")


def _range(array: npt.NDArray[Any]) -> dict[str, float]:
    with np.errstate(over="ignore"):  # the sum of the largest numbers is infinite
        return {
            "least": float(array.min()),
            "mean": float(array.mean()),
            "largest": float(array.max()),
        }


def _flat(value: Any, name: str = "") -> list[tuple[str, str]]:
    """Return names and values of nested parameters as text; registered members by name."""
    if isinstance(value, dict) and set(value) == {"$member"}:
        member = value["$member"]
        settings = ", ".join(f"{key}={_word(part)}" for key, part in member["parameters"].items())
        return [(name, f"{member['name']}({settings})" if settings else str(member["name"]))]
    if isinstance(value, dict) and set(value) != {"$strings"}:
        inner = (_flat(part, f"{name}.{key}" if name else key) for key, part in value.items())
        return [row for rows in inner for row in rows]
    return [(name, _word(value))]


def _word(value: Any) -> str:
    # As JSON in ASCII, so that nothing in a file can control the terminal.
    text = value if isinstance(value, str) and value.isascii() and value.isprintable() else json.dumps(value)
    return text if len(text) <= 200 else f"{text[:200]}…"
