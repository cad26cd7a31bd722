"""A dataset: what is known before it is read, and its patterns and labels in memory, split in parts."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt


class DatasetError(OSError):
    """Base class of all failures to provide a dataset."""


@dataclass(frozen=True, eq=False, repr=False)
class Split:
    """One part of a dataset: one pattern per row of `inputs`, its class in `labels` (None if unlabelled)."""

    inputs: npt.NDArray[Any]
    labels: npt.NDArray[Any] | None = None

    def __len__(self) -> int:
        return len(self.inputs)

    def __repr__(self) -> str:
        n_patterns, n_features = self.inputs.shape
        labelled = "without labels" if self.labels is None else "with labels"
        return f"Split({n_patterns} patterns of {n_features} {self.inputs.dtype} features, {labelled})"


@dataclass(frozen=True, eq=False)
class Splits:
    """The parts of a dataset; missing parts are None."""

    train: Split
    valid: Split | None = None
    test: Split | None = None


@dataclass(frozen=True, eq=False)
class Dataset:
    """A dataset ready for training: inputs scaled as in the paper, labels counted from 0."""

    name: str
    train: Split
    valid: Split | None
    test: Split | None
    class_names: tuple[str, ...]
    image_shape: tuple[int, int] | None
    source: str
    licence: str
    files: tuple[Path, ...]
    """The files that were read; empty for generated data and data shipped with a library."""

    @property
    def n_features(self) -> int:
        """Number of features per pattern."""
        return int(self.train.inputs.shape[1])

    @property
    def n_classes(self) -> int:
        """Number of classes; 0 for a dataset without labels."""
        return len(self.class_names)


@dataclass(frozen=True, eq=False)
class FileFormat:
    """One of the formats a dataset is published in: its files, their parser and their digests.

    File names omit `.gz` and `.bz2`, which are accepted too. `parse` takes the content of one file,
    `assemble` the parsed files in order. `sha256` holds the digests of the published arrays by name
    (x_train, …), or of all `records` in sorted order.
    """

    files: tuple[str, ...]
    parse: Callable[[bytes], Any]
    assemble: Callable[..., Splits]
    sha256: Mapping[str, str]
    may_differ: bool = False
    """Whether data other than the published ones are accepted in this format."""


@dataclass(frozen=True)
class PublicFiles:
    """Origin of a published dataset: the formats to look for, in this order, and the files to download.

    `label_error` and `deviation` are printed in the paper for the test part: the error of always guessing the
    most frequent label, and the mean absolute deviation of the scaled inputs from their mean.
    """

    formats: tuple[FileFormat, ...]
    downloads: tuple[RemoteFile, ...]
    label_error: float
    deviation: float


@dataclass(frozen=True)
class BuiltIn:
    """Origin of a dataset that needs no download: computed, or shipped with a library."""

    make: Callable[[], Splits]


@dataclass(frozen=True)
class RandomPatterns:
    """Origin of random patterns: `generate` takes a generator and the number of patterns."""

    generate: Callable[[np.random.Generator, int], npt.NDArray[Any]]


@dataclass(frozen=True)
class Description:
    """Everything known about a dataset before it is read."""

    title: str
    what: str
    origin: PublicFiles | BuiltIn | RandomPatterns
    n_features: int
    n_train: int
    source: str
    licence: str
    n_valid: int = 0
    n_test: int = 0
    class_names: tuple[str, ...] = ()
    image_shape: tuple[int, int] | None = None
    divisor: int = 1
    """Divisor that scales the stored values to [0, 1]; 1 for binary inputs."""

    @property
    def needs_download(self) -> bool:
        """Whether the patterns come from files that are not part of the package."""
        return isinstance(self.origin, PublicFiles)

    @property
    def n_classes(self) -> int:
        """Number of classes; 0 for a dataset without labels."""
        return len(self.class_names)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of patterns in all parts, and number of features."""
        return self.n_train + self.n_valid + self.n_test, self.n_features

    @property
    def n_bytes(self) -> int:
        """Bytes of the unscaled patterns and labels."""
        n_patterns, n_features = self.shape
        return n_patterns * (n_features + 1)


MIRRORS_VARIABLE = "HEBBIAN_DESCENT_MIRRORS"


@dataclass(frozen=True)
class RemoteFile:
    """A public file and its URLs, in the order in which they are tried.

    Digest and size refer to the decompressed content, which recompression leaves unchanged; with
    `digest_of="file"` they refer to the file itself, for archives where only those are known.
    """

    name: str
    urls: tuple[str, ...]
    sha256: str
    size: int
    digest_of: Literal["content", "file"] = "content"

    def addresses(self, mirrors: Sequence[str] | None = None) -> tuple[str, ...]:
        """Return the URLs to try: the file under each mirror, or the public URLs if there are no mirrors."""
        bases = mirrors_from_environment() if mirrors is None else tuple(mirrors)
        for base in bases:
            if not base.startswith(("http://", "https://")):
                raise ValueError(
                    f"A mirror must be an address that begins with http:// or https://. Got {base!r}."
                )
        return tuple(f"{base.rstrip('/')}/{self.name}" for base in bases) or self.urls


def mirrors_from_environment() -> tuple[str, ...]:
    """Return the addresses in HEBBIAN_DESCENT_MIRRORS, separated by spaces."""
    return tuple(os.environ.get(MIRRORS_VARIABLE, "").split())
