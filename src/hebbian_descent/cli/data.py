"""`hebbian-descent data`: list the datasets, download them, and print their folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from hebbian_descent import datasets
from hebbian_descent.cli.console import PlainConsole, echo
from hebbian_descent.datasets.dataset import Description, RandomPatterns
from hebbian_descent.table_formats import TextTable, terminal_table

app = typer.Typer(no_args_is_help=True, help="List the datasets, download them, and print their folder.")

ALL = "all"


@contextmanager
def _errors_in_one_sentence() -> Iterator[None]:
    try:
        yield
    except (datasets.DatasetError, ValueError) as error:
        PlainConsole(stderr=True).print(str(error), style="red", soft_wrap=True)
        raise typer.Exit(2) from None


@app.command("list", epilog="Example: hebbian-descent data list")
def list_datasets() -> None:
    """List every dataset with its size and its files, or whether it needs a download."""
    with _errors_in_one_sentence():
        rows = [
            [
                name,
                _patterns(description),
                str(description.n_features),
                str(description.n_classes or "–"),
                _found_in(name, description),
            ]
            for name, description in datasets.DATASETS.items()
        ]
        folder = datasets.data_folder()
    headings = ["name", "patterns", "features", "classes", "found in"]
    table = terminal_table(TextTable(headings, rows, alignment="lrrrl"), wrap=[4])
    table.caption = f"Data folder: {folder}"
    PlainConsole().print(table)


@app.command(epilog="Examples: hebbian-descent data fetch mnist   |   hebbian-descent data fetch all")
def fetch(
    names: Annotated[
        list[str],
        typer.Argument(metavar="NAME", help="Datasets to download, or 'all'.", show_default=False),
    ],
) -> None:
    """Download datasets into the data folder; those already there are skipped."""
    with _errors_in_one_sentence():
        datasets.data_folder()
        for name in set(names) - {ALL}:
            datasets.describe(name)
    wanted = datasets.names() if ALL in names else tuple(dict.fromkeys(names))
    failed = False
    for name in wanted:
        try:
            with _errors_in_one_sentence():
                echo(f"{name}: {_fetched(name)}")
        except typer.Exit:  # reported already; the other datasets may have more luck
            failed = True
    if failed:
        raise typer.Exit(2)


@app.command(epilog="Example: cp mnist.npz $(hebbian-descent data path)")
def path() -> None:
    """Print the data folder: HEBBIAN_DESCENT_DATA if that is set, else a folder in the user's cache."""
    with _errors_in_one_sentence():
        echo(str(datasets.data_folder()))


def _fetched(name: str) -> str:
    if not datasets.describe(name).needs_download:
        return "needs no download"
    before = datasets.locate(name)
    files = datasets.fetch(name)
    return f"{'downloaded to' if before is None else 'already in'} {files[0].parent}"


def _patterns(description: Description) -> str:
    if isinstance(description.origin, RandomPatterns):
        return "any number"
    return f"{description.shape[0]:,}"


def _found_in(name: str, description: Description) -> str:
    if not description.needs_download:
        return "built in"
    files = datasets.locate(name)
    if files is None:
        return "needs download"
    return files[0].name if len(files) == 1 else f"{len(files)} files"
