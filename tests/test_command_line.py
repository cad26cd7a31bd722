"""The command hebbian-descent, as a person types it."""

import json
import os
import subprocess
import sys
from functools import cache

import pytest
from typer.testing import CliRunner

import hebbian_descent
from hebbian_descent.checks import unknown_name
from hebbian_descent.cli import app, main
from hebbian_descent.cli.console import print_fitting
from hebbian_descent.table_formats import TextTable


@pytest.fixture
def command(monkeypatch, capsys):
    """Run a command in this process; return its exit code, standard output and standard error."""

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["hebbian-descent", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code or 0, *capsys.readouterr()

    return call


def test_version_and_help():
    runner = CliRunner()
    assert hebbian_descent.__version__ in runner.invoke(app, ["--version"]).output
    assert "forget gracefully" in runner.invoke(app, ["--help"]).output
    assert "learning rate" in runner.invoke(app, ["demo", "-h"]).output
    assert runner.invoke(app, ["no-such-command"]).exit_code == 2


@pytest.mark.parametrize(
    ("error", "code", "sentence"),
    [
        (ValueError("It must be 1.\nGot 2."), 2, "It must be 1. Got 2.\n"),
        (OSError(28, "No space left on device"), 2, "The disk must have room for what is written."),
        (MemoryError(), 2, "There must be enough memory. Got too little: try fewer patterns or trials.\n"),
        (KeyError("x"), 2, "a bug in hebbian-descent: KeyError: 'x'. Set HEBBIAN_DESCENT_TRACEBACK=1"),
        (RecursionError("deep"), 2, "a bug in hebbian-descent: RecursionError: deep."),
        (ValueError(), 2, "a bug in hebbian-descent: ValueError: ."),
        (ValueError("\x1b[31m [/b] " + "x" * 10_000), 2, r"\x1b[31m [/b] x"),
        (KeyboardInterrupt(), 130, "Stopped.\n"),
    ],
)
def test_whatever_fails_is_one_sentence(monkeypatch, capsys, error, code, sentence):
    def fail():
        raise error

    monkeypatch.setattr("hebbian_descent.cli.app", fail)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == code
    said = capsys.readouterr().err
    assert sentence in said
    assert said.count("\n") == 1
    assert len(said) < 3000
    monkeypatch.setenv("HEBBIAN_DESCENT_TRACEBACK", "1")
    with pytest.raises((type(error), SystemExit)) as ended:
        main()
    assert isinstance(ended.value, SystemExit) == (code == 130)


def test_a_reader_that_has_seen_enough_is_no_failure():
    command = [sys.executable, "-m", "hebbian_descent", "data", "list"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_a_full_disk_is_one_sentence():
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "hebbian_descent", "data", "list"]
        result = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert result.returncode == 2
    assert result.stderr == "The disk must have room for what is written. Got: no space left on device.\n"


def test_a_terminal_without_the_letters_gets_their_numbers():
    result = subprocess.run(
        [sys.executable, "-m", "hebbian_descent", "data", "list"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert "\\u2013" in result.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ["doctor", "--output", "[/b]\x1b[2J"],
        ["learn", "zeros.csv", "--target", "y", "--set", "epochs=" + "-" * 20_000 + "1"],
        ["learn", "zeros.csv", "--target", "y", "--set", "epochs={[]: 1}"],
        ["sweep", "zeros.csv", "zeros.csv"],
        ["inspect", "zeros.csv"],
        ["inspect", "../../\x1b[2J"],
    ],
)
def test_names_and_files_of_all_sorts_never_show_a_traceback(arguments, command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "zeros.csv").write_bytes(bytes(100))
    code, printed, errors = command(*arguments)
    assert code == (0 if arguments[0] == "doctor" else 2)
    assert (printed + errors).replace("\n", "").isprintable()
    assert "bug in hebbian-descent" not in errors


@pytest.fixture(scope="module")
def modules_of():
    """Return the modules that an import loads, in a separate process; each import is tried once."""

    @cache
    def loaded(name):
        code = f"import json, sys, {name}; print(json.dumps(list(sys.modules)))"
        result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        return frozenset(json.loads(result.stdout))

    return loaded


@pytest.mark.parametrize("package", ["hebbian_descent", "hebbian_descent.cli"])
@pytest.mark.parametrize(
    "module",
    ["matplotlib", "pandas", "pyarrow", "torch", "distributed", "numba", "sklearn", "scipy.stats"],
)
def test_importing_the_package_imports_no_heavy_library(package, module, modules_of):
    loaded = modules_of(package)
    assert package in loaded
    assert module not in loaded


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (FileNotFoundError(2, "No such file", "x.csv"), "'x.csv' must exist. Got no such file or folder"),
        (FileNotFoundError(2, "No such file", "no/x.csv"), "'no/x.csv' must be in a folder that exists."),
        (PermissionError(13, "Permission denied", "x"), "'x' must be accessible to you. Got: permission"),
        (IsADirectoryError(21, "Is a directory", "x"), "'x' must be a file. Got a folder."),
        (FileExistsError(17, "File exists", "x"), "'x' must be in a folder. Got a file in its place."),
        (OSError(5, "Input/output error", "x"), "'x' must be usable. Got: Input/output error."),
    ],
)
def test_what_the_system_refuses_is_said_in_our_words(error, sentence, monkeypatch, capsys):
    def fail():
        raise error

    monkeypatch.setattr("hebbian_descent.cli.app", fail)
    with pytest.raises(SystemExit, match="2"):
        main()
    assert capsys.readouterr().err.startswith(sentence)


def test_ctrl_c_is_one_line_and_130_in_every_command(command, monkeypatch):
    def interrupt():
        raise KeyboardInterrupt

    monkeypatch.setattr("hebbian_descent.datasets.data_folder", interrupt)
    assert command("data", "path") == (130, "", "Stopped.\n")


LABELS = [f"tab:table_{number:02}" for number in range(40)]


@pytest.mark.parametrize(
    ("got", "suggested"),
    [
        ("tab:table_1", " Did you mean 'tab:table_10', 'tab:table_11' or 'tab:table_12'?"),  # begins so
        ("TAB:TABLE_07", " Did you mean 'tab:table_07', "),
        ("table_31", " Did you mean 'tab:table_31', "),
        ("xyz", ""),
    ],
)
def test_of_many_names_at_most_three_are_suggested(got, suggested):
    said = str(unknown_name("label", got, LABELS))
    assert said.startswith("The label must be one of 40 names")
    assert suggested in said
    assert said.partition("Got")[2].count("'tab:") <= 3 + ("tab:" in got)
    assert len(said) < 200


class TestTablesFit:
    TABLE = TextTable(
        ["Data", "Units", *(f"Rule {number}" for number in range(6))],
        [["connect→randn", "rectifier", *(f"0.12{number}/0.345" for number in range(6))]] * 3,
        "ours/printed",
        "llrrrrrr",
    )

    @pytest.mark.parametrize("width", [40, 60, 80, 120])
    def test_the_terminal_and_no_number_is_broken(self, width, monkeypatch, capsys):
        monkeypatch.setenv("COLUMNS", str(width))
        print_fitting(self.TABLE)
        lines = capsys.readouterr().out.splitlines()
        assert max(map(len, lines)) <= width
        for number in range(6):
            assert sum(f"0.12{number}/0.345" in line for line in lines) == 3
        blocks = sum("Units" in line for line in lines)
        assert blocks == {40: 6, 60: 2, 80: 2, 120: 1}[width]
        assert sum("connect→randn" in line for line in lines) == 3 * blocks, "every part has the words"

    def test_but_a_pipe_gets_whole_lines(self, monkeypatch, capsys):
        monkeypatch.delenv("COLUMNS", raising=False)
        print_fitting(self.TABLE)
        assert sum("Units" in line for line in capsys.readouterr().out.splitlines()) == 1

    def test_words_wrap_where_nothing_else_helps(self, monkeypatch, capsys):
        monkeypatch.setenv("COLUMNS", "30")
        print_fitting(TextTable(["Label", "Error"], [["x" * 40, "0.125/0.25"]], alignment="lr"))
        lines = capsys.readouterr().out.splitlines()
        assert max(map(len, lines)) <= 30
        assert "".join(lines).count("x") == 40
        assert "0.125/0.25" in "\n".join(lines)
