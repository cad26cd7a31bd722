"""The explorer: a memory that fills up before your eyes, on one page; and its patterns, for Python."""

from hebbian_descent.explorer.page import Explorer, explore
from hebbian_descent.explorer.pairs import draw_pairs, initial_weights

__all__ = ["Explorer", "draw_pairs", "explore", "initial_weights"]
