"""The data folder, and the files of a dataset in it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from hebbian_descent.datasets.dataset import DatasetError, FileFormat, PublicFiles
from hebbian_descent.datasets.sources import describe


class DataFolderError(DatasetError):
    """The data folder does not exist, or cannot be read or written."""


FOLDER_VARIABLE = "HEBBIAN_DESCENT_DATA"
COMPRESSIONS = ("", ".gz", ".bz2")


def data_folder(folder: str | os.PathLike[str] | None = None) -> Path:
    """Return the data folder: `folder`, else the one HEBBIAN_DESCENT_DATA names, else the user's cache.

    A folder named by the user must exist, so that a typo is noticed; the cache need not.
    """
    if folder is not None:
        return _existing(Path(folder), "The data folder", "Create it first.")
    named = os.environ.get(FOLDER_VARIABLE)
    if named:
        # Unlike Path.expanduser, this leaves the name of a user who does not exist as it is.
        expanded = Path(os.path.expanduser(named))
        return _existing(expanded, FOLDER_VARIABLE, f"Create it first, or unset {FOLDER_VARIABLE}.")
    return cache_folder()


def cache_folder() -> Path:
    """Return the package's folder in the operating system's cache directory."""
    xdg = Path(os.environ.get("XDG_CACHE_HOME", ""))
    # By the XDG specification relative values are ignored; the variable is honoured on any system.
    if xdg.is_absolute():
        return xdg / "hebbian-descent"
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return (Path(local) if local else _home() / "AppData" / "Local") / "hebbian-descent" / "Cache"
    if sys.platform == "darwin":
        return _home() / "Library" / "Caches" / "hebbian-descent"
    return _home() / ".cache" / "hebbian-descent"


def _home() -> Path:
    home = os.path.expanduser("~")  # stays "~" if neither HOME nor the system knows it
    if not os.path.isabs(home):
        raise DataFolderError(
            f"The data folder lies in your home folder, which must be an absolute path. Got {home!r}. "
            f"Set {FOLDER_VARIABLE} to a folder."
        )
    return Path(home)


def _existing(folder: Path, what: str, hint: str) -> Path:
    try:
        if folder.is_dir():
            return folder
        got = f"{str(folder)!r}, which is a file" if folder.exists() else repr(str(folder))
    except OSError as error:  # a name that is too long, a folder that may not be searched
        got = f"{str(folder)[:200]!r}: {error.strerror}"
    raise DataFolderError(f"{what} must be a folder that exists. Got {got}. {hint}")


def locate(name: str, *, folder: str | os.PathLike[str] | None = None) -> tuple[Path, ...] | None:
    """Return the files that `name` would be read from: () if it needs none, None if they are missing."""
    origin = describe(name).origin
    if not isinstance(origin, PublicFiles):
        return ()
    found = find_format(origin, data_folder(folder))
    return None if found is None else found[1]


def find_format(origin: PublicFiles, folder: Path) -> tuple[FileFormat, tuple[Path, ...]] | None:
    """Return the first format whose files are all in `folder`, with their paths."""
    try:
        for file_format in origin.formats:
            paths = tuple(path for name in file_format.files if (path := find_file(folder, name)) is not None)
            if len(paths) == len(file_format.files):
                return file_format, paths
    except OSError as error:
        raise DataFolderError(
            f"The data folder must be readable. Got {str(folder)!r}: {error.strerror}."
        ) from error
    return None


def find_file(folder: Path, name: str) -> Path | None:
    """Return the path of file `name`, plain or compressed, or None if there is none."""
    candidates = (folder / (name + ending) for ending in COMPRESSIONS)
    return next((path for path in candidates if path.is_file()), None)
