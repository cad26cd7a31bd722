"""Targets that an activation cannot reach: the warning that training, memories and sweeps share."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable

import numpy as np

from hebbian_descent.checks import Array
from hebbian_descent.network.activations import Activation


class TargetRangeWarning(UserWarning):
    """Targets lie where an activation cannot reach them."""


def warn_of_targets_out_of_reach(
    targets: Array, activations: Iterable[Activation], labels: Collection[float] = (), *, stacklevel: int = 2
) -> None:
    """Warn if some target lies outside the output range of an activation; `stacklevel` 2 is the caller.

    Targets that an error term fixes, such as −1 and 1 for hinges, are `labels`: they cannot be rescaled.
    """
    if labels:
        return
    bounded = [activation for activation in activations if np.isfinite(activation.output_range).any()]
    if not bounded:
        return
    low, high = float(targets.min()), float(targets.max())
    beyond = {
        f"{activation} reaches {activation.output_range[0]:g} to {activation.output_range[1]:g}"
        for activation in bounded
        if low < activation.output_range[0] or high > activation.output_range[1]
    }
    if beyond:
        warnings.warn(
            f"The targets lie between {low:g} and {high:g}, beyond what some units can reach: "
            f"{'; '.join(sorted(beyond))}. Rescale the targets or choose another activation.",
            TargetRangeWarning,
            stacklevel=stacklevel + 1,
        )
