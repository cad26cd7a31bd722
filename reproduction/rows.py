"""The table of rows: every measured number of tables and studies, one per row.

    experiment  settings …  draw  trial  measure  value

`data/rows.parquet` holds all of them, and pandas reads it as it is. Each setting is a column of texts, empty
where it does not apply. A draw is one seed of patterns, a trial one of initial weights; measures that belong
to a whole draw, such as the best learning rate, have the trial −1.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from hebbian_descent.safe_files import write_atomically
from reproduction.context import DATA

Rows: TypeAlias = pd.DataFrame

ALL_TRIALS = -1
"""The trial of what was measured once for all trials of a draw."""
NUMBERS = {"draw": "int16", "trial": "int16", "value": "float64"}
PLACES = ("draw", "trial", "measure", "value")
"""The columns behind the settings."""


def tidy(experiment: str, records: Iterable[Mapping[str, Any]]) -> Rows:
    """Return rows of records, which have settings, `measure`, `value` and, if any, draw and trial."""
    base = {"experiment": experiment, "draw": 0, "trial": ALL_TRIALS}
    lines = [{**base, **{name: as_cell(name, value) for name, value in record.items()}} for record in records]
    return in_order(pd.DataFrame(lines))


def as_cell(name: str, value: Any) -> Any:
    """Return a value as it stands in the rows: settings are texts, such as 0.1 and 100."""
    if name in NUMBERS:
        return value
    return f"{value:g}" if isinstance(value, float) else str(value)


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
    write_atomically(path, rows.to_parquet(None, compression="zstd", index=False))


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


def forget() -> None:
    """Read what is under version control anew the next time."""
    committed.cache_clear()
    origins.cache_clear()


def by_repetition(rows: Rows, measure: str) -> pd.DataFrame:
    """Return one measure of an experiment, a line per cell and a column per draw: the mean over its trials.

    Where nothing was drawn, as from whole datasets, the columns are the trials. Lines are in the order of
    the rows.
    """
    found = rows[rows["measure"] == measure]
    is_drawn = "input" in settings_of(only_used(found)) or found["draw"].nunique() > 1
    repetition = "draw" if is_drawn else "trial"
    settings = settings_of(only_used(found))
    found = found.astype(dict.fromkeys(settings, str))  # no index of categories, which keeps unused ones
    grouped = found.groupby([*settings, repetition], sort=False)["value"]
    means = grouped.agg(lambda values: np.mean(values.to_numpy()))  # NaN, which stands for diverged, stays
    return means.unstack(repetition).reindex(means.index.droplevel(repetition).unique())


def only_used(rows: Rows) -> Rows:
    """Return rows without the settings that are empty in all of them."""
    return rows.drop(columns=[name for name in settings_of(rows) if (rows[name] == "").all()])
