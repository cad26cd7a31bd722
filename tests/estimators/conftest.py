"""Small problems that all tests of estimators share."""

import numpy as np
import pytest


@pytest.fixture
def patterns():
    """Sixty inputs that are far from mean-free, with labels of three classes and targets of two numbers."""
    rng = np.random.default_rng(5)
    inputs = rng.random((60, 7)) + np.linspace(0, 2, 7)
    scores = (inputs - inputs.mean(axis=0)) @ rng.normal(size=(7, 3))
    labels = scores.argmax(axis=1)
    targets = 1 / (1 + np.exp(-scores[:, :2]))
    return inputs, labels, targets
