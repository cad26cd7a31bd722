"""Predictions for files, and what is refused, in one sentence each."""

import csv
import io
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from hebbian_descent import HebbianDescentClassifier, load
from hebbian_descent.storage.models import read_model, write_model
from hebbian_descent.streams import Checkpoint, predict_block

PREDICT = [sys.executable, "-c", "from hebbian_descent.cli import main; main()", "predict"]


@pytest.fixture
def model(succeed, numbers_file, tmp_path):
    succeed("learn", numbers_file, "--target", "y", "--model", tmp_path / "model")
    return tmp_path / "model"


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_a_prediction_is_a_line_for_each_row(task, succeed, numbers_file, examples, tmp_path):
    model = tmp_path / "model"
    succeed("learn", numbers_file, "--target", "y", "--model", model, "--task", task)
    shown, errors = succeed("predict", model, numbers_file)
    heading, *lines = shown.splitlines()
    assert (heading, errors) == ("prediction", "")
    expected = load(model).predict(examples[0])
    assert len(lines) == len(expected)
    np.testing.assert_allclose(np.array(lines, float), expected, rtol=1e-12)
    output = tmp_path / "predictions.csv"
    assert succeed("predict", model, numbers_file, "--output", output) == ("", f"Wrote {output}\n")
    assert output.read_text() == shown


def test_what_is_saved_beside_them_meanwhile_does_not_disturb_predictions(
    model, succeed, numbers_file, tmp_path, monkeypatch
):
    def save_and_predict(stream, block):
        stream.save(tmp_path / "other")  # which removes what killed writers left
        return predict_block(stream, block)

    expected, _ = succeed("predict", model, numbers_file)
    monkeypatch.setattr("hebbian_descent.cli.predict.predict_block", save_and_predict)
    succeed("predict", model, numbers_file, "--output", tmp_path / "predictions")
    assert (tmp_path / "predictions").read_text() == expected
    assert not list(tmp_path.glob(".*"))


def test_columns_are_found_by_name_and_others_are_ignored(model, succeed, examples, write_table):
    columns = {f"x{number}": examples[0][:, number].tolist() for number in (3, 1, 4, 0, 2)}
    path = write_table("other.csv", note=["?"] * 700, **columns)
    shown, _ = succeed("predict", model, path)
    assert shown.split()[1:] == load(model).predict(examples[0]).astype(str).tolist()


def test_rows_come_from_standard_input(model, numbers_file, succeed):
    with open(numbers_file, "rb") as file:
        result = subprocess.run(
            [*PREDICT, model, "-"], stdin=file, capture_output=True, text=True, check=True
        )
    assert result.stdout == succeed("predict", model, numbers_file)[0]


def test_libsvm_text_from_standard_input_needs_no_format(succeed, tmp_path, monkeypatch):
    (tmp_path / "data.svm").write_text("1 1:0.5 3:2\n-1 2:1\n1 1:1\n")
    succeed("learn", tmp_path / "data.svm", "--model", tmp_path / "model", "--passes", 5)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"0 1:1\n0 2:1\n")))
    assert succeed("predict", tmp_path / "model", "-")[0] == "prediction\n1\n-1\n"


def test_labels_are_quoted_and_steer_neither_terminal_nor_spreadsheet(succeed, write_table, tmp_path):
    labels = ["a,b", 'c"d', "=1+1", "\x1b[2J", "plain"]
    path = write_table(**{f"x{n}": np.eye(5)[n].tolist() for n in range(5)}, y=labels)
    succeed("learn", path, "--target", "y", "--model", tmp_path / "model", "--passes", 20)
    shown, _ = succeed("predict", tmp_path / "model", path)
    found = [row[0] for row in csv.reader(io.StringIO(shown))]
    assert found == ["prediction", "a,b", 'c"d', "'=1+1", r"\x1b[2J", "plain"]


def test_a_file_without_rows_has_no_predictions(model, succeed, tmp_path):
    (tmp_path / "empty.csv").write_text("x0,x1,x2,x3,x4\n")
    assert succeed("predict", model, tmp_path / "empty.csv")[0] == "prediction\n"


def test_a_file_that_is_refused_leaves_no_predictions(model, command, tmp_path):
    (tmp_path / "bad.csv").write_text("x0,x1,x2,x3,x4\n1,2,3,4,5\n1,2,three,4,5\n")
    output = tmp_path / "predictions.csv"
    output.write_text("those of yesterday\n")
    *_, errors = command("predict", model, tmp_path / "bad.csv", "--output", output)
    assert "'three'" in errors
    assert output.read_text() == "those of yesterday\n"
    assert {path.name for path in tmp_path.iterdir() if path.name.startswith(".")} == set()
    assert command("predict", model, tmp_path / "bad.csv")[:2] == (2, "")


HEADER = "a,b,y\n"


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("", [], "must name the columns. Got an empty file"),
        (HEADER, [], "there must be rows to learn"),
        (HEADER + "1,2,0\n", ["--target", "z"], "must be one of a, b, y. Got 'z'"),
        (HEADER + "1,2,0\n1,2\n", [], "data.csv, line 3: a row must have 3 cells"),
        (HEADER + "1,2,0\n\n1,2,3,4\n", [], "data.csv, line 4: a row must have 3 cells"),
        (HEADER + '1,2,0\n"x\ny",2,0\n1,2\n', [], "data.csv, line 5: a row must have 3 cells"),
        (HEADER + '1,2,0\n1,"2"x,0\n', [], "data.csv, line 3: a row must be valid CSV"),
        (HEADER + '1,2,0\n1,"2,0\n', [], "a row must be valid CSV"),
        (HEADER + "1,inf,0\n", [], "data.csv, line 2: the numbers of 'b' must be finite"),
        (HEADER + "1,2,0\n1,2,\n", [], "data.csv, line 3: the target 'y' must be there. Got ''"),
        ("a,a,y\n1,2,0\n", [], "every column must have its own name. Got 'a' for column 2"),
        ("y\n1\n", [], "there must be a column to learn from"),
        (HEADER + "1,2,no\n", ["--task", "regression"], "must hold numbers for a regression"),
        (HEADER + "1,2,0\n", ["--task", "sorting"], "The task must be one of"),
        (HEADER + "1,2,0\n", ["--format", "excel"], "The format must be one of csv, libsvm, parquet"),
        (HEADER + "1,2,0\n", ["--hash-bits", "31"], "at most 30"),
        (HEADER + "1,2,0\n", ["--passes", "0"], "number of passes must be at least 1"),
        (HEADER + "1,2,0\n", ["--checkpoint-every", "0"], "at least 1"),
        (HEADER + "1,2,0\n", ["--delimiter", "::"], "one character"),
        (HEADER + "1,2,0\n", ["--set", "learning_rte=1"], "learning_rte"),
        (HEADER + "1,2,0\n", ["--set", "learning_rate=-1"], "learning rate must be at least 0"),
        (HEADER + "1,2,0\n", ["--set", "centering=mean"], 'Use centering="moving"'),
        (b"a,b,y\n1,\xff,0\n", [], "the text must be UTF-8"),
    ],
)
def test_learn_refuses_in_one_sentence(text, options, message, command, tmp_path):
    path = tmp_path / "data.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    target = [] if "--target" in options else ["--target", "y"]
    code, shown, errors = command("learn", path, *target, "--model", tmp_path / "model", *options)
    assert (code, shown) == (2, "")
    assert message in errors.splitlines()[-1]
    assert "bug in hebbian-descent" not in errors
    assert not (tmp_path / "model").exists()


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("1 1:0.5\nyes 1:0.5\n", "data.svm, line 2: a row must be a number"),
        ("# none\n1 1:0.5\n\n1 3:1 2:1\n", "data.svm, line 4: a row must be a number"),
        ("1 1:nan\n", "numbers must be finite"),
        ("1 1:1\n1 5:1 16:1\n", "data.svm, line 2: an index must be below 8, the number of inputs. Got 16"),
        ("", "there must be rows to learn"),
    ],
)
def test_malformed_libsvm_text_is_refused_with_its_line(rows, message, command, tmp_path):
    (tmp_path / "data.svm").write_text(rows)
    options = ["--model", tmp_path / "model", "--hash-bits", 3]
    code, _, errors = command("learn", tmp_path / "data.svm", *options)
    assert code == 2
    assert message in errors.splitlines()[-1]


def test_text_after_the_first_block_is_refused_with_its_line(command, tmp_path, monkeypatch):
    monkeypatch.setattr("hebbian_descent.streams.csv_blocks.READ_SIZE", 20)
    (tmp_path / "data.csv").write_text("a,y\n" + "1,0\n" * 50 + "one,0\n")
    code, _, errors = command("learn", tmp_path / "data.csv", "--target", "y", "--model", tmp_path / "model")
    assert code == 2
    assert "data.csv, line 52: the column 'a' must hold numbers" in errors
    assert "--text a" in errors


def test_a_label_of_another_kind_is_refused(command, tmp_path, monkeypatch):
    monkeypatch.setattr("hebbian_descent.streams.csv_blocks.READ_SIZE", 20)
    (tmp_path / "data.csv").write_text("a,y\n" + "1,0\n" * 50 + "1,0.5\n")
    code, _, errors = command("learn", tmp_path / "data.csv", "--target", "y", "--model", tmp_path / "model")
    assert code == 2
    assert "line 52: the target 'y' must be a whole number, as in the first rows. Got '0.5'" in errors


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["learn", "{folder}/missing.csv", "--target", "y"], "missing.csv"),
        (["learn", "{folder}/data.xlsx"], "--format must say what it holds"),
        (["learn", "-", "--format", "parquet"], "must be read from a file"),
        (["learn", "-", "--passes", "2"], "For several passes the rows must be in a file"),
        (["learn", "{folder}/text.parquet", "--target", "y"], "Parquet"),
        (["learn", "{folder}/cut.csv.gz", "--target", "y"], "must be whole and packed by gzip"),
    ],
)
def test_files_that_cannot_be_read(arguments, message, command, tmp_path):
    (tmp_path / "text.parquet").write_text("a,y\n1,2\n")
    (tmp_path / "cut.csv.gz").write_bytes(bytes.fromhex("1f8b0800000000000003"))
    arguments = [argument.format(folder=tmp_path) for argument in arguments]
    code, _, errors = command(*arguments, "--model", tmp_path / "model")
    assert code == 2
    assert message in errors
    assert "bug in hebbian-descent" not in errors


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (
            pa.array([1, 2], pa.date32()),
            "the column 'x' must hold numbers or text. Got date32[day]",
        ),
        (pa.array([1.0, float("inf")]), "row 2: the numbers of 'x' must be finite"),
    ],
)
def test_columns_of_parquet_that_are_neither_numbers_nor_text(column, message, command, tmp_path):
    path = tmp_path / "data.parquet"
    pyarrow.parquet.write_table(pa.table({"x": column, "y": ["a", "b"]}), path)
    code, _, errors = command("learn", path, "--target", "y", "--model", tmp_path / "model")
    assert code == 2
    assert message in errors


def test_a_column_of_parquet_must_stay_numbers(command, succeed, tmp_path):
    for name, values in (("first", [1, None]), ("second", ["one", "two"])):
        table = pa.table({"x": values, "y": [True, False]})
        pyarrow.parquet.write_table(table, tmp_path / f"{name}.parquet")
    options = ["--target", "y", "--model", tmp_path / "model"]
    succeed("learn", tmp_path / "first.parquet", *options)
    assert load(tmp_path / "model").classes_.tolist() == [0, 1]
    code, _, errors = command("predict", tmp_path / "model", tmp_path / "second.parquet")
    assert code == 2
    assert "the column 'x' must hold numbers. Got text" in errors


def test_the_folder_of_the_model_must_exist(command, numbers_file, tmp_path):
    code, _, errors = command("learn", numbers_file, "--target", "y", "--model", tmp_path / "no" / "model")
    assert code == 2
    assert "folder of a model file must exist" in errors


def test_a_file_with_other_columns_is_refused(model, command, write_table):
    path = write_table("other.csv", x0=[1], x1=[1], x2=[1], x3=[1], other=[1])
    code, _, errors = command("predict", model, path)
    assert code == 2
    assert "Missing: 'x4'; got 'x0', 'x1', 'x2', 'x3', 'other'" in errors


def test_a_file_of_another_format_is_refused(model, command, tmp_path):
    (tmp_path / "data.svm").write_text("1 1:1\n")
    code, _, errors = command("predict", model, tmp_path / "data.svm")
    assert code == 2
    assert "the format must be csv. Got libsvm" in errors


def test_a_model_without_columns_is_refused(command, numbers_file, tmp_path):
    HebbianDescentClassifier().partial_fit(np.eye(5), range(5)).save(tmp_path / "plain")
    code, _, errors = command("predict", tmp_path / "plain", numbers_file)
    assert code == 2
    assert "must have been learned from a stream" in errors


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (["--target", "x1"], "target must be as in"),
        (["--task", "regression"], "task must be as in"),
        (["--hash-bits", "12"], "hash_bits must be as in"),
        (["--text", "x1"], "text must be as in"),
        (["--ignore", "x1"], "ignore must be as in"),
        (["--set", "learning_rate=0.5"], "learning_rate must be as in"),
    ],
)
def test_what_goes_on_must_be_what_was_begun(option, message, model, command, numbers_file):
    before = model.read_bytes()
    code, _, errors = command("learn", numbers_file, "--model", model, "--resume", "--passes", 2, *option)
    assert code == 2
    assert message in errors
    assert model.read_bytes() == before


def forged(stream, **changes):
    return {**stream, **{part: {**stream[part], **values} for part, values in changes.items()}}


@pytest.mark.parametrize(
    "changes",
    [
        {"encoding": {"format": "excel"}},
        {"encoding": {"format": ["csv"]}},
        {"encoding": {"target_kind": None}},
        {"encoding": {"target": 7}},
        {"encoding": {"numbers": "x0"}},
        {"encoding": {"numbers": ["x0", "x0", "x1", "x2", "x3"]}},
        {"encoding": {"numbers": ["x0"]}},
        {"encoding": {"texts": ["z"], "hash_bits": 31}},
        {"encoding": {"more": 1}},
        {"encoding": {"target_kind": "number"}},
        {"position": {"rows": -1}},
        {"position": {"passes": 0.5}},
        {"position": {"checksum": 5}},
        {"tally": {"loss": "much"}},
        {"tally": {"examples": True}},
    ],
)
def test_a_forged_stream_is_refused(changes, model, command, numbers_file, tmp_path):
    found = read_model(model)
    attached = {"stream": forged(found.attached["stream"], **changes)}
    write_model(tmp_path / "forged", found.kind, *load(model)._contents(), attached=attached)
    code, _, errors = command("predict", tmp_path / "forged", numbers_file)
    assert code == 2
    assert str(tmp_path / "forged") in errors
    assert "bug in hebbian-descent" not in errors


def test_the_model_is_an_ordinary_one(model, command, examples):
    assert isinstance(load(model), HebbianDescentClassifier)
    assert load(model).score(*examples) > 0.8
    _, shown, _ = command("inspect", model)
    assert "stream.encoding.target" in shown
    assert Checkpoint.load(model).tally.examples == 700
