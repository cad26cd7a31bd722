"""What the command learns is what partial_fit learns from the same rows, bit for bit."""

import csv
import gzip
import re
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
import scipy.sparse
from sklearn.datasets import dump_svmlight_file
from sklearn.utils import murmurhash3_32

from hebbian_descent import HebbianDescentClassifier, HebbianDescentRegressor, load
from hebbian_descent.streams import Checkpoint, block, csv_blocks, libsvm_blocks, progressive

LEARN = [sys.executable, "-c", "from hebbian_descent.cli import main; main()", "learn"]


def assert_same_bits(found, expected):
    for name in ("coef_", "bias_", "offset_", "classes_"):
        assert getattr(found, name, np.zeros(0)).tolist() == getattr(expected, name, np.zeros(0)).tolist()
    assert found.n_samples_seen_ == expected.n_samples_seen_


@pytest.fixture(params=[2**20, 2000])
def read_size(request, monkeypatch):
    """Read files at once, or in many small blocks."""
    monkeypatch.setattr(csv_blocks, "READ_SIZE", request.param)
    monkeypatch.setattr(libsvm_blocks, "READ_SIZE", request.param)


@pytest.mark.usefixtures("read_size")
def test_columns_of_numbers_are_taken_as_they_are(succeed, numbers_file, examples, tmp_path):
    _, said = succeed("learn", numbers_file, "--target", "y", "--model", tmp_path / "model")
    assert "Classification: 'y'" in said
    assert "5 columns of numbers" in said
    assert_same_bits(load(tmp_path / "model"), HebbianDescentClassifier().partial_fit(*examples))


COLOURS = ["red", 'a "quoted" word', "with, comma", "two\nlines", "", " red", "ä→"]


def table():
    """A table with everything: numbers, gaps, quotes, line breaks; text labels."""
    rng = np.random.default_rng(1)
    size = 300
    gaps = np.where(rng.random(size) < 0.2, "", rng.normal(size=size).round(3).astype(str)).tolist()
    gaps[3], gaps[5] = "NA", "?"
    colour = rng.choice(COLOURS, size).tolist()
    return {
        "size": gaps,
        "colour": colour,
        "shape": rng.choice(["round", "square"], size).tolist(),
        "kind": ["warm" if "r" in word else "cold" for word in colour],
    }


def encoded(columns, bits):
    """Return the inputs by the rule of the documentation, in naive loops."""
    X = np.zeros((len(columns["size"]), 1 + 2**bits))
    for row, size in enumerate(columns["size"]):
        X[row, 0] = 0 if size in ("", "NA", "?") else float(size)
        for name in ("colour", "shape"):
            X[row, 1 + murmurhash3_32(f"{name}={columns[name][row].strip()}", positive=True) % 2**bits] += 1
    return X


@pytest.mark.usefixtures("read_size")
@pytest.mark.parametrize("bits", [10, 2])  # with 2, columns share inputs
def test_text_is_hashed_and_gaps_count_as_zero(bits, succeed, write_table, tmp_path):
    path = write_table(**table())
    options = ["--target", "kind", "--model", tmp_path / "model", "--hash-bits", bits]
    _, said = succeed("learn", path, *options)
    assert f"1 column of numbers, 2 columns of text, hashed into 2^{bits} inputs" in said
    rows = scipy.sparse.csr_array(encoded(table(), bits))
    expected = HebbianDescentClassifier().partial_fit(rows, table()["kind"])
    assert_same_bits(load(tmp_path / "model"), expected)


def test_the_hash_is_the_same_everywhere(write_table, succeed, tmp_path):
    """The inputs of these two values are part of the format of models."""
    path = write_table(colour=["red", "blue", "red"], y=["a", "b", "a"])
    succeed("learn", path, "--target", "y", "--model", tmp_path / "model")
    used = np.flatnonzero(load(tmp_path / "model").coef_.any(axis=0))
    assert used.tolist() == [145920, 238209]


def test_parquet_is_learned_as_csv(succeed, write_table, tmp_path, monkeypatch):
    columns = table()
    csv_path = write_table(**columns)
    sizes = [None if size in ("", "NA", "?") else float(size) for size in columns["size"]]
    shapes = pa.array(columns["shape"]).dictionary_encode()
    colours = [word or None for word in columns["colour"]]
    batch = pa.table({"size": sizes, "colour": colours, "shape": shapes, "kind": columns["kind"]})
    pyarrow.parquet.write_table(batch, tmp_path / "data.parquet", row_group_size=70)
    for path in (csv_path, tmp_path / "data.parquet"):
        succeed("learn", path, "--target", "kind", "--model", tmp_path / f"{path.name}.model")
    found, expected = (load(tmp_path / f"data.{kind}.model") for kind in ("parquet", "csv"))
    assert_same_bits(found, expected)


@pytest.mark.usefixtures("read_size")
@pytest.mark.parametrize("zero_based", [True, False])
def test_an_index_of_libsvm_text_is_the_place_of_its_input(zero_based, succeed, examples, tmp_path):
    X, y = examples[0].round(3), examples[1]
    path = tmp_path / "data.svm"
    with open(path, "wb") as file:
        file.write(b"# a comment\n\n")
        dump_svmlight_file(X * (X > 0), y * 2 - 1, file, zero_based=zero_based)
    succeed("learn", path, "--model", tmp_path / "model", "--hash-bits", 3)
    wide = np.zeros((len(X), 8))
    first = 0 if zero_based else 1
    wide[:, first : first + 5] = X * (X > 0)
    expected = HebbianDescentClassifier().partial_fit(scipy.sparse.csr_array(wide), y * 2 - 1)
    assert_same_bits(load(tmp_path / "model"), expected)


def test_standard_input_and_compressed_files_are_learned_as_files(succeed, numbers_file, tmp_path):
    succeed("learn", numbers_file, "--target", "y", "--model", tmp_path / "file")
    (tmp_path / "data.csv.gz").write_bytes(gzip.compress(numbers_file.read_bytes()))
    succeed("learn", tmp_path / "data.csv.gz", "--target", "y", "--model", tmp_path / "packed")
    piped = subprocess.Popen(
        [*LEARN, "-", "--target", "y", "--model", tmp_path / "piped"], stdin=subprocess.PIPE
    )
    for part in re.findall(rb"(?s).{1,10000}", numbers_file.read_bytes()):
        piped.stdin.write(part)
        piped.stdin.flush()
    piped.stdin.close()
    assert piped.wait(timeout=120) == 0
    expected = (tmp_path / "file").read_bytes()
    assert (tmp_path / "packed").read_bytes() == expected
    assert (tmp_path / "piped").read_bytes() == expected


def test_tabs_and_other_delimiters(succeed, numbers_file, tmp_path):
    succeed("learn", numbers_file, "--target", "y", "--model", tmp_path / "model")
    expected = (tmp_path / "model").read_bytes()
    text = numbers_file.read_text()
    (tmp_path / "data.tsv").write_text(text.replace(",", "\t"))
    (tmp_path / "semicolons.csv").write_text(text.replace(",", ";").replace("\n", "\r\n"))
    for path, options in (("data.tsv", []), ("semicolons.csv", ["--delimiter", ";"])):
        succeed("learn", tmp_path / path, "--target", "y", "--model", tmp_path / "model", *options)
        assert (tmp_path / "model").read_bytes() == expected


def test_parameters_of_the_estimator_can_be_set(succeed, numbers_file, examples, tmp_path):
    options = ["--set", "learning_rate=0.25", "--set", "rule=gradient_descent"]
    succeed("learn", numbers_file, "--target", "y", "--model", tmp_path / "model", *options)
    expected = HebbianDescentClassifier(learning_rate=0.25, rule="gradient_descent").partial_fit(*examples)
    assert_same_bits(load(tmp_path / "model"), expected)


def test_columns_can_be_ignored_or_taken_as_text(succeed, write_table, tmp_path):
    path = write_table(id=[1, 2, 3], code=[10, 20, 10], x=[0.5, 1.5, 2.5], y=[0, 1, 0])
    options = ["--ignore", "id", "--text", "code", "--target", "y", "--model", tmp_path / "model"]
    succeed("learn", path, *options)
    encoding = Checkpoint.load(tmp_path / "model").encoding
    assert (encoding.numbers, encoding.texts) == (("x",), ("code",))


@pytest.mark.parametrize(
    ("targets", "task", "kind"),
    [
        (["a", "b", "a"], None, "text"),
        (["True", "False", "True"], None, "text"),
        ([0, 1, 0], None, "whole"),
        ([-1.0, 1.0, 1.0], None, "whole"),
        ([0.5, 1, 2], None, "number"),
        (list(range(21)), None, "number"),
        (list(range(21)), "classification", "whole"),
        ([0, 1, 0], "regression", "number"),
        ([0.5, 1, 0.5], "classification", "text"),
    ],
)
def test_the_task_follows_from_the_target(targets, task, kind, succeed, write_table, tmp_path):
    path = write_table(x=np.linspace(0, 1, len(targets)).tolist(), y=targets)
    options = [] if task is None else ["--task", task]
    _, said = succeed("learn", path, "--target", "y", "--model", tmp_path / "model", *options)
    stream = Checkpoint.load(tmp_path / "model")
    assert stream.encoding.target_kind == kind
    assert ("Classification" if kind != "number" else "Regression") in said
    if kind == "text":
        assert set(stream.estimator.classes_) == set(map(str, targets))


def printed(said):
    """Return the table of errors."""
    lines = [line.split() for line in said.splitlines() if re.fullmatch(r"[ \d,.]+", line)]
    return [(int(rows.replace(",", "")), float(error), float(recent)) for rows, error, recent in lines]


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_every_row_is_predicted_before_it_is_learned(task, succeed, numbers_file, examples, tmp_path):
    X, y = examples
    options = ["--target", "y", "--model", tmp_path / "model", "--task", task]
    _, said = succeed("learn", numbers_file, *options)
    ends = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 700]
    new = HebbianDescentClassifier if task == "classification" else HebbianDescentRegressor
    losses, expected = [float(y[0] ** 2) if task == "regression" else 1.0], []
    estimator = new().partial_fit(X[:1], y[:1])
    for start, end in pairwise(ends):
        predicted = estimator.predict(X[start:end])
        differ = predicted != y[start:end] if task == "classification" else (predicted - y[start:end]) ** 2
        losses.extend(differ)
        estimator.partial_fit(X[start:end], y[start:end])
    start = 0
    for end in ends:
        errors = np.mean(losses[:end]), np.mean(losses[start:end])
        expected.append((end, *(np.sqrt(errors) if task == "regression" else errors)))
        start = end
    np.testing.assert_allclose(printed(said), expected, atol=0.5001e-4)
    assert ("error rate" if task == "classification" else "RMSE") in said
    assert "Learned 700 rows" in said


@pytest.mark.parametrize(("width", "longest"), [(20, 1024), (3000, 256), (2**20, 1), (2**25, 1)])
def test_steps_are_short_where_rows_are_wide_and_do_not_depend_on_where_they_begin(width, longest):
    ends = [end for _, end in progressive.steps(0, 5000, width)]
    assert ends[-1] == 5000
    assert max(end - start for start, end in pairwise([0, *ends])) == longest
    assert {1, 2, 4, 1024, 4096} <= set(ends)
    for begin in (1, 700, 1024, 4999):
        begun = [end for end in ends if end > begin]
        assert [end for _, end in progressive.steps(begin, 5000, width)] == begun


def test_passes_and_more_of_them_later(succeed, numbers_file, examples, tmp_path):
    options = ["--target", "y", "--model", tmp_path / "model", "--resume"]
    succeed("learn", numbers_file, *options, "--passes", 2)
    expected = HebbianDescentClassifier().partial_fit(*examples).partial_fit(*examples)
    assert_same_bits(load(tmp_path / "model"), expected)
    _, said = succeed("learn", numbers_file, *options, "--passes", 3)
    assert "in pass 3, of rows learned before" in said
    assert_same_bits(load(tmp_path / "model"), expected.partial_fit(*examples))
    _, said = succeed("learn", numbers_file, *options, "--passes", 3)
    assert "nothing was left" in said


def test_an_earlier_model_learns_more(succeed, numbers_file, examples, tmp_path):
    header, *rows = numbers_file.read_text().splitlines(keepends=True)
    (tmp_path / "first.csv").write_text("".join([header, *rows[:300]]))
    (tmp_path / "second.csv").write_text("".join([header, *rows[300:]]))
    succeed("learn", tmp_path / "first.csv", "--target", "y", "--model", tmp_path / "first")
    succeed("learn", tmp_path / "second.csv", "--initial", tmp_path / "first", "--model", tmp_path / "both")
    assert_same_bits(load(tmp_path / "both"), HebbianDescentClassifier().partial_fit(*examples))
    assert load(tmp_path / "first").n_samples_seen_ == 300


def test_blocks_of_any_size_hold_the_rows_that_pythons_reader_finds(tmp_path, monkeypatch):
    rng = np.random.default_rng(2)
    words = [*COLOURS, '"', '""', "\r\n", ",", "plain", "5"]
    rows = rng.choice(words, size=(200, 3)).tolist()
    with open(tmp_path / "data.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["a", "b", "c"], *rows])
    for size in (1, 7, 50, 300, 10**6):
        monkeypatch.setattr(csv_blocks, "READ_SIZE", size)
        with open(tmp_path / "data.csv", "rb") as file:
            blocks = list(csv_blocks.csv_blocks(file, "data.csv", ","))
        found = [row for part in blocks for row in zip(*map(part.texts, "abc"), strict=True)]
        assert found == [tuple(row) for row in rows]
        assert sum(map(len, blocks)) == len(rows)


@pytest.fixture
def without_pyarrow(monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] == "pyarrow"]:
        monkeypatch.setitem(sys.modules, name, None)


def lines_of(values):
    """Write numbers in as many ways as there are, some of them missing."""
    forms = ["{!r}", "{:.3e}", "+{:.17g}", " {:.6f}", "{:.0f}", "NA", "", "nan", "?"]
    return [
        ",".join(forms[(row + place) % 9].format(abs(value)) for place, value in enumerate(pair)) + "\n"
        for row, pair in enumerate(values.tolist())
    ]


@pytest.mark.parametrize("forms", ["plain", "any"])
def test_every_parser_gives_the_same_bits(forms, request):
    rng = np.random.default_rng(3)
    values = np.ldexp(rng.normal(size=(2000, 2)), rng.integers(-1000, 1000, (2000, 2)))
    plain = [f"{a!r},{b!r}\n" for a, b in values.tolist()]
    lines = plain if forms == "plain" else lines_of(values)
    cells = zip(*(line.strip("\n").split(",") for line in lines), strict=True)
    expected = np.column_stack([block.as_numbers(column) for column in cells])
    part = csv_blocks.CsvBlock({"a": 0, "b": 1}, "file", ",", 2, lines, None)
    np.testing.assert_array_equal(part.numbers(["a", "b"]), expected)
    if forms == "plain":
        np.testing.assert_array_equal(csv_blocks._by_arrow(lines, ",", 2, [0, 1]), values)
    request.getfixturevalue("without_pyarrow")
    np.testing.assert_array_equal(part.numbers(["a", "b"]), expected)
    np.testing.assert_array_equal(part.numbers(["b"])[:, 0], expected[:, 1])


@pytest.mark.usefixtures("without_pyarrow")
def test_csv_needs_no_pyarrow(succeed, numbers_file, examples, tmp_path):
    succeed("learn", numbers_file, "--target", "y", "--model", tmp_path / "model")
    assert_same_bits(load(tmp_path / "model"), HebbianDescentClassifier().partial_fit(*examples))


@pytest.mark.usefixtures("without_pyarrow")
def test_parquet_names_the_extra_that_it_needs(command, tmp_path):
    path = tmp_path / "data.parquet"
    path.touch()
    code, _, errors = command("learn", path, "--target", "y", "--model", tmp_path / "model")
    assert code == 2
    assert errors.strip() == (
        "Reading Parquet needs pyarrow, which is not installed: pip install 'hebbian-descent[parquet]'"
    )


def test_a_cell_that_makes_text_of_numbers_is_named(command, succeed, write_table, tmp_path):
    numbers = [*map(str, range(30)), "n.a.", *map(str, range(9))]
    path = write_table(age=numbers, y=[0, 1] * 20)
    options = ("--target", "y", "--model", tmp_path / "model")
    _, said = succeed("learn", path, *options)
    note = (
        f"Note: {path}, line 32: the column 'age' is treated as text because of 'n.a.'; the rest are numbers."
    )
    assert note in said
    assert "Note" not in succeed("learn", path, *options, "--text", "age")[1], "which confirms it"
    words = write_table("words.csv", age=["young", "old"] * 20, y=[0, 1] * 20)
    assert "Note" not in succeed("learn", words, *options)[1]


def test_parameters_are_checked_and_may_be_in_lower_case(command, succeed, write_table, tmp_path):
    path, model = write_table(x=[0.5, 1.5] * 5, y=[0, 1] * 5), tmp_path / "model"
    succeed("learn", path, "--target", "y", "--model", model, "--set", "average=false")
    assert load(model).average is False
    code, _, said = command("learn", path, "--target", "y", "--model", model, "--set", "averge=false")
    assert code == 2
    assert "Did you mean 'average'" in said
