"""Figures of the report: the files that were drawn, embedded in the page and described in words."""

from __future__ import annotations

import base64
import re
from pathlib import Path
from typing import NamedTuple

from reproduction.figures import FIGURES
from reproduction.notes import Description, figure_descriptions
from reproduction.report.drawings import drawing, svg_address
from reproduction.run_context import Effort

LARGEST_SVG = 600_000
"""Largest SVG in bytes; for larger drawings the page embeds the PNG."""
VIEW_BOX = re.compile(r'viewBox="0 0 ([\d.]+) ([\d.]+)"')


class Image(NamedTuple):
    """A figure of the report; not necessarily drawn yet."""

    label: str
    title: str
    description: Description
    is_measured: bool
    """Whether it shows numbers that depend on the effort, and not functions or examples alone."""
    source: str = ""
    """Data URL; empty if it was not drawn."""
    shape: str = ""
    """Width and height, such as "660 / 288", so that the page reserves room before it is loaded."""

    @property
    def is_raster(self) -> bool:
        """Whether it consists of pixels and cannot change its colours."""
        return self.source.startswith("data:image/png")


def figure_images(folder: Path, effort: Effort, kept: Path | None = None) -> list[Image]:
    """Return the paper's figures in the paper's order, then all others that were drawn.

    Figures that were not drawn are taken from the folder `kept`, if they are there.
    """
    drawn = folder / "figures" / effort.name
    others = {path.stem for path in drawn.glob("*.svg")} - {_name(label) for label in FIGURES}
    titles = {label: figure.title for label, figure in FIGURES.items()}
    titles |= {f"own:{name}": name.replace("_", " ").capitalize() for name in sorted(others)}
    described = figure_descriptions()
    found = []
    for label, title in titles.items():
        known = FIGURES.get(label)
        words = described.get(label) or Description("", f"{title}: a figure without a description.")
        image = Image(label, title, words, known is None or bool(known.datasets))
        path = image_file(drawn, label) or (image_file(kept, label) if kept else None)
        found.append(_embedded(image, path) if path else image)
    return found


def image_file(drawn: Path, label: str) -> Path | None:
    """Return the file of a figure that suits a page best, or None if there is none."""
    svg, png = (drawn / f"{_name(label)}{suffix}" for suffix in (".svg", ".png"))
    if svg.is_file() and (svg.stat().st_size <= LARGEST_SVG or not png.is_file()):
        return svg
    return png if png.is_file() else None


def _embedded(image: Image, path: Path) -> Image:
    if path.suffix == ".png":
        content = base64.b64encode(path.read_bytes()).decode("ascii")
        return image._replace(source=f"data:image/png;base64,{content}")
    svg = drawing(path.read_text(encoding="utf-8", errors="replace"))
    box = VIEW_BOX.search(svg)
    return image._replace(source=svg_address(svg), shape=f"{box[1]} / {box[2]}" if box else "")


def _name(label: str) -> str:
    return label.partition(":")[2]
