"""One sentence for every way in which a file can turn out to be damaged."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hebbian_descent.checks import printable
from hebbian_descent.datasets.errors import DataFolderError, DatasetDamagedError, DatasetError

LONGEST_REASON = 200


@contextmanager
def reading(*paths: Path) -> Iterator[None]:
    """Turn whatever goes wrong while `paths` are read and parsed into an error that names them."""
    files = ", ".join(map(str, paths))
    try:
        yield
    except (DatasetError, MemoryError):  # the second says nothing of the file
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
