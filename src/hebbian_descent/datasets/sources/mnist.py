"""MNIST: 60,000 handwritten digits to learn from and 10,000 to test on, in the idx format."""

from __future__ import annotations

import math
import struct

import numpy as np
import numpy.typing as npt

from hebbian_descent.datasets.dataset import Description, FileFormat, PublicFiles, RemoteFile, Split, Splits
from hebbian_descent.datasets.formats import archive_format

UNSIGNED_BYTE = 0x08


def parse_idx(content: bytes) -> npt.NDArray[np.uint8]:
    """Return the array of unsigned bytes that an idx file holds."""
    if len(content) < 4:
        raise ValueError(
            f"an idx file has a header of at least 4 bytes, but this one ends after {len(content)}"
        )
    zero, element_type, n_dimensions = struct.unpack(">HBB", content[:4])
    if zero != 0 or element_type != UNSIGNED_BYTE or n_dimensions == 0:
        raise ValueError(
            f"an idx file of bytes begins with 00 00 08, but this one with {content[:3].hex(' ')}"
        )
    header_size = 4 + 4 * n_dimensions
    if len(content) < header_size:
        raise ValueError(f"the header must have {header_size} bytes, but ends after {len(content)}")
    shape = struct.unpack(f">{n_dimensions}I", content[4:header_size])
    expected = header_size + math.prod(shape)
    if len(content) != expected:
        raise ValueError(f"an array of shape {shape} takes {expected} bytes, but the file has {len(content)}")
    return np.frombuffer(content, dtype=np.uint8, offset=header_size).reshape(shape)


HOMES = (
    "https://ossci-datasets.s3.amazonaws.com/mnist",
    "https://storage.googleapis.com/cvdf-datasets/mnist",
    "https://raw.githubusercontent.com/fgnt/mnist/master",
)

FILES = {  # size and SHA-256 of the decompressed content
    "train-images-idx3-ubyte": (
        47_040_016,
        "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
    ),
    "train-labels-idx1-ubyte": (60_008, "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"),
    "t10k-images-idx3-ubyte": (7_840_016, "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7"),
    "t10k-labels-idx1-ubyte": (10_008, "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"),
}
ARRAYS_SHA256 = {
    "x_train": "741c988805d008ac6e4c904b69001ba184c24b2c540a4ef403f4c71b676cf757",
    "y_train": "1feba77c54802fa5339a11837ea4b2866434b83314ec45192930f1df69120c13",
    "x_test": "6d87418db22cc8025d05968bec9bd5c3932904b23485740db143a061a2c9d161",
    "y_test": "ddeff807876a9661a1110d45c266c86239a3a1b7d37da0c3716a7a683c852ff5",
}

Bytes = npt.NDArray[np.uint8]


def assemble(train_images: Bytes, train_labels: Bytes, test_images: Bytes, test_labels: Bytes) -> Splits:
    """Combine the arrays of the four files, one image per row."""
    return Splits(
        train=Split(_as_rows(train_images), train_labels), test=Split(_as_rows(test_images), test_labels)
    )


def _as_rows(images: Bytes) -> Bytes:
    n_images, *image_shape = images.shape
    return images.reshape(n_images, math.prod(image_shape))


MNIST = Description(
    title="MNIST",
    what="Grey images (28×28) of handwritten digits; values divided by 256, as the paper's authors did.",
    origin=PublicFiles(
        formats=(
            archive_format("mnist.npz", ARRAYS_SHA256),
            FileFormat(tuple(FILES), parse_idx, assemble, ARRAYS_SHA256),
        ),
        downloads=tuple(
            RemoteFile(f"{name}.gz", tuple(f"{home}/{name}.gz" for home in HOMES), sha256, size)
            for name, (size, sha256) in FILES.items()
        ),
        label_error=0.8865,
        deviation=0.1496,
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
