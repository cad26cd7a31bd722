"""The list of datasets, which loading, drawing, the command line, the documentation and the tests use."""

from __future__ import annotations

from hebbian_descent.checks import unknown_name
from hebbian_descent.datasets.dataset import Description
from hebbian_descent.datasets.sources.adult import ADULT
from hebbian_descent.datasets.sources.built_in import DIGITS, RAND, RANDN
from hebbian_descent.datasets.sources.cifar import CIFAR
from hebbian_descent.datasets.sources.connect import CONNECT, CONNECT_POSITIONS
from hebbian_descent.datasets.sources.mnist import MNIST

DATASETS: dict[str, Description] = {
    "rand": RAND,
    "randn": RANDN,
    "adult": ADULT,
    "connect": CONNECT,
    "mnist": MNIST,
    "cifar": CIFAR,
    "digits": DIGITS,
    "connect_positions": CONNECT_POSITIONS,
}


def names() -> tuple[str, ...]:
    """Return the names of all datasets: the six of the paper, then those that work on any machine."""
    return tuple(DATASETS)


def describe(name: str) -> Description:
    """Return the description of the dataset called `name`."""
    if name not in DATASETS:
        raise unknown_name("dataset", name, DATASETS)
    return DATASETS[name]
