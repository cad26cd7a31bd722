"""Programs that are started in a folder of strangers run nothing that lies there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

OPTIONS = ("--rates", "1", "--trials", "1", "--by", "all", "--engine", "reference")
LIBRARIES = ("cloudpickle", "dask", "distributed", "hebbian_descent", "joblib", "numba", "numpy", "scipy")
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}

# What pip writes for the command `hebbian-descent`.
COMMAND = """
import sys
from hebbian_descent.cli import main

if __name__ == "__main__":
    sys.exit(main())
"""

SCRIPT = """
import sys
import numpy as np
from hebbian_descent import Factors, Rule
from hebbian_descent.sweep import sweep
from beside_the_script import gain

def own(activity):
    from needed_later import centered  # which this process has not imported when the cell is sent
    return Factors(centered(activity), gain() * (activity.output - activity.targets))

result = sweep(np.eye(3), np.ones((3, 2)), rules=Rule("own", own), activations="sigmoid", learning_rates=1,
               trials=1, workers=1)
print(result.values["mae"].shape)
"""


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A folder in which every module of Python and of some libraries has a namesake that leaves a trace."""
    folder = tmp_path / "hostile"
    folder.mkdir()
    trace = f"open({str(tmp_path / 'run')!r}, 'a').write(__name__ + ' ')\n"
    for name in (*sys.stdlib_module_names, *LIBRARIES, "sitecustomize", "usercustomize"):
        (folder / f"{name}.py").write_text(trace)
    np.save(folder / "x.npy", np.eye(4))
    np.save(folder / "t.npy", np.full((4, 2), 0.5))
    return folder


def run(folder: Path, *command: object, **variables: str) -> str:
    """Run Python in the folder; return what it printed."""
    done = subprocess.run(
        [sys.executable, *map(str, command)],
        cwd=folder,
        env={**ENVIRONMENT, **variables},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    trace = folder.parent / "run"
    assert not trace.exists(), f"run from the current folder: {trace.read_text()}"
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("where", [("--workers", "2"), ("--scheduler", "local")], ids=" ".join)
def test_the_command_runs_nothing_of_the_current_folder(
    where: tuple[str, str], hostile: Path, tmp_path: Path
) -> None:
    if "--scheduler" in where:
        pytest.importorskip("distributed")
    program = tmp_path / "bin" / "hebbian-descent"
    program.parent.mkdir()
    program.write_text(COMMAND)
    printed = run(hostile, program, "sweep", "x.npy", "t.npy", *OPTIONS, *where)
    assert "Best learning rates" in printed


@pytest.mark.parametrize("is_safe", [False, True])
def test_a_script_finds_its_own_modules_and_no_others(is_safe: bool, hostile: Path, tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "beside_the_script.py").write_text("def gain(): return 2.0")
    (own / "needed_later.py").write_text("def centered(activity): return activity.inputs - activity.offset")
    (own / "script.py").write_text(SCRIPT)
    variables = {}
    if is_safe:  # then Python does not look beside the script
        variables = {"PYTHONSAFEPATH": "1", "PYTHONPATH": f"{ENVIRONMENT['PYTHONPATH']}{os.pathsep}{own}"}
    assert "(1, 1, 1, 1, 1, 3)" in run(hostile, own / "script.py", **variables)
