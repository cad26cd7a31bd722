"""What a figure of the paper is here: a label, a title, and a function that draws it from results."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from hebbian_descent.paper.place import Place

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class PaperFigure(NamedTuple):
    """One figure under the paper's own label."""

    label: str
    title: str
    draw: Callable[[Place], Figure]
    """Computes what is missing in the store of the place, and draws."""
    datasets: frozenset[str] = frozenset()
    tables: tuple[str, ...] = ()
    """The tables whose measured rows it shows; they have to be run before."""
