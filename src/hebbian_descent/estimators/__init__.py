"""Estimators with scikit-learn's interface: a classifier, a regressor and an auto-encoder.

They learn one example at a time or many, with `partial_fit` or `fit`, and work in pipelines.
"""

from contextlib import suppress

from hebbian_descent import native
from hebbian_descent.estimators.autoencoder import HebbianDescentAutoencoder
from hebbian_descent.estimators.classifier import HebbianDescentClassifier
from hebbian_descent.estimators.regressor import HebbianDescentRegressor

__all__ = ["HebbianDescentAutoencoder", "HebbianDescentClassifier", "HebbianDescentRegressor"]

# A first call should take no longer than later ones. But it loads the compiled core, and scikit-learn's first
# check in a process searches all installed packages for data-frame plug-ins. So the import makes one.
with suppress(ValueError):  # from wrong environment settings, which the first use raises again
    if native.choice().core is not None:  # else the first use warns, and is slow anyway
        HebbianDescentClassifier().partial_fit([[0.0], [1.0]], [0, 1])
