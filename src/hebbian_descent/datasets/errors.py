"""Exceptions of the datasets, and the one sentence that a damaged file gets."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hebbian_descent.checks import printable


class DatasetError(OSError):
    """Base class of all failures to provide a dataset."""


class DatasetUnavailableError(DatasetError):
    """The dataset is not in the data folder, and downloading failed or was disabled."""


class DatasetDamagedError(DatasetError):
    """A file of the dataset exists, but its content is wrong."""


class DataFolderError(DatasetError):
    """The data folder does not exist, or cannot be read or written."""


class DownloadError(DatasetError):
    """No address of a public file delivered the expected content."""


class UnpublishedDataWarning(UserWarning):
    """An archive holds plausible data that differ from the published ones."""


LONGEST_REASON = 200


@contextmanager
def reading(*paths: Path) -> Iterator[None]:
    """Turn any failure to read or parse `paths` into an error that names them."""
    files = ", ".join(map(str, paths))
    try:
        yield
    except (DatasetError, MemoryError):  # the second says nothing about the file
        raise
    except PermissionError as error:
        raise DataFolderError(f"{files} must be readable by you, and is not: {error.strerror}.") from error
    # Damaged archives make the standard library raise nearly anything: RuntimeError, LZMAError, KeyError, …
    except Exception as error:
        which = files if len(paths) == 1 else f"One of {files}"
        words = " ".join((str(error) or type(error).__name__).split())
        reason = printable(words[:LONGEST_REASON]).rstrip(".")
        raise DatasetDamagedError(
            f"{which} is damaged or not the file its name says: {reason}. Replace it, or delete it and run "
            "`hebbian-descent data fetch`."
        ) from error
