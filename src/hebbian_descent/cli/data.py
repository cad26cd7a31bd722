"""`hebbian-descent data`: list the datasets, download them, and print their folder."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from hebbian_descent import datasets
from hebbian_descent.cli import completion
from hebbian_descent.cli.console import PlainConsole, echo, print_fitting
from hebbian_descent.cli.failures import FAILED
from hebbian_descent.cli.json_output import write_json
from hebbian_descent.cli.messages import warn, with_volume
from hebbian_descent.cli.options import Json
from hebbian_descent.datasets.dataset import Description, RandomPatterns
from hebbian_descent.table_formats import TextTable

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="List the datasets, download them, and print their folder.",
)

ALL = "all"


def list_datasets(as_json: Json = False) -> None:
    """List every dataset with its size and its files, or whether it needs a download.

    **Example**

        hebbian-descent data list
    """
    folder = datasets.data_folder()
    found = {name: _record(name, description) for name, description in datasets.DATASETS.items()}
    if as_json:
        write_json({"folder": folder, "datasets": found})
        return
    rows = [
        [
            name,
            "any number" if record["patterns"] is None else f"{record['patterns']:,}",
            str(record["features"]),
            str(record["classes"] or "–"),
            _found_in(record),
        ]
        for name, record in found.items()
    ]
    headings = ["name", "patterns", "features", "classes", "found in"]
    print_fitting(TextTable(headings, rows, alignment="lrrrl"), wrap=[4])
    PlainConsole().print(f"Data folder: {folder}", soft_wrap=True)


def fetch(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME",
            help="Datasets to download, or 'all'.",
            show_default=False,
            autocompletion=completion.datasets,
        ),
    ],
    as_json: Json = False,
) -> None:
    """Download datasets into the data folder; those already there are skipped.

    **Examples**

        hebbian-descent data fetch mnist
        hebbian-descent data fetch all
    """
    datasets.data_folder()
    for name in set(names) - {ALL}:
        datasets.describe(name)
    fetched: dict[str, Any] = {}
    for name in datasets.names() if ALL in names else tuple(dict.fromkeys(names)):
        try:
            fetched[name] = _fetched(name)
        except datasets.DatasetError as error:  # the other datasets may succeed
            warn(str(error), "red")
            fetched[name] = "failed"
        else:
            if not as_json:
                echo(f"{name}: {fetched[name]}")
    if as_json:
        write_json(fetched)
    if "failed" in fetched.values():
        raise typer.Exit(FAILED)


def path(as_json: Json = False) -> None:
    """Print the data folder: HEBBIAN_DESCENT_DATA if it is set, else a folder in the user's cache.

    **Example**

        cp mnist.npz $(hebbian-descent data path)
    """
    folder = datasets.data_folder()
    if as_json:
        write_json({"folder": folder})
    else:
        echo(str(folder))


app.command("list")(with_volume(list_datasets))
app.command()(with_volume(fetch))
app.command()(with_volume(path))


def _fetched(name: str) -> str:
    if not datasets.describe(name).needs_download:
        return "needs no download"
    before = datasets.locate(name)
    files = datasets.fetch(name)
    return f"{'downloaded to' if before is None else 'already in'} {files[0].parent}"


def _record(name: str, description: Description) -> dict[str, Any]:
    return {
        "patterns": None if isinstance(description.origin, RandomPatterns) else description.shape[0],
        "features": description.n_features,
        "classes": description.n_classes or None,
        "built_in": not description.needs_download,
        "files": datasets.locate(name),
    }


def _found_in(record: dict[str, Any]) -> str:
    if record["built_in"]:
        return "built in"
    if record["files"] is None:
        return "needs download"
    return record["files"][0].name if len(record["files"]) == 1 else f"{len(record['files'])} files"
