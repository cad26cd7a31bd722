"""A stream is resumed on the rows that it began with, or not at all."""

import csv
import gzip
import io
import sys
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from hebbian_descent import load
from hebbian_descent.streams import Checkpoint, Source, csv_blocks, libsvm_blocks, parquet_blocks
from hebbian_descent.streams.progressive import RowChecksum

RNG = np.random.default_rng(0)
ROWS = [
    [f"{a:.3f}", word, "yes" if a > 0 else "no"]
    for a, word in zip(RNG.normal(size=300), RNG.choice(["red", "blue", ""], 300), strict=True)
]
N_LEARNED = 128  # where the step ends after which there are more than 100, when a checkpoint is due
SMALL = ["--hash-bits", 4]
OTHERS = ["9.5", "green", "no"]


def as_csv(rows, names=("size", "colour", "kind"), **form):
    text = io.StringIO()
    csv.writer(text, **form).writerows([names, *rows])
    return text.getvalue().encode()


def as_libsvm(rows):
    words = ["red", "blue", "", "green"]
    lines = [f"{len(kind)} 0:{size} {2 + words.index(word)}:1\n" for size, word, kind in rows]
    return "".join(["# a comment\n\n", *lines]).encode()


def as_parquet(rows):
    sizes, colours, kinds = zip(*rows, strict=True)
    table = pa.table({"size": [*map(float, sizes)], "colour": colours, "kind": kinds})
    pyarrow.parquet.write_table(table, file := io.BytesIO(), row_group_size=70)
    return file.getvalue()


FORMS = {
    "data.csv": as_csv,
    "quoted.csv": lambda rows: as_csv(rows, quoting=csv.QUOTE_ALL),
    "data.csv.gz": lambda rows: gzip.compress(as_csv(rows)),
    "-": as_csv,
    "data.svm": as_libsvm,
    "data.parquet": as_parquet,
}


@pytest.fixture(params=FORMS)
def learn(request, monkeypatch, command, tmp_path):
    """Write rows in one of the forms, and run the command on them."""
    name = request.param
    options = ["--model", tmp_path / "model", "--checkpoint-every", 100, "--hash-bits", 4]
    options += [] if name == "data.svm" else ["--target", "kind"]

    def run(rows, *more):
        content = FORMS[name](rows)
        if name == "-":
            monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))
        else:
            (tmp_path / name).write_bytes(content)
        return command("learn", "-" if name == "-" else tmp_path / name, *options, *more)

    return run


@pytest.fixture
def stop(monkeypatch):
    """Run a command that is stopped after its first checkpoint."""
    save = Checkpoint.save

    def save_and_stop(stream, path):
        save(stream, path)
        raise KeyboardInterrupt

    def run(command):
        with monkeypatch.context() as patch:
            patch.setattr(Checkpoint, "save", save_and_stop)
            assert command()[0] == 130

    return run


@pytest.fixture
def model(learn, stop, tmp_path):
    """A model that has learned the first rows; steps end where it was saved."""
    stop(lambda: learn(ROWS))
    assert Checkpoint.load(tmp_path / "model").position.rows == 128
    return tmp_path / "model"


def test_the_same_rows_are_resumed(learn, model):
    code, _, errors = learn(ROWS, "--resume")
    assert (code, "Continuing after row 128" in errors) == (0, True)
    resumed = model.read_bytes()
    model.unlink()
    assert learn(ROWS)[0] == 0
    assert model.read_bytes() == resumed


def test_the_same_rows_are_resumed_in_other_blocks(learn, model, monkeypatch):
    for module in (csv_blocks, libsvm_blocks, parquet_blocks):
        monkeypatch.setattr(module, "READ_SIZE", 700)
    assert learn(ROWS, "--resume")[0] == 0
    assert load(model).n_samples_seen_ == 300


@pytest.mark.parametrize("place", [0, 60, N_LEARNED - 1])
@pytest.mark.parametrize("column", [0, 1])
def test_a_changed_row_is_refused(place, column, learn, model):
    before = model.read_bytes()
    rows = [list(row) for row in ROWS]
    rows[place][column] = OTHERS[column]
    code, _, errors = learn(rows, "--resume")
    assert code == 2
    assert "the first 128 rows must be those that were learned before, which --resume skips. Got" in errors
    assert "--initial" in errors
    assert model.read_bytes() == before


def test_rows_in_another_order_are_refused(learn, model):
    assert learn([ROWS[1], ROWS[0], *ROWS[2:]], "--resume")[0] == 2


def test_rows_that_were_not_learned_may_change(learn, model):
    assert learn([*ROWS[:N_LEARNED], OTHERS, *ROWS[N_LEARNED + 1 :]], "--resume")[0] == 0
    assert load(model).n_samples_seen_ == 300


def test_a_file_may_have_grown(learn, stop, tmp_path):
    stop(lambda: learn(ROWS[:130]))
    assert learn(ROWS, "--resume")[0] == 0
    grown = (tmp_path / "model").read_bytes()
    (tmp_path / "model").unlink()
    assert learn(ROWS)[0] == 0
    assert (tmp_path / "model").read_bytes() == grown


def test_a_file_that_became_shorter_is_refused(learn, model):
    code, _, errors = learn(ROWS[: N_LEARNED - 1], "--resume")
    assert code == 2
    assert "the 128 rows that were learned before must still be there. Got 127: give" in errors


def test_another_pass_needs_the_rows_of_the_last_one(succeed, command, tmp_path):
    path, options = tmp_path / "data.csv", ["--target", "kind", "--model", tmp_path / "model", *SMALL]
    path.write_bytes(as_csv(ROWS))
    succeed("learn", path, *options)
    before = (tmp_path / "model").read_bytes()
    path.write_bytes(as_csv([*ROWS[:-1], OTHERS]))
    code, _, errors = command("learn", path, *options, "--resume", "--passes", 2)
    assert code == 2
    assert "the first 300 rows must be those that were learned before" in errors
    assert (tmp_path / "model").read_bytes() == before
    _, said = succeed("learn", path, *options, "--resume")
    assert (
        f"nothing was left for {tmp_path / 'model'}. To learn other rows on top of it, use --initial" in said
    )
    path.write_bytes(as_csv([*ROWS, OTHERS]))
    succeed("learn", path, *options, "--resume", "--passes", 2)
    assert load(tmp_path / "model").n_samples_seen_ == 300 + 301


def test_columns_that_change_places_are_refused(stop, command, tmp_path):
    rows = [[size, size[::-1].replace(".", ""), kind] for size, _, kind in ROWS]
    path, options = tmp_path / "data.csv", ["--target", "kind", "--model", tmp_path / "model", *SMALL]
    path.write_bytes(as_csv(rows))
    stop(lambda: command("learn", path, *options, "--checkpoint-every", 100))
    path.write_bytes(as_csv(rows, names=("colour", "size", "kind")))
    assert command("learn", path, *options, "--resume")[0] == 2


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n\r\n"])
def test_line_ends_do_not_count(end, stop, command, tmp_path):
    path, options = tmp_path / "data.csv", ["--target", "kind", "--model", tmp_path / "model", *SMALL]
    path.write_bytes(as_csv(ROWS[:N_LEARNED]).rstrip() + end)
    stop(lambda: command("learn", path, *options, "--checkpoint-every", N_LEARNED))
    assert Checkpoint.load(tmp_path / "model").position.rows == N_LEARNED
    path.write_bytes(as_csv(ROWS).replace(b"\r\n", b"\n"))
    assert command("learn", path, *options, "--resume")[0] == 0


CELLS = ["red", 'a "quoted" word', "with, comma", "two\nlines", "", "\r\n", "ä→", "5"]


def checksum_of(path, monkeypatch, size, delimiter=None):
    for module in (csv_blocks, libsvm_blocks, parquet_blocks):
        monkeypatch.setattr(module, "READ_SIZE", size)
    checksum = RowChecksum()
    for block in Source.of(str(path), None, delimiter).blocks():
        for cut in (slice(0, 3), slice(3, len(block))):
            if len(range(*cut.indices(len(block)))):
                checksum.add(block.content(cut, ["a", "b", "c"]))
    return checksum.hexdigest()


def test_a_checksum_depends_on_cells_and_not_on_blocks_quotes_or_delimiters(tmp_path, monkeypatch):
    rows = RNG.choice(CELLS, size=(100, 3)).tolist() + [["1", "2", "3"]] * 100
    names = ("a", "b", "c")
    (tmp_path / "one.csv").write_bytes(as_csv(rows, names))
    (tmp_path / "two.csv").write_bytes(as_csv(rows, names, quoting=csv.QUOTE_ALL, delimiter=";"))
    found = {checksum_of(tmp_path / "one.csv", monkeypatch, size) for size in (1, 50, 300, 10**6)}
    found |= {checksum_of(tmp_path / "two.csv", monkeypatch, size, ";") for size in (1, 300)}
    assert len(found) == 1
    for place, cell in ((0, "other"), (199, "1.0")):
        changed = [list(row) for row in rows]
        changed[place][1] = cell
        (tmp_path / "one.csv").write_bytes(as_csv(changed, names))
        found.add(checksum_of(tmp_path / "one.csv", monkeypatch, 300))
    (tmp_path / "one.csv").write_bytes(as_csv([["a,b", "c"]], ("a", "b")))
    (tmp_path / "two.csv").write_bytes(as_csv([["a", "b,c"]], ("a", "b")))
    found |= {checksum_of(tmp_path / name, monkeypatch, 300) for name in ("one.csv", "two.csv")}
    assert len(found) == 5


def test_a_checksum_of_parquet_does_not_depend_on_where_numbers_are_missing(tmp_path, monkeypatch):
    numbers = [None if place % 37 == 0 else place for place in range(200)]
    texts = [None if place % 41 == 0 else str(place) for place in range(200)]
    table = pa.table({"a": numbers, "b": pa.array(texts).dictionary_encode(), "c": [True] * 200})
    found = set()
    for size, group in ((10**6, 200), (10**6, 13), (240, 200), (240, 50)):
        pyarrow.parquet.write_table(table, tmp_path / "data.parquet", row_group_size=group)
        found.add(checksum_of(tmp_path / "data.parquet", monkeypatch, size))
    assert len(found) == 1
