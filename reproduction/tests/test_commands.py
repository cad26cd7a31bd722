"""The commands, as a stranger calls them: with numbers of the printed paper, misspelt names, missing data."""

import json
import subprocess
import sys

import pytest

from reproduction.catalogue import catalogue, find
from reproduction.context import DATA, Context, Effort
from reproduction.running import Job, finished
from reproduction.tables import TABLES

LABEL = "tab:Hetero_online_centered_2"


def test_everything_is_listed_by_the_numbers_of_the_printed_paper(command):
    code, out, _ = command("list", "--json")
    entries = json.loads(out)
    assert code == 0
    assert {entry["label"] for entry in entries} == set(catalogue())
    assert all(entry["number"] for entry in entries if entry["label"].startswith(("tab:", "fig:")))
    _, out, _ = command("list", "--figures")
    assert "Figure 5" in out
    assert "tab:" not in out


@pytest.mark.parametrize("name", ["Table 2", "table 2", LABEL, "Figure 5", "fig. 5", "mini_batches"])
def test_names_find_their_entry(name):
    assert find(name).label in catalogue()


def test_a_misspelt_name_gets_a_suggestion(command):
    code, _, err = command("run", "tab:Hetero_online_centred_2")
    assert code == 2
    assert LABEL in err
    assert command("table", "mini_batches")[0] == 2
    assert command("run")[0] == 2


def test_listing_imports_nothing_heavy():
    code = (
        "import sys; sys.argv = ['', 'list']\n"
        "from reproduction.__main__ import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'matplotlib', 'torch', 'distributed', 'gymnasium'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.splitlines()[-1] == "[]"


def test_a_quick_run_is_shown_kept_apart_and_resumed(command, tmp_path):
    words = ("run", LABEL, "--quick", "--draws", "1", "--only", "rand-rand", "--output", "out")
    code, out, err = command(*words)
    assert code == 0
    assert "hebbian_descent" in out
    assert "decide nothing" in err
    rows = finished(LABEL, Context(tmp_path / "out", Effort(quick=True)))
    assert set(rows["input"]) == set(rows["target"]) == {"rand"}
    assert not len(finished(LABEL, Context(tmp_path / "out")))
    _, again, _ = command(*words, "--json")
    assert len(json.loads(again)[LABEL]["rows"]) == len(rows)
    _, out, _ = command("status", "--output", "out")
    assert LABEL in out
    assert "1/" in out


def test_a_run_by_the_papers_protocol_is_compared(command):
    words = (LABEL, "--only", "rand-rand", "--draws", "1", "--output", "out")
    code, out, err = command("run", *words)
    assert code == 0
    assert "20 undecided." in out
    assert "decide nothing" in err
    _, out, err = command("compare", LABEL, "--output", "out")
    assert "lacks cells: the numbers are those under version control" in err
    assert "99/99" in out or "106/106" in out


@pytest.mark.parametrize("more", [["--only", "rand-rnad"], ["--set", "trails=2"]])
def test_what_a_table_does_not_have_is_refused_before_anything_is_run(command, tmp_path, more):
    code, _, err = command("run", LABEL, *more, "--output", "out")
    assert code == 2
    assert "Did you mean" in err
    assert not (tmp_path / "out").exists()


def test_missing_data_are_named_with_the_command_that_fetches_them(command, monkeypatch, tmp_path):
    (tmp_path / "empty").mkdir()
    monkeypatch.setenv("HEBBIAN_DESCENT_DATA", str(tmp_path / "empty"))
    code, _, err = command("run", "tab:Hetero_online_centered_1", "--only", "rand-adult", "--draws", "1")
    assert code == 2
    assert "data fetch adult" in err


def test_ctrl_c_says_how_to_resume(command, monkeypatch):
    def stopped(context, before):
        raise KeyboardInterrupt

    monkeypatch.setattr(type(TABLES[LABEL]), "jobs", lambda self, effort: [Job("job", stopped)])
    code, _, err = command("run", LABEL, "--output", "out")
    assert code == 130
    assert "resume" in err


@pytest.mark.parametrize("words", [("--only", "rand-rand"), ("--quick",), ("--set", "trials=1")])
def test_what_cannot_be_kept_is_refused_before_anything_is_run(command, tmp_path, words):
    before = (DATA / "rows.parquet").read_bytes()
    code, _, err = command("run", LABEL, *words, "--output", "out", "--keep")
    assert code == 2
    assert "--keep must come without" in err
    assert not (tmp_path / "out").exists()
    assert (DATA / "rows.parquet").read_bytes() == before


def test_draws_are_refused_where_there_are_none(command):
    code, _, err = command("run", "mini_batches", "--draws", "7")
    assert code == 2
    assert "--draws must be left out" in err


def test_compare_counts_every_printed_number(command):
    code, out, _ = command("compare")
    assert code == 0
    assert "Agreements by the interval: 2225; by 0.005 alone: 76; by 5 % alone: 11." in out
    assert "gradient descent and Hebbian-descent: 605 agree, 202 undecided, 21 differ" in out
    assert "Winners, ours beside the printed ones: 504 same, 26 tie, 1 other." in out


@pytest.mark.parametrize("form", ["text", "csv", "latex"])
def test_a_table_is_printed_in_every_form(command, form):
    code, out, _ = command("table", "Table 2", "--format", form)
    assert code == 0
    assert {"text": "ours/printed", "csv": "printed,", "latex": r"\begin{tabular}"}[form] in out
