"""Kernels are kept on disk where that is possible, and compile all the same where it is not."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import hebbian_descent

PACKAGE = Path(hebbian_descent.__file__).parent
NOWHERE = "/dev/null/cache"  # below a file nothing can be created, whoever asks

RUN_ONCE = """
import numpy as np
from hebbian_descent.kernels.whole_products import set_product

set_product(np.empty((3, 8)), np.eye(3), np.ones((3, 8)))
print(sum(set_product.stats.cache_hits.values()))
"""


def in_new_process(code, source, **environment):
    completed = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env=os.environ | {"PYTHONPATH": str(source)} | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert completed.returncode == 0, completed.stderr
    return completed.stdout.strip()


@pytest.fixture
def copy_of_package(tmp_path):
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(PACKAGE, tmp_path / PACKAGE.name, ignore=ignored)
    return tmp_path


def test_a_second_process_finds_the_compiled_kernel(copy_of_package, tmp_path):
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    assert in_new_process(RUN_ONCE, copy_of_package, **cache) == "0"
    assert in_new_process(RUN_ONCE, copy_of_package, **cache) == "1"


def test_a_change_of_another_kernel_file_gives_the_kernel_another_name_on_disk(copy_of_package, tmp_path):
    code = (
        "from hebbian_descent.kernels.whole_products import set_product as f; print(f.py_func.__qualname__)"
    )
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    before = in_new_process(code, copy_of_package, **cache)
    with (copy_of_package / PACKAGE.name / "kernels" / "panels.py").open("a") as file:
        file.write("# changed\n")
    assert in_new_process(code, copy_of_package, **cache) != before


def test_kernels_run_where_nothing_can_be_written(copy_of_package):
    (copy_of_package / PACKAGE.name / "kernels" / "__pycache__").write_text("a file instead of a folder")
    unwritable = {"NUMBA_CACHE_DIR": NOWHERE, "XDG_CACHE_HOME": NOWHERE, "HOME": NOWHERE}
    expected = "import warnings; warnings.filterwarnings('ignore', 'Kernels are compiled in memory')"
    assert in_new_process(expected + RUN_ONCE, copy_of_package, **unwritable) == "0"
