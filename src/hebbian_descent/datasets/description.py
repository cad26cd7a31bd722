"""What is known of a dataset before a byte of it is read, and the three origins a dataset may have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hebbian_descent.datasets.dataset import Splits
from hebbian_descent.datasets.download.remote import RemoteFile
from hebbian_descent.datasets.formats.npz import parse_archive


@dataclass(frozen=True, eq=False)
class Form:
    """One way for a dataset to lie in a folder: files that belong together, and how they are read and known.

    Names are given without `.gz` and `.bz2`, which are found all the same. `parse` takes the content of one
    file, `assemble` what came of each. `sha256` holds the digests of the published arrays by their names
    (x_train, …), or of all `records` in sorted order.
    """

    files: tuple[str, ...]
    parse: Callable[[bytes], Any]
    assemble: Callable[..., Splits]
    sha256: Mapping[str, str]
    may_differ: bool = False
    """Whether other data in this form are plausible, and not damage."""


def archive_form(name: str, sha256: Mapping[str, str]) -> Form:
    """Return the compact form of a dataset, the only one that users may fill with data of their own."""
    return Form((name,), parse_archive, lambda splits: splits, sha256, may_differ=True)


@dataclass(frozen=True)
class PublicFiles:
    """Origin of a dataset that others publish: the forms to look for, in this order, and what to download.

    The two figures are those that the paper prints for the test part: the error of guessing the most frequent
    label, and the mean absolute deviation of scaled inputs from their mean.
    """

    forms: tuple[Form, ...]
    downloads: tuple[RemoteFile, ...]
    label_error: float
    deviation: float


@dataclass(frozen=True)
class BuiltIn:
    """Origin of a dataset that needs no file: computed, or shipped with a library."""

    make: Callable[[], Splits]


@dataclass(frozen=True)
class RandomPatterns:
    """Origin of patterns that are drawn afresh: `generate` takes a generator and the number of patterns."""

    generate: Callable[[np.random.Generator, int], npt.NDArray[Any]]


@dataclass(frozen=True)
class Description:
    """The facts of one dataset, as the list of datasets, the checks and the documentation need them."""

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
    """What the stored values are divided by; 1 for binary inputs, which are taken as they are."""

    @property
    def needs_download(self) -> bool:
        """Whether the patterns come from files that this package does not bring along."""
        return isinstance(self.origin, PublicFiles)

    @property
    def n_classes(self) -> int:
        """Number of classes; 0 for a dataset without labels."""
        return len(self.class_names)

    @property
    def shape(self) -> tuple[int, int]:
        """Patterns in all parts together, and features."""
        return self.n_train + self.n_valid + self.n_test, self.n_features

    @property
    def n_bytes(self) -> int:
        """Bytes of the unscaled patterns and labels."""
        n_patterns, n_features = self.shape
        return n_patterns * (n_features + 1)
