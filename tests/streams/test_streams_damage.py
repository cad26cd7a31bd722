"""Damaged files of every format: refused in one sentence, never with an exception of a library."""

import gzip

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from hebbian_descent.streams import Encoding, Source

N_ROWS = 2000
RNG = np.random.default_rng(0)
NUMBERS = RNG.normal(size=(2, N_ROWS)).round(6)
WORDS = RNG.choice(["red", "green", "blue"], N_ROWS)
LABELS = RNG.integers(0, 2, N_ROWS)
CSV = "a,b,word,y\n" + "".join(
    f"{a},{b},{word},{y}\n" for a, b, word, y in zip(*NUMBERS, WORDS, LABELS, strict=True)
)
LIBSVM = "".join(f"{y} 1:{a} 7:{b}\n" for a, b, y in zip(*NUMBERS, LABELS, strict=True))


def parquet(**columns):
    sink = pa.BufferOutputStream()
    pyarrow.parquet.write_table(pa.table(columns), sink, write_page_checksum=True)
    return sink.getvalue().to_pybytes()


FILES = {
    "csv": CSV.encode(),
    "csv.gz": gzip.compress(CSV.encode()),
    "svm": LIBSVM.encode(),
    "svm.gz": gzip.compress(LIBSVM.encode()),
    "parquet": parquet(a=NUMBERS[0], b=NUMBERS[1], word=WORDS, y=LABELS),
}


def examples_of(path):
    """Return inputs and targets as learning sees them."""
    source = Source.of(str(path))
    blocks = list(source.blocks())
    encoding = Encoding.of(blocks[0], source, target="label" if ".svm" in str(path) else "y", hash_bits=6)
    parts = [encoding.examples(block) for block in blocks]
    inputs = [part.toarray() if hasattr(part, "toarray") else part for part, _ in parts]
    return np.concatenate(inputs), np.concatenate([targets for _, targets in parts])


def damaged(content, rng):
    """Return bytes of which one bit is flipped, or some are cut off, removed, doubled or overwritten."""
    place, length = int(rng.integers(len(content))), int(rng.integers(1, 30))
    before, there, after = content[:place], content[place : place + length], content[place + length :]
    flipped = bytes([content[place] ^ 1 << int(rng.integers(8))])
    kinds = [before + flipped + content[place + 1 :]] * 4
    kinds += [before, before + after, before + 2 * there + after, before + rng.bytes(length) + after]
    return kinds[rng.integers(len(kinds))]


@pytest.mark.parametrize("ending", FILES)
def test_a_damaged_file_is_read_or_refused_with_its_name(ending, tmp_path):
    path, rng = tmp_path / f"data.{ending}", np.random.default_rng(0)
    refusals = []
    for _ in range(300):
        path.write_bytes(damaged(FILES[ending], rng))
        try:
            examples_of(path)
        except ValueError as error:
            refusals.append(str(error))
    assert refusals
    for refusal in refusals:
        assert str(path) in refusal or "column" in refusal or "index" in refusal
        assert "\n" not in refusal


def test_a_flipped_bit_in_a_page_of_parquet_is_detected(tmp_path):
    path, rng, content = tmp_path / "data.parquet", np.random.default_rng(0), FILES["parquet"]
    path.write_bytes(content)
    expected = examples_of(path)
    end_of_pages = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    n_refused = 0
    for place in rng.integers(4, end_of_pages, 300):
        path.write_bytes(content[:place] + bytes([content[place] ^ 4]) + content[place + 1 :])
        try:
            found = examples_of(path)
        except ValueError:
            n_refused += 1
        else:
            for values, wanted in zip(found, expected, strict=True):
                np.testing.assert_array_equal(values, wanted)
    assert n_refused > 250


@pytest.mark.parametrize(
    ("ending", "content"),
    [
        ("svm", b"1 2147483648:1\n"),
        ("svm", b"1 99999999999999999999999:1\n"),
        ("csv", b"a,a,y\n1,2,3\n"),
        ("parquet", pa.table([[1.0], [2.0], [3]], names=["a", "a", "y"])),
        ("parquet", b"PAR1"),
        ("parquet", b""),
    ],
)
def test_what_cannot_be_a_table_is_refused(ending, content, command, tmp_path):
    path = tmp_path / f"data.{ending}"
    if isinstance(content, pa.Table):
        pyarrow.parquet.write_table(content, path)
    else:
        path.write_bytes(content)
    target = [] if ending == "svm" else ["--target", "y"]
    code, _, errors = command("learn", path, *target, "--model", tmp_path / "model")
    assert (code, str(path) in errors, "bug" in errors) == (2, True, False)
