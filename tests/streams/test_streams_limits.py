"""Files larger than the memory that a process may use, and processes that are killed."""

import gzip
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from hebbian_descent import HebbianDescentClassifier, load
from hebbian_descent.streams import Checkpoint, parquet_blocks
from hebbian_descent.streams.block import LONGEST_ROW

resource = pytest.importorskip("resource", reason="limits of a process are Unix's")

MAIN = "from hebbian_descent.cli import main; main()"
LEARN = [sys.executable, "-c", MAIN, "learn"]
ROOM = 32 * 2**20
"""Bytes that a process may use beyond those of its libraries."""
LIMITED = """
import re, resource, sys
from hebbian_descent.cli import main


def learn_and_predict(data):
    for arguments in (
        ["learn", data, "--target", "y", "--ignore", "note", "--model", f"{data}.model"],
        ["predict", f"{data}.model", data, "--output", f"{data}.predicted"],
    ):
        sys.argv[1:] = arguments
        try:
            main()
        except SystemExit as ended:
            assert not ended.code, arguments


small, large, room = sys.argv[1:]
learn_and_predict(small)  # with which the libraries are loaded
used = 1024 * int(re.search(r"VmData:\\s+(\\d+) kB", open("/proc/self/status").read())[1])
resource.setrlimit(resource.RLIMIT_DATA, (used + int(room), used + int(room)))
try:
    open(large, "rb").read()
except MemoryError:
    learn_and_predict(large)
else:
    sys.exit("the whole file fits into memory")
"""


def write_rows(path, n_rows, *, padding=0):
    """Write a file of two classes, row after row."""
    rng = np.random.default_rng(0)
    filler = "x" * padding
    with open(path, "w") as file:
        file.write("a,b,c,note,y\n")
        for _ in range(0, n_rows, 1000):
            X = rng.normal(size=(1000, 3)).round(4)
            for (a, b, c), y in zip(X.tolist(), (X.sum(axis=1) > 0).tolist(), strict=True):
                file.write(f"{a},{b},{c},{filler},{y:d}\n")
    return path


@pytest.mark.long
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc, and a limit that is kept")
def test_a_file_may_be_larger_than_memory(tmp_path):
    n_rows, padding = 60_000, 4000
    small = write_rows(tmp_path / "small.csv", 1000)
    large = write_rows(tmp_path / "large.csv", n_rows, padding=padding)
    assert large.stat().st_size > 7 * ROOM
    command = [sys.executable, "-c", LIMITED, str(small), str(large), str(ROOM)]
    one_thread = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=one_thread)
    assert done.returncode == 0, done.stderr
    assert load(tmp_path / "large.csv.model").n_samples_seen_ == n_rows
    with open(tmp_path / "large.csv.predicted") as file:
        assert sum(1 for _ in file) == 1 + n_rows


def killed_after_a_checkpoint(command, model, feed=None):
    """Start a command, feed its standard input, and kill it when it has written a checkpoint."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        if feed is not None:
            process.stdin.write(feed)
            process.stdin.flush()  # and leave the pipe open, so that the stream does not end
        waiting_since = time.monotonic()
        while not model.exists():
            assert process.poll() is None
            assert time.monotonic() - waiting_since < 120
            time.sleep(0.001)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdin.close()
    assert process.returncode == -signal.SIGKILL


@pytest.mark.long
@pytest.mark.parametrize("piped", [False, True])
def test_a_killed_stream_goes_on_to_the_same_bits(piped, succeed, tmp_path, monkeypatch):
    data = write_rows(tmp_path / "data.csv", 60_000, padding=20)
    expected, model = tmp_path / "expected", tmp_path / "model"
    source = "-" if piped else str(data)
    options = ["--target", "y", "--ignore", "note", "--checkpoint-every", "3000"]
    succeed("learn", data, *options, "--model", expected)
    arguments = [source, *options, "--model", str(model)]
    half = data.read_bytes()[: data.stat().st_size // 2]
    killed_after_a_checkpoint([*LEARN, *arguments], model, half if piped else None)

    rows = Checkpoint.load(model).position.rows
    assert 3000 <= rows < 60_000
    assert load(model).n_samples_seen_ == rows
    with open(data) as file:
        monkeypatch.setattr(sys, "stdin", file)
        _, said = succeed("learn", *arguments, "--resume")
    assert f"Continuing after row {rows:,}." in said
    assert model.read_bytes() == expected.read_bytes()  # the errors in it included


def test_a_first_run_may_be_told_to_resume(succeed, numbers_file, examples, tmp_path):
    succeed("learn", numbers_file, "--target", "y", "--model", tmp_path / "model", "--resume")
    expected = HebbianDescentClassifier().partial_fit(*examples)
    np.testing.assert_array_equal(load(tmp_path / "model").coef_, expected.coef_)


def test_a_malformed_row_can_be_corrected_and_learning_resumed(command, succeed, tmp_path, monkeypatch):
    monkeypatch.setattr("hebbian_descent.streams.csv_blocks.READ_SIZE", 1000)
    data = write_rows(tmp_path / "data.csv", 3000)
    options = ["--target", "y", "--ignore", "note", "--checkpoint-every", 100]
    succeed("learn", data, *options, "--model", tmp_path / "expected")
    lines = data.read_text().splitlines(keepends=True)
    data.write_text("".join([*lines[:2000], "1,2\n", *lines[2001:]]))
    code, _, errors = command("learn", data, *options, "--model", tmp_path / "model")
    assert code == 2
    assert "line 2001" in errors
    data.write_text("".join(lines))
    succeed("learn", data, *options, "--model", tmp_path / "model", "--resume")
    assert (tmp_path / "model").read_bytes() == (tmp_path / "expected").read_bytes()


def test_ctrl_c_says_how_to_continue(command, numbers_file, tmp_path, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("hebbian_descent.cli.learn.learn_block", interrupt)
    options = ["--target", "y", "--model", tmp_path / "model"]
    code, _, errors = command("learn", numbers_file, *options)
    assert code == 130
    assert "was not written" in errors
    code, _, errors = command("learn", numbers_file, *options, "--checkpoint-every", 10)
    assert code == 130
    assert "--resume" in errors


# Small files that would fill the memory

CELLS = 400 * 2**20
"""Bytes that a file holds when it is unpacked, or when its texts are."""
PEAK = """
import resource, sys
from hebbian_descent.cli import main


def learn(data):
    sys.argv[1:] = ["learn", data, "--target", "label", "--model", f"{data}.model"]
    try:
        main()
    except SystemExit as ended:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, ended.code


ordinary, hostile = sys.argv[1:]
before, code = learn(ordinary)  # with which the libraries are loaded
assert not code
after, code = learn(hostile)
print(1024 * (after - before), code)
"""


def packed(start, repeated):
    """Return a writer of a gzip file that repeats a text: of one packed part, many times."""

    def write(path):
        part = repeated * (2**22 // len(repeated))
        path.write_bytes(gzip.compress(start) + gzip.compress(part) * (CELLS // len(part)))

    return write


def one_text_in_every_row(text, label):
    def write(path):
        codes = pa.array(np.zeros(CELLS // 2**20, np.int32))
        columns = {"a": np.arange(CELLS // 2**20), "label": np.arange(CELLS // 2**20) % 2}
        columns["label" if label else "text"] = pa.DictionaryArray.from_arrays(codes, [text])
        pa.parquet.write_table(pa.table(columns), path, compression="zstd")

    return write


HOSTILE_FILES = {
    "a line": ("csv.gz", packed(b"a,label\n", b"1" * 1024)),
    "a line of cells": ("csv.gz", packed(b"a,label\n", b"1,")),
    "a line of names": ("csv.gz", packed(b"", b"name")),
    "a quoted row": ("csv.gz", packed(b"a,label\n", b'"\n",')),
    "blank lines": ("csv.gz", packed(b"a,label\n1,0\n", b"\n" * 1024)),
    "blank lines of indices": ("svm.gz", packed(b"1 1:1\n", b" \n" * 512)),
    "quoted names": ("csv.gz", packed(b"", b'"\n",')),
    "an open quote": ("csv.gz", packed(b'a,label\n"', b"one\n")),
    "an index": ("svm.gz", packed(b"1 ", b"1")),
    "indices": ("svm.gz", packed(b"1", b" 1:1")),
    "a text": ("parquet", one_text_in_every_row("x" * 2**20, label=False)),
    "a label": ("parquet", one_text_in_every_row("x" * 2**20, label=True)),
    "a long text": ("parquet", one_text_in_every_row("x" * (LONGEST_ROW + 1), label=False)),
}
MEMORY = 200 * 2**20
"""Bytes: some copies of a row of the longest length."""


@pytest.mark.parametrize(("ending", "write"), HOSTILE_FILES.values(), ids=HOSTILE_FILES)
def test_a_small_file_takes_little_memory(ending, write, tmp_path):
    form = ending.split(".")[0]
    ordinary, hostile = tmp_path / f"ordinary.{form}", tmp_path / f"hostile.{ending}"
    if form == "parquet":
        pa.parquet.write_table(pa.table({"a": [1.0, 2.0], "label": ["a", "b"]}), ordinary)
    else:
        ordinary.write_text("0 1:1\n1 2:1\n" if form == "svm" else "a,label\n1,0\n2,1\n")
    write(hostile)
    assert hostile.stat().st_size < 4 * 2**20
    done = subprocess.run(
        [sys.executable, "-c", PEAK, ordinary, hostile], capture_output=True, text=True, check=True
    )
    more, code = done.stdout.split()
    assert int(more) < MEMORY
    if code != "0":
        assert (code, str(hostile) in done.stderr) == ("2", True), done.stderr
    assert "bug" not in done.stderr


@pytest.mark.parametrize("size", [parquet_blocks.LONGEST_TEXT, parquet_blocks.LONGEST_TEXT + 1])
def test_a_long_text_is_refused_unless_it_is_ignored(size, tmp_path, command):
    table = {"a": np.arange(4), "text": ["x", "x" * size, "y", "z"], "label": [0, 1, 0, 1]}
    pa.parquet.write_table(pa.table(table), tmp_path / "data.parquet")
    learn = ["learn", tmp_path / "data.parquet", "--target", "label", "--model"]
    assert not command(*learn, tmp_path / "of others", "--ignore", "text")[0]
    code, _, error = command(*learn, tmp_path / "of all")
    assert code == (2 if size > parquet_blocks.LONGEST_TEXT else 0)
    assert not code or "row 2: a text of 'text'" in error


def test_texts_that_are_packed_too_well_are_refused(tmp_path, command, monkeypatch):
    monkeypatch.setattr(parquet_blocks, "MOST_PACKED", 2**16)
    one_text_in_every_row("x" * 2**20, label=False)(tmp_path / "data.parquet")
    learn = "learn", tmp_path / "data.parquet", "--target", "label", "--model", tmp_path / "model"
    assert "the texts of 'text'" in command(*learn, "--ignore", "text")[2]
