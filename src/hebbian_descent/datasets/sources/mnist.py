"""MNIST: handwritten digits, 60,000 to learn from and 10,000 to test on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from hebbian_descent.datasets.dataset import Split, Splits
from hebbian_descent.datasets.description import Description, Form, PublicFiles
from hebbian_descent.datasets.download.remote import RemoteFile
from hebbian_descent.datasets.formats.content import read_content
from hebbian_descent.datasets.formats.damage import reading
from hebbian_descent.datasets.formats.idx import parse_idx
from hebbian_descent.datasets.formats.npz import read_archive

HOMES = (
    "https://ossci-datasets.s3.amazonaws.com/mnist",
    "https://storage.googleapis.com/cvdf-datasets/mnist",
    "https://raw.githubusercontent.com/fgnt/mnist/master",
)

CONTENT_SHA256 = {
    "train-images-idx3-ubyte": "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
    "train-labels-idx1-ubyte": "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
    "t10k-images-idx3-ubyte": "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
    "t10k-labels-idx1-ubyte": "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
}


def _read_idx_files(paths: Sequence[Path]) -> Splits:
    train_images, train_labels, test_images, test_labels = map(_read_idx, paths)
    return Splits(
        train=Split(_as_rows(train_images), train_labels), test=Split(_as_rows(test_images), test_labels)
    )


def _as_rows(images: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    n_images, *image_shape = images.shape
    return images.reshape(n_images, math.prod(image_shape))


def _read_idx(path: Path) -> npt.NDArray[np.uint8]:
    with reading(path):
        return parse_idx(read_content(path))


MNIST = Description(
    title="MNIST",
    what="Grey images (28×28) of handwritten digits; values divided by 256, as the paper's authors did.",
    origin=PublicFiles(
        forms=(
            Form(("mnist.npz",), read_archive),
            Form(tuple(CONTENT_SHA256), _read_idx_files),
        ),
        downloads=tuple(
            RemoteFile(f"{name}.gz", tuple(f"{home}/{name}.gz" for home in HOMES), sha256)
            for name, sha256 in CONTENT_SHA256.items()
        ),
    ),
    n_features=28 * 28,
    n_train=60_000,
    n_test=10_000,
    class_names=tuple("0123456789"),
    image_shape=(28, 28),
    divisor=256,
    source="Y. LeCun, C. Cortes, C. J. C. Burges, The MNIST database of handwritten digits",
    licence="CC BY-SA 3.0",
)
