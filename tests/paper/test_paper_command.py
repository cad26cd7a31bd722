"""`hebbian-descent list` and `run`."""

import csv
import sys

import pytest

from hebbian_descent.cli import main


@pytest.fixture
def command(monkeypatch, tmp_path, capsys):
    def call(*arguments):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", ["hebbian-descent", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        return ended.value.code or 0, captured.out, captured.err

    return call


def test_list_names_every_table(command):
    code, printed, _ = command("list")
    assert code == 0
    for label in ("tab:Hetero_online_centered_1", "tab:auto_associative", "tab:label_learning_centered"):
        assert label in printed


def test_run_shows_ours_beside_the_print_and_writes_it(command, tmp_path):
    code, printed, errors = command(
        "run", "tab:Hetero_online_centered_2", "--draws", "2", "--pair", "rand:rand"
    )
    assert code == 0, errors
    assert "rand→rand" in printed
    assert "mae_last20: " in printed
    with (tmp_path / "reproduction" / "Hetero_online_centered_2.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {row["verdict"] for row in rows} <= {"agrees", "differs"}
    assert {(row["input"], row["target"]) for row in rows} == {("rand", "rand")}
    assert len(rows) == 2 * 20


def test_tables_that_are_not_computed_yet_say_so(command):
    code, _, errors = command("run", "tab:auto_associative")
    assert code == 2
    assert "which this version cannot compute" in errors


def test_an_unknown_pair_gets_a_suggestion(command):
    code, _, errors = command("run", "tab:Hetero_online_centered_2", "--pair", "rand:randd")
    assert code == 2
    assert "Did you mean 'rand:rand'?" in errors
    code, _, errors = command("run", "tab:Hetero_online_centered_2", "--pair", "rand")
    assert code == 2
    assert "--pair must be two datasets with a colon" in errors


def test_an_unknown_label_gets_a_suggestion(command):
    code, _, errors = command("run", "tab:Hetero_online_centred_1")
    assert code == 2
    assert "Did you mean 'tab:Hetero_online_centered_1'?" in errors
