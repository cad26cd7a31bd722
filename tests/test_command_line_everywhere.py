"""What holds for every command that the application has: it is documented, and has --json and an example."""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import typer

from hebbian_descent.cli import app, main
from hebbian_descent.cli.json_output import as_json
from hebbian_descent.network import Layer

PAGE = (Path(__file__).parents[1] / "docs" / "command_line.md").read_text(encoding="utf-8")


def commands_of(group, *before):
    """Yield the words and the parameters of every command, those of groups too."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands_of(command, *before, name)
        else:
            yield " ".join([*before, name]), command


COMMANDS = dict(commands_of(typer.main.get_command(app)))


def options_of(name):
    return {
        option
        for parameter in COMMANDS[name].params
        for option in (*parameter.opts, *parameter.secondary_opts)
    }


def section(title):
    return PAGE.partition(f"## {title}\n")[2].partition("\n## ")[0]


@pytest.fixture
def command(monkeypatch, capsys, tmp_path):
    """Run a command in an empty folder; return its exit code, standard output and standard error."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["hebbian-descent", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code or 0, *capsys.readouterr()

    return call


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_documented_and_so_is_its_json(name):
    assert f"| `{name}` |" in PAGE.partition("\n## ")[0], "in the table of the commands"
    rows = [row.split(" | ")[0] for row in section("Results as JSON").splitlines() if row.startswith("| `")]
    assert any(f"`{name}`" in row for row in rows), "in the table of the JSON"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_the_common_options(name):
    assert {"--json", "--quiet", "-q", "--verbose", "-v"} <= options_of(name)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_shows_an_example_that_it_would_accept(name, command):
    code, shown, _ = command(*name.split(), "-h")
    assert code == 0
    words = " ".join(shown.split())
    assert re.search(rf"Examples? .*hebbian-descent {name}( |\))", words)
    for option in re.findall(r"--[a-z-]+", words.partition("Example")[2].partition("╭")[0]):
        assert option in options_of(name)


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Small files for the commands that read some; drawing takes longest and is tested elsewhere."""
    monkeypatch.setattr("hebbian_descent.plotting.save_figure", lambda figure, folder, name: [folder / name])
    rng = np.random.default_rng(0)
    inputs = rng.random((12, 3))
    np.savez(tmp_path / "pairs.npz", inputs=inputs, targets=(inputs[:, :2] > 0.5).astype(float))
    rows = "".join(f"{a},{b},{int(a > b)}\n" for a, b, _ in inputs)
    (tmp_path / "rows.csv").write_text(f"a,b,y\n{rows}")
    Layer.create(3, 2, rng=rng).save(tmp_path / "layer.safetensors")


CALLS = {
    "explore": ["--no-open"],
    "learn": ["rows.csv", "--target", "y", "--model", "rows.model"],
    "sweep": ["pairs.npz", "--rates", "1000,1", "--trials", "1", "--by", "all", "--activations", "linear"],
    "inspect": ["layer.safetensors"],
    "data list": [],
    "data fetch": ["digits"],
    "data path": [],
    "doctor": [],
}
"""Calls that take milliseconds; the others are called by the tests of their own."""
TESTED_ELSEWHERE = {"demo", "predict"}


def test_no_command_is_forgotten():
    assert set(CALLS) | TESTED_ELSEWHERE == set(COMMANDS)


@pytest.mark.parametrize("name", CALLS)
def test_json_is_alone_on_standard_output_and_its_names_are_documented(name, command, files):
    code, printed, _ = command(*name.split(), *CALLS[name], "--json")
    assert code == 0
    found = json.loads(printed, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))
    (row,) = [row for row in section("Results as JSON").splitlines() if f"`{name}`" in row.split(" | ")[0]]
    first = found[0] if isinstance(found, list) else found
    if row.split(" | ")[1].startswith("by "):
        first = {} if name == "data fetch" else next(iter(first.values()))
    for key in first:
        assert f"`{key}`" in row, key


@pytest.mark.parametrize("name", [name for name in CALLS if name != "doctor"])
def test_quiet_is_silent_but_for_the_result(name, command, files):
    code, _, said = command(*name.split(), *CALLS[name], "--quiet")
    assert (code, said) == (0, "")


def test_verbose_says_how_long_it_took(command):
    code, printed, said = command("data", "path", "-v")
    assert code == 0
    assert len(printed.splitlines()) == 1
    assert re.fullmatch(r"Took \d+\.\d s\.\n", said)
    code, _, said = command("data", "path", "-v", "-q")
    assert (code, said) == (2, "Give --quiet or --verbose, not both.\n")


def test_predict_writes_its_summary_as_json(command, files):
    command("learn", *CALLS["learn"])
    code, printed, _ = command("predict", "rows.model", "rows.csv", "--json", "--output", "out.csv")
    assert code == 0
    assert json.loads(printed) == {"rows": 12, "task": "classification", "wrote": ["out.csv"]}
    code, printed, said = command("predict", "rows.model", "rows.csv", "--json")
    assert (code, printed) == (2, "")
    assert "--output must name a file" in said


READ_AND_WRITE = {
    "learn": (["rows.csv", "--target", "y", "--model"], ["rows.csv"]),
    "predict": (["rows.model", "rows.csv", "--output"], ["rows.csv", "rows.model"]),
}
"""Commands that read files and write one: arguments up to the output, and the files that they read."""


def under_other_names(path):
    """Return a file's own name, a link to it, another hard link, and a detour."""
    Path("link").symlink_to(path.absolute())
    Path("hard").hardlink_to(path)
    return [path, Path("link"), Path("hard"), Path("..") / Path.cwd().name / path]


@pytest.mark.parametrize(
    ("name", "read"), [(name, read) for name, (_, files) in READ_AND_WRITE.items() for read in files]
)
def test_no_command_writes_over_a_file_that_it_reads(name, read, command, files):
    assert command("learn", *CALLS["learn"])[0] == 0
    before = Path(read).read_bytes()
    for output in under_other_names(Path(read)):
        code, _, said = command(name, *READ_AND_WRITE[name][0], output)
        assert (code, str(output) in said) == (2, True)
        assert Path(read).read_bytes() == before


def test_standard_input_is_not_written_over(files, tmp_path):
    rows = tmp_path / "rows.csv"
    before = rows.read_bytes()
    call = [sys.executable, "-m", "hebbian_descent", "learn", "-", "--target", "y", "--model", rows]
    with rows.open("rb") as file:
        assert subprocess.run(call, stdin=file, capture_output=True, check=False).returncode == 2
    assert rows.read_bytes() == before


def test_numbers_are_numbers_and_what_json_lacks_is_null():
    found = {
        "a": np.float32(0.5),
        "b": [np.nan, np.inf, 1],
        "c": np.array([[1, 2]]),
        "d": Path("x"),
        "e": {2, 1},
    }
    assert as_json(found) == {"a": 0.5, "b": [None, None, 1], "c": [[1, 2]], "d": "x", "e": [1, 2]}
    with pytest.raises(TypeError, match="made of numbers"):
        as_json(object())


def test_version_has_the_level_and_the_libraries(command):
    code, printed, _ = command("--version")
    assert code == 0
    assert re.search(r"compiled core: \w+", printed)
    assert f"numpy {np.__version__}" in printed
    code, printed, _ = command("--version", "--json")
    assert json.loads(printed)["Libraries"]["numpy"] == np.__version__
    code, _, said = command("--json")
    assert code == 2
    assert "There must be a command" in said


def test_a_misspelt_command_gets_a_suggestion(command):
    code, _, said = command("swep")
    assert code == 2
    assert "Did you mean 'sweep'?" in said


class TestDoctor:
    def test_says_what_is_missing_and_how_to_get_it(self, command, tmp_path, monkeypatch):
        monkeypatch.setenv("HEBBIAN_DESCENT_DATA", str(tmp_path))
        monkeypatch.setattr("hebbian_descent.cli.doctor.is_installed", lambda name: name != "distributed")
        code, printed, _ = command("doctor")
        assert code == 0, "what is optional may be missing"
        assert "extra cluster: pip install 'hebbian-descent[cluster]'" in printed
        assert "datasets: hebbian-descent data fetch adult connect mnist cifar" in printed

    def test_a_problem_is_an_exit_code_of_1(self, command, tmp_path, monkeypatch):
        (tmp_path / "file").touch()
        monkeypatch.setenv("HEBBIAN_DESCENT_DATA", str(tmp_path / "typo"))
        monkeypatch.setenv("HEBBIAN_DESCENT_NATIVE", "0")
        code, printed, _ = command("doctor", "--json", "--output", "file/below")
        found = json.loads(printed)
        assert (code, found["healthy"]) == (1, False)
        problems = {finding["what"] for finding in found["findings"] if finding["state"] == "problem"}
        assert problems == {"compiled core", "data folder", "folder of results"}
        assert all(finding["advice"] for finding in found["findings"] if finding["state"] == "problem")


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["swe"], ["sweep"]),
        (["sweep", "pairs.npz", ":", "x", "--rules", "heb"], ["hebbian_descent", "hebb"]),
        (["sweep", "x.npy", "--rules", "hebb,cov"], ["hebb,covariance"]),
        (["sweep", "x.npy", "--activations", "sigm"], ["sigmoid"]),
        (["sweep", "x.npy", "--dtype", "float3"], ["float32"]),
        (["data", "fetch", "mn"], ["mnist"]),
        (["sweep", "x.npy", "--rules", "no such"], []),
        (["nonsense", ":", ":"], []),
    ],
)
def test_a_shell_completes_names(words, offered, command, monkeypatch):
    monkeypatch.setenv("_HEBBIAN_DESCENT_COMPLETE", "complete_bash")
    monkeypatch.setattr(sys.modules["__main__"], "__package__", None)  # tests may be run by python -m pytest
    monkeypatch.setenv("COMP_WORDS", "\n".join(["hebbian-descent", *words]))
    monkeypatch.setenv("COMP_CWORD", str(len(words)))
    code, printed, said = command()
    assert (code, said) == (0, "")
    assert printed.split() == offered
