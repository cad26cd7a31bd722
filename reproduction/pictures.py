"""A picture of each table: our numbers over the printed ones, coloured by verdict."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from hebbian_descent import plotting
from hebbian_descent.checks import require_extra

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STYLES: dict[str, dict[str, Any]] = {
    "agrees": {"color": "#0072B2", "marker": "o"},
    "undecided": {"color": "#E69F00", "marker": "^"},
    "differs": {"color": "#D55E00", "marker": "X"},
}
"""By verdict, the most frequent first: the others are drawn over it."""
SHAPES = {"blue circles": "agree", "yellow triangles": "are undecided", "red crosses": "differ"}
MEASURES = {
    "mae_last20": "Error of the last 20 patterns",
    "mae_last10": "Error of the last 10 patterns",
    "mae_all": "Error of all patterns",
    "mae_mean": "Mean absolute error",
    "error_mean": "Classification error",
    "mean_hidden_activity": "Mean hidden activity",
}
SMALL = {"svg.fonttype": "none", "font.sans-serif": ["DejaVu Sans"]}
"""Text instead of outlines: an SVG of half the size."""


def draw(table: pd.DataFrame) -> Figure:
    """Draw verdicts of `compare.verdicts`, a panel per measure."""
    figure, panels = plotting.new_panels(table["measure"].nunique(), width=3.4, height=3.2)
    for axes, (measure, found) in zip(panels, table.groupby("measure", sort=False), strict=True):
        ends = _ends(found)
        axes.plot(ends, ends, **{**plotting.BASELINE_STYLE, "label": None})
        for word, style in STYLES.items():
            if len(chosen := found[found["word"] == word]):
                label = f"{word} ({len(chosen)})"
                axes.plot("printed", "ours", data=chosen, label=label, ls="", ms=4.5, mec="none", **style)
        axes.set_title(MEASURES[measure], fontsize=11)
        axes.set_xlabel("Printed")
        axes.set_ylabel("Ours")
        axes.set_aspect("equal")
        axes.legend(frameon=False, fontsize=8)
    return figure


def _ends(found: pd.DataFrame) -> tuple[float, float]:
    numbers = found[["printed", "ours"]].to_numpy()
    return float(np.nanmin(numbers)), float(np.nanmax(numbers))


def save(table: pd.DataFrame, label: str, folder: Path) -> Path:
    """Write the picture of a table as SVG, and return its file."""
    matplotlib = require_extra("matplotlib", extra="results", purpose="Drawing a figure")
    path = folder / name_of(label)
    with matplotlib.rc_context(SMALL):
        plotting.save_svg(draw(table), path)
    return path


def name_of(label: str) -> str:
    """Return the name of the file: table_ and the label without its kind."""
    return f"table_{re.sub(r'[^A-Za-z0-9]+', '_', label.partition(':')[2]).lower()}.svg"
