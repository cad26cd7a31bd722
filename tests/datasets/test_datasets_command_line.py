"""The commands of `hebbian-descent data`."""

import re
import sys
from typing import NamedTuple

import pytest

from hebbian_descent import datasets
from hebbian_descent.cli import main
from hebbian_descent.datasets.formats import read_content


class Ended(NamedTuple):
    """How a command ended, and what it wrote."""

    exit_code: int
    stdout: str
    stderr: str


@pytest.fixture
def run(monkeypatch, capsys):
    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["hebbian-descent", "data", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        return Ended(ended.value.code or 0, *capsys.readouterr())

    return call


def test_the_list_shows_every_dataset_and_where_it_is(run, tmp_path, monkeypatch):
    monkeypatch.setenv("HEBBIAN_DESCENT_DATA", str(tmp_path))
    (tmp_path / "adult.npz").touch()
    for name in ("train-images-idx3", "train-labels-idx1", "t10k-images-idx3", "t10k-labels-idx1"):
        (tmp_path / f"{name}-ubyte").touch()
    result = run("list")
    assert result.exit_code == 0
    lines = {line.split()[0]: line for line in result.stdout.splitlines() if line.split()}
    assert set(datasets.names()) <= set(lines)
    assert lines["adult"].split() == ["adult", "32,561", "123", "2", "adult.npz"]
    assert lines["cifar"].split() == ["cifar", "60,000", "1024", "10", "needs", "download"]
    assert lines["rand"].split() == ["rand", "any", "number", "200", "–", "built", "in"]
    assert lines["mnist"].split() == ["mnist", "70,000", "784", "10", "4", "files"]
    assert "Data folder" in result.stdout


def test_the_path_is_the_data_folder(run, tmp_path, monkeypatch):
    assert run("path").stdout.strip() == str(datasets.data_folder())
    monkeypatch.setenv("HEBBIAN_DESCENT_DATA", str(tmp_path))
    assert run("path").stdout.strip() == str(tmp_path)


def test_fetching_downloads_and_says_so_and_the_second_time_finds(run, server, real_data, monkeypatch):
    server.serves("/a9a", read_content(real_data / "raw" / "a9a.bz2"))
    monkeypatch.setenv("HEBBIAN_DESCENT_MIRRORS", server.url)
    assert run("fetch", "adult").stdout == f"adult: downloaded to {datasets.data_folder()}\n"
    assert run("fetch", "adult", "digits", "adult").stdout == (
        f"adult: already in {datasets.data_folder()}\ndigits: needs no download\n"
    )


def test_fetching_all_goes_on_after_a_failure_and_reports_it_in_the_end(run):
    result = run("fetch", "all")
    assert result.exit_code == 2
    assert "connect_positions: needs no download" in result.stdout
    sentences = result.stderr.splitlines()
    assert [sentence.split()[0] for sentence in sentences] == ["ADULT", "CONNECT", "MNIST", "CIFAR"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fetch", "mnits"], "The dataset must be one of .* Did you mean 'mnist'?"),
        (["fetch", "all", "mnits"], "Did you mean 'mnist'?"),
        (["fetch", "mnist"], "MNIST is not in .* could not be downloaded"),
    ],
)
def test_errors_are_one_sentence_and_exit_code_two(arguments, message, run):
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert re.search(message, result.stderr)


@pytest.mark.parametrize("command", [["list"], ["path"], ["fetch", "all"]])
def test_a_data_folder_that_does_not_exist_is_an_error_everywhere(command, run, tmp_path, monkeypatch):
    monkeypatch.setenv("HEBBIAN_DESCENT_DATA", str(tmp_path / "typo"))
    result = run(*command)
    assert result.exit_code == 2
    assert result.stderr.startswith("HEBBIAN_DESCENT_DATA must be a folder that exists.")
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize("command", [[], ["list"], ["fetch"], ["path"]])
def test_every_command_explains_itself(command, run):
    output = run(*command, "--help").stdout
    assert "Usage:" in output
    if command:
        assert f"hebbian-descent data {command[0]}" in output, "with an example"
