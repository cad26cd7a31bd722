"""The files of a dataset in the data folder, found without being read."""

from __future__ import annotations

import os
from pathlib import Path

from hebbian_descent.datasets.description import Form, PublicFiles
from hebbian_descent.datasets.errors import DataFolderError
from hebbian_descent.datasets.folder import data_folder
from hebbian_descent.datasets.formats.content import find_file
from hebbian_descent.datasets.registry import describe


def locate(name: str, *, folder: str | os.PathLike[str] | None = None) -> tuple[Path, ...] | None:
    """Return the files that `name` would be read from, () if it needs none, None where they are missing."""
    origin = describe(name).origin
    if not isinstance(origin, PublicFiles):
        return ()
    found = find_form(origin, data_folder(folder))
    return None if found is None else found[1]


def find_form(origin: PublicFiles, folder: Path) -> tuple[Form, tuple[Path, ...]] | None:
    """Return the first form whose files are all in `folder`, with their paths."""
    try:
        for form in origin.forms:
            paths = tuple(path for name in form.files if (path := find_file(folder, name)) is not None)
            if len(paths) == len(form.files):
                return form, paths
    except OSError as error:
        raise DataFolderError(
            f"The data folder must be one you can read. Got {str(folder)!r}: {error.strerror}."
        ) from error
    return None
