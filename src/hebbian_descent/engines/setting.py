"""The former names of `network_grids`."""

from hebbian_descent.engines.network_grids import LayerCell as Cell
from hebbian_descent.engines.network_grids import LayerGrid as Setting

__all__ = ["Cell", "Setting"]
