"""The page of the demonstration: one file of HTML with its figures embedded."""

from __future__ import annotations

import base64
from importlib import resources
from pathlib import Path
from typing import NamedTuple

import hebbian_descent
from hebbian_descent import plotting
from hebbian_descent.checks import require_extra
from hebbian_descent.demonstration.figures import EXHIBITS, Exhibit
from hebbian_descent.demonstration.results import RULES, Results, lines, rows
from hebbian_descent.rules import rule_title
from hebbian_descent.safe_files import write_atomically
from hebbian_descent.sweep.grids import QUICK_RATES

PAGE = "report.html"


class Image(NamedTuple):
    """A figure of the page with its content as a data URL."""

    exhibit: Exhibit
    source: str


def write_page(results: Results, folder: Path, explorer: str) -> Path:
    """Write the figures and the page that shows them; it links to the explorer in the same folder."""
    images = [_drawn(exhibit, results, folder / "figures") for exhibit in EXHIBITS]
    path = folder / PAGE
    write_atomically(path, _render(results, images, explorer).encode())
    return path


def _drawn(exhibit: Exhibit, results: Results, folder: Path) -> Image:
    svg, _ = plotting.save_figure(exhibit.draw(results), folder, exhibit.name)
    content = base64.b64encode(svg.read_bytes()).decode("ascii")
    return Image(exhibit, f"data:image/svg+xml;base64,{content}")


def _render(results: Results, images: list[Image], explorer: str) -> str:
    jinja2 = require_extra("jinja2", extra="paper", purpose="Writing the page")
    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    template = resources.files(__package__).joinpath("page.html").read_text(encoding="utf-8")
    measured = rows(results)
    text: str = environment.from_string(template).render(
        version=hebbian_descent.__version__,
        images=images,
        explorer=explorer,
        rules={rule: rule_title(rule) for rule in RULES},
        newest=lines(measured),
        everything=lines(measured, "mae_all"),
        rates=QUICK_RATES,
    )
    return text
