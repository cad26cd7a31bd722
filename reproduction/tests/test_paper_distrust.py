"""Folders of results that somebody else made, and names that are not just words."""

import csv
import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from hebbian_descent.checks import printable
from reproduction.claims.base import Judged, save_claims
from reproduction.experiments import Association, Measured
from reproduction.measurements import Measurements, file_name
from reproduction.report import render
from reproduction.run_context import Effort, RunContext
from reproduction.tests.conftest import N_DRAWS

PATHS = ("a/b", "../../up", "a\\b", "\0", ".hidden", "Case", "case", "\u00e9", "e\u0301", "x" * 500)
NAMES = (*PATHS, "=1+1", "<b>", "[/b]", "\x1b[2J")
TABLE = """
from reproduction import Association
import numpy as np

NAMES = {names!r}
TABLE = Association(
    "tab:mine",
    {title!r},
    {{("rand", name): ["sigmoid"] for name in NAMES}},
    ["hebb"],
    settings={{"trials": 1, "learning_rates": (0.1,), "patterns": 20}},
    generators={{name: lambda n, seed: np.eye(n) for name in NAMES}},
)
"""
FIRST = "measured/paper/tab_Hetero_online_centered_2/rand-rand-draw0.json"


@pytest.fixture
def folder(results_folder, tmp_path) -> Path:
    return shutil.copytree(results_folder, tmp_path / "secret" / "results")


def test_the_page_names_no_folder_of_the_machine(folder, monkeypatch, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    text = render(folder, Effort())
    assert "secret" not in text
    assert "--output OUTPUT" in text
    monkeypatch.chdir(tmp_path)
    assert "--output secret/results" in render(folder, Effort())
    assert RunContext(tmp_path / "reproduction").shown_command("list") == "hebbian-descent list"
    assert (
        RunContext(folder).command("list") == f"hebbian-descent list --output {folder}"
    )  # which can be pasted


def test_nothing_that_steers_a_terminal_is_printed():
    assert printable("a\x1b[31m\rb\x9b\u202e\ud800\n→ é") == r"a\x1b[31m\rb\x9b\u202e\ud800" + "\n→ é"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[" * 100_000,
        '{"format": 1, "format": 1}',
        '{"format": 1' + "0" * 5000 + "}",
        '{"format": 2}',
        "\x1b[31m",
    ],
)
def test_a_damaged_file_is_named_once_and_the_rest_is_shown(command, folder, text):
    (folder / FIRST).write_text(text)
    for arguments in (["compare"], ["status"], ["table", "tab:mine"], ["report"]):
        code, printed, errors = command(*arguments, "--output", str(folder))
        assert code == 0, errors
        assert "Traceback" not in errors
        assert errors.count("rand-rand-draw0.json") == (arguments[0] != "table")
        assert printable(printed + errors) == printed + errors


@pytest.mark.parametrize(
    "change",
    [
        {"learning_rate": "0.1"},
        {"learning_rate": 1e300},
        {"weight_decay": True},
        {"weight_decay": float("inf")},
        {"n_trials": 0},
        {"n_trials": 1.5},
        {"draw": -1},
        {"draw": 10**30},
        {"results": {"mae_last20": "0.1", "mae_all": 0.1}},
        {"results": {"other": 0.1}, "std": {"other": 0.1}},
        {"std": {}},
        {"cell": {"rule": "hebb"}},
        {"cell": {"input": "rand", "target": "rand", "activation": "sigmoid", "rule": "\x1b[31m"}},
        {"more": 1},
        {"trials": {"mae_last20": [0.1, 0.1]}},
        {"trials": {"mae_last20": [0.1], "mae_all": [0.1]}},
        {"trials": {"mae_last20": [0.1, "0.1"], "mae_all": [0.1, 0.1]}},
    ],
)
def test_a_row_that_cannot_be_shown_makes_its_file_damaged(folder, change):
    content = json.loads((folder / FIRST).read_text())
    content["rows"][0] |= change
    (folder / FIRST).write_text(json.dumps(content))
    measurements = Measurements(folder, Effort())
    with pytest.warns(UserWarning, match=r"rand-rand-draw0\.json"):
        found = measurements.read("tab:Hetero_online_centered_2")
    assert len(found) == N_DRAWS - 1


def test_a_pipe_in_the_folder_keeps_nobody_waiting(command, folder):
    (folder / FIRST).unlink()
    os.mkfifo(folder / FIRST)
    code, _, errors = command("status", "--output", str(folder))
    assert code == 0
    assert "a pipe or a device" in errors


def test_forged_verdicts_are_damaged_or_only_text(folder, command):
    claim = Judged(1, "\x1b[31m<script>", "s", "c", "r", (), "holds", "|\x07", "<script>")
    save_claims(folder, Effort(), [claim])
    assert (
        "<script>" not in render(folder, Effort()).partition('<section id="claims">')[2].partition("</ol>")[0]
    )
    save_claims(folder, Effort(), [claim._replace(verdict="\x1b[31m")])
    code, _, errors = command("report", "--output", str(folder))
    assert code == 0
    assert "paper.json" in errors
    assert "\x1b" not in errors


def test_results_where_every_rate_diverged_are_kept(tmp_path):
    table = Association("tab:mine", "title", {("rand", "digits"): ["sigmoid"]})
    nan = float("nan")
    row = Measured({"rule": "hebb"}, {"mae_all": nan}, {"mae_all": nan}, 0.1, 0.0, 1)
    Measurements(tmp_path, Effort()).write(table, "job", [row], 1.0)
    (found,) = Measurements(tmp_path, Effort()).rows("tab:mine")
    assert found.results["mae_all"] != found.results["mae_all"]
    with pytest.raises(ValueError, match="mae_all must be between"):
        Measurements(tmp_path, Effort()).write(table, "job", [row._replace(results={"mae_all": 1e200})], 1.0)


def test_datasets_of_any_name_are_run_shown_and_counted(command, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "table.py").write_text(TABLE.format(names=NAMES, title="50% & <b>\x1b[2J"), encoding="utf-8")
    code, printed, errors = command("run", "table.py", "--draws", "1")
    assert code == 0, errors
    assert "\x1b" not in printed
    code, listed, _ = command("table", "tab:mine", "--format", "csv")
    assert code == 0
    rows = list(csv.DictReader(listed.splitlines()))
    expected = {printable(f"'{name}" if name == "=1+1" else name) for name in NAMES}
    assert {row["target"] for row in rows} == expected
    _, latex, _ = command("table", "tab:mine", "--format", "latex")
    assert r"a\textbackslash{}b" in latex
    _, printed, _ = command("status")
    assert f"{len(NAMES)} jobs" in printed
    assert command("report")[0] == 0
    page = (tmp_path / "reproduction" / "report.html").read_text(encoding="utf-8")
    assert "<td>&lt;b&gt;</td>" in page
    assert "\x1b" not in page
    written = {path.name for path in (tmp_path / "reproduction/measured/paper").rglob("*.json")}
    assert len({name.lower() for name in written}) == len(NAMES)
    assert {path.name for path in tmp_path.iterdir()} == {"table.py", "reproduction"}


def test_plain_names_keep_the_files_they_had_and_old_files_are_read(tmp_path):
    assert file_name("rand-adult-fixed-draw0") == "rand-adult-fixed-draw0.json"
    table = Association("tab:mine", "title", {("rand", "digits"): ["sigmoid"]})
    measurements = Measurements(tmp_path, Effort())
    row = Measured({"rule": "hebb"}, {"mae_all": 0.5}, {"mae_all": 0.0}, 0.1, 0.0, 1)
    measurements.write(table, "rand-Mine-draw0", [row], 1.0)
    new = measurements.path("tab:mine", "rand-Mine-draw0")
    old = new.rename(new.with_name("rand-Mine-draw0.json"))  # as it was called before
    assert measurements.rows("tab:mine") == [row]
    again = row._replace(learning_rate=0.2)
    measurements.write(table, "rand-Mine-draw0", [again], 1.0)
    assert old.exists()
    assert measurements.rows("tab:mine") == [again]


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("NAMES}},", "NAMES}} | {{('a-b', 'c'): ['linear'], ('a', 'b-c'): ['linear']}},", "different names"),
        ('"tab:mine"', '"tab:" + "x" * 101', "at most 100 letters"),
        ('"tab:mine"', '"tab:hetero_online_CENTERED_1"', "not the paper's"),
        ('"rand"', "3", "A dataset or variant of tab:mine must be text"),
    ],
)
def test_names_that_cannot_be_kept_are_refused_before_anything_runs(
    command, tmp_path, monkeypatch, before, after, message
):
    monkeypatch.setattr(sys, "path", list(sys.path))
    text = TABLE.replace(before, after, 1).format(names=("a", "c", "a-b", "b-c"), title="t")
    (tmp_path / "table.py").write_text(text, encoding="utf-8")
    code, printed, errors = command("run", "table.py", "--draws", "1")
    assert (code, printed) == (2, "")
    assert message in errors
    assert not (tmp_path / "reproduction").exists()
