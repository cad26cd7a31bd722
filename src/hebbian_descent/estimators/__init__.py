"""Hebbian-descent for people who know scikit-learn: a classifier, a regressor and an auto-encoder.

They learn one example at a time or many, with `fit` or `partial_fit`, and take their place in a pipeline.
"""

from contextlib import suppress

from hebbian_descent import native
from hebbian_descent.estimators.autoencoder import HebbianDescentAutoencoder
from hebbian_descent.estimators.classifier import HebbianDescentClassifier
from hebbian_descent.estimators.regressor import HebbianDescentRegressor

__all__ = ["HebbianDescentAutoencoder", "HebbianDescentClassifier", "HebbianDescentRegressor"]

# A first call should take no longer than later ones. But it loads the compiled core, and scikit-learn's first
# check of a process searches all installed packages for plug-ins of data frames. So importing makes one.
with suppress(ValueError):  # of settings of the environment, which the first use raises
    if native.choice().core is not None:  # else the first use warns, and is slow anyway
        HebbianDescentClassifier().partial_fit([[0.0], [1.0]], [0, 1])
