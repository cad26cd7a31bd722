"""Which module of the compiled core is used, in new processes with different environments."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import hebbian_descent
from hebbian_descent import native
from hebbian_descent.cli import app

PACKAGE = Path(hebbian_descent.__file__).parent
USE = """
import warnings
from hebbian_descent import native
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    used = [native.core() for _ in range(3)]
assert used[0] is used[1] is used[2]
print(used[0].__name__ if used[0] else None)
for warning in caught:
    print(warning.category.__name__, warning.message)
"""


def run(code, package=PACKAGE, **settings):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("HEBBIAN_DESCENT_")}
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**kept, "PYTHONPATH": str(package.parent), **settings},
        capture_output=True,
        text=True,
        check=False,
    )


def lines_of(done):
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.fixture
def without_extension(tmp_path):
    """A copy of the package in which the compiled core is missing."""
    return Path(
        shutil.copytree(
            PACKAGE,
            tmp_path / "hebbian_descent",
            ignore=shutil.ignore_patterns("_*.so", "_*.pyd", "__pycache__"),
        )
    )


def test_a_level_is_used_when_it_is_asked_for(core):
    name = core.__name__.rpartition("._")[2]
    settings = {"HEBBIAN_DESCENT_ISA": name, "HEBBIAN_DESCENT_NATIVE": "1"}
    assert lines_of(run(USE, **settings)) == [f"hebbian_descent.native._{name}"]
    said = CliRunner().invoke(app, ["--version"], env=settings).output
    assert said.startswith(f"hebbian-descent {hebbian_descent.__version__}, compiled core: {name}\n")


def test_the_best_level_is_used_by_default(baseline):
    assert lines_of(run(USE)) == [f"hebbian_descent.native._{native.runnable_levels()[0]}"]


def test_the_module_is_compiled_for_its_level(core):
    name = core.__name__.rpartition("._")[2]
    assert core.level == (name if name == "baseline" else f"x86-64-{name}")


@pytest.mark.parametrize(
    "settings",
    [{"HEBBIAN_DESCENT_ISA": "v9"}, {"HEBBIAN_DESCENT_ISA": "AVX2"}, {"HEBBIAN_DESCENT_NATIVE": "no"}],
)
def test_a_wrong_setting_is_an_error_that_says_what_is_possible(baseline, settings):
    ((name, value),) = settings.items()
    done = run("from hebbian_descent import native; native.core()", **settings)
    assert done.returncode == 1
    error = done.stderr.splitlines()[-1]
    assert error.startswith(f"ValueError: {name} must be")
    assert error.endswith(f"Got {value!r}.")
    assert ("baseline" if name == "HEBBIAN_DESCENT_ISA" else "0") in error


def test_a_level_that_was_not_built_is_an_error(without_extension):
    done = run(
        "from hebbian_descent import native; native.core()",
        package=without_extension,
        HEBBIAN_DESCENT_ISA="v3",
    )
    assert done.stderr.splitlines()[-1].endswith("can run: none is. Got 'v3'.")


def test_turned_off_it_warns_once():
    used, *warned = lines_of(run(USE, HEBBIAN_DESCENT_NATIVE="0"))
    assert used == "None"
    assert len(warned) == 1
    assert warned[0].startswith(
        "NativeWarning The compiled core of hebbian_descent is not used: HEBBIAN_DESCENT_NATIVE=0"
    )


def test_missing_it_warns_once(without_extension):
    used, *warned = lines_of(run(USE, package=without_extension))
    assert used == "None"
    assert len(warned) == 1
    assert "it was not built" in warned[0]


def test_broken_it_warns_and_says_why(baseline, without_extension):
    (without_extension / "native" / Path(baseline.__file__).name).write_bytes(b"not a library")
    used, *warned = lines_of(run(USE, package=without_extension))
    assert used == "None"
    assert len(warned) == 1
    assert "it cannot be loaded (" in warned[0]
    facts = lines_of(
        run("import hebbian_descent; hebbian_descent.show_versions()", package=without_extension)
    )
    assert "        can run here: none" in facts


def test_show_versions_names_the_level_and_the_libraries(baseline):
    shown = lines_of(
        run("import hebbian_descent; hebbian_descent.show_versions()", HEBBIAN_DESCENT_ISA="baseline")
    )
    assert f"     hebbian-descent: {hebbian_descent.__version__}" in shown
    assert any(line.startswith("               numpy: ") for line in shown)
    assert "                used: baseline" in shown
    assert f"               built: {', '.join(native.built_levels())}" in shown
