"""Offsets: what is subtracted from an activity so that a synapse sees it with mean 0.

A moving offset must not disturb what the network has learned. Writing x − μ = (x − μ′) + (μ′ − μ) shows
how: the move of the offset, passed through the weights, is added to the bias.

Paper: sec:HD_importance_centering
"""

from __future__ import annotations

import numpy as np

from hebbian_descent.checks import Array


def moving_average(offset: Array, activity: Array, shift: float) -> Array:
    """Return (1 − ν)·μ + ν·⟨x⟩ over a batch, with ν = `shift`; subnormal numbers become 0."""
    mu, nu = offset, shift
    return flush_subnormal((1 - nu) * mu + nu * activity.mean(axis=0))


def bias_of_moved_offset(bias: Array, weights: Array, old: Array, new: Array) -> Array:
    """Return the bias b + (μ′ − μ)W for which the output is the same with offset μ′ as it was with μ.

    Paper: eqn:neuron_matrix_rep1
    """
    b, W = bias, weights
    return b + (new - old) @ W


def flush_subnormal(values: Array) -> Array:
    """Set numbers too small for full precision to 0, in place: processors are many times slower with them."""
    values[np.abs(values) < np.finfo(values.dtype).tiny] = 0
    return values
