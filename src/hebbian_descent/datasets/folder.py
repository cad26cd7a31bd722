"""The one folder that datasets are read from and downloaded to."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from hebbian_descent.datasets.errors import DataFolderError

FOLDER_VARIABLE = "HEBBIAN_DESCENT_DATA"


def data_folder(folder: str | os.PathLike[str] | None = None) -> Path:
    """Return the data folder: `folder`, else the one HEBBIAN_DESCENT_DATA names, else the user's cache.

    A folder that the user names must exist, so that a slip of the pen is noticed; the cache need not.
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
    """Return the package's own folder in the place where the operating system keeps caches."""
    xdg = Path(os.environ.get("XDG_CACHE_HOME", ""))
    # The XDG specification has relative values ignored; the variable is honoured wherever a user sets it.
    if xdg.is_absolute():
        return xdg / "hebbian-descent"
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return (Path(local) if local else _home() / "AppData" / "Local") / "hebbian-descent" / "Cache"
    if sys.platform == "darwin":
        return _home() / "Library" / "Caches" / "hebbian-descent"
    return _home() / ".cache" / "hebbian-descent"


def _home() -> Path:
    home = os.path.expanduser("~")  # stays "~" where neither HOME nor the system tells
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
    except OSError as error:  # a name too long, a folder that may not be looked into
        got = f"{str(folder)[:200]!r}: {error.strerror}"
    raise DataFolderError(f"{what} must be a folder that exists. Got {got}. {hint}")
