"""The command hebbian-descent, as a person types it."""

import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

import hebbian_descent
from hebbian_descent.cli import app
from hebbian_descent.paper.demonstration import EXHIBITS


def run(*arguments, **options):
    return subprocess.run(
        [sys.executable, "-c", "from hebbian_descent.cli import main; main()", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        **options,
    )


def test_demo_prints_a_table_and_writes_a_page(tmp_path):
    environment = {name: value for name, value in os.environ.items() if name != "HEBBIAN_DESCENT_DATA"}
    result = run("demo", "--output", str(tmp_path / "new" / "folder"), env=environment)
    assert result.returncode == 0, result.stderr
    for heading in ("Hebbian-d.", "Gradient-d.", "Hebb", "Covariance", "digits→digits"):
        assert heading in result.stdout
    page = (tmp_path / "new" / "folder" / "report.html").read_text(encoding="utf-8")
    assert "Which rule remembers?" in page
    assert page.count("<img ") == len(EXHIBITS)
    picture = tmp_path / "new" / "folder" / "figures" / "quick" / "recalled_digits.png"
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path):
    (tmp_path / "file").write_text("in the way")
    result = run("demo", "--output", str(tmp_path / "file"))
    assert result.returncode == 2
    assert "Traceback" not in result.stderr
    assert str(tmp_path / "file") in result.stderr


def test_without_matplotlib_the_missing_extra_is_named(tmp_path):
    """A finder that hides matplotlib stands in for an environment without it."""
    hide = (
        "import sys\n"
        "class Hidden:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.split('.')[0] == 'matplotlib':\n"
        "            raise ModuleNotFoundError('hidden', name='matplotlib')\n"
        "sys.meta_path.insert(0, Hidden())\n"
        "from hebbian_descent.cli import main\n"
        "main()"
    )
    result = subprocess.run(
        [sys.executable, "-c", hide, "demo", "--output", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 2
    assert result.stderr.strip() == (
        "Drawing a figure needs matplotlib, which is not installed: pip install 'hebbian-descent[paper]'"
    )


def test_version_and_help():
    runner = CliRunner()
    assert hebbian_descent.__version__ in runner.invoke(app, ["--version"]).output
    assert "forget gracefully" in runner.invoke(app, ["--help"]).output
    assert "learning rate" in runner.invoke(app, ["demo", "-h"]).output
    assert runner.invoke(app, ["no-such-command"]).exit_code == 2


@pytest.mark.parametrize(
    "module", ["matplotlib", "pandas", "pyarrow", "torch", "distributed", "numba", "sklearn"]
)
def test_importing_the_package_imports_no_heavy_library(module):
    code = f"import sys, hebbian_descent; print({module!r} in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "False"
