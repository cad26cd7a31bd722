"""Parts that several drawings have: titles of panels, units of a network, arrows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def name_panels(panels: Sequence[Axes], titles: Iterable[str]) -> None:
    """Write (a), (b) and so on above the panels, each with its title."""
    for letter, axes, title in zip("abcdef", panels, titles, strict=False):
        axes.set_title(f"({letter}) {title}", fontsize=11, loc="left")


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
