"""Putting a finished run under version control: its rows and its origin replace those of its experiment."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd

from hebbian_descent.safe_files import write_atomically
from reproduction.context import DATA, Context
from reproduction.origin import Origin, one_line
from reproduction.rows import committed, forget, only, origins, together, write
from reproduction.running import Outcome, parts_of


def keep(experiment: str, outcome: Outcome, context: Context, folder: Path = DATA) -> tuple[Path, Path]:
    """Replace the committed rows of an experiment by those of a whole run with at least as many draws."""
    forget()
    before = only(committed(), experiment)
    if not context.effort.is_the_papers or outcome.missing:
        raise ValueError(
            f"Only a whole run by the paper's protocol is kept. Got {context.effort.name}, "
            f"{len(outcome.missing)} datasets missing: leave --keep out."
        )
    if lost := len(_places(before) - _places(outcome.rows)):
        raise ValueError(
            f"A kept run must have all cells, draws and trials under version control, {len(before)} rows of "
            f"{before['draw'].nunique()} draws. Got a run that lacks {lost} of them."
        )
    rows = together([committed()[committed()["experiment"] != experiment], outcome.rows])
    parts = [rows.attrs for rows in parts_of(experiment, context)]
    origin = one_line(Origin(**part["origin"]) for part in parts)._asdict()
    draws, seconds = outcome.rows["draw"], round(sum(part["seconds"] for part in parts))
    origin |= {"seeds": f"{draws.min()} to {draws.max()}", "seconds": seconds}
    found = {**origins(), experiment: origin}
    write(folder / "rows.parquet", _sorted(rows))
    write_atomically(
        folder / "origin.json", (json.dumps(found, indent=1, ensure_ascii=False) + "\n").encode()
    )
    forget()
    return folder / "rows.parquet", folder / "origin.json"


def _places(rows: pd.DataFrame) -> set[frozenset[tuple[str, object]]]:
    """Return what was measured where: cells, draws, trials and measures."""
    names = [name for name in rows if name not in ("experiment", "value")]
    lines = rows[names].astype(object).itertuples(index=False, name=None)
    return {frozenset((n, v) for n, v in zip(names, line, strict=True) if v != "") for line in lines}


def _sorted(rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows by experiment, each in the order in which it was measured: changes are easy to see."""
    return rows.sort_values("experiment", kind="stable").reset_index(drop=True)
