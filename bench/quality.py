"""How good are the estimators, and where do others do better? See `python bench/quality.py --help`.

Every contender learns every dataset with five seeds. Scores are kept in bench/quality.json, from which the
page docs/estimators/when_does_it_help.md is made; only `--renew` computes kept scores again.

    python bench/quality.py                          # what is missing, then the page
    python bench/quality.py --only ours --renew      # one column again
    python bench/quality.py --rows stream numbers    # rows that fit all words: kind, target, part of a name
    python bench/quality.py --try "epochs=5" "epochs=5, shift=0.1"    # next to the defaults; keeps nothing
"""

from __future__ import annotations

import argparse
import ast
from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from machine import version_of
from quality_measure import data_of, measure, task_of
from quality_models import CONTENDERS, VARIANTS, ours
from quality_page import in_short, page
from quality_rows import MOSTLY_ZERO, ROWS, Row
from quality_scores import Cells, Kept, Line, Scores, Seeds, among_best, best_of, key_of, mean_of, online
from rich.console import Console
from rich.table import Table

from hebbian_descent.datasets.dataset import DatasetError

LEARNERS = CONTENDERS | VARIANTS
KEPT = Kept(Path(__file__).parent / "quality.json")
PAGE = Path(__file__).parent.parent / "docs" / "estimators" / "when_does_it_help.md"
SEEDS, SEEDS_TO_TRY = 5, 2

console = Console(width=140)


def main() -> None:
    """Do what the options request."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", choices=LEARNERS, default=[*LEARNERS], help="contenders")
    parser.add_argument("--rows", nargs="+", default=[], metavar="WORD", help="rows that match all words")
    parser.add_argument("--renew", action="store_true", help="compute again what is kept")
    parser.add_argument("--seeds", type=int, help=f"how many; {SEEDS}, with --try {SEEDS_TO_TRY}")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--try", nargs="+", dest="settings", help="other parameters of our estimators")
    options = parser.parse_args()
    rows = list(present(row for row in ROWS if fits(row, options.rows)))
    if options.settings:
        try_out(rows, options.settings, options.seeds or SEEDS_TO_TRY, options.jobs)
        return
    run(rows, options.only, options.seeds or SEEDS, options.jobs, renew=options.renew)
    PAGE.write_text(page(KEPT), encoding="utf-8")


def fits(row: Row, words: list[str]) -> bool:
    """Return whether each word is the kind or the target of a row, or a part of its name."""
    return all(word in (row.kind, row.target) or word.lower() in row.name.lower() for word in words)


def present(rows: Iterator[Row]) -> Iterator[Row]:
    """Yield the rows whose data are available, and name the others."""
    for row in rows:
        try:
            data_of(row.name, "raw", 0)
        except (DatasetError, ImportError) as error:
            console.print(f"{row.name} is left out: {error}")
        else:
            yield row


class Cell(NamedTuple):
    """The unit of measurement: a contender on a row with its inputs in one form."""

    row: Row
    form: str
    contender: str

    @property
    def key(self) -> str:
        """Return the name under which its scores are kept."""
        return key_of(Line(self.row.name, self.form), self.contender)

    def scores(self, n_seeds: int) -> Seeds:
        """Return one score for each seed."""
        make = LEARNERS[self.contender].make
        found = [measure(self.row, self.form, make, seed) for seed in range(n_seeds)]
        return [None if score is None else round(score, 5) for score in found]


def run(rows: list[Row], names: list[str], n_seeds: int, n_jobs: int, *, renew: bool) -> None:
    """Measure and keep what is missing."""
    names = list(installed(names))
    kept = KEPT.read()["scores"]
    cells = [cell for row in rows for cell in cells_of(row, names)]
    missing = [cell for cell in cells if renew or len(kept.get(cell.key, [])) < n_seeds]
    measured = Parallel(n_jobs, return_as="generator")(delayed(cell.scores)(n_seeds) for cell in missing)
    for number, (cell, seeds) in enumerate(zip(missing, measured, strict=True), start=1):
        KEPT.add("scores", cell.key, seeds)
        console.print(f"{number} of {len(missing)}: {cell.key}: {in_short(seeds)}")


def installed(names: list[str]) -> Iterator[str]:
    """Yield the contenders that are installed, keep their versions, and name the others."""
    for name in names:
        package = LEARNERS[name].package
        version = version_of(package)
        if version == "not installed":
            console.print(f"{name} is left out: {package} is not installed.")
            continue
        KEPT.add("versions", package, version)
        yield name


def cells_of(row: Row, names: list[str]) -> list[Cell]:
    """Return the cells of the contenders that a row suits, and keep the size of its data."""
    data = data_of(row.name, "raw", 0)
    KEPT.add("sizes", row.name, [*data.inputs.shape, task_of(row, data, 0).n_classes])
    return [Cell(row, form, name) for form in row.forms for name in names if suits(name, row)]


def suits(name: str, row: Row) -> bool:
    """Return whether a contender can learn a row; variants of ours are for patterns that are mostly 0."""
    if name in VARIANTS and row.name not in MOSTLY_ZERO:
        return False
    return LEARNERS[name].make(task_of(row, data_of(row.name, "raw", 0), 0)) is not None


def try_out(rows: list[Row], settings: list[str], n_seeds: int, n_jobs: int) -> None:
    """Print our scores with other parameters next to those with the defaults and the best online peer's."""
    lines = [(row, form) for row in rows if suits("ours", row) for form in row.forms]
    columns = {"default": ours} | {text: partial(ours, **parsed(text)) for text in settings}
    jobs = [(*line, make, seed) for line in lines for make in columns.values() for seed in range(n_seeds)]
    found = iter(Parallel(n_jobs)(delayed(measure)(*job) for job in jobs))
    tried = {
        Line(row.name, form): {name: list(islice(found, n_seeds)) for name in columns} for row, form in lines
    }
    peers = {line: peers_on(line, n_seeds) for line in tried}
    table = Table("row", "inputs", *columns, "best online peer")
    for line, cells in tried.items():
        best = best_of(peers[line]) if peers[line] else ""
        table.add_row(*line, *map(in_short, cells.values()), best and f"{in_short(peers[line][best])} {best}")
    console.print(table)
    for name in columns:
        console.print(standing(name, tried, peers))


def peers_on(line: Line, n_seeds: int) -> Cells:
    """Return the kept scores of the other online learners, with the seeds that are tried."""
    cells = online(KEPT.scores().get(line, {}))
    return {name: seeds[:n_seeds] for name, seeds in cells.items() if name != "ours"}


def standing(name: str, tried: Scores, peers: Scores) -> str:
    """Return in words how a setting compares with the peers and with the defaults."""
    is_good = ["ours" in among_best({**peers[line], "ours": cells[name]}) for line, cells in tried.items()]
    gains = np.array(
        [max(mean_of(cells[name]), -1) - max(mean_of(cells["default"]), -1) for cells in tried.values()]
    )
    return (
        f"{name}: best or within one deviation of the best online learner in {sum(is_good)} of {len(tried)} "
        f"lines; against the default {gains.mean():+.4f}, "
        f"better by 0.005 in {sum(gains > 0.005)}, worse in {sum(gains < -0.005)}"
    )


def parsed(text: str) -> dict[str, Any]:
    """Return `a=1, b='x'` as a dictionary."""
    call = ast.parse(f"dict({text})", mode="eval").body
    assert isinstance(call, ast.Call)
    return {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}


if __name__ == "__main__":
    main()
