"""Hebbian-descent for River: a classifier and a regressor that learn from dictionaries of features.

Needs River: `pip install "hebbian-descent[river]"`. Nothing else in the package imports this.
"""

from hebbian_descent.checks import require_extra

require_extra("river", extra="river", purpose="hebbian_descent.river")

from hebbian_descent.river.classifier import HebbianDescentClassifier  # noqa: E402
from hebbian_descent.river.regressor import HebbianDescentRegressor  # noqa: E402

__all__ = ["HebbianDescentClassifier", "HebbianDescentRegressor"]
