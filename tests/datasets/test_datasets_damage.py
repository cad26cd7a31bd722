"""Files that are there but wrong get an error of their own, and never a dataset."""

import gzip
import math
import struct

import numpy as np
import pytest

from hebbian_descent import datasets
from hebbian_descent.datasets.dataset import Split, Splits
from hebbian_descent.datasets.validation import check_splits

SIZES = {"train": 5000, "valid": 1414, "test": 26_147}


@pytest.fixture
def adult_arrays():
    arrays = {}
    for part, size in SIZES.items():
        arrays[f"x_{part}"] = np.zeros((size, 123), dtype=np.uint8)
        arrays[f"y_{part}"] = np.zeros(size, dtype=np.uint8)
    return arrays


def assert_damaged(folder, message, name="adult"):
    with pytest.raises(datasets.DatasetDamagedError, match=message) as caught:
        datasets.load(name, folder=folder)
    assert str(folder) in str(caught.value), "the message names the file"
    assert "hebbian-descent data fetch" in str(caught.value), "and what to do"


def test_an_archive_as_described_is_read(adult_arrays, tmp_path):
    np.savez_compressed(tmp_path / "adult.npz", **adult_arrays)
    assert len(datasets.load("adult", folder=tmp_path).test) == 26_147


@pytest.mark.parametrize(
    ("key", "array", "message"),
    [
        (
            "x_train",
            np.zeros((5000, 122), np.uint8),
            r"x_train must be uint8 of shape \(5000, 123\), and is uint8",
        ),
        ("x_train", np.zeros((5000, 123)), r"and is float64 of shape \(5000, 123\)"),
        ("x_valid", np.zeros((1413, 123), np.uint8), r"x_valid must be uint8 of shape \(1414, 123\)"),
        ("y_test", np.zeros((26_147, 1), np.uint8), r"y_test must be uint8 of shape \(26147,\)"),
        ("y_train", np.full(5000, 2, np.uint8), "y_train must hold labels below 2, and holds 2"),
        ("x_test", np.full((26_147, 123), 7, np.uint8), "x_test must hold zeros and ones only, and holds 7"),
    ],
)
def test_an_archive_with_a_wrong_array_is_refused(adult_arrays, tmp_path, key, array, message):
    np.savez_compressed(tmp_path / "adult.npz", **(adult_arrays | {key: array}))
    assert_damaged(tmp_path, message)


@pytest.mark.parametrize(
    ("missing", "message"),
    [
        ("x_train", "must hold x_train and y_train, and holds y_train, x_valid"),
        ("x_valid", "the valid part must hold 1414 patterns, and is missing"),
        ("y_test", "y_test must hold 26147 labels, and is missing"),
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
        ValueError, match=r"x_valid must be uint8 of shape \(0, 784\), and is uint8 of shape \(5,"
    ):
        check_splits(Splits(zeros(60_000), zeros(5), zeros(10_000)), datasets.describe("mnist"))


def test_pickles_are_never_executed(tmp_path):
    np.savez(tmp_path / "adult.npz", x_train=np.array([print], dtype=object))
    assert_damaged(tmp_path, "Object arrays cannot be loaded")


def test_a_bare_array_is_no_archive(tmp_path):
    with (tmp_path / "adult.npz").open("wb") as file:
        np.save(file, np.zeros(3))
    assert_damaged(tmp_path, "must hold named arrays, and holds a single one")


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
    np.savez(tmp_path / "adult.npz", **adult_arrays)
    assert datasets.load("adult", folder=tmp_path).train.inputs.max() == 0
    adult_arrays["x_train"][0, 0] = 1
    np.savez(tmp_path / "adult.npz", **adult_arrays)
    assert datasets.load("adult", folder=tmp_path).train.inputs.max() == 1


def test_a_file_one_may_not_read_is_no_damage(monkeypatch, tmp_path):
    (tmp_path / "adult.npz").write_bytes(b"secret")
    # Acted, since the superuser may read everything.
    monkeypatch.setattr("pathlib.Path.open", refuse)
    with pytest.raises(
        datasets.DataFolderError, match="must be readable by you, and is not: Permission denied"
    ):
        datasets.load("adult", folder=tmp_path)


def refuse(*args, **kwargs):
    raise PermissionError(13, "Permission denied")
