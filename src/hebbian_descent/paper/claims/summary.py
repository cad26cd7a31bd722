"""Means and spreads of `summary.csv`, for cells whose draws are not at hand.

`hebbian-descent evidence` writes that file from a folder of measurements; it is small enough to be kept under
version control, which the measurements are not.
"""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import NamedTuple

from hebbian_descent.paper.saved_json import LARGEST_FILE, warn_of_damage
from hebbian_descent.safe_files import open_regular


class Estimate(NamedTuple):
    """A mean with its standard deviation over n draws, or over n trials where nothing was drawn."""

    mean: float
    sd: float
    n: int


Name = tuple[str, str, str]
"""Table, cell and column, as they are written in the file."""


def summary_in(folder: Path) -> dict[Name, Estimate]:
    """Return the estimates of a folder's summary; none if it is missing or damaged."""
    path = folder / "summary.csv"
    try:
        with open_regular(path) as file:
            lines = csv.DictReader(file.read(LARGEST_FILE).decode().splitlines())
        return {
            (line["table"], line["cell"], line["column"]): _estimate(line) for line in lines if line["ours"]
        }
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError) as error:
        warn_of_damage(path, error, "`hebbian-descent evidence` writes it again")
        return {}


def _estimate(line: dict[str, str]) -> Estimate:
    found = Estimate(float(line["ours"]), float(line["sd"] or "nan"), int(line["n"]))
    if not math.isfinite(found.mean) or found.sd < 0 or found.n < 1:
        raise ValueError(f"an estimate must be finite, of at least one draw, and is {found}")
    return found
