"""The datasets of the paper, and two more that need no download.

>>> from hebbian_descent import datasets
>>> inputs, targets = datasets.draw_pair("rand", "digits", 100, seed=0)
>>> inputs.shape, targets.shape
((100, 200), (100, 64))
"""

from hebbian_descent.datasets.dataset import Dataset, DatasetError, Description, Split
from hebbian_descent.datasets.download import DatasetUnavailableError, fetch
from hebbian_descent.datasets.folder import DataFolderError, data_folder, locate
from hebbian_descent.datasets.loading import DatasetDamagedError, UnpublishedDataWarning, load
from hebbian_descent.datasets.sampling import draw_pair, draw_patterns
from hebbian_descent.datasets.sources import DATASETS, describe, names

__all__ = [
    "DATASETS",
    "DataFolderError",
    "Dataset",
    "DatasetDamagedError",
    "DatasetError",
    "DatasetUnavailableError",
    "Description",
    "Split",
    "UnpublishedDataWarning",
    "data_folder",
    "describe",
    "draw_pair",
    "draw_patterns",
    "fetch",
    "load",
    "locate",
    "names",
]
