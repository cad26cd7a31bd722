"""The explorer: an interactive page on which a memory fills up; and its patterns, for Python."""

from hebbian_descent.explorer.page import Explorer, explore
from hebbian_descent.explorer.pairs import draw_pairs, initial_weights

__all__ = ["Explorer", "draw_pairs", "explore", "initial_weights"]
