"""Where measurements come from."""

import json
import subprocess

import pytest

from reproduction.experiments import Association, Measured
from reproduction.measurements import Measurements
from reproduction.origin import Origin, one_line, origin_in, source_commit, this_origin
from reproduction.run_context import Effort

TABLE = Association("tab:mine", "title", {("rand", "digits"): ["sigmoid"]})
ROW = Measured({"rule": "hebb"}, {"mae_all": 0.5}, {"mae_all": 0.1}, 0.1, 0.0, 2, 0, {"mae_all": (0.4, 0.6)})


def test_measurements_say_where_they_come_from():
    origin = this_origin()
    assert origin.date.count("-") == 2
    assert "NumPy" in origin.versions
    assert origin.processor
    assert "/" not in origin.commit  # no folder of the machine


def test_the_commit_is_that_of_the_sources_and_tells_whether_they_were_edited(tmp_path):
    assert source_commit(tmp_path) == ""
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b"]
    file = tmp_path / "__init__.py"
    file.write_text("1")
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run([*git, *words], check=True, capture_output=True)
    commit = source_commit(tmp_path)
    assert len(commit) == 12
    file.write_text("2")
    assert source_commit(tmp_path) == f"{commit}+"
    installed = tmp_path / ".venv" / "package"
    installed.mkdir(parents=True)
    (installed / "__init__.py").write_text("3")
    assert source_commit(installed) == ""


def test_several_origins_in_one_line():
    first = Origin("2026-01-02", "abc", "NumPy 2", "EPYC", "0")
    second = Origin("2026-01-05", "abc", "NumPy 3", "", "0")
    assert one_line([second, first, Origin()]) == Origin(
        "2026-01-02 to 2026-01-05", "abc", "NumPy 3 or NumPy 2", "EPYC", "0"
    )
    assert one_line([first]) == first


@pytest.mark.parametrize("content", [{"date": 1}, {"other": "a"}, [], {"commit": "x" * 20_000}])
def test_a_forged_origin_is_refused(content):
    with pytest.raises(ValueError, match="must"):
        origin_in(content)


def test_a_file_without_trials_or_origin_is_read_and_filled_in(tmp_path, monkeypatch):
    """What was measured first keeps its seconds and its date when a later run reads it from the store."""
    measurements = Measurements(tmp_path, Effort())
    measurements.write(TABLE, "job", [ROW._replace(trials={})], seconds=9.0)
    path = measurements.path("tab:mine", "job")
    content = json.loads(path.read_text())
    del content["origin"], content["rows"][0]["trials"], content["rows"][0]["draw"]  # as earlier versions
    path.write_text(json.dumps(content))
    assert measurements.rows("tab:mine") == [ROW._replace(trials={})]

    old = Origin("2020-01-01", "abc")
    monkeypatch.setattr("reproduction.measurements.this_origin", lambda: old)
    measurements.write(TABLE, "job", [ROW], seconds=1.0)
    monkeypatch.undo()
    measurements.write(TABLE, "job", [ROW], seconds=2.0)
    (found,) = measurements.read("tab:mine")
    assert (found.rows, found.seconds, found.origin) == ((ROW,), 9.0, old)
    measurements.write(TABLE, "job", [ROW._replace(learning_rate=0.2)], seconds=1.0)
    assert measurements.read("tab:mine")[0].seconds == 1.0


def test_what_diverged_again_keeps_its_seconds_and_its_date(tmp_path, monkeypatch):
    nan = float("nan")
    diverged = ROW._replace(results={"mae_all": nan}, std={"mae_all": nan}, trials={"mae_all": (nan, nan)})
    measurements, old = Measurements(tmp_path, Effort()), Origin("2020-01-01", "abc")
    monkeypatch.setattr("reproduction.measurements.this_origin", lambda: old)
    measurements.write(TABLE, "job", [diverged], seconds=9.0)
    monkeypatch.undo()
    measurements.write(TABLE, "job", [diverged._replace(results={"mae_all": float("nan")})], seconds=1.0)
    (found,) = measurements.read("tab:mine")
    assert (found.seconds, found.origin) == (9.0, old)


def test_one_line_of_lines_for_several_repeats_nothing():
    several = one_line([Origin("2026-11-16", "a"), Origin("2026-11-18", "b")])
    assert several == Origin("2026-11-16 to 2026-11-18", "a or b")
    assert one_line([Origin("2026-11-17", "b"), several, several]) == several._replace(commit="b or a")
    assert one_line([]) == Origin()
