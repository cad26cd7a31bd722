"""CIFAR: the photographs of CIFAR-10, turned grey."""

from __future__ import annotations

import tarfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from hebbian_descent.datasets.dataset import Split, Splits
from hebbian_descent.datasets.description import Description, Form, PublicFiles
from hebbian_descent.datasets.download.remote import RemoteFile
from hebbian_descent.datasets.formats.cifar_binary import parse_grey_batch
from hebbian_descent.datasets.formats.content import read_content
from hebbian_descent.datasets.formats.damage import reading
from hebbian_descent.datasets.formats.npz import read_archive

Batch = tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]

BATCHES = (*(f"data_batch_{number}.bin" for number in range(1, 6)), "test_batch.bin")
FOLDER_IN_ARCHIVE = "cifar-10-batches-bin"


def _read_tar(paths: Sequence[Path]) -> Splits:
    (path,) = paths
    batches: dict[str, Batch] = {}
    with reading(path), tarfile.open(path) as archive:
        for member in archive:
            name = Path(member.name).name
            if name in BATCHES and (file := archive.extractfile(member)):
                batches[name] = parse_grey_batch(file.read())
        missing = [name for name in BATCHES if name not in batches]
        if missing:
            raise ValueError(f"it must hold {', '.join(BATCHES)}, and lacks {', '.join(missing)}")
    return _splits(batches[name] for name in BATCHES)


def _read_bin_files(paths: Sequence[Path]) -> Splits:
    return _splits(map(_read_bin, paths))


def _read_bin(path: Path) -> Batch:
    with reading(path):
        return parse_grey_batch(read_content(path))


def _splits(batches: Iterable[Batch]) -> Splits:
    """Put together the six batches: four to learn from, the fifth to tune with, the last to test on."""
    *train, valid, test = batches
    inputs, labels = zip(*train, strict=True)
    return Splits(Split(np.concatenate(inputs), np.concatenate(labels)), Split(*valid), Split(*test))


CIFAR = Description(
    title="CIFAR",
    what="CIFAR-10 photographs (32×32) of ten kinds of things, in grey; values divided by 255.",
    origin=PublicFiles(
        forms=(
            Form(("cifar10_grey.npz",), read_archive),
            Form(("cifar-10-binary.tar",), _read_tar),
            Form(BATCHES, _read_bin_files),
            Form(tuple(f"{FOLDER_IN_ARCHIVE}/{name}" for name in BATCHES), _read_bin_files),
        ),
        downloads=(
            RemoteFile(
                "cifar-10-binary.tar.gz",
                (
                    "https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz",
                    "https://storage.googleapis.com/s4tf-hosted-binaries/datasets/CIFAR10/cifar-10-binary.tar.gz",
                    "https://mindspore-website.obs.cn-north-4.myhuaweicloud.com/notebook/datasets/"
                    "cifar-10-binary.tar.gz",
                ),
                sha256="c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd",
                # What projects that pin this archive agree on is the digest of the compressed file.
                digest_of="file",
            ),
        ),
    ),
    n_features=32 * 32,
    n_train=40_000,
    n_valid=10_000,
    n_test=10_000,
    class_names=("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"),
    image_shape=(32, 32),
    divisor=255,
    source="A. Krizhevsky, Learning Multiple Layers of Features from Tiny Images, 2009",
    licence="none stated by the authors; cite Krizhevsky (2009)",
)
