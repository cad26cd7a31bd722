"""Download of datasets into the data folder, from the first address that delivers what was published."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from hebbian_descent.datasets.dataset import DatasetError, PublicFiles, RemoteFile
from hebbian_descent.datasets.folder import FOLDER_VARIABLE, DataFolderError, data_folder, find_format
from hebbian_descent.datasets.sources import describe

if TYPE_CHECKING:
    from hebbian_descent.datasets.transfer import Report


class DatasetUnavailableError(DatasetError):
    """The dataset is not in the data folder, and downloading failed or was disabled."""


class DownloadError(DatasetError):
    """No address of a public file delivered the expected content."""


TIMEOUT = 30.0
SECONDS_PER_DAY = 86_400


def fetch(
    name: str,
    *,
    folder: str | os.PathLike[str] | None = None,
    mirrors: Sequence[str] | None = None,
    timeout: float = TIMEOUT,
) -> tuple[Path, ...]:
    """Download the missing files of `name`, and return the files it is read from.

    `mirrors` are base URLs to use instead of the public ones; the environment variable
    HEBBIAN_DESCENT_MIRRORS does the same. A server that is silent for `timeout` seconds, sends more than the
    file has, or is slower than 20 kB per second is abandoned, and the next one is tried.
    """
    origin = describe(name).origin
    if not isinstance(origin, PublicFiles):
        return ()
    data = data_folder(folder)
    found = find_format(origin, data)
    return fetch_into(data, name, origin, mirrors, timeout) if found is None else found[1]


def fetch_into(
    folder: Path,
    name: str,
    origin: PublicFiles,
    mirrors: Sequence[str] | None = None,
    timeout: float = TIMEOUT,
) -> tuple[Path, ...]:
    """Download the public files of `name` into `folder`, skipping those already there."""
    for remote in origin.downloads:
        if (folder / remote.name).is_file():
            continue
        try:
            with progress_bar(remote.name) as report:
                fetch_file(remote, folder, mirrors=mirrors, timeout=timeout, report=report)
        except DownloadError as error:
            raise unavailable(name, folder, str(error)) from error
    return tuple(folder / remote.name for remote in origin.downloads)


def unavailable(name: str, folder: Path, reason: str) -> DatasetUnavailableError:
    """Return the error for a missing dataset, with the two ways to get it."""
    description = describe(name)
    assert isinstance(description.origin, PublicFiles)
    compact = description.origin.formats[0].files[0]
    public = ", ".join(remote.name for remote in description.origin.downloads)
    return DatasetUnavailableError(
        f"{description.title} is not in {folder}: {reason} Set {FOLDER_VARIABLE} to a folder that holds "
        f"{compact} or {public}, or run `hebbian-descent data fetch {name}` on a machine with a network and "
        "copy the files there."
    )


@contextmanager
def progress_bar(title: str) -> Iterator[Report]:
    """Show a progress bar on standard error, if that is a terminal; yield the function that moves it."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(title, total=None)

        def report(received: int, total: int | None) -> None:
            progress.update(task, completed=received, total=total)

        yield report


def fetch_file(
    remote: RemoteFile,
    folder: Path,
    *,
    mirrors: Sequence[str] | None = None,
    timeout: float = TIMEOUT,
    report: Report = lambda received, total: None,
) -> Path:
    """Download `remote` into `folder` from the first address that delivers the expected content."""
    from hebbian_descent.datasets.transfer import TransferError, fetch_from

    failures = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _remove_abandoned_parts(folder)
        for url in remote.addresses(mirrors):
            try:
                return fetch_from(url, remote, folder, timeout, report)
            except TransferError as failure:
                failures.append(f"{url}: {failure}")
    except OSError as error:
        raise DataFolderError(
            f"The data folder must be writable. Got {str(folder)!r}: {error.strerror or error}. "
            f"Set {FOLDER_VARIABLE} to another one."
        ) from error
    raise DownloadError(f"{remote.name} could not be downloaded ({'; '.join(failures)}).")


def _remove_abandoned_parts(folder: Path) -> None:
    """Remove partial files that killed downloads left behind a day ago or earlier."""
    for part in folder.glob(".*.part"):
        try:
            if time.time() - part.stat().st_mtime > SECONDS_PER_DAY:
                part.unlink()
        except FileNotFoundError:
            continue
