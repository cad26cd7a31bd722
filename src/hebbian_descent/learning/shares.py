"""Shares: patterns that count more than others in the mean over their batch."""

from __future__ import annotations

import numpy as np

from hebbian_descent.checks import Array
from hebbian_descent.network.autoencoder import Pass
from hebbian_descent.rules import AutoRule
from hebbian_descent.rules.base import AutoActivity, Change


def weighted_rows(rows: Array, shares: Array | None) -> Array:
    """Return rows whose mean is the weighted mean of a batch; shares are 1 on average."""
    return rows if shares is None else rows * shares[:, np.newaxis]


def shares_of(scales: Array) -> Array:
    """Return the shares of patterns in the mean of their batch, 1 on average; a single one has it all."""
    return np.ones_like(scales) if len(scales) == 1 else scales / scales.mean()


def weighted_change(rule: AutoRule, activity: AutoActivity, shares: Array) -> Change:
    """Return the mean over a batch of the change of each pattern times its share."""
    changes = []
    for row in range(len(shares)):
        sample = slice(row, row + 1)
        told = None if activity.hidden_targets is None else activity.hidden_targets[sample]
        changes.append(
            rule.change(
                activity._replace(
                    inputs=activity.inputs[sample],
                    units=Pass(*(part[sample] for part in activity.units)),
                    hidden_targets=told,
                )
            )
        )

    def mean(parts: tuple[Array | None, ...]) -> Array | None:
        there = [part for part in parts if part is not None]
        return sum(s * part for s, part in zip(shares, there, strict=True)) / len(shares) if there else None

    weights, bias, decoder_bias = (mean(parts) for parts in zip(*changes, strict=True))
    assert weights is not None
    return Change(weights, bias, decoder_bias)
