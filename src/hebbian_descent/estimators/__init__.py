"""Hebbian-descent for people who know scikit-learn: a classifier, a regressor and an auto-encoder.

They learn one example at a time or many, with `fit` or `partial_fit`, and take their place in a pipeline.
"""

from contextlib import suppress

from hebbian_descent import native
from hebbian_descent.estimators.autoencoder import HebbianDescentAutoencoder
from hebbian_descent.estimators.classifier import HebbianDescentClassifier
from hebbian_descent.estimators.regressor import HebbianDescentRegressor

__all__ = ["HebbianDescentAutoencoder", "HebbianDescentClassifier", "HebbianDescentRegressor"]

with suppress(ValueError):  # which the first use raises
    native.choice()  # loads the compiled core, so that the first call takes no longer than others
