"""Files of patterns: what is read, and what is refused before memory is taken or anything waits."""

import io
import os
import re
import tracemalloc
import zipfile

import numpy as np
import pytest

from hebbian_descent.cli.pattern_files import read_patterns

PATTERNS = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


def npy(header: str, content: bytes = bytes(48)) -> bytes:
    text = header.encode("latin-1") + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + content


def of_shape(shape: str, dtype: str = "'<f8'") -> bytes:
    return npy(f"{{'descr': {dtype}, 'fortran_order': False, 'shape': {shape}}}")


def npz(method: int = zipfile.ZIP_STORED, content: bytes | None = None) -> bytearray:
    file, array = io.BytesIO(), io.BytesIO()
    np.save(array, PATTERNS)
    with zipfile.ZipFile(file, "w", method) as archive:
        archive.writestr("inputs.npy", array.getvalue() if content is None else content)
    return bytearray(file.getvalue())


def encrypted() -> bytearray:
    content = npz()
    for place in (6, content.index(b"PK\x01\x02") + 8):
        content[place] |= 1
    return content


def with_another_checksum() -> bytearray:
    content = npz()
    content[content.index(np.float64(6.0).tobytes())] ^= 1
    return content


@pytest.mark.parametrize("dtype", ["<f8", ">f4", "<f2", "i1", ">u2"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_are_read_as_numpy_wrote_them(tmp_path, dtype, order):
    array = np.asarray(PATTERNS, dtype, order)
    np.save(tmp_path / "x.npy", array)
    np.savez_compressed(tmp_path / "x.npz", inputs=array, other=array[:1])
    for name in ("x.npy", "x.npz:inputs"):
        found = read_patterns(str(tmp_path / name))
        np.testing.assert_array_equal(found, array)
        assert found.dtype == array.dtype
        assert found.flags.writeable


@pytest.mark.parametrize(
    "text",
    [
        "1,2,3\n4,5,6\n",
        "a,b,c\n1,2,3\n4,5,6",
        "1,2,3\r\n4,5,6\r\n",
        "1,2,3 # note\n4,5,6",
        "# note\n1,2,3\n4,5,6",
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_lines_of_numbers_are_read_with_and_without_names(tmp_path, text, encoding):
    (tmp_path / "x.csv").write_bytes(text.encode(encoding))
    np.testing.assert_array_equal(read_patterns(str(tmp_path / "x.csv")), PATTERNS)


def test_a_first_line_with_a_missing_number_is_no_line_of_names(tmp_path):
    (tmp_path / "x.csv").write_text("1,,3\n4,5,6\n")
    with pytest.raises(ValueError, match="'' in line 1, column 2"):
        read_patterns(str(tmp_path / "x.csv"))


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("x.npy", b"", "array of numbers"),
        ("x.npy", of_shape(f"({2**62},)"), "states the shape"),
        ("x.npy", of_shape(f"({10**40}, 2)"), "states the shape"),
        ("x.npy", of_shape(f"({'1,' * 65})"), "array of numbers"),
        ("x.npy", of_shape("(-1, -6)"), "states the shape"),
        ("x.npy", of_shape("(2, 3)", "'|O'"), "holds object"),
        ("x.npy", of_shape("(2,)", "[('a', '<f8')]"), "an array of"),
        ("x.npy", of_shape("(2, 3)", "'<U4'"), "an array of"),
        ("x.npy", of_shape("(7,)"), "but has 48"),
        ("x.npy", npy("(" * 5000), "array of numbers"),
        ("x.npy", npy("__import__('os').system('true')"), "array of numbers"),
        ("x.npz", b"PK\x03\x04", "whole .npz archive"),
        ("x.npz", encrypted(), "password"),
        ("x.npz", npz(zipfile.ZIP_LZMA), "stored or deflated"),
        ("x.npz", npz(zipfile.ZIP_BZIP2), "stored or deflated"),
        ("x.npz", npz().replace(b"\x00\x00", b"\x09\x00"), "whole .npz archive"),
        ("x.npz", with_another_checksum(), "CRC"),
        ("x.npz", npz(content=b"no array"), "whole .npz archive"),
        ("x.npz", npz(content=of_shape("(2, 3)") + b"more"), "but has more"),
        ("x.csv", "1,2\n3,4\n".encode("utf-16"), "in UTF-8"),
        ("x.csv", b"1,2\n3,\x004\n", "separated by commas"),
        ("x.csv", b"1,2\n3\n", "separated by commas"),
        ("x.csv", b"1,2\n" + b"9" * 100_000 + b"x,4\n", "separated by commas"),
    ],
)
def test_damage_is_one_sentence_that_names_the_file(tmp_path, name, content, reason):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=rf"The file '.*{name}' must .*{reason}"):
        read_patterns(str(tmp_path / name))


def test_a_bomb_is_refused_before_memory_is_taken(tmp_path):
    bomb = of_shape("(32768, 32768)", "'|u1'") + bytes(2**22)
    (tmp_path / "x.npz").write_bytes(npz(zipfile.ZIP_DEFLATED, bomb))
    del bomb
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="states the shape"):
            read_patterns(str(tmp_path / "x.npz"))
        assert tracemalloc.get_traced_memory()[1] < 2**20
    finally:
        tracemalloc.stop()


def test_what_is_no_file_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe.npy")  # nobody writes to it: opening it would wait for ever
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "loop.npz").symlink_to(tmp_path / "loop.npz")
    for name in ("pipe.npy", "folder.csv"):
        with pytest.raises(ValueError, match=f"{name}' must be a readable file"):
            read_patterns(str(tmp_path / name))
    with pytest.raises(OSError, match=r"loop\.npz"):
        read_patterns(str(tmp_path / "loop.npz"))


BROKEN = {
    "empty.npy": (b"", "but is empty"),
    "text.npy": (b"hello world", "but begins with b'hello wo'"),
    "header.npy": (b"\x93NUMPY\x01\x00\xff\xff" + b"{" * 70000, "the header of an array must say its shape"),
    "long.npy": (npy("{" + " " * 20000 + "}"), "the header of an array must say its shape"),
    "words.csv": (b"a,b\n1,2\n3,x\n", "Got: 'x' in line 3, column 2."),
    "ragged.csv": (b"1,2\n\n3,4,5\n", "Got: 3 numbers in line 3, but 2 in the lines before."),
    "cut.npz": (bytes(npz()[:50]), "a file that is not an archive, or only part of one"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_described_in_our_own_words(name, tmp_path):
    content, words = BROKEN[name]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=re.escape(words)) as caught:
        read_patterns(str(tmp_path / name))
    for word in ("pickle", "unsafe", "usecols", "float64", "magic", "zip"):
        assert word not in str(caught.value).replace(str(tmp_path), "")


def test_one_dimension_gets_the_right_advice(tmp_path):
    np.save(tmp_path / "t.npy", np.arange(40.0))
    with pytest.raises(ValueError, match=r"for one number per pattern, save array\[:, np.newaxis\]"):
        read_patterns(str(tmp_path / "t.npy"))
