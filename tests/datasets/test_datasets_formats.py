"""The parsers of the public formats, on small files written here and on the real ones."""

import struct

import numpy as np
import pytest

from hebbian_descent.datasets.folder import find_file
from hebbian_descent.datasets.formats import parse_binary_libsvm, read_content
from hebbian_descent.datasets.sources.cifar import parse_grey_batch
from hebbian_descent.datasets.sources.connect import parse_connect
from hebbian_descent.datasets.sources.mnist import parse_idx

IDX = struct.pack(">HBB3I", 0, 8, 3, 2, 2, 3) + bytes(range(12))
SQUARES = ",".join("xbo" * 14).encode()


def test_idx_holds_an_array_of_any_shape():
    np.testing.assert_array_equal(parse_idx(IDX), np.arange(12).reshape(2, 2, 3))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "header of at least 4 bytes, but this one ends after 0"),
        (b"\x1f\x8b\x08\x00", "begins with 00 00 08, but this one with 1f 8b 08"),
        (IDX[:10], "header must have 16 bytes, but ends after 10"),
        (IDX[:-1], r"shape \(2, 2, 3\) takes 28 bytes, but the file has 27"),
        (IDX + b"!", r"takes 28 bytes, but the file has 29"),
    ],
)
def test_a_damaged_idx_file_is_told_by_its_damage(content, message):
    with pytest.raises(ValueError, match=message):
        parse_idx(content)


@pytest.mark.parametrize(
    "content",
    [b"-1 1:1 3:1\n+1 2:1\n0\n", b"-1 1:1 3:1 \r\n+1 2:1 \r\n\r\n0 \r\n", b"\n-1 1:1 3:1\n+1 2:1\n0"],
)
def test_libsvm_lines_may_end_in_any_way(content):
    inputs, labels = parse_binary_libsvm(content, 3)
    assert inputs.tolist() == [[1, 0, 1], [0, 1, 0], [0, 0, 0]]
    assert labels.tolist() == [-1, 1, 0]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"1 1:1 4:1\n", r"indices must lie in 1\.\.3, but range from 1 to 4"),
        (b"1 0:1 2:1\n", r"indices must lie in 1\.\.3, but range from 0 to 2"),
        (b"1 1:0.5\n", "a line must read"),
        (b"1 1:10\n", "a line must read"),
        (b"win 1:1\n", "a line must read"),
        (b"<html>404</html>", "a line must read"),
        (b"", "must hold one row per line, at most 100000, but holds 0"),
    ],
)
def test_what_is_no_binary_libsvm_file_is_refused(content, message):
    with pytest.raises(ValueError, match=message):
        parse_binary_libsvm(content, 3)


@pytest.mark.parametrize("line_end", [b"\n", b"\r\n"])
def test_uci_squares_become_three_inputs_each(line_end):
    inputs, labels = parse_connect(
        line_end.join(SQUARES + b"," + outcome for outcome in (b"win", b"loss", b"draw"))
    )
    assert inputs.shape == (3, 126)
    assert inputs[0].tolist() == np.tile(np.eye(3, dtype=int), (14, 1)).ravel().tolist()
    assert labels.tolist() == [2, 0, 1]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "must hold one position per line, at most 100000, but holds 0"),
        (b"x,b,o,win\n", "must begin with 42 squares, but none does"),
        (SQUARES + b",win\nx,b,o,win\n", "but line 2 does not"),
        (SQUARES.replace(b"o", b"?", 1) + b",win\n", "but line 1 does not"),
        (SQUARES + b",lost\n", "must end in loss, draw, win, but one ends in b'lost'"),
    ],
)
def test_what_is_no_connect_file_is_refused(content, message):
    with pytest.raises(ValueError, match=message):
        parse_connect(content)


def test_a_cifar_record_becomes_grey_by_luma():
    red, green, blue = (bytes([value]) * 1024 for value in (10, 200, 30))
    inputs, labels = parse_grey_batch(b"\x07" + red + green + blue)
    assert labels.tolist() == [7]
    assert set(inputs.ravel().tolist()) == {round(0.299 * 10 + 0.587 * 200 + 0.114 * 30)}


@pytest.mark.parametrize("content", [b"", b"\x00" * 3072, b"\x00" * 3074])
def test_cifar_records_must_be_whole(content):
    with pytest.raises(ValueError, match=f"records of 3073 bytes, but has {len(content)} bytes"):
        parse_grey_batch(content)


@pytest.mark.parametrize(
    ("batch", "part"), [("cifar10_data_batch_1_first100", "train"), ("cifar10_test_batch_first100", "test")]
)
def test_real_cifar_records_give_the_grey_archive_to_the_byte(real_data, batch, part):
    inputs, labels = parse_grey_batch(read_content(find_file(real_data / "raw", f"{batch}.bin")))
    with np.load(real_data / "cifar10_grey.npz") as archive:
        np.testing.assert_array_equal(inputs, archive[f"x_{part}"][:100])
        np.testing.assert_array_equal(labels, archive[f"y_{part}"][:100])
