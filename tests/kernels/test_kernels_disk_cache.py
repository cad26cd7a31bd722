"""Damaged files of compiled kernels, and folders that take none, cost a warning and nothing else."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

import hebbian_descent

KERNEL = """
import numba
from hebbian_descent.kernels.compilation import called_by_address, kept_on_disk

@kept_on_disk
def doubled(x):
    return 2 * x

@called_by_address(numba.types.float64(numba.types.float64))
def tripled(x):
    return 3 * x

found = doubled(1.5), tripled.ctypes(1.5)
print(*found, sum(doubled.stats.cache_hits.values()) + tripled.cache_hits)
"""
COMPILED, LOADED = "3.0 4.5 0", "3.0 4.5 2"


@pytest.fixture
def run(tmp_path):
    """Run the two kernels in a new process; return what they print and how many warnings there are."""
    (tmp_path / "kernel.py").write_text(KERNEL)
    (tmp_path / "cache").mkdir()

    def run_it(preexec_fn=None, **environment):
        done = subprocess.run(
            [sys.executable, tmp_path / "kernel.py"],
            env=os.environ
            | {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": PACKAGES}
            | environment,
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=preexec_fn,
        )
        assert done.returncode == 0, done.stderr
        assert done.stderr.count("Warning") == done.stderr.count(
            "RuntimeWarning: Kernels are compiled in memory"
        )
        return done.stdout.strip(), done.stderr.count("Warning")

    return run_it


PACKAGES = str(Path(hebbian_descent.__file__).parents[1])


def flip(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 4
    path.write_bytes(content)


DAMAGE = {
    "truncated": lambda path: path.write_bytes(path.read_bytes()[:-100]),
    "empty": lambda path: path.write_bytes(b""),
    "bit flipped": flip,
}


def index_of_one_and_code_of_the_other(folder):
    return *folder.glob("**/*doubled*.nbi"), *folder.glob("**/*tripled*.nbc")


def test_damaged_files_are_compiled_anew_and_replaced(run, tmp_path):
    assert run() == (COMPILED, 0)
    for kind, damage in DAMAGE.items():
        files = index_of_one_and_code_of_the_other(tmp_path)
        assert len(files) == 2
        for path in files:
            damage(path)
        assert (kind, *run()) == (kind, COMPILED, 1)
    assert run() == (LOADED, 0)


def test_folders_in_the_place_of_files_cost_a_warning(run, tmp_path):
    run()
    for path in index_of_one_and_code_of_the_other(tmp_path):
        path.unlink()
        path.mkdir()
    assert run() == (COMPILED, 1)


def test_a_full_disk_costs_a_warning(run, tmp_path):
    assert run(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))) == (COMPILED, 1)
    assert list(tmp_path.glob("cache/**/*.nb?*")) == []


def test_no_folder_that_takes_files_costs_a_warning(run, tmp_path):
    (tmp_path / "__pycache__").write_text("a file instead of a folder")
    nowhere = "/dev/null/cache"  # below a file nothing can be created, whoever asks
    assert run(NUMBA_CACHE_DIR=nowhere, XDG_CACHE_HOME=nowhere, HOME=nowhere) == (COMPILED, 1)
