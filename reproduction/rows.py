"""The table of rows: every measured number of tables and studies, one per row.

    experiment  settings …  draw  trial  measure  value

`data/rows.parquet` holds all of them, and pandas reads it as it is. Each setting is a column of texts, empty
where it does not apply. A draw is one seed of patterns, a trial one of initial weights; measures that belong
to a whole draw, such as the best learning rate, have the trial −1.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

Rows: TypeAlias = pd.DataFrame

DATA = Path(__file__).parent / "data"
ALL_TRIALS = -1
"""The trial of what was measured once for all trials of a draw."""
NUMBERS = {"draw": "int16", "trial": "int16", "value": "float64"}
PLACES = ("draw", "trial", "measure", "value")
"""The columns behind the settings."""


def tidy(experiment: str, records: Iterable[Mapping[str, Any]]) -> Rows:
    """Return rows of records, which have settings, `measure`, `value` and, if any, draw and trial."""
    table = pd.DataFrame([{"experiment": experiment, "draw": 0, "trial": ALL_TRIALS, **r} for r in records])
    return in_order(table)


def in_order(rows: Rows) -> Rows:
    """Return rows with the types and the order of columns that every table of rows has."""
    settings = settings_of(rows)
    texts = (
        rows[["experiment", *settings, "measure"]].astype(object).fillna("").astype(str).astype("category")
    )
    numbers = rows[list(NUMBERS)].astype(NUMBERS)
    return pd.concat([texts, numbers], axis=1)[["experiment", *settings, *PLACES]].reset_index(drop=True)


def settings_of(rows: Rows) -> list[str]:
    """Return the columns that are settings."""
    return [name for name in rows.columns if name not in ("experiment", *PLACES)]


def together(tables: Iterable[Rows]) -> Rows:
    """Return several tables as one; settings that one of them lacks are empty there."""
    return in_order(pd.concat([table.astype({"value": float}) for table in tables], ignore_index=True))


def only(rows: Rows, experiment: str) -> Rows:
    """Return the rows of one experiment, without the settings that it does not have."""
    chosen = rows[rows["experiment"] == experiment]
    empty = [name for name in settings_of(chosen) if (chosen[name] == "").all()]
    return chosen.drop(columns=empty).reset_index(drop=True)


def write(path: Path, rows: Rows, notes: Mapping[str, Any] | None = None) -> None:
    """Write rows with notes, under a temporary name first: a killed run leaves no half of a file."""
    rows.attrs = dict(notes or {})
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        rows.to_parquet(partial, compression="zstd", index=False)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


@cache
def committed() -> Rows:
    """Return the rows under version control."""
    return pd.read_parquet(DATA / "rows.parquet")


@cache
def origins() -> dict[str, dict[str, str]]:
    """Return where the committed numbers come from, by experiment."""
    text = (DATA / "origin.json").read_text(encoding="utf-8")
    found: dict[str, dict[str, str]] = json.loads(text)
    return found


def by_repetition(rows: Rows, measure: str) -> pd.DataFrame:
    """Return one measure of an experiment, a line per cell and a column per draw: the mean over its trials.

    Where nothing was drawn, so that all rows have draw 0, the columns are the trials.
    """
    found = rows[rows["measure"] == measure]
    repetition = "trial" if found["draw"].nunique() <= 1 else "draw"
    settings = settings_of(only_used(found))
    grouped = found.groupby([*settings, repetition], observed=True, sort=False)["value"]
    return grouped.agg(lambda values: np.mean(values.to_numpy())).unstack(repetition)


def only_used(rows: Rows) -> Rows:
    """Return rows without the settings that are empty in all of them."""
    return rows.drop(columns=[name for name in settings_of(rows) if (rows[name] == "").all()])
