"""`hebbian-descent list` and `run`."""

import csv
import json
import re
from pathlib import Path

import pytest

from hebbian_descent.cli.options import parsed_overrides
from reproduction.commands.run import plan
from reproduction.index import INDEX
from reproduction.run_context import Effort

RAND = ("tab:Hetero_online_centered_2", "--only", "rand-rand")
EXAMPLE = Path(__file__).parents[2] / "examples" / "my_table.py"


def test_list_says_of_every_label_what_it_shows_also_in_80_columns(command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    code, printed, _ = command("list")
    assert code == 0
    assert "…" not in printed
    width = printed.index("Rows")
    words = " ".join(line[:width].strip() for line in printed.splitlines())
    for known in INDEX.values():
        assert f"{known.label} {known.title}" in words


def test_compare_says_when_nothing_was_run(command):
    code, _, said = command("compare")
    assert code == 0
    assert "Nothing of this was run by the paper's protocol" in said


def test_run_shows_ours_beside_the_print_and_keeps_it(command, monkeypatch):
    code, printed, errors = command("run", RAND[0], "--draws", "2", *RAND[1:])
    assert code == 0, errors
    assert "rand→rand" in printed
    assert "mae_last20: 0 of 0 agree" in printed
    assert "Fewer than 5 draws decide nothing" in errors
    code, listed, _ = command("table", RAND[0], "--format", "csv")
    rows = list(csv.DictReader(listed.splitlines()))
    run = [row for row in rows if row["verdict"] != "not run"]
    assert {(row["input"], row["target"], row["n"]) for row in run} == {("rand", "rand", "2")}
    assert len(run) == 2 * 20
    assert len(rows) == 2 * 128
    code, compared, _ = command("compare", RAND[0], "--json")
    content = json.loads(compared)[RAND[0]]
    assert [summary["n_run"] for summary in content["summary"]] == [20, 20]
    assert content["winners"] == []  # two draws decide nothing
    assert {row["verdict"] for row in content["results"]} == {"undecided", "not run"}
    monkeypatch.setenv("COLUMNS", "80")
    code, compared, _ = command("compare", RAND[0])
    assert code == 0
    assert "…" not in compared
    code, latex, _ = command("table", RAND[0], "--format", "latex")
    assert latex.count(r"\textbf{") >= 5
    assert latex.startswith(r"\begin{tabular}{llrrrr}")


def test_other_settings_are_kept_apart_and_get_no_verdict(command):
    code, _, said = command(
        "run", *RAND, "--draws", "1", "--set", "trials=1", "--set", "learning_rates=1,0.1"
    )
    assert code == 0
    assert "Not the paper's protocol" in said
    _, listed, _ = command("table", RAND[0], "--format", "csv")
    assert {row["verdict"] for row in csv.DictReader(listed.splitlines())} == {"not run"}
    code, _, errors = command("run", *RAND, "--set", "trails=1")
    assert code == 2
    assert "Did you mean 'trials'?" in errors
    code, _, errors = command("run", *RAND, "--set", "trials")
    assert code == 2
    assert "--set must be name=value" in errors


def test_shards_share_the_work(command):
    label, draws = RAND[0], ("--draws", "3", "--set", "learning_rates=0.1", "--set", "trials=1")
    for part, n_files in (("1/2", 2), ("2/2", 3)):
        code, _, errors = command("run", *RAND, *draws, "--shard", part)
        assert code == 0, errors
        assert len(list(Path("reproduction/measured").glob("set-*/*/*.json"))) == n_files
    code, _, errors = command("run", label, "--shard", "3/2")
    assert code == 2
    assert "--shard must be i/n" in errors


def test_status_counts_what_was_run(command):
    command("run", *RAND, "--draws", "1", "--quick")
    code, printed, _ = command("status")
    assert code == 0
    (line,) = [line for line in printed.splitlines() if RAND[0] in line]
    assert line.split() == [RAND[0], "partial", "1/7"]


def test_what_was_run_otherwise_is_listed_and_printed(command):
    command("run", *RAND, "--draws", "1", "--quick")
    command("run", *RAND, "--draws", "1", "--set", "trials=1", "--set", "learning_rates=[1, 0.1]")
    _, printed, _ = command("status")
    assert f"With --set trials=1 --set 'learning_rates=(1, 0.1)': {RAND[0]}" in printed
    for options in (("--quick",), ("--set", "trials=1", "--set", "learning_rates=1,0.1")):
        code, printed, errors = command("table", RAND[0], *options)
        assert code == 0, errors
        assert "hebbian_descent" in printed
    code, _, errors = command("table", RAND[0], "--set", "trials=2")
    assert code == 2
    assert "Got results in reproduction with --quick or --set trials=1" in errors


def test_no_number_is_cut_off_where_the_terminal_is_narrow(command, monkeypatch):
    command("run", *RAND, "--draws", "2")
    monkeypatch.setenv("COLUMNS", "40")
    for arguments in (("table", RAND[0]), ("compare", RAND[0]), ("status",)):
        code, printed, errors = command(*arguments)
        assert code == 0, errors
        assert "…" not in printed


def test_everything_wrong_is_found_out_before_anything_runs(command):
    code, printed, errors = command(
        *["run", "tab:Hetero_online_centered_1", "fig:reg_loss_HD", "--set", "trails=2"]
    )
    assert (code, printed) == (2, "")
    assert "Did you mean 'trials'?" in errors
    code, printed, errors = command("run", "fig:reg_loss_HD", "--only", "rand")
    assert code == 2
    assert "--only must be left out with fig:reg_loss_HD, which cannot be divided" in errors
    code, _, errors = command("run", *RAND, "--set", "seed=abc")
    assert code == 2
    assert "The seed must be a whole number" in errors
    code, _, errors = command("run", "tab:label_learning_centered", "--set", "patterns=-5")
    assert code == 2
    assert "The number of patterns must be at least 1. Got -5" in errors
    assert not Path("reproduction").exists()


def test_figures_of_other_settings_are_listed_and_shown(command):
    figure = ("fig:rand_rand_sigmoid_true_online", "--quick", "--set", "trials=1")
    code, _, errors = command("run", *figure)
    assert code == 0, errors
    _, printed, _ = command("status")
    assert f"With --quick --set trials=1: {figure[0]}" in printed
    command("report")
    page = Path("reproduction/report.html").read_text(encoding="utf-8")
    assert "<code>--quick --set trials=1</code>" in page
    assert page.count("data:image/svg+xml") >= 1


def test_a_search_that_a_table_cannot_take_is_that_of_its_own(command):
    command("run", *RAND, "--draws", "1", "--quick", "--search", "halving")
    code, printed, errors = command("table", RAND[0], "--quick", "--search", "halving")
    assert code == 0, errors
    assert "hebbian_descent" in printed
    code, _, errors = command("table", RAND[0], "--quick", "--column", "mae_all")
    assert code == 2
    assert "--column must be left out" in errors


def test_only_never_drops_a_label_silently(command):
    code, _, errors = command("run", RAND[0], "tab:label_learning_centered", *RAND[1:], "--quick")
    assert code == 2
    assert "The job of tab:label_learning_centered must be one of" in errors
    assert not Path("reproduction").exists()


def test_an_output_that_is_a_file_is_refused(command, tmp_path):
    (tmp_path / "file").touch()
    for name in ("list", "compare", "report", "status"):
        code, _, errors = command(name, "--output", "file")
        assert code == 2
        assert "is a file" in errors


def test_an_unknown_beginning_of_a_job_gets_a_suggestion(command):
    code, _, errors = command("run", RAND[0], "--only", "rand-randd-draw0")
    assert code == 2
    assert "Did you mean 'rand-rand-draw0'" in errors


def test_an_unknown_label_gets_a_suggestion(command):
    code, _, errors = command("run", "tab:Hetero_online_centred_1")
    assert code == 2
    assert "Did you mean 'tab:Hetero_online_centered_1'" in errors
    assert errors.count("tab:") == 1 + 3, "what was given and three suggestions, not all labels"


WRONG_SETTINGS = [
    ("fig:reg_loss_HD", "trials=2", "fig:reg_loss_HD must be drawn without --set: it has no settings"),
    ("fig:rand_rand_sigmoid_true_online", "trails=1", "Did you mean 'trials'?"),
    ("fig:hidden_activity_GD_HD", "learning_rates=1", "must be one of batch_size, epochs"),
    ("fig:moving_MNIST", "centering=mean", "Got 'centering'"),  # what the figure compares
    ("tab:scalarproduct_cases", "trials=2", "must be run without --set"),
    (RAND[0], "trials=1.5", "The number of trials must be a whole number. Got 1.5."),
    (RAND[0], "epochs=0", "The number of epochs must be at least 1. Got 0."),
    (RAND[0], "learning_rates=a,b", "The learning rate must be a number. Got 'a'."),
    (RAND[0], "learning_rates=0", "The learning rate must be above 0. Got 0."),
    (RAND[0], "centering=maen", "Did you mean 'mean'?"),
    (RAND[0], "shift=2", "The shift must be above 0 and at most 1. Got 2."),
    (RAND[0], "input_order=labels", "Did you mean 'label'?"),
    ("all", "trials=many", "The number of trials must be a whole number. Got 'many'."),
]


@pytest.mark.parametrize(("label", "setting", "message"), WRONG_SETTINGS)
def test_a_setting_that_does_not_fit_is_refused_before_anything_starts(label, setting, message, command):
    code, printed, errors = command("run", label, "--set", setting)
    assert (code, printed) == (2, "")
    assert message in errors
    assert not Path("reproduction").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--workers", "0"], "The number of workers must be at least 1"),
        (["--scheduler", "nowhere"], "must be the address of a Dask scheduler"),
        (["--workers", "2", "--scheduler", "local"], "not both"),
    ],
)
def test_workers_and_schedulers_are_checked_first(options, message, command):
    code, printed, errors = command("run", *RAND, *options)
    assert (code, printed) == (2, "")
    assert message in errors
    assert not Path("reproduction").exists()


@pytest.mark.parametrize(("value", "centering"), [("none", None), ("None", None), ("moving", "moving")])
def test_words_of_python_may_be_in_lower_case(value, centering):
    assert parsed_overrides([f"centering={value}", "flag=false", "other=True"]) == {
        "centering": centering,
        "flag": False,
        "other": True,
    }


def test_what_all_leaves_out_is_said():
    with pytest.raises(ValueError, match="The job of tab:"):
        plan(["all"], Effort(), "no-such", None)


def test_all_runs_what_has_such_a_job_or_setting(capsys):
    tasks = plan(["all"], Effort(), "mnist-softmax", None)
    assert {task.content.label for task in tasks} == {
        "tab:label_learning_centered",
        "tab:label_learning_uncentered",
    }
    assert (
        "Left out, because they have no such settings or jobs: tab:Hetero_online" in capsys.readouterr().err
    )
    tasks = plan(["all"], Effort(overrides={"hidden_shift": 0.1}), None, None)
    assert {task.content.label for task in tasks} >= {"tab:auto_associative", "fig:hidden_activity_GD_HD"}
    assert all(task.content.label not in ("fig:reg_loss_HD", RAND[0]) for task in tasks)


class TestWithoutData:
    @pytest.fixture(autouse=True)
    def no_data(self, tmp_path, monkeypatch):
        (tmp_path / "data").mkdir()
        monkeypatch.setenv("HEBBIAN_DESCENT_DATA", str(tmp_path / "data"))
        monkeypatch.setenv("HEBBIAN_DESCENT_MIRRORS", "http://127.0.0.1:9")  # where nobody answers

    QUICK = ("--quick", "--draws", "1", "--set", "learning_rates=1", "--set", "trials=1")

    def test_nothing_done_is_2_and_the_missing_datasets_are_named(self, command):
        code, printed, errors = command("run", "tab:Hetero_online_centered_1", *self.QUICK)
        assert (code, printed) == (2, "")
        assert "Skipped 6 of 6 jobs of tab:Hetero_online_centered_1: ADULT is not in" in errors
        assert "Missing datasets: adult, cifar, connect, mnist. `hebbian-descent data fetch adult" in errors

    def test_some_done_is_1_and_what_was_skipped_does_not_count(self, command):
        code, printed, errors = command("run", RAND[0], *self.QUICK, "--json")
        assert code == 1
        found = json.loads(printed)[RAND[0]]
        assert found["n_skipped"] == 5
        assert {row["cell"]["input"] for row in found["rows"]} == {"rand", "randn"}
        assert "Skipped 5 of 7 jobs" in errors


def test_list_and_status_tell_full_partial_and_quick_runs_apart(command, results_folder):
    folder = ("--output", str(results_folder))
    _, printed, _ = command("list", *folder)
    lines = printed.splitlines()
    (place,) = [number for number, line in enumerate(lines) if line.startswith(f"{RAND[0]} ")]
    assert lines[place].endswith("partial 1/7")
    (drawn,) = [line for line in lines if line.startswith("fig:rand_rand_sigmoid_true_online ")]
    assert drawn.endswith("full")
    command("run", *RAND, "--draws", "1", "--quick", "--set", "trials=1", "--set", "learning_rates=1")
    _, printed, _ = command("list", "--json")
    states = {
        entry["label"]: (entry["paper"]["state"], entry["quick"]["state"]) for entry in json.loads(printed)
    }
    assert states[RAND[0]] == ("not run", "not run"), "other settings are neither"
    assert states["tab:scalarproduct_cases"] == ("checked", "checked")
    _, printed, _ = command("status", "--json", *folder)
    (found,) = [entry for entry in json.loads(printed)["labels"] if entry["label"] == RAND[0]]
    assert found["paper"] == {"state": "partial", "n_jobs_done": 1, "n_jobs": 7, "draws": 0}


def test_a_number_that_differs_has_another_sign_not_only_another_colour(command, results_folder):
    _, printed, _ = command("table", RAND[0], "--output", str(results_folder))
    signs = [
        cell for line in printed.splitlines() for cell in line.split() if re.fullmatch(r"[\d.]+≠[\d.]+", cell)
    ]
    assert len(signs) == 1
