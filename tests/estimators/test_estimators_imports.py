"""Importing the package is cheap, and compiling works with and without a folder to keep the result in."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import hebbian_descent

PACKAGE = Path(hebbian_descent.__file__).parent
NOWHERE = "/dev/null/cache"  # below a file nothing can be created, whoever asks

HEAVY = "{'torch', 'matplotlib', 'dask', 'distributed', 'numba', 'sklearn', 'pandas'}"
LEARN = """
import numpy as np
from hebbian_descent import HebbianDescentRegressor
from hebbian_descent.kernels.online import learn_online

HebbianDescentRegressor(activation="softsign").partial_fit(np.eye(3), np.eye(3))
print(sum(learn_online.stats.cache_hits.values()))
"""


def in_new_process(code, source=PACKAGE.parent, **environment):
    completed = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env=os.environ | {"PYTHONPATH": str(source)} | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert completed.returncode == 0, completed.stderr
    return completed.stdout.strip()


def test_the_package_imports_nothing_heavy():
    code = f"import sys, hebbian_descent; print(sorted({HEAVY} & set(sys.modules)))"
    assert in_new_process(code) == "[]"


def test_the_estimators_import_numba_when_something_is_learned():
    code = """
import sys
import numpy as np
from hebbian_descent import HebbianDescentClassifier
classifier = HebbianDescentClassifier()
before = "numba" in sys.modules
classifier.partial_fit(np.eye(2), [0, 1])
print(before, "numba" in sys.modules, "torch" in sys.modules, "matplotlib" in sys.modules)
"""
    assert in_new_process(code) == "False True False False"


def test_the_estimators_are_among_the_names_of_the_package():
    names = {"HebbianDescentAutoencoder", "HebbianDescentClassifier", "HebbianDescentRegressor"}
    assert names <= set(dir(hebbian_descent))
    assert names <= set(hebbian_descent.__all__)
    assert not hasattr(hebbian_descent, "HebbianDescentClassifiers")


def test_a_second_process_finds_the_compiled_loop(tmp_path):
    cache = {"NUMBA_CACHE_DIR": str(tmp_path)}
    assert in_new_process(LEARN, **cache) == "0"
    assert in_new_process(LEARN, **cache) == "1"


def test_the_loop_is_compiled_in_memory_where_nothing_can_be_written(tmp_path):
    shutil.copytree(PACKAGE, tmp_path / PACKAGE.name, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / PACKAGE.name / "kernels" / "__pycache__").write_text("a file instead of a folder")
    unwritable = {"NUMBA_CACHE_DIR": NOWHERE, "XDG_CACHE_HOME": NOWHERE, "HOME": NOWHERE}
    expected = "import warnings; warnings.filterwarnings('ignore', 'Kernels are compiled in memory')"
    assert in_new_process(expected + LEARN, tmp_path, **unwritable) == "0"
