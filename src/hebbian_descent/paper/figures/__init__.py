"""The paper's figures, one file each, drawn from results computed here."""

from __future__ import annotations

from hebbian_descent.paper.figures.base import PaperFigure

FIGURES: dict[str, PaperFigure] = {}
"""By the paper's labels."""

__all__ = ["FIGURES", "PaperFigure"]
