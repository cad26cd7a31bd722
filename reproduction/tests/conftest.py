"""What the tests of the paper share: a command line, and results made up from the printed numbers."""

import sys
from pathlib import Path

import numpy as np
import pytest

from reproduction.__main__ import main
from reproduction.experiments import Association, Measured
from reproduction.measurements import Measurements
from reproduction.printed import printed_rows
from reproduction.run_context import Effort
from reproduction.tables import TABLES

LABEL = "tab:Hetero_online_centered_2"
SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="80" height="40"><path d="M0 40L80 0" stroke="red"/></svg>'
)


N_DRAWS = 5
SCATTER = 0.001


def made_up(row, draw, shift=0.0):
    """Return a measurement of two trials; its draws scatter around a printed row, shifted by `shift`."""
    results = {name: value + shift + SCATTER * (draw - 2) for name, value in row.results.items()}
    trials = {name: (value - 0.0001, value + 0.0001) for name, value in results.items()}
    return Measured(row.cell, results, dict.fromkeys(results, 0.0001), 0.2, 0.0, 2, draw, trials)


@pytest.fixture
def command(monkeypatch, tmp_path, capsys):
    """Run a command in an empty folder; return its code and what it wrote to either stream."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["hebbian-descent", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        return ended.value.code or 0, captured.out, captured.err

    return call


@pytest.fixture(scope="session")
def results_folder(tmp_path_factory) -> Path:
    """Five draws of one table of which one cell differs, a custom table, other efforts and a figure."""
    folder = tmp_path_factory.mktemp("results")
    rows = [row for row in printed_rows(LABEL) if row.cell["input"] == "rand"]
    for draw in range(N_DRAWS):
        measured = [made_up(row, draw, shift=1.0 if row is rows[0] else 0.0) for row in rows]
        Measurements(folder, Effort()).write(TABLES[LABEL], f"rand-rand-draw{draw}", measured, seconds=2.0)
    own = Association(
        "tab:mine", "A table of one's own", {("rand", "mine"): ["sigmoid"]}, generators={"mine": np.ones}
    )
    cell = {"input": "rand", "target": "mine", "activation": "sigmoid", "rule": "<b>mine</b>"}
    mine = [Measured(cell, {"mae_all": 0.125}, {"mae_all": 0.0}, 0.1, 0.0, 1)]
    Measurements(folder, Effort()).write(own, "only", mine, seconds=1.0)
    for effort in (Effort(quick=True), Effort(overrides={"trials": 50, "learning_rates": (1.0, 0.1)})):
        Measurements(folder, effort).write(TABLES[LABEL], "job", [made_up(rows[1], 0)], seconds=1.0)
    drawn = folder / "figures" / "paper"
    drawn.mkdir(parents=True)
    (drawn / "rand_rand_sigmoid_true_online.svg").write_text(SVG)
    return folder
