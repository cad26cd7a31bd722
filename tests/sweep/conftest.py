"""Small patterns that every sweep test can share."""

import numpy as np
import pytest

from hebbian_descent.sweep import Patterns


@pytest.fixture(scope="session")
def pairs():
    rng = np.random.default_rng(3)
    inputs = rng.random((24, 10))  # no ties at a jump of an activation
    targets = rng.dirichlet(np.ones(6), size=24)  # within the reach of every activation, softmax included
    return inputs, targets


@pytest.fixture(scope="session")
def patterns(pairs):
    return Patterns.of(*pairs)
