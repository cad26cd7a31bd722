"""Files that exist but are wrong raise their own error, and never give a dataset."""

import bz2
import gzip
import io
import math
import os
import struct
import tarfile
import tracemalloc
import zipfile

import numpy as np
import pytest

from hebbian_descent import datasets
from hebbian_descent.datasets.dataset import Split, Splits
from hebbian_descent.datasets.formats import read_content
from hebbian_descent.datasets.validation import check_splits

SIZES = {"train": 5000, "valid": 1414, "test": 26_147}


@pytest.fixture
def adult_arrays():
    """Return arrays that are not ADULT, but near the two figures that the paper prints of it."""
    rng = np.random.default_rng(0)
    arrays = {}
    for part, size in SIZES.items():
        arrays[f"x_{part}"] = (rng.random((size, 123), dtype=np.float32) < 0.067).astype(np.uint8)
        arrays[f"y_{part}"] = (rng.random(size) < 0.24).astype(np.uint8)
    return arrays


def assert_damaged(folder, message, name="adult"):
    with pytest.raises(datasets.DatasetDamagedError, match=message) as caught:
        datasets.load(name, folder=folder)
    assert str(folder) in str(caught.value), "the message names the file"
    assert "hebbian-descent data fetch" in str(caught.value), "and what to do"


@pytest.mark.parametrize(
    ("key", "array", "message"),
    [
        (
            "x_train",
            np.zeros((5000, 122), np.uint8),
            r"x_train must be uint8 of shape \(5000, 123\), but is uint8",
        ),
        ("x_train", np.zeros((5000, 123)), r"but is float64 of shape \(5000, 123\)"),
        ("x_valid", np.zeros((1413, 123), np.uint8), r"x_valid must be uint8 of shape \(1414, 123\)"),
        ("y_test", np.zeros((26_147, 1), np.uint8), r"y_test must be uint8 of shape \(26147,\)"),
        ("y_train", np.full(5000, 2, np.uint8), "y_train must hold labels below 2, but holds 2"),
        ("x_test", np.full((26_147, 123), 7, np.uint8), "x_test must hold zeros and ones only, but holds 7"),
    ],
)
def test_an_archive_with_a_wrong_array_is_refused(adult_arrays, tmp_path, key, array, message):
    np.savez_compressed(tmp_path / "adult.npz", **(adult_arrays | {key: array}))
    assert_damaged(tmp_path, message)


@pytest.mark.parametrize(
    ("missing", "message"),
    [
        ("x_train", "must hold x_train and y_train, but holds y_train, x_valid"),
        ("x_valid", "the valid part must hold 1414 patterns, but is missing"),
        ("y_test", "y_test must hold 26147 labels, but is missing"),
    ],
)
def test_an_archive_that_lacks_an_array_is_refused(adult_arrays, tmp_path, missing, message):
    del adult_arrays[missing]
    np.savez_compressed(tmp_path / "adult.npz", **adult_arrays)
    assert_damaged(tmp_path, message)


def test_a_part_too_many_is_refused():
    def zeros(n):
        return Split(np.broadcast_to(np.uint8(0), (n, 784)), np.zeros(n, np.uint8))

    with pytest.raises(
        ValueError, match=r"x_valid must be uint8 of shape \(0, 784\), but is uint8 of shape \(5,"
    ):
        check_splits(Splits(zeros(60_000), zeros(5), zeros(10_000)), datasets.describe("mnist"))


def test_pickles_are_never_executed(tmp_path):
    np.savez(tmp_path / "adult.npz", x_train=np.array([print], dtype=object))
    assert_damaged(tmp_path, "x_train: an array must hold numbers, but holds object")


def test_a_bare_array_is_no_archive(tmp_path):
    with (tmp_path / "adult.npz").open("wb") as file:
        np.save(file, np.zeros(3))
    assert_damaged(tmp_path, "File is not a zip file")


@pytest.mark.parametrize("keep", [0, 10, 5000, -1])
def test_a_truncated_archive_is_refused(adult_arrays, tmp_path, keep):
    np.savez(tmp_path / "adult.npz", **adult_arrays)
    content = (tmp_path / "adult.npz").read_bytes()
    (tmp_path / "adult.npz").write_bytes(content[:keep])
    assert_damaged(tmp_path, "is damaged or not the file its name says")


def test_an_archive_with_a_changed_byte_is_refused(adult_arrays, tmp_path):
    np.savez(tmp_path / "adult.npz", **adult_arrays)
    content = bytearray((tmp_path / "adult.npz").read_bytes())
    content[300_000] ^= 1
    (tmp_path / "adult.npz").write_bytes(content)
    assert_damaged(tmp_path, "Bad CRC-32")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a9a.gz", gzip.compress(b"-1 3:1\n" * 5000, mtime=0)[:-20]),
        ("a9a.gz", b"no gzip file at all"),
        ("a9a.bz2", b"no bzip2 file at all"),
        ("a9a", b"<html>login first</html>"),
        ("a9a", b""),
    ],
)
def test_a_broken_public_file_is_refused(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    assert_damaged(tmp_path, "is damaged or not the file its name says")


@pytest.mark.parametrize("content", [b"", b"not a tar", gzip.compress(b"\0" * 100_000)[:-30]])
def test_a_broken_tar_archive_is_refused(tmp_path, content):
    (tmp_path / "cifar-10-binary.tar.gz").write_bytes(content)
    assert_damaged(tmp_path, "is damaged or not the file its name says", name="cifar")


def test_files_that_do_not_belong_together_are_all_named(tmp_path):
    for name, shape in {
        "train-images-idx3-ubyte": (0, 28, 28),
        "train-labels-idx1-ubyte": (60_000,),
        "t10k-images-idx3-ubyte": (10_000, 28, 28),
        "t10k-labels-idx1-ubyte": (10_000,),
    }.items():
        header = struct.pack(f">HBB{len(shape)}I", 0, 8, len(shape), *shape)
        (tmp_path / name).write_bytes(header.ljust(len(header) + math.prod(shape), b"\0"))
    assert_damaged(
        tmp_path, r"One of .*train-images.*t10k-labels.* x_train must be .* shape \(0, 784\)", "mnist"
    )


def test_a_replaced_file_is_read_anew(adult_arrays, tmp_path):
    for value in (0, 1):
        adult_arrays["x_train"][0] = value
        np.savez(tmp_path / "adult.npz", **adult_arrays)
        with pytest.warns(datasets.UnpublishedDataWarning):
            assert datasets.load("adult", folder=tmp_path).train.inputs[0].max() == value


def test_a_file_one_may_not_read_is_no_damage(monkeypatch, tmp_path):
    (tmp_path / "adult.npz").write_bytes(b"secret")
    # Simulated, since the superuser may read everything.
    monkeypatch.setattr("hebbian_descent.datasets.formats.open_regular", refuse)
    with pytest.raises(datasets.DataFolderError, match="must be readable, but is not: Permission denied"):
        datasets.load("adult", folder=tmp_path)


def refuse(*args, **kwargs):
    raise PermissionError(13, "Permission denied")


def written_archive(folder, arrays, change=lambda member: None, compression=zipfile.ZIP_DEFLATED):
    """Write arrays as np.savez does; `change` may alter what the archive says of each."""
    with zipfile.ZipFile(folder / "adult.npz", "w", compression) as archive:
        for name, array in arrays.items():
            content = io.BytesIO()
            np.lib.format.write_array(content, array)
            archive.writestr(f"{name}.npy", content.getvalue())
        for member in archive.infolist():
            change(member)
    return folder / "adult.npz"


@pytest.mark.parametrize("compression", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_an_archive_compressed_in_a_way_that_cannot_be_bounded_is_refused(tmp_path, compression):
    written_archive(tmp_path, {"x_train": np.zeros((5000, 123), np.uint8)}, compression=compression)
    assert_damaged(
        tmp_path, f"x_train: an array must be stored or deflated, but has compression {compression}"
    )


def test_an_encrypted_archive_is_refused(tmp_path):
    written_archive(
        tmp_path, {"x_train": np.zeros(3, np.uint8)}, lambda member: setattr(member, "flag_bits", 1)
    )
    path = tmp_path / "adult.npz"
    path.write_bytes(path.read_bytes().replace(b"PK\3\4\x14\0\0\0", b"PK\3\4\x14\0\1\0"))
    assert_damaged(tmp_path, "is encrypted, password required")


def npy(header, content=b""):
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + content


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("{'descr': '|u1', 'fortran_order': False, 'shape': (4611686018427387904, 8)}", "at most 67108864"),
        ("{'descr': '|u1', 'fortran_order': False, 'shape': (-1,)}", "states the shape"),
        (
            "{'descr': '|u1', 'fortran_order': False, 'shape': (0, 4611686018427387904)}",
            "0 bytes, but has more",
        ),
        ("{'descr': '|S0', 'fortran_order': False, 'shape': (3,)}", "must hold numbers"),
        ("{'descr': '|u1', 'shape': (9,)}", "the header of an array must say its shape and its type"),
        ("(" * 9000, "."),
        ("-" * 9000 + "1", "."),
        ("\0", "."),
        (" " * 20_000, "the header of an array must say its shape and its type"),
    ],
)
def test_forged_headers_of_arrays_are_refused_before_they_take_memory(tmp_path, header, message):
    with zipfile.ZipFile(tmp_path / "adult.npz", "w") as archive:
        archive.writestr("x_train.npy", npy(header, b"123456789"))
    assert_damaged(tmp_path, message)


BOMBS = {
    "gzip": ("a9a.gz", lambda: gzip.compress(bytes(80_000_000)), "its content must have at most 16"),
    "bzip2": ("a9a.bz2", lambda: bz2.compress(bytes(80_000_000)), "its content must have at most 16"),
    "empty lines": ("a9a.bz2", lambda: bz2.compress(b"1\n" * 500_000), "at most 100000, but holds 500000"),
    "archive": (
        "adult.npz",
        lambda: archive_bomb(),
        "x_train: an array must have at most 67108864 bytes",
    ),
    "many arrays": ("adult.npz", lambda: b"PK\1\2" * 5000, "must list at most 1000 arrays"),
}


def archive_bomb():
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        header = "{'descr': '|u1', 'fortran_order': False, 'shape': (80000000,)}"
        archive.writestr("x_train.npy", npy(header, bytes(80_000_000)))
    return packed.getvalue()


@pytest.mark.parametrize("kind", BOMBS)
def test_a_small_file_with_huge_content_takes_little_memory(tmp_path, kind):
    name, bomb, message = BOMBS[kind]
    (tmp_path / name).write_bytes(bomb())
    tracemalloc.start()
    try:
        assert_damaged(tmp_path, message)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 60e6


def test_a_tar_of_links_to_each_other_is_refused(tmp_path):
    with tarfile.open(tmp_path / "cifar-10-binary.tar", "w") as archive:
        for number in range(1, 6):
            link = tarfile.TarInfo(f"data_batch_{number}.bin")
            link.type, link.linkname = tarfile.SYMTYPE, f"data_batch_{number % 5 + 1}.bin"
            archive.addfile(link)
    assert_damaged(tmp_path, r"lacks data_batch_1\.bin", "cifar")


@pytest.mark.parametrize("kind", ["pipe", "folder", "device"])
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes in the file system")
def test_what_is_no_regular_file_is_not_waited_for(tmp_path, kind):
    make = {
        "pipe": os.mkfifo,
        "folder": os.mkdir,
        "device": lambda path: os.symlink("/dev/zero", path),
    }
    make[kind](tmp_path / "adult.npz")
    with pytest.raises(datasets.DatasetUnavailableError):
        datasets.load("adult", folder=tmp_path, download=False)
    with pytest.raises((ValueError, IsADirectoryError)):  # swapped in after the file was found
        read_content(tmp_path / "adult.npz")
