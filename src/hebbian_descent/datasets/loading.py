"""Datasets by name: read once, checked, and scaled as in the paper."""

from __future__ import annotations

import functools
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import in_one_line
from hebbian_descent.datasets.dataset import (
    BuiltIn,
    Dataset,
    DatasetError,
    FileFormat,
    PublicFiles,
    RandomPatterns,
    Split,
    Splits,
)
from hebbian_descent.datasets.download import fetch_into, unavailable
from hebbian_descent.datasets.folder import DataFolderError, data_folder, find_format
from hebbian_descent.datasets.formats import OVERHEAD, read_content
from hebbian_descent.datasets.sources import describe
from hebbian_descent.datasets.sources.built_in import Role, generator
from hebbian_descent.datasets.validation import check_splits, difference_from_published


class DatasetDamagedError(DatasetError):
    """A file of the dataset exists, but its content is wrong."""


class UnpublishedDataWarning(UserWarning):
    """An archive holds plausible data that differ from the published ones."""


def load(
    name: str,
    *,
    dtype: npt.DTypeLike = np.float64,
    download: bool = True,
    folder: str | os.PathLike[str] | None = None,
) -> Dataset:
    """Load the dataset called `name`, and download it first if it is missing.

    Inputs lie in [0, 1]. `rand` and `randn` give the 100 patterns of seed 0; use `draw_patterns` for others.
    All parts are converted to `dtype` at once: CIFAR takes half a gigabyte as float64.
    """
    floating = floating_type(dtype)
    description = describe(name)
    splits, files = read_unscaled(name, download=download, folder=folder)

    def scale(split: Split) -> Split:
        return scaled(split, description.divisor, floating)

    return Dataset(
        name=name,
        train=scale(splits.train),
        valid=None if splits.valid is None else scale(splits.valid),
        test=None if splits.test is None else scale(splits.test),
        class_names=description.class_names,
        image_shape=description.image_shape,
        source=description.source,
        licence=description.licence,
        files=files,
    )


def scaled(split: Split, divisor: int, dtype: np.dtype[np.floating]) -> Split:
    """Return a copy of `split` with inputs divided by `divisor` as `dtype`, and labels as int64."""
    inputs = split.inputs.astype(dtype)
    inputs /= divisor
    return Split(inputs, None if split.labels is None else split.labels.astype(np.int64))


def floating_type(dtype: npt.DTypeLike) -> np.dtype[np.floating]:
    """Return `dtype` as a floating NumPy dtype, or raise a TypeError."""
    try:
        given: np.dtype[Any] | None = np.dtype(dtype)
    except TypeError:
        given = None
    if given is None or not np.issubdtype(given, np.floating):
        raise TypeError(f"The dtype must be a floating type such as float32 or float64. Got {dtype!r}.")
    return given


LARGEST_RATIO = 4
"""Largest allowed ratio of file size to array size; CIFAR's colour channels make it three."""


def read_unscaled(
    name: str, *, download: bool = True, folder: str | os.PathLike[str] | None = None
) -> tuple[Splits, tuple[Path, ...]]:
    """Return the unscaled parts of `name`, which must not be modified, and the files they were read from."""
    description = describe(name)
    match description.origin:
        case BuiltIn(make):
            return make(), ()
        case RandomPatterns(generate):
            return Splits(Split(generate(generator(0, Role.INPUT, name), description.n_train))), ()
        case PublicFiles() as origin:
            file_format, paths = _present(name, origin, data_folder(folder), download)
            with reading(*paths):
                stamps = tuple(map(_stamp, paths))
            splits, difference = _read_once(name, file_format, paths, stamps)
            if difference is not None:
                warnings.warn(f"{paths[0]}: {difference}", UnpublishedDataWarning, stacklevel=3)
            return splits, paths


def _present(
    name: str, origin: PublicFiles, folder: Path, download: bool
) -> tuple[FileFormat, tuple[Path, ...]]:
    found = find_format(origin, folder)
    if found is None and download:
        fetch_into(folder, name, origin)
        found = find_format(origin, folder)
    if found is None:
        raise unavailable(name, folder, "downloading is switched off.")
    return found


# All four real datasets fit in at once: 130 MB as bytes.
@functools.lru_cache(maxsize=4)
def _read_once(
    name: str, file_format: FileFormat, paths: tuple[Path, ...], stamps: tuple[tuple[int, ...], ...]
) -> tuple[Splits, str | None]:
    """Read and check the files once; a replaced file has another stamp, and is read again.

    The check applies to the parsed content, whatever happens to the files meanwhile. Also returns how the
    data differ from the published ones, if they do.
    """
    description = describe(name)
    parsed = []
    for path in paths:
        with reading(path):
            parsed.append(
                file_format.parse(read_content(path, LARGEST_RATIO * description.n_bytes + OVERHEAD))
            )
    with reading(*paths):
        splits = file_format.assemble(*parsed)
        check_splits(splits, description)
        return splits, difference_from_published(splits, file_format, description)


def _stamp(path: Path) -> tuple[int, ...]:
    status = path.stat()
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


@contextmanager
def reading(*paths: Path) -> Iterator[None]:
    """Turn any failure to read or parse `paths` into an error that names them."""
    files = ", ".join(map(str, paths))
    try:
        yield
    except (DatasetError, MemoryError):  # the second says nothing about the file
        raise
    except PermissionError as error:
        raise DataFolderError(f"{files} must be readable, but is not: {error.strerror}.") from error
    # Damaged archives make the standard library raise nearly anything: RuntimeError, LZMAError, KeyError, …
    except Exception as error:
        which = files if len(paths) == 1 else f"One of {files}"
        raise DatasetDamagedError(
            f"{which} is damaged or not the file its name says: {in_one_line(error).rstrip('.')}. "
            "Replace it, or delete it and run `hebbian-descent data fetch`."
        ) from error
