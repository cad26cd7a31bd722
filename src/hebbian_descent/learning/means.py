"""Means of all patterns, which the covariance rule needs and which a part of the patterns cannot provide.

Centered on the mean of each part, single patterns would teach nothing, and small parts something other than
all of them together. So a network remembers the means it was trained with, and a second run with other means
is refused. Where the means are learned with the weights, it remembers the mean target so far.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array
from hebbian_descent.learning.step import Means, Network
from hebbian_descent.network import Layer
from hebbian_descent.network.layer import unit_values
from hebbian_descent.rules import AutoRule, Rule

REMEMBERED = "_means_of_training"
MEAN_TARGET = "_mean_target"
ADVICE = "Pass means=(inputs.mean(axis=0), targets.mean(axis=0)) of all patterns, or all patterns at once."


def means_of_run(
    rule: Rule | AutoRule,
    network: Network,
    inputs: Array,
    targets: Array | None,
    given: tuple[npt.ArrayLike, npt.ArrayLike] | None,
    *,
    are_learned: bool = False,
) -> Means | None:
    """Return the means for a run: those given, or those of its patterns where that is valid."""
    if not isinstance(network, Layer) or targets is None:
        if given is not None:
            raise ValueError("Only a rule for a Layer takes means. Got an Autoencoder.")
        return None
    if given is not None:
        W = network.weights
        return (
            unit_values(given[0], "mean input", W.shape[0], W.dtype),
            unit_values(given[1], "mean target", W.shape[1], W.dtype),
        )
    means = inputs.mean(axis=0), targets.mean(axis=0)
    if isinstance(rule, Rule) and rule.needs_data_mean and not are_learned:
        _refuse_a_part(rule, network, len(inputs), means)
    return means


def _refuse_a_part(rule: Rule, network: Layer, n_patterns: int, means: Means) -> None:
    needs = f"The rule {rule.name!r} needs the means of all training inputs and targets."
    if n_patterns == 1:
        raise ValueError(f"{needs} Got one pattern, which is its own mean. {ADVICE}")
    known: Any = vars(network).get(REMEMBERED)
    if known is not None and not all(np.array_equal(*pair) for pair in zip(known, means, strict=True)):  # type: ignore[arg-type]
        raise ValueError(f"{needs} Got patterns whose means differ from those before. {ADVICE}")


def mean_target_of(network: Layer) -> Array:
    """Return the mean of the targets that a layer has seen, which an update changes in place."""
    mean: Array = vars(network).setdefault(MEAN_TARGET, np.zeros_like(network.bias))
    return mean


def remember_means(network: Network, rule: Rule | AutoRule, means: Means | None) -> None:
    """Let a network remember the means that it was trained with, where its rule needed them."""
    if means is not None and isinstance(rule, Rule) and rule.needs_data_mean:
        vars(network)[REMEMBERED] = means
