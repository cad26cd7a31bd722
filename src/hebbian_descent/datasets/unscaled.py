"""The stored numbers of a dataset, before any scaling: bytes, mostly, and kept in memory once read."""

from __future__ import annotations

import functools
import os
import warnings
from pathlib import Path

from hebbian_descent.datasets.dataset import Split, Splits
from hebbian_descent.datasets.description import BuiltIn, Form, PublicFiles, RandomPatterns
from hebbian_descent.datasets.errors import UnpublishedDataWarning
from hebbian_descent.datasets.fetching import fetch_into, unavailable
from hebbian_descent.datasets.folder import data_folder
from hebbian_descent.datasets.formats.content import OVERHEAD, read_content
from hebbian_descent.datasets.formats.damage import reading
from hebbian_descent.datasets.locating import find_form
from hebbian_descent.datasets.published import difference_from_published
from hebbian_descent.datasets.registry import describe
from hebbian_descent.datasets.seeding import Role, generator
from hebbian_descent.datasets.validation import check_splits

LARGEST_RATIO = 4
"""How many times the bytes of its arrays a file may have; the colours of CIFAR make it three times."""


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
            with reading(*paths):
                stamps = tuple(map(_stamp, paths))
            splits, difference = _read_once(name, form, paths, stamps)
            if difference is not None:
                warnings.warn(f"{paths[0]}: {difference}", UnpublishedDataWarning, stacklevel=3)
            return splits, paths


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
def _read_once(
    name: str, form: Form, paths: tuple[Path, ...], stamps: tuple[tuple[int, ...], ...]
) -> tuple[Splits, str | None]:
    """Read and check the files; `stamps` make a file that has been replaced be read anew.

    What is checked is what was parsed, whatever happens to the files meanwhile. Also returns how the data
    differ from the published ones, if they do.
    """
    description = describe(name)
    parsed = []
    for path in paths:
        with reading(path):
            parsed.append(form.parse(read_content(path, LARGEST_RATIO * description.n_bytes + OVERHEAD)))
    with reading(*paths):
        splits = form.assemble(*parsed)
        check_splits(splits, description)
        return splits, difference_from_published(splits, form, description)


def _stamp(path: Path) -> tuple[int, ...]:
    status = path.stat()
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
