"""Figures of the report, embedded in the page."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import NamedTuple

from hebbian_descent.paper.effort import Effort
from hebbian_descent.paper.figures import FIGURES

LARGEST_SVG = 300_000
"""Largest SVG in bytes; for larger drawings the page embeds the PNG."""


class Image(NamedTuple):
    """A figure of the report; not necessarily drawn yet."""

    label: str
    title: str
    source: str
    """Data URL; empty if it was not drawn."""


def figure_images(folder: Path, effort: Effort) -> list[Image]:
    """Return the paper's figures in the paper's order, then all others that were drawn."""
    drawn = folder / "figures" / effort.name
    others = {path.stem for path in drawn.glob("*.svg")} - {_name(label) for label in FIGURES}
    titles = {label: figure.title for label, figure in FIGURES.items()}
    titles |= {f"own:{name}": name.replace("_", " ").capitalize() for name in sorted(others)}
    found = []
    for label, title in titles.items():
        path = image_file(drawn, label)
        found.append(Image(label, title, data_address(path) if path else ""))
    return found


def image_file(drawn: Path, label: str) -> Path | None:
    """Return the file of a figure that suits a page best, or None if there is none."""
    svg, png = (drawn / f"{_name(label)}{suffix}" for suffix in (".svg", ".png"))
    if svg.is_file() and (svg.stat().st_size <= LARGEST_SVG or not png.is_file()):
        return svg
    return png if png.is_file() else None


def data_address(path: Path) -> str:
    """Return an image as a data URL."""
    kind = "svg+xml" if path.suffix == ".svg" else "png"
    return f"data:image/{kind};base64,{base64.b64encode(path.read_bytes()).decode('ascii')}"


def _name(label: str) -> str:
    return label.partition(":")[2]
