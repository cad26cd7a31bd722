"""CIFAR: the photographs of CIFAR-10 in grey, from its binary format."""

from __future__ import annotations

import io
import itertools
import tarfile
from pathlib import PurePosixPath

import numpy as np
import numpy.typing as npt

from hebbian_descent.datasets.dataset import Description, FileFormat, PublicFiles, RemoteFile, Split, Splits
from hebbian_descent.datasets.formats import archive_format

Batch = tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]

N_PIXELS = 32 * 32
RECORD_SIZE = 1 + 3 * N_PIXELS
LARGEST_BATCH = 10_000 * RECORD_SIZE
RED, GREEN, BLUE = 0.299, 0.587, 0.114


def parse_grey_batch(content: bytes) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
    """Return the images in grey, pixels row by row, and the labels.

    Grey is the luma 0.299 R + 0.587 G + 0.114 B, rounded to a byte.
    """
    if not content or len(content) % RECORD_SIZE:
        raise ValueError(f"a batch must be records of {RECORD_SIZE} bytes, but has {len(content)} bytes")
    if len(content) > LARGEST_BATCH:
        raise ValueError(f"a batch must have at most {LARGEST_BATCH} bytes, but has {len(content)}")
    records = np.frombuffer(content, dtype=np.uint8).reshape(-1, RECORD_SIZE)
    red, green, blue = (records[:, 1 + k * N_PIXELS : 1 + (k + 1) * N_PIXELS] for k in range(3))
    # Integer arithmetic, or another order of summation, would round the many exact halves differently.
    luma = np.multiply(red, RED, dtype=np.float64)
    luma += np.multiply(green, GREEN, dtype=np.float64)
    luma += np.multiply(blue, BLUE, dtype=np.float64)
    return np.rint(luma).astype(np.uint8), records[:, 0].copy()


BATCHES = (*(f"data_batch_{number}.bin" for number in range(1, 6)), "test_batch.bin")
FOLDER_IN_ARCHIVE = "cifar-10-batches-bin"


MOST_MEMBERS = 100
"""Files the archive may list (the original lists eight); each takes memory before it is read."""

ARRAYS_SHA256 = {
    "x_train": "7656778107064641342985bc17af3d0a7f534afaf2fecd1fef4730930273245b",
    "y_train": "ba729687f712355b4a1217ed4f11a9f0bcd32c9dc8438df944e7210748d35182",
    "x_valid": "f0e48c7a847d080d5390fb9806e02c2dae4d375f691eb9785e3fcfd51c28db7e",
    "y_valid": "2ddf3ab27d5d04409c94ce7b56849c243129c10de1058ae0bfe14c77e934800c",
    "x_test": "d050f088761b8ba583ca9fb64d58f18f0de90c28fb8283d7e567b8580b871007",
    "y_test": "cec8a24a1e92aa2ecaa0bbd3dbfa86bf6cd8759fbd209a832824c8cf0afca9d5",
}


def parse_tar(content: bytes) -> list[Batch]:
    """Return the six batches of the archive, in any of its folders."""
    batches: dict[str, Batch] = {}
    with tarfile.open(fileobj=io.BytesIO(content), mode="r:") as archive:
        for member in itertools.islice(archive, MOST_MEMBERS):
            name = PurePosixPath(member.name).name
            if name in BATCHES and member.isreg() and (file := archive.extractfile(member)):
                batches[name] = parse_grey_batch(file.read(LARGEST_BATCH + 1))
    missing = [name for name in BATCHES if name not in batches]
    if missing:
        raise ValueError(f"it must hold {', '.join(BATCHES)}, but lacks {', '.join(missing)}")
    return [batches[name] for name in BATCHES]


def assemble(*batches: Batch) -> Splits:
    """Combine the six batches: four for training, the fifth for validation, the last for test."""
    *train, valid, test = batches
    inputs, labels = zip(*train, strict=True)
    return Splits(Split(np.concatenate(inputs), np.concatenate(labels)), Split(*valid), Split(*test))


CIFAR = Description(
    title="CIFAR",
    what="CIFAR-10 photographs (32×32) of ten kinds of things, in grey; values divided by 255.",
    origin=PublicFiles(
        formats=(
            archive_format("cifar10_grey.npz", ARRAYS_SHA256),
            FileFormat(
                ("cifar-10-binary.tar",), parse_tar, lambda batches: assemble(*batches), ARRAYS_SHA256
            ),
            FileFormat(BATCHES, parse_grey_batch, assemble, ARRAYS_SHA256),
            FileFormat(
                tuple(f"{FOLDER_IN_ARCHIVE}/{name}" for name in BATCHES),
                parse_grey_batch,
                assemble,
                ARRAYS_SHA256,
            ),
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
                size=170_052_171,
                # Projects that pin this archive agree on the digest of the compressed file.
                digest_of="file",
            ),
        ),
        label_error=0.9,
        deviation=0.1955,
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
