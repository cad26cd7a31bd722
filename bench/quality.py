"""How good are the estimators, and where do others do better? `python bench/quality.py --help`

Every contender learns every dataset with five seeds. Scores are kept in bench/quality.json, from which the page
docs/estimators/when_does_it_help.md is made; what is kept is not computed again, unless by `--renew`.

    python bench/quality.py                            # what is missing, then the page
    python bench/quality.py --only ours --renew        # one column again
    python bench/quality.py --rows stream numbers      # rows that all words fit: a kind, a target, part of a name
    python bench/quality.py --try "epochs=5"           # other parameters beside the defaults; keeps nothing
"""

from __future__ import annotations

import argparse
import ast
from functools import partial
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from quality_measure import measure
from quality_models import ours
from quality_rows import ROWS, Row
from rich.console import Console
from rich.table import Table


def main() -> None:
    """Do what was asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", nargs="+", default=[], metavar="WORD", help="only rows that all words fit")
    parser.add_argument("--seeds", type=int, help="how many; 5, with --try 2")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument(
        "--try", dest="parameters", help='parameters of our estimators: "epochs=5, shift=0.1"'
    )
    options = parser.parse_args()
    rows = [row for row in ROWS if fits(row, options.rows)]
    compare(rows, parsed(options.parameters), options.seeds or 2, options.jobs)


def fits(row: Row, words: list[str]) -> bool:
    """Return whether each word is the kind or the target of a row, or a part of its name."""
    return all(word in (row.kind, row.target) or word.lower() in row.name.lower() for word in words)


def parsed(text: str) -> dict[str, Any]:
    """Return `a=1, b='x'` as a dictionary."""
    call = ast.parse(f"dict({text})", mode="eval").body
    assert isinstance(call, ast.Call)
    return {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}


def compare(rows: list[Row], parameters: dict[str, Any], n_seeds: int, n_jobs: int) -> None:
    """Print our scores with other parameters beside those with the defaults."""
    cells = [(row, form) for row in rows for form in row.forms]
    makes = (ours, partial(ours, **parameters))
    jobs = [(row, form, make, seed) for row, form in cells for make in makes for seed in range(n_seeds)]
    scores = np.array(Parallel(n_jobs)(delayed(measure)(*job) for job in jobs), dtype=float)
    scores = scores.reshape(len(cells), len(makes), n_seeds)
    table = Table("row", "inputs", "default", "tried", "difference")
    for (row, form), (default, tried) in zip(cells, scores, strict=True):
        table.add_row(row.name, form, in_short(default), in_short(tried), f"{(tried - default).mean():+.3f}")
    Console(width=120).print(table)
    difference = (scores[:, 1] - scores[:, 0]).mean(axis=1)
    deviation = scores[:, 0].std(axis=1)
    print(f"better by more than one deviation: {(difference > deviation).sum()} of {len(cells)}")
    print(
        f"worse by more than one deviation: {(difference < -deviation).sum()}, mean {np.nanmean(difference):+.4f}"
    )


def in_short(scores: Any) -> str:
    """Return mean and deviation, or that it has diverged."""
    return f"{scores.mean():.3f} ± {scores.std():.3f}" if np.isfinite(scores).all() else "diverged"


if __name__ == "__main__":
    main()
