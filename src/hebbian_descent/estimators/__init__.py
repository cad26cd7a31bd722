"""Hebbian-descent for people who know scikit-learn: a classifier, a regressor and an auto-encoder.

They learn one example at a time or many, with `fit` or `partial_fit`, and take their place in a pipeline.
"""

from contextlib import suppress

from sklearn.utils.multiclass import type_of_target

from hebbian_descent import native
from hebbian_descent.estimators.autoencoder import HebbianDescentAutoencoder
from hebbian_descent.estimators.classifier import HebbianDescentClassifier
from hebbian_descent.estimators.regressor import HebbianDescentRegressor

__all__ = ["HebbianDescentAutoencoder", "HebbianDescentClassifier", "HebbianDescentRegressor"]

# A first call should take no longer than later ones. So importing loads the compiled core and makes a first
# check of scikit-learn, which searches all installed packages for plug-ins of data frames.
with suppress(ValueError):  # which the first use raises
    native.choice()
type_of_target([0, 1])
