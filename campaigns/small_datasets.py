"""Datasets of a few patterns in every public form, read by the package's parsers and checked by digests."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import io
import itertools
import struct
import tarfile
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hebbian_descent.datasets.dataset import Description, FileFormat, PublicFiles, Split, Splits
from hebbian_descent.datasets.formats import archive_format
from hebbian_descent.datasets.sources import DATASETS, adult, cifar, connect, mnist
from hebbian_descent.datasets.sources.cifar import parse_grey_batch
from hebbian_descent.datasets.sources.connect import OUTCOMES, parse_connect
from hebbian_descent.datasets.sources.mnist import parse_idx

Arrays = dict[str, npt.NDArray[Any]]
PARTS = ("train", "valid", "test")
SIZES = {"mnist": (12, 0, 9), "cifar": (4, 1, 1), "adult": (7, 5, 9), "connect": (7, 5, 9)}


class SmallForm(NamedTuple):
    """A dataset of a few patterns in one of its forms, and the function that writes arrays in that form."""

    dataset: str
    description: Description
    arrays: Arrays
    write: Callable[[Arrays], dict[str, bytes]]


@functools.cache
def small_forms() -> tuple[SmallForm, ...]:
    """Return every dataset in every form; only the form at hand is listed in its description."""
    rng = np.random.default_rng(0)
    forms = []
    for name, sizes in SIZES.items():
        arrays = _arrays(name, sizes, rng)
        digests = {key: hashlib.sha256(array).hexdigest() for key, array in arrays.items()}
        for form, write in _forms(name, arrays, digests):
            forms.append(SmallForm(name, _description(name, sizes, arrays, form), arrays, write))
    return tuple(forms)


def _arrays(name: str, sizes: tuple[int, ...], rng: np.random.Generator) -> Arrays:
    described = DATASETS[name]
    arrays: Arrays = {}
    for part, n in zip(PARTS, sizes, strict=True):
        if n and name == "connect":
            squares = rng.integers(0, 3, (n, 42))
            arrays[f"x_{part}"] = np.eye(3, dtype=np.uint8)[squares].reshape(n, -1)
        elif n:
            n_features = 16 if name == "mnist" else described.n_features
            highest = 2 if described.divisor == 1 else 256
            arrays[f"x_{part}"] = rng.integers(0, highest, (n, n_features)).astype(np.uint8)
        if n:
            arrays[f"y_{part}"] = rng.integers(0, described.n_classes, n).astype(np.uint8)
    return arrays


def _description(name: str, sizes: tuple[int, ...], arrays: Arrays, form: FileFormat) -> Description:
    described = DATASETS[name]
    inputs, labels = arrays["x_test"], arrays["y_test"]
    origin = PublicFiles(
        (form,),
        (),
        label_error=1 - np.bincount(labels).max() / len(labels),
        deviation=float(np.abs(inputs - inputs.mean(axis=0)).mean()) / described.divisor,
    )
    n_train, n_valid, n_test = sizes
    return dataclasses.replace(
        described,
        origin=origin,
        n_features=inputs.shape[1],
        n_train=n_train,
        n_valid=n_valid,
        n_test=n_test,
    )


def _forms(
    name: str, arrays: Arrays, digests: Mapping[str, str]
) -> list[tuple[FileFormat, Callable[[Arrays], dict[str, bytes]]]]:
    (archive,) = DATASETS[name].origin.formats[0].files  # type: ignore[union-attr]
    forms = [(archive_format(archive, digests), lambda given: {archive: npz(given)})]
    if name == "mnist":
        files = tuple(mnist.FILES)
        forms += [
            (FileFormat(files, parse_idx, mnist.assemble, digests), lambda given: idx_files(files, given))
        ]
    elif name == "cifar":
        tar = ("cifar-10-binary.tar",)
        forms += [
            (FileFormat(cifar.BATCHES, parse_grey_batch, cifar.assemble, digests), batches),
            (
                FileFormat(tar, cifar.parse_tar, lambda found: cifar.assemble(*found), digests),
                lambda given: {tar[0]: tar_of(batches(given))},
            ),
        ]
    elif name == "adult":
        known = {key: digests[key] for key in ("x_train", "x_valid")}
        known["records"] = hashlib.sha256(b"".join(sorted(records(arrays)))).hexdigest()
        forms += [
            (
                FileFormat(("a9a",), adult.parse_records, lambda all_rows: _cut(all_rows), digests),
                lambda given: {"a9a": libsvm(given, PARTS, (-1, 1))},
            ),
            (
                FileFormat(("a5a", "a5a.t"), adult.parse_records, _cut, known),
                lambda given: {
                    "a5a": libsvm(given, ("train", "valid"), (-1, 1)),
                    "a5a.t": libsvm(given, ("test",), (-1, 1)),
                },
            ),
        ]
    else:
        forms += [
            (
                FileFormat(("connect-4.data",), parse_connect, lambda rows: _cut(Split(*rows)), digests),
                lambda given: {"connect-4.data": uci(given)},
            ),
            (
                FileFormat(("connect-4",), connect.parse_libsvm, lambda rows: _cut(Split(*rows)), digests),
                lambda given: {"connect-4": libsvm(given, PARTS, (-1, 0, 1))},
            ),
        ]
    return forms


def _cut(rows: Split, rest: Split | None = None) -> Splits:
    """Return the parts of a small table, whose rows are in the order of the parts."""
    n_train, n_valid, n_test = SIZES["adult"]
    bounds = (0, n_train, n_train + n_valid, n_train + n_valid + n_test)
    if len(rows) != bounds[-1] - (n_test if rest else 0):
        raise ValueError(f"the table has {len(rows)} rows")
    assert rows.labels is not None
    train, valid, test = (
        Split(rows.inputs[start:stop], rows.labels[start:stop]) for start, stop in itertools.pairwise(bounds)
    )
    return Splits(train, valid, rest or test)


def records(arrays: Arrays) -> list[bytes]:
    """Return every pattern with its label."""
    parts = [part for part in PARTS if f"x_{part}" in arrays]
    return [
        row.tobytes() for part in parts for row in np.column_stack([arrays[f"x_{part}"], arrays[f"y_{part}"]])
    ]


def npz(arrays: Arrays) -> bytes:
    """Return arrays as np.savez writes them."""
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)  # type: ignore[arg-type]
    return file.getvalue()


def idx_files(names: tuple[str, ...], arrays: Arrays) -> dict[str, bytes]:
    """Return the four files of MNIST."""
    contents = []
    for part in ("train", "test"):
        images, labels = arrays[f"x_{part}"], arrays[f"y_{part}"]
        contents.append(struct.pack(">HBB3I", 0, 8, 3, len(images), 4, 4) + images.tobytes())
        contents.append(struct.pack(">HBBI", 0, 8, 1, len(labels)) + labels.tobytes())
    return dict(zip(names, contents, strict=True))


def batches(arrays: Arrays) -> dict[str, bytes]:
    """Return the six batches of CIFAR, with equal colour channels, so that grey is the same value."""
    inputs = np.vstack([arrays[f"x_{part}"] for part in PARTS])
    labels = np.concatenate([arrays[f"y_{part}"] for part in PARTS])
    rows = np.hstack([labels[:, np.newaxis], inputs, inputs, inputs])
    edges = np.linspace(0, len(rows), len(cifar.BATCHES) + 1).astype(int)
    return {
        name: rows[start:stop].tobytes()
        for name, start, stop in zip(cifar.BATCHES, edges, edges[1:], strict=False)
    }


def tar_of(files: dict[str, bytes]) -> bytes:
    """Return files in an archive."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(f"{cifar.FOLDER_IN_ARCHIVE}/{name}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def libsvm(arrays: Arrays, parts: tuple[str, ...], labels: tuple[int, ...]) -> bytes:
    """Return the rows of some parts as LIBSVM writes them."""
    lines = []
    for part in parts:
        for pattern, label in zip(arrays[f"x_{part}"], arrays[f"y_{part}"], strict=False):
            indices = "".join(f" {index + 1}:1" for index in np.flatnonzero(pattern))
            lines.append(f"{labels[label]:+d}{indices}\n")
    return "".join(lines).encode()


def uci(arrays: Arrays) -> bytes:
    """Return all rows as UCI writes them."""
    lines = []
    for part in PARTS:
        for pattern, label in zip(arrays[f"x_{part}"], arrays[f"y_{part}"], strict=False):
            squares = pattern.reshape(42, 3).argmax(axis=1)
            lines.append(",".join(["xbo"[square] for square in squares] + [OUTCOMES[label]]) + "\n")
    return "".join(lines).encode()
