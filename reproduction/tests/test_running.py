"""The table of rows, the loop that resumes, and what is put under version control."""

import json
import random
import subprocess
import sys
import time
from functools import partial

import numpy as np
import pandas as pd
import pytest

from hebbian_descent import safe_files
from hebbian_descent.datasets import DatasetUnavailableError
from reproduction import keeping
from reproduction import rows as rows_module
from reproduction.context import Context, Effort
from reproduction.rows import (
    PLACES,
    by_repetition,
    committed,
    only,
    origins,
    settings_of,
    tidy,
    together,
    write,
)
from reproduction.running import Job, Outcome, finished, part_of, parts_of, rows_of, run


class Counting:
    """Jobs that count their rows; each also notes that it was computed."""

    label = "a study"

    def __init__(self, n_jobs=3, measured=None, seconds=0.0):
        self.n_jobs, self.measured, self.seconds = n_jobs, measured if measured is not None else [], seconds

    def jobs(self, effort):
        for number in range(self.n_jobs):
            yield Job(f"job{number}", partial(self.measure, number))

    def measure(self, number, context, before):
        self.measured.append(number)
        time.sleep(self.seconds)
        for trial in range(2):
            value = number + 0.1 * trial + 100 * len(before)
            yield {"size": number, "draw": number, "trial": trial, "measure": "error", "value": value}


def test_jobs_see_the_rows_before_them_and_give_one_table(tmp_path):
    rows = run(Counting(), Context(tmp_path)).rows
    assert list(rows.columns) == ["experiment", "size", *PLACES]
    assert list(rows["value"]) == [0.0, 0.1, 201.0, 201.1, 402.0, 402.1]
    assert list(rows["size"]) == ["0", "0", "1", "1", "2", "2"]
    pd.testing.assert_frame_equal(rows, finished("a study", Context(tmp_path)))


def test_a_run_that_fails_in_the_middle_resumes_after_its_last_finished_job(tmp_path):
    counting = Counting(measured=[])
    jobs = list(counting.jobs(None))
    jobs[1] = Job("job1", lambda context, before: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        run(counting, Context(tmp_path), jobs)
    assert len(finished("a study", Context(tmp_path))) == 2
    run(counting, Context(tmp_path))
    run(counting, Context(tmp_path))
    assert counting.measured == [0, 1, 2]


@pytest.mark.parametrize("damage", [b"", b"PAR1", None, "half"])
def test_a_damaged_or_deleted_part_is_run_again(tmp_path, damage):
    context, counting = Context(tmp_path), Counting(measured=[])
    whole = run(counting, context).rows
    path = part_of("a study", "job1", context)
    if damage is None:
        path.unlink()
    else:
        content = path.read_bytes()
        path.write_bytes(content[: len(content) // 2] if damage == "half" else damage)
    pd.testing.assert_frame_equal(run(counting, context).rows, whole)
    assert counting.measured == [0, 1, 2, 1]


def test_a_part_that_was_measured_with_other_settings_is_measured_again(tmp_path):
    counting = Counting(2, measured=[])
    for rates in ((0.1, 0.01), (0.1, 0.01), (0.1, 0.02)):
        jobs = [job._replace(settings={"learning_rates": rates}) for job in counting.jobs(None)]
        assert len(run(counting, Context(tmp_path), jobs).rows) == 4
    assert counting.measured == [0, 1, 0, 1]


def test_a_full_disk_leaves_no_part_and_the_next_run_resumes(tmp_path, monkeypatch):
    context, counting = Context(tmp_path), Counting(measured=[])

    def full(descriptor):
        if list(context.parts.rglob("*.parquet")):  # the second file is written, and fails at its end
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(safe_files.os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        run(counting, context)
    monkeypatch.undo()
    assert [path.name for path in context.parts.rglob("*") if path.is_file()] == ["job0.parquet"]
    assert len(run(counting, context).rows) == 6


KILLED = """
from pathlib import Path
from reproduction.context import Context
from reproduction.running import run
from reproduction.tests.test_running import Counting
print("started", flush=True)
run(Counting(12, seconds=0.02), Context(Path({folder!r})))
"""


@pytest.mark.long
def test_killed_at_ten_random_moments_nothing_is_lost_or_counted_twice(tmp_path):
    whole = run(Counting(12), Context(tmp_path / "whole")).rows
    rng = random.Random(0)
    for _ in range(10):
        code = KILLED.format(folder=str(tmp_path / "killed"))
        with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as process:
            process.stdout.readline()
            time.sleep(rng.uniform(0, 0.1))
            process.kill()
        found = values(finished("a study", Context(tmp_path / "killed")))
        assert found == values(whole)[: len(found)]
    assert values(run(Counting(12), Context(tmp_path / "killed")).rows) == values(whole)


def values(rows):
    """Return draws, trials and values in order: a part is missing or whole, and none counts twice."""
    return sorted(zip(rows["draw"], rows["trial"], rows["value"], strict=True)) if len(rows) else []


def test_missing_data_are_named_and_the_rest_is_run(tmp_path):
    def unavailable(context, before):
        raise DatasetUnavailableError("no mnist here")

    jobs = [Job("first", unavailable), *Counting(1).jobs(None)]
    told = []
    outcome = run(Counting(), Context(tmp_path), jobs, lambda job, seconds: told.append((job.name, seconds)))
    assert (len(outcome.rows), outcome.missing) == (2, ("no mnist here",))
    assert told[0] == ("first", None)


def test_efforts_are_never_mixed():
    efforts = (
        Effort(),
        Effort(quick=True),
        Effort(changes={"trials": 2}),
        Effort(quick=True, changes={"trials": 2}),
    )
    assert len({Context(effort=effort).parts for effort in efforts}) == 4
    assert [effort.is_the_papers for effort in efforts] == [True, False, False, False]


def test_without_a_run_of_your_own_rows_are_those_under_version_control(tmp_path):
    label = "tab:Hetero_online_centered_1"
    assert len(rows_of(label, Context(tmp_path))) == len(committed()[committed()["experiment"] == label])
    assert not len(rows_of(label, Context(tmp_path, Effort(quick=True))))


def test_a_run_counts_once_it_has_every_cell(tmp_path):
    label, context = "tab:Hetero_online_centered_2", Context(tmp_path)
    kept = committed()[committed()["experiment"] == label]
    pair = kept[(kept["input"] == "rand") & (kept["target"] == "rand")].assign(value=0.0)
    write(part_of(label, "rand-rand", context), pair, {"seconds": 1})
    assert len(rows_of(label, context)) == len(kept)
    others = kept.drop(pair.index).assign(value=0.0)
    turned = others[["experiment", *reversed(settings_of(others)), *PLACES]]  # the order of columns is free
    write(part_of(label, "others", context), turned, {"seconds": 1})
    assert (rows_of(label, context)["value"] == 0).all()


def test_what_two_parts_measured_is_refused(tmp_path):
    context = Context(tmp_path)
    run(Counting(1), context)
    part_of("a study", "renamed", context).write_bytes(part_of("a study", "job0", context).read_bytes())
    with pytest.raises(ValueError, match="measured by one part"):
        finished("a study", context)


def test_settings_are_texts_whatever_other_records_have():
    rows = tidy("x", [{"a": 1, "measure": "e", "value": 1}, {"b": 0.1, "measure": "e", "value": 2}])
    assert rows[["a", "b"]].astype(str).to_numpy().tolist() == [["1", ""], ["", "0.1"]]


def test_the_mean_over_trials_is_that_of_each_draw_and_without_draws_there_are_trials():
    drawn = tidy(
        "x",
        (
            {"size": "a", "draw": d, "trial": t, "measure": "e", "value": d + 0.1 * t}
            for d in (0, 1)
            for t in (0, 1)
        ),
    )
    np.testing.assert_allclose(by_repetition(drawn, "e").to_numpy(), [[0.05, 1.05]])
    whole = tidy("x", ({"size": "a", "trial": t, "measure": "e", "value": t} for t in range(3)))
    np.testing.assert_array_equal(by_repetition(whole, "e").to_numpy(), [[0, 1, 2]])


def test_settings_that_an_experiment_lacks_are_empty():
    rows = together(
        [tidy("x", [{"a": 1, "measure": "e", "value": 1}]), tidy("y", [{"b": 2, "measure": "e", "value": 2}])]
    )
    assert settings_of(rows) == ["a", "b"]
    assert rows[["a", "b"]].astype(str).to_numpy().tolist() == [["1", ""], ["", "2"]]
    assert settings_of(only(rows, "y")) == ["b"]


def test_every_committed_experiment_says_where_its_numbers_come_from():
    experiments = set(committed()["experiment"].unique())
    assert experiments <= set(origins())
    assert all(
        {"date", "commit", "versions", "processor", "seconds"} <= set(line) for line in origins().values()
    )
    assert not committed().duplicated().any()


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """Two experiments under version control in a folder of their own."""
    rows = together(
        [run(Counting(2), Context(tmp_path / "old")).rows, tidy("other", [{"measure": "e", "value": 1}])]
    )
    monkeypatch.setattr(keeping, "committed", lambda: rows)
    monkeypatch.setattr(keeping, "origins", lambda: {"other": {"date": "before"}})
    return tmp_path


def test_a_kept_run_replaces_its_own_experiment_alone(kept):
    context = Context(kept / "new")
    keeping.keep("a study", run(Counting(3), context), context, kept)
    rows = pd.read_parquet(kept / "rows.parquet")
    assert rows["experiment"].value_counts().to_dict() == {"a study": 6, "other": 1}
    found = json.loads((kept / "origin.json").read_text())
    assert found["other"] == {"date": "before"}
    assert {"date", "commit", "seconds"} <= set(found["a study"])
    assert len(parts_of("a study", context)) == 3


@pytest.fixture
def data(tmp_path, monkeypatch):
    """A folder in place of the one under version control."""
    monkeypatch.setattr(rows_module, "DATA", tmp_path)
    rows_module.forget()
    yield tmp_path
    rows_module.forget()


def test_two_runs_that_are_kept_one_after_the_other_are_both_kept(data):
    tmp_path = data
    write(tmp_path / "rows.parquet", together([tidy(name, [{"measure": "e", "value": 1}]) for name in "ab"]))
    (tmp_path / "origin.json").write_text("{}")
    for name in "ab":
        counting, context = Counting(2), Context(tmp_path / name)
        counting.label = name
        rows = together([run(counting, context).rows, tidy(name, [{"measure": "e", "value": 2}])])
        keeping.keep(name, Outcome(rows), context, tmp_path)
    found = pd.read_parquet(tmp_path / "rows.parquet")
    assert found["experiment"].value_counts().to_dict() == {"a": 5, "b": 5}


def test_a_kept_run_must_have_all_cells_however_many_rows_it_has(kept):
    context = Context(kept / "new")
    jobs = list(Counting(9).jobs(None))[1:]
    with pytest.raises(ValueError, match="lacks 2 of them"):
        keeping.keep("a study", run(Counting(), context, jobs), context, kept)


@pytest.mark.parametrize(("n_jobs", "effort"), [(1, Effort()), (3, Effort(quick=True))])
def test_fewer_draws_and_less_effort_replace_nothing(kept, n_jobs, effort):
    context = Context(kept / "new", effort)
    with pytest.raises(ValueError, match="kept"):
        keeping.keep("a study", run(Counting(n_jobs), context), context, kept)
    assert not (kept / "rows.parquet").exists()
