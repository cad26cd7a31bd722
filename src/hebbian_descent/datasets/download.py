"""Download of datasets into the data folder.

A file is written under a temporary name, checked against its digest, then renamed.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from uuid import uuid4

from hebbian_descent.datasets.description import PublicFiles, RemoteFile
from hebbian_descent.datasets.errors import DataFolderError, DatasetUnavailableError, DownloadError
from hebbian_descent.datasets.folder import FOLDER_VARIABLE, data_folder, find_format
from hebbian_descent.datasets.formats import OVERHEAD, read_content
from hebbian_descent.datasets.sources import describe
from hebbian_descent.datasets.transfer import TransferError, stream
from hebbian_descent.safe_files import sync_folder

Report = Callable[[int, int | None], None]
"""Called with the bytes received so far, and the total if the server announced one."""

TIMEOUT = 30.0
SLOWEST = 20_000
"""Bytes per second; a server that is slower over the whole file is abandoned."""
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
    failures = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _remove_abandoned_parts(folder)
        for url in remote.addresses(mirrors):
            try:
                return _fetch_from(url, remote, folder, timeout, report)
            except TransferError as failure:
                failures.append(f"{url}: {failure}")
    except OSError as error:
        raise DataFolderError(
            f"The data folder must be one you can write to. Got {str(folder)!r}: {error.strerror or error}. "
            f"Set {FOLDER_VARIABLE} to another one."
        ) from error
    raise DownloadError(f"{remote.name} could not be downloaded ({'; '.join(failures)}).")


def _fetch_from(url: str, remote: RemoteFile, folder: Path, timeout: float, report: Report) -> Path:
    target = folder / remote.name
    seconds = timeout + remote.size / SLOWEST
    pieces = stream(url, timeout=timeout, seconds=seconds, at_most=remote.size + OVERHEAD)
    part = folder / f".{remote.name}.{uuid4().hex}.part"  # unique: several processes may fetch at once
    try:
        with part.open("xb") as sink, closing(pieces):
            received = 0
            for piece, total in pieces:
                sink.write(piece)
                received += len(piece)
                report(received, total)
            sink.flush()
            os.fsync(sink.fileno())
        _check_digest(part, remote)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
    sync_folder(folder)
    return target


def _check_digest(part: Path, remote: RemoteFile) -> None:
    if remote.digest_of == "file":
        with part.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    else:
        try:
            digest = hashlib.sha256(read_content(part, remote.size)).hexdigest()
        except Exception as error:  # nearly anything, of damaged data
            raise TransferError(f"the received file cannot be decompressed: {error}") from None
    if digest != remote.sha256:
        raise TransferError(
            f"the received file differs (SHA-256 {digest[:12]}… in place of {remote.sha256[:12]}…)"
        )


def _remove_abandoned_parts(folder: Path) -> None:
    """Remove partial files that killed downloads left behind a day ago or earlier."""
    for part in folder.glob(".*.part"):
        try:
            if time.time() - part.stat().st_mtime > SECONDS_PER_DAY:
                part.unlink()
        except FileNotFoundError:
            continue
