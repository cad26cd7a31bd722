"""The commands learn and predict, as a person types them."""

import csv
import sys

import numpy as np
import pytest

from hebbian_descent.cli import main


@pytest.fixture
def command(monkeypatch, capsys):
    """Run a command in this process; return its exit code, standard output and standard error."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["hebbian-descent", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code, *capsys.readouterr()

    return run


@pytest.fixture
def succeed(command):
    """Run a command that must succeed; return its standard output and standard error."""

    def run(*arguments):
        code, shown, errors = command(*arguments)
        assert code == 0, errors
        return shown, errors

    return run


@pytest.fixture
def examples():
    """Inputs and labels of a task that can be learned."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(700, 5))
    return X, (X @ rng.normal(size=(5, 3))).argmax(axis=1)


@pytest.fixture
def write_table(tmp_path):
    """Write columns by name to a CSV file, with quotes where they must be."""

    def write(name="data.csv", **columns):
        path = tmp_path / name
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(columns)
            writer.writerows(zip(*columns.values(), strict=True))
        return path

    return write


@pytest.fixture
def numbers_file(examples, write_table):
    """A CSV file of the examples, and what is in it."""
    X, y = examples
    columns = {f"x{number}": X[:, number].tolist() for number in range(X.shape[1])}
    return write_table(**columns, y=y.tolist())
