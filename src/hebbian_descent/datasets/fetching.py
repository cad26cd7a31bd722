"""Datasets brought into the data folder from their public homes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from hebbian_descent.datasets.description import PublicFiles
from hebbian_descent.datasets.download.progress import progress_bar
from hebbian_descent.datasets.download.store import TIMEOUT, fetch_file
from hebbian_descent.datasets.errors import DatasetUnavailableError, DownloadError
from hebbian_descent.datasets.folder import FOLDER_VARIABLE, data_folder
from hebbian_descent.datasets.locating import find_form
from hebbian_descent.datasets.registry import describe


def fetch(
    name: str,
    *,
    folder: str | os.PathLike[str] | None = None,
    mirrors: Sequence[str] | None = None,
    timeout: float = TIMEOUT,
) -> tuple[Path, ...]:
    """Download what the data folder lacks of `name`, and return the files it is now read from.

    `mirrors` are web folders to download from in place of the public homes; the environment variable
    HEBBIAN_DESCENT_MIRRORS does the same. A server that says nothing for `timeout` seconds, sends more than
    the file has, or takes longer than at 20 kB per second is given up, and the next one is tried.
    """
    origin = describe(name).origin
    if not isinstance(origin, PublicFiles):
        return ()
    place = data_folder(folder)
    found = find_form(origin, place)
    return fetch_into(place, name, origin, mirrors, timeout) if found is None else found[1]


def fetch_into(
    folder: Path,
    name: str,
    origin: PublicFiles,
    mirrors: Sequence[str] | None = None,
    timeout: float = TIMEOUT,
) -> tuple[Path, ...]:
    """Download the public files of `name` into `folder`, except those that are there already."""
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
    """Return the error for a dataset that is not there, with the two ways to get it."""
    description = describe(name)
    assert isinstance(description.origin, PublicFiles)
    compact = description.origin.forms[0].files[0]
    public = ", ".join(remote.name for remote in description.origin.downloads)
    return DatasetUnavailableError(
        f"{description.title} is not in {folder}: {reason} Set {FOLDER_VARIABLE} to a folder that holds "
        f"{compact} or {public}, or run `hebbian-descent data fetch {name}` on a machine with a network and "
        "copy the files there."
    )
