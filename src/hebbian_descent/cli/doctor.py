"""`hebbian-descent doctor`: whether everything is in place, and how to get what is missing."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

import typer

from hebbian_descent import datasets, native
from hebbian_descent.cli.console import PlainConsole, echo, print_fitting
from hebbian_descent.cli.failures import SKIPPED
from hebbian_descent.cli.json_output import write_json
from hebbian_descent.cli.options import Json
from hebbian_descent.table_formats import Cell, Marked, TextTable
from hebbian_descent.versions import (
    describe_core,
    describe_libraries,
    describe_package,
    is_installed,
    requirements,
    versions,
)

COLOURS = {"ok": "green", "optional": "dim", "problem": "red"}


class Finding(NamedTuple):
    """Something that was checked."""

    what: str
    state: Literal["ok", "optional", "problem"]
    """Something optional is missing, and everything else works without it."""
    found: str
    advice: str = ""


def doctor(
    output: Annotated[Path, typer.Option(help="Folder that commands will write to.")] = Path(),
    as_json: Json = False,
) -> None:
    """Check the compiled core, the optional libraries, the data and the folder of the results.

    The exit code is 0 if everything works, and 1 if there is a problem. What is optional may be missing.

    **Example**

        hebbian-descent doctor
    """
    findings = [_core(), *_extras(), *_data(), _output(output)]
    healthy = all(finding.state != "problem" for finding in findings)
    if as_json:
        write_json({"healthy": healthy, "findings": findings, "versions": versions()})
    else:
        echo(f"{describe_package()}\n{describe_libraries()}\n")
        rows: list[list[Cell]] = [
            [f.what, Marked(f.state, style=COLOURS[f.state]), f.found] for f in findings
        ]
        print_fitting(TextTable(["Checked", "State", "Found"], rows), wrap=[2])
        for finding in findings:
            if finding.advice:
                PlainConsole().print(f"{finding.what}: {finding.advice}", soft_wrap=True)
    if not healthy:
        raise typer.Exit(SKIPPED)


def _core() -> Finding:
    try:
        found = native.choice()
    except ValueError as error:
        return Finding("compiled core", "problem", "none", str(error))
    if found.core is None:
        return Finding("compiled core", "problem", "none: slower plain loops are used", found.why_not)
    return Finding("compiled core", "ok", describe_core())


def _extras() -> Iterator[Finding]:
    for extra, names in requirements().items():
        missing = [name for name in names if not is_installed(name)]
        if extra and missing:
            advice = f"pip install 'hebbian-descent[{extra}]'"
            yield Finding(f"extra {extra}", "optional", f"{', '.join(missing)} not installed", advice)
        elif extra:
            yield Finding(f"extra {extra}", "ok", ", ".join(names))


def _data() -> Iterator[Finding]:
    try:
        folder = datasets.data_folder()
        missing = [name for name in datasets.names() if datasets.locate(name) is None]
    except datasets.DatasetError as error:
        yield Finding("data folder", "problem", os.environ.get("HEBBIAN_DESCENT_DATA", ""), str(error))
        return
    yield Finding("data folder", "ok", str(folder))
    if missing:
        advice = f"hebbian-descent data fetch {' '.join(missing)}"
        yield Finding("datasets", "optional", f"{', '.join(missing)} not in the folder", advice)
    else:
        yield Finding("datasets", "ok", ", ".join(datasets.names()))


def _output(folder: Path) -> Finding:
    """Return whether results can be written: into the folder, or into the first one above that exists."""
    existing = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    if existing.is_dir() and os.access(existing, os.W_OK | os.X_OK):
        return Finding("folder of results", "ok", str(folder))
    advice = f"{existing} must be a folder that you can write to; --output names another"
    return Finding("folder of results", "problem", str(folder), advice)
