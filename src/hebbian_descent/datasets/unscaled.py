"""The stored numbers of a dataset, before any scaling: bytes, mostly, and kept in memory once read."""

from __future__ import annotations

import functools
import os
from pathlib import Path

from hebbian_descent.datasets.dataset import Split, Splits
from hebbian_descent.datasets.description import BuiltIn, Form, PublicFiles, RandomPatterns
from hebbian_descent.datasets.fetching import fetch_into, unavailable
from hebbian_descent.datasets.folder import data_folder
from hebbian_descent.datasets.formats.damage import reading
from hebbian_descent.datasets.locating import find_form
from hebbian_descent.datasets.registry import describe
from hebbian_descent.datasets.seeding import Role, generator
from hebbian_descent.datasets.validation import check_splits


def read_unscaled(
    name: str, *, download: bool = True, folder: str | os.PathLike[str] | None = None
) -> tuple[Splits, tuple[Path, ...]]:
    """Return the parts of `name`, not to be written to, and the files that they were read from."""
    description = describe(name)
    match description.origin:
        case BuiltIn(make):
            return make(), ()
        case RandomPatterns(generate):
            return Splits(Split(generate(generator(0, Role.INPUT, name), description.n_train))), ()
        case PublicFiles() as origin:
            form, paths = _present(name, origin, data_folder(folder), download)
            return _read_once(name, form, paths, tuple(path.stat().st_mtime_ns for path in paths)), paths


def _present(name: str, origin: PublicFiles, folder: Path, download: bool) -> tuple[Form, tuple[Path, ...]]:
    found = find_form(origin, folder)
    if found is None and download:
        fetch_into(folder, name, origin)
        found = find_form(origin, folder)
    if found is None:
        raise unavailable(name, folder, "downloading is switched off.")
    return found


# All four real datasets fit in at once: 130 MB as bytes.
@functools.lru_cache(maxsize=4)
def _read_once(name: str, form: Form, paths: tuple[Path, ...], modified: tuple[int, ...]) -> Splits:
    """Read and check the files; `modified` makes a file that has been replaced be read anew."""
    splits = form.read(paths)
    with reading(*paths):
        check_splits(splits, describe(name))
    return splits
