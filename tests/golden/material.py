"""What the cases of the goldens share: names, patterns and keys, written out here.

So a new member of a list of the package changes no case.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy import sparse

Case = tuple[str, Callable[[], Mapping[str, Any]]]
"""A key, and what computes the arrays."""

RULES = ("hebbian_descent", "gradient_descent", "hebb", "covariance", "contrastive")
LOCAL_RULES = (
    *("oja", "sanger", "bcm", "perceptron", "proximal", "pseudo_inverse", "willshaw", "palimpsest"),
    "three_factor",
)
AUTO_RULES = ("hebbian_descent", "gradient_descent", "hebb", "contrastive", "oja", "sanger")
LINEAR_ALONE = ("oja", "sanger")
"""Of these, those that need linear units."""
ACTIVATIONS = (
    *("linear", "sigmoid", "step", "softmax", "rectifier", "explin", "scaled_tanh", "approximate_step"),
    *("leaky_rectifier", "scaled_explin", "inverse_sqrt_linear", "softsign", "softplus", "inverse_sqrt"),
    "exponential",
)
CENTERINGS = ("none", "mean", "moving", "paper")
ERRORS = ("difference", "saturating", "leaky_hinge")
TARGETS_ALONE = ("hebb", "covariance")
"""Rules that center targets where the offset is a running mean."""

# From the legacy generator, whose stream never changes; rounded where it takes logarithms or sums.
_random = np.random.RandomState(7)
X = _random.randint(0, 2, (12, 6)).astype(float)
T = _random.randint(0, 2, (12, 4)).astype(float)
GRADED = _random.rand(12, 6)
SIGNED = 2.0 * _random.randint(0, 2, (12, 6)) - 1
WEIGHTS = _random.randn(6, 4).round(6) / 4
TIED = _random.randn(6, 3).round(6) / 4
REWARD = _random.rand(12)
MASK = _random.rand(6, 4) < 0.6
CODE = np.eye(8)[_random.permutation(8)] + np.eye(8)[_random.permutation(8)] > 0
SAMPLES = _random.randn(30, 6).round(6) * (1, 2, 0.1, 1, 10, 1) + (0, 1, 0.2, 0, -3, 0.5)
COUNTS = _random.poisson(0.4, (30, 6)).astype(float) * (1, 2, 0.1, 1, 10, 1)
LABELS = (SAMPLES[:, 0] > 0).astype(int) + (COUNTS[:, 1] > 0)
SEVERAL = np.stack([LABELS > 0, LABELS > 1, COUNTS[:, 0] > 0], axis=1).astype(int)
NUMBERS = (SAMPLES @ _random.randn(6) / 3 + COUNTS[:, 3] + 0.1 * _random.randn(30)).round(6)
SAMPLE_WEIGHTS = _random.choice([0.0, 0.5, 1.0, 2.0, 3.5], 30)
INPUTS = {"dense": SAMPLES, "counts": COUNTS, "sparse": sparse.csr_matrix(COUNTS)}
FEW_X = (np.random.RandomState(9).rand(12, 6) < 0.2).astype(float)
FEW_T = (np.random.RandomState(10).rand(12, 4) < 0.2).astype(float)
"""Sparse patterns of 0 and 1."""
LONG_X = np.random.RandomState(11).randint(0, 2, (40, 20)).astype(float)
LONG_T = np.random.RandomState(12).randint(0, 2, (40, 3)).astype(float)
"""More steps and inputs than a tile of compiled code has."""
GRID = {"learning_rate": (0.5, 0.05), "weight_decay": (0.0, 0.01), "trials": 2, "seed": 3}
"""Of sweeps."""

REWARDED = {"strength": REWARD, "noise": {"activity": 0.2}}


def needed_by(rule: str) -> dict[str, Any]:
    """Return what a rule cannot do without."""
    return {"three_factor": REWARDED, "willshaw": {"learning_rate": 1.0}}.get(rule, {})


def units_of(rule: str) -> dict[str, Any]:
    """Return the units of an auto-encoder that a rule needs, or none."""
    return {"hidden_activation": "linear", "activation": "linear"} if rule in LINEAR_ALONE else {}


def key_of(*words: Any, **how: Any) -> str:
    """Return the key of a case: the words in order, then the settings by name."""
    return "/".join([*map(str, words), *(f"{name}{value}" for name, value in how.items())])
