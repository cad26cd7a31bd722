"""The one list of datasets, behind loading, drawing, the command line, the documentation and the tests."""

from __future__ import annotations

from hebbian_descent.checks import unknown_name
from hebbian_descent.datasets.description import Description
from hebbian_descent.datasets.sources.adult import ADULT
from hebbian_descent.datasets.sources.cifar import CIFAR
from hebbian_descent.datasets.sources.connect import CONNECT
from hebbian_descent.datasets.sources.connect_positions import CONNECT_POSITIONS
from hebbian_descent.datasets.sources.digits import DIGITS
from hebbian_descent.datasets.sources.mnist import MNIST
from hebbian_descent.datasets.sources.random_patterns import RAND, RANDN

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
    """Return what is known of the dataset called `name`."""
    if name not in DATASETS:
        raise unknown_name("dataset", name, DATASETS)
    return DATASETS[name]
