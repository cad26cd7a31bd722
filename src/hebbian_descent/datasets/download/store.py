"""A file fetched whole or not at all: written under a temporary name, checked, then given its own."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from uuid import uuid4

from hebbian_descent.atomic import sync_folder
from hebbian_descent.datasets.download.remote import RemoteFile
from hebbian_descent.datasets.download.transfer import TransferError, stream
from hebbian_descent.datasets.errors import DataFolderError, DownloadError
from hebbian_descent.datasets.folder import FOLDER_VARIABLE
from hebbian_descent.datasets.formats.content import OVERHEAD, read_content

Report = Callable[[int, int | None], None]
"""Told the bytes received so far and, where the server announced it, how many there will be."""

TIMEOUT = 30.0
SLOWEST = 20_000
"""Bytes per second; a server that takes longer for the whole file is given up."""
SECONDS_A_DAY = 86_400


def fetch_file(
    remote: RemoteFile,
    folder: Path,
    *,
    mirrors: Sequence[str] | None = None,
    timeout: float = TIMEOUT,
    report: Report = lambda received, total: None,
) -> Path:
    """Bring `remote` into `folder` from the first address that gives the true content."""
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
            raise TransferError(f"what came cannot be decompressed: {error}") from None
    if digest != remote.sha256:
        raise TransferError(
            f"what came is another file (SHA-256 {digest[:12]}… in place of {remote.sha256[:12]}…)"
        )


def _remove_abandoned_parts(folder: Path) -> None:
    """Remove what downloads killed long ago left behind; a younger part may belong to a running one."""
    for part in folder.glob(".*.part"):
        try:
            if time.time() - part.stat().st_mtime > SECONDS_A_DAY:
                part.unlink()
        except FileNotFoundError:
            continue
