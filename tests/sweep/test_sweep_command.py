"""`hebbian-descent sweep`, as a person types it."""

import json
import os
import signal
import subprocess
import sys
import time
from typing import NamedTuple

import numpy as np
import pytest

from hebbian_descent.cli import main
from hebbian_descent.storage.results import Store

COMMAND = [sys.executable, "-c", "from hebbian_descent.cli import main; main()", "sweep"]


class Ended(NamedTuple):
    """How a command ended, and what it wrote."""

    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def run(folder, monkeypatch, capsys):
    """Run the command in this process, as if typed in the folder."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "100")

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["hebbian-descent", "sweep", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        return Ended(ended.value.code or 0, *capsys.readouterr())

    return call


def run_apart(*arguments, folder):
    """Run it in a process of its own."""
    return subprocess.run(
        [*COMMAND, *arguments],
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
        cwd=folder,
        env={**os.environ, "COLUMNS": "100"},
    )


@pytest.fixture
def folder(tmp_path, pairs):
    inputs, targets = pairs
    np.save(tmp_path / "x.npy", inputs)
    np.save(tmp_path / "t.npy", targets)
    np.savez(tmp_path / "both.npz", inputs=inputs, targets=targets)
    np.savetxt(tmp_path / "x.csv", inputs, delimiter=",", header="a,b,c,d,e,f,g,h,i,j", comments="")
    np.savetxt(tmp_path / "t.csv", targets, delimiter=",")
    return tmp_path


QUICK = ("--rates", "0.5,0.05", "--trials", "2")


def test_it_prints_the_best_rates_and_writes_two_figures(folder):
    result = run_apart("x.npy", "t.npy", *QUICK, "--activations", "sigmoid,linear", folder=folder)
    assert result.returncode == 0, result.stderr
    assert "Engine sequence" in result.stderr
    assert "32 runs" in result.stdout
    for word in ("hebbian_descent", "gradient_descent", "hebb", "covariance", "sigmoid", "linear", "last20"):
        assert word in result.stdout
    for name in ("learning_rate_curve", "forgetting_curve"):
        assert (folder / "sweep" / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert (folder / "sweep" / f"{name}.svg").is_file()
    assert len(Store(folder / "sweep" / "store")) == 8


def test_all_formats_give_the_same_result(run):
    tables = []
    quick = (*QUICK, "--rules", "hebb")
    for number, files in enumerate(
        (["x.npy", "t.npy"], ["both.npz"], ["x.csv", "t.csv"], ["both.npz:inputs", "t.npy"])
    ):
        result = run(*files, *quick, "--output", f"out{number}")
        assert result.returncode == 0, result.stderr
        assert result.stderr.count("Wrote ") == 4
        tables.append(result.stdout[result.stdout.index("Best learning rates") :])
    assert len(set(tables)) == 1


BAD_CALLS = [
    (["missing.npy", "t.npy"], "which does not exist"),
    (["x.npy"], "Give two files, inputs and targets, or one .npz that holds both"),
    (["x.txt", "t.npy"], "must end in .npy, .npz, .csv"),
    (["both.npz:input", "t.npy"], "Did you mean 'inputs'?"),
    (["both.npz", "t.npy"], "array of both.npz (given as both.npz:NAME) must be one of inputs, targets"),
    (["words.csv", "t.npy"], "must hold numbers separated by commas"),
    (["broken.npz"], "must be a whole .npz archive"),
    (["broken.npy", "t.npy"], "must hold an array of numbers"),
    (["pickle.npy", "t.npy"], "must hold an array of numbers"),
    (["short.npy", "t.npy"], "must be pairs, equally many. Got 3 and 24"),
    (["nan.npy", "t.npy"], "must be finite. Got nan in row 0, column 0"),
    (
        ["x.npy", "t.npy", "--rates", "a,b"],
        "--rates must be numbers separated by commas, or 'auto' or 'paper'. Got 'a,b'",
    ),
    (["x.npy", "t.npy", "--rates", ""], "at least one value for the learning rates"),
    (["x.npy", "t.npy", "--rates", "0"], "learning rate must be above 0"),
    (["x.npy", "t.npy", "--rules", "hebbian_decent"], "Did you mean 'hebbian_descent'?"),
    (["x.npy", "t.npy", "--by", "best20"], "criterion must be"),
    (["x.npy", "t.npy", "--by", "last30"], "must not exceed the 24 patterns"),
    (["x.npy", "t.npy", "--shard", "3"], "--shard must be i/n"),
    (["x.npy", "t.npy", "--shard", "3/2"], "shard must be between 1 and 2"),
    (["x.npy", "t.npy", "--dtype", "float16"], "dtype must be float32 or float64"),
    (["x.npy", "t.npy", "--dtype", "flot"], "flot"),
    (["x.npy", "t.npy", "--output", "x.npy"], "x.npy"),
    (["x.npy", "t.npy", "--output", "other"], "A store must have format 2"),
    (["x.npy", "t.npy", "--output", "foreign"], "foreign"),
    (["x.npy", "t.npy", "--scheduler", "nowhere"], "address of a Dask scheduler"),
    (["x.npy", "t.npy", "--workers", "0"], "number of workers must be at least 1"),
]


@pytest.mark.parametrize(
    ("arguments", "message"), BAD_CALLS, ids=lambda v: " ".join(v) if isinstance(v, list) else ""
)
def test_bad_calls_are_one_sentence_and_exit_code_2(arguments, message, folder, run):
    (folder / "x.txt").write_text("1 2")
    (folder / "words.csv").write_text("a,b\n1,2\nthree,4\n")
    (folder / "broken.npz").write_bytes((folder / "both.npz").read_bytes()[:300])
    (folder / "broken.npy").write_bytes((folder / "x.npy").read_bytes()[:300])
    np.save(folder / "pickle.npy", np.array([{"a": 1}], dtype=object))
    np.save(folder / "short.npy", np.ones((3, 10)))
    np.save(folder / "nan.npy", np.full((24, 10), np.nan))
    for name, file in (("other", "_store.json"), ("foreign", "holiday.jpg")):
        (folder / name / "store").mkdir(parents=True)
        (folder / name / "store" / file).write_text('{"format": 99}')
    quick = QUICK[2:] if "--rates" in arguments else QUICK
    result = run(*arguments, *quick)
    assert result.returncode == 2
    assert message in result.stderr


def test_targets_out_of_reach_and_constant_columns_are_noted(folder, run):
    inputs, targets = np.load(folder / "x.npy"), np.load(folder / "t.npy")
    inputs[:, :3] = 1.0
    np.save(folder / "x2.npy", inputs)
    np.save(folder / "t2.npy", 3 * targets)
    result = run("x2.npy", "t2.npy", *QUICK)
    assert result.returncode == 0, result.stderr
    printed = result.stderr
    assert "3 of 10 input columns are constant" in printed
    assert "beyond what some units can reach: sigmoid reaches 0 to 1" in printed


def test_a_second_run_goes_on_from_the_store(folder, run):
    assert run_apart("both.npz", *QUICK, folder=folder).returncode == 0
    stamps = {path: path.stat().st_mtime_ns for path in (folder / "sweep" / "store").glob("*.parquet")}
    again = run("both.npz", *QUICK, "--rules", "hebbian_descent,contrastive")
    assert again.returncode == 0
    for path, stamp in stamps.items():
        assert path.stat().st_mtime_ns == stamp
    assert len(Store(folder / "sweep" / "store")) == 5


def test_shards_fill_a_shared_folder(folder, run):
    for part in (1, 2, 3):
        result = run("both.npz", *QUICK, "--shard", f"{part}/3")
        assert result.returncode == 0, result.stderr
    assert "0 of the whole sweep are missing" in result.stdout
    assert len(Store(folder / "sweep" / "store")) == 4


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
def test_ctrl_c_leaves_a_store_to_go_on_from(folder):
    """The plain loop over all rates is slow enough to be stopped in the middle."""
    arguments = ["both.npz", "--engine", "reference", "--trials", "20", "--rules", "hebbian_descent,hebb"]
    arguments += ["--activations", "sigmoid,linear,explin,softsign,softplus,step"]
    process = subprocess.Popen(
        [*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder
    )
    store = folder / "sweep" / "store"
    deadline = time.monotonic() + 120
    while len(list(store.glob("*.parquet"))) < 2 and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 130, stderr
    assert "run the same command again to resume" in stderr
    assert "Traceback" not in stderr
    finished = len(Store(store))
    assert 2 <= finished < 12


def test_help_teaches(run):
    text = " ".join(run("--help").stdout.split())
    for word in ("Examples", "pairs.npz", "--shard", "--scheduler", "to resume"):
        assert word in text


def test_a_best_rate_at_the_edge_and_rates_that_all_diverge_are_noted(run, monkeypatch):
    monkeypatch.setattr("hebbian_descent.plotting.save_figure", lambda *_: [])  # which takes longest
    result = run("both.npz", "--rates", "0.001,0.0001", "--trials", "1", "--rules", "hebbian_descent")
    assert "≥0.001" in result.stdout
    assert "hebbian_descent, sigmoid: the best learning rate, 0.001, is the largest tried" in result.stderr
    diverging = (
        "--rates",
        "1e6,1e5",
        "--trials",
        "1",
        "--rules",
        "hebbian_descent",
        "--activations",
        "linear",
    )
    result = run("both.npz", *diverging)
    assert "every learning rate diverged: try smaller ones" in result.stderr
    (best,) = json.loads(run("both.npz", *diverging, "--json").stdout)["best"]
    assert (best["learning_rate"], best["value"]) == (None, None)
    assert best["doubt"] == "every learning rate diverged: try smaller ones"


def test_the_automatic_rate_alone_has_no_curve_over_rates(run):
    result = run("both.npz", "--rates", "auto", "--trials", "1", "--rules", "hebbian_descent")
    assert result.returncode == 0
    assert "auto" in result.stdout
    assert "forgetting_curve" in result.stderr
    assert "learning_rate_curve" not in result.stderr
