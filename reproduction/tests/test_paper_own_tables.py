"""Custom tables in a user's file: they are run, printed and edited, and mistakes are reported."""

import json
import sys
from pathlib import Path

import pytest

import hebbian_descent
from hebbian_descent.checks import as_count
from reproduction.extensions import errors_in

EXAMPLE = Path(__file__).parents[2] / "examples" / "my_table.py"
FILE = """
from helpers import PAIRS
from hebbian_descent import Factors, Rule
from reproduction import Association

def factors(activity):
    return Factors(activity.inputs - activity.offset, activity.output - activity.targets)

TABLE = Association("tab:mine", "a [/b] title", PAIRS, [Rule("mine", factors)], settings={"trials": 1})
"""
PAIRS = 'PAIRS = {("rand", "digits"): ["sigmoid"], ("digits", "rand"): ["sigmoid"]}'


@pytest.fixture
def run(command, tmp_path, monkeypatch):
    """Write a file and the one next to it that it imports, and run it."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "helpers.py").write_text(PAIRS, encoding="utf-8")

    def call(text, *options):
        (folder / "table.py").write_text(text, encoding="utf-8")
        sys.modules.pop("helpers", None)  # as in a new process
        return command("run", "mine/table.py", "--quick", *options)

    return call


def test_the_example_is_run_and_printed(command):
    code, printed, errors = command("run", str(EXAMPLE), "--quick", "--draws", "1")
    assert code == 0, errors
    assert "sign_descent" in printed
    for form in ("text", "csv", "latex"):
        code, listed, _ = command("table", "tab:stripes", "--quick", "--format", form)
        assert code == 0
        assert listed.count("stripes") >= 9


def test_what_a_file_measured_before_it_was_edited_is_dropped(run, command):
    code, printed, errors = run(FILE, "--draws", "2")
    assert code == 0, errors
    assert "a [/b] title" in printed
    measured = Path("reproduction/measured/quick/tab_mine")
    assert len(list(measured.iterdir())) == 4
    run(FILE, "--draws", "1")
    assert len(list(measured.iterdir())) == 4  # another draw of the same table stays

    run(FILE.replace('"mine", factors', '"other", factors'), "--draws", "1", "--only", "rand-digits")
    assert [path.stem for path in measured.iterdir()] == ["rand-digits-draw0"]
    _, printed, _ = command("table", "tab:mine", "--quick")
    assert "other" in printed
    assert "digits rand" not in printed
    _, printed, _ = command("status")
    assert "tab:mine" in printed
    assert "1 job" in printed


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('"tab:mine"', '"tab:Hetero_online_centered_1"', "a label that is not the paper's"),
        (
            '"tab:mine"',
            '"tab:../mine"',
            "line 9, in <module>: ValueError: The label of an experiment must be",
        ),
        ("PAIRS, [", "{}, [", "The pairs of tab:mine must be"),
        ("PAIRS, [", "[('rand', 'digits')], [", "The pairs of tab:mine must be"),
        ('"trials"', '"trails"', "Did you mean 'trials'?"),
        ("TABLE =", "OTHER = TABLE =", ""),
        ("def factors(", "def factors((", "table.py, line 6: "),
        ("from helpers", "from nowhere", "table.py, line 2, in <module>: ModuleNotFoundError"),
        ("output - activity.targets", "output[:, :3]", "The rule 'mine' must return two factors"),
        ("return Factors(", "return activity.targets or (", "line 7, in factors: ValueError"),
        ("return Factors(", "return 1, (", "Got ('int', 'tuple')"),
        ("activity.offset", "activity.offsets", "table.py, line 7, in factors: AttributeError"),
        ("activity.offset", "offset", "uses 'offset', a name that is not defined"),
        ('[Rule("mine", factors)]', '["heb"]', "Did you mean 'hebb'?"),
        ("settings=", "by='first', settings=", "The criterion must be 'all'"),
    ],
)
def test_a_file_is_told_what_is_wrong_with_it(run, before, after, message):
    code, _, errors = run(FILE.replace(before, after, 1), "--draws", "1")
    assert code == (2 if message else 0)
    assert message in errors
    assert "Traceback" not in errors


def test_an_error_in_a_worker_is_named_by_its_line_too(run):
    code, _, errors = run(
        FILE.replace("activity.offset", "activity.offsets"), "--draws", "1", "--workers", "2"
    )
    assert code == 2
    assert "table.py, line 7, in factors: AttributeError" in errors


def test_the_files_beside_it_belong_to_it(run, command, tmp_path):
    run(FILE, "--draws", "2", "--only", "rand-digits")
    (tmp_path / "mine" / "helpers.py").write_text(PAIRS.replace('"sigmoid"', '"linear"'), encoding="utf-8")
    run(FILE, "--draws", "1", "--only", "rand-digits")
    _, printed, _ = command("table", "tab:mine", "--quick")
    assert "linear" in printed
    assert "sigmoid" not in printed

    (tmp_path / "mine" / "helpers.py").write_text(PAIRS + " | 1", encoding="utf-8")
    code, _, errors = run(FILE)
    assert code == 2
    assert "helpers.py, line 1, in <module>: TypeError" in errors


def test_an_error_of_the_library_is_not_the_users_even_where_it_lies_beside():
    beside = Path(hebbian_descent.__file__).parents[1] / "mine.py"
    with pytest.raises(ValueError, match="must be at least 1") as refused, errors_in(beside):
        as_count(0, "number")
    assert refused.type is ValueError


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        ('("rand", "digitz"): ["linear"]', "Did you mean 'digits'?"),
        ('("rand", "digits"): ["sigmod"]', "Did you mean 'sigmoid'?"),
    ],
)
def test_names_are_checked_before_anything_runs(run, pair, message):
    pairs = '{("rand", "rand"): ["linear"], ' + pair + "}, ["
    code, printed, errors = run(FILE.replace("PAIRS, [", pairs))
    assert code == 2
    assert message in errors
    assert printed == ""


def test_the_decay_that_was_chosen_is_shown(run):
    text = FILE.replace('{"trials": 1}', '{"trials": 1, "weight_decays": (0.1,)}')
    _, printed, _ = run(text, "--draws", "1", "--only", "rand-digits")
    assert "decay" in printed
    _, printed, _ = run(text, "--draws", "2", "--only", "rand-digits")
    assert printed.count("(first") == printed.count("draw)") == 2


def test_two_tables_of_one_label_are_refused(run):
    code, _, errors = run(FILE + FILE.replace("TABLE", "SECOND"))
    assert code == 2
    assert "a unique label. Got 'tab:mine' 2 times" in errors


@pytest.mark.parametrize(
    ("generator", "message"),
    [
        ("lambda n, seed: 1 / 0", "table.py, line 9, in <lambda>: ZeroDivisionError"),
        ("lambda n, seed: [[0.0]] * 3", "The patterns of 'gen' must be 100, one per row. Got 3."),
        ("lambda n, seed: [[float('nan')]] * n", "'gen' must be finite"),
        ("lambda n, seed: [0.0] * n", "patterns of 'gen'"),
    ],
)
def test_a_dataset_is_told_what_is_wrong_with_it(run, generator, message):
    text = FILE.replace("PAIRS, [", '{("rand", "gen"): ["linear"]}, [')
    text = text.replace("settings=", f"generators={{'gen': {generator}}}, settings=")
    code, _, errors = run(text, "--draws", "1")
    assert code == 2
    assert message in errors


def test_a_file_without_an_experiment_says_so(command, tmp_path):
    (tmp_path / "empty.py").write_text("x = 1\n")
    code, _, errors = command("run", "empty.py")
    assert code == 2
    assert "must define an experiment" in errors
    code, _, errors = command("run", "missing.py")
    assert code == 2
    assert "does not exist" in errors


@pytest.mark.parametrize(
    "damage",
    [
        {"rows": [{}]},
        {"settings": []},
        {"label": "tab:other"},
        {"format": 99},
    ],
)
def test_a_file_of_results_with_other_content_counts_as_missing(run, command, damage):
    run(FILE, "--draws", "1", "--only", "rand-digits")
    (path,) = Path("reproduction/measured/quick/tab_mine").iterdir()
    path.write_text(json.dumps(json.loads(path.read_text()) | damage))
    code, _, errors = command("table", "tab:mine", "--quick")
    assert code == 2
    assert "tab:mine" in errors
    code, _, _ = command("report")
    assert code == 0


@pytest.mark.parametrize("results", [{}, {"mae_all": None}, {"mae_all": "0.1"}])
def test_rows_without_numbers_count_as_missing(run, command, results):
    run(FILE, "--draws", "1", "--only", "rand-digits")
    (path,) = Path("reproduction/measured/quick/tab_mine").iterdir()
    content = json.loads(path.read_text())
    content["rows"][0]["results"] = results
    path.write_text(json.dumps(content))
    code, _, _ = command("table", "tab:mine", "--quick")
    assert code == 2
