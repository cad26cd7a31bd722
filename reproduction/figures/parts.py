"""Parts that several drawings have: titles of panels, units of a network, arrows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy.typing as npt

from hebbian_descent import plotting

if TYPE_CHECKING:
    import matplotlib  # takes half a second to import, and a list of figures needs none

Axes: TypeAlias = "matplotlib.axes.Axes"
Figure: TypeAlias = "matplotlib.figure.Figure"


def named_panels(*titles: str, rows: int = 1, **size: Any) -> tuple[Figure, list[Axes]]:
    """Return an empty figure with (a), (b) and so on above its panels, each with its title."""
    figure, panels = plotting.new_panels(len(titles) // rows, rows, **size)
    for letter, axes, title in zip("abcdef", panels, titles, strict=False):
        axes.set_title(f"({letter}) {title}", fontsize=11, loc="left")
    return figure, panels


def draw_units(axes: Axes, places: Iterable[float], height: float, name: str) -> None:
    """Draw a layer as circles, with the numbered name of each unit inside."""
    for number, place in enumerate(places, start=1):
        axes.scatter(place, height, s=600, facecolor="white", edgecolor="black", zorder=2)
        axes.text(place, height, f"${name}_{number}$", ha="center", va="center", fontsize=11, zorder=3)


def arrow(
    axes: Axes, start: npt.ArrayLike, end: npt.ArrayLike, color: str, zorder: float = 3, **style: Any
) -> None:
    """Draw an arrow with a filled head."""
    style = {"arrowstyle": "-|>", "color": color, "shrinkA": 0, "shrinkB": 0, **style}
    axes.annotate("", xy=tuple(end), xytext=tuple(start), arrowprops=style, zorder=zorder)  # type: ignore[arg-type]
