"""Scaled exponential linear units (SELU): linear above the threshold, saturating softly below it."""

from dataclasses import replace

import numpy as np
from scipy.special import xlog1py

from hebbian_descent.checks import Array, as_number
from hebbian_descent.network.activations.base import Activation
from hebbian_descent.network.domain import Interval
from hebbian_descent.registry import made_once


@made_once
def scaled_explin(scale: float = 1.0507009873554805, saturation: float = 1.6732632423543772) -> Activation:
    """Return φ(a) = scale·a for a ≥ 0 and scale·saturation·(eᵃ − 1) below.

    The paper's λ is `scale` and its α is `saturation`; the defaults are those of self-normalizing networks.
    """
    scale = as_number(scale, "scale of scaled_explin", above=0)
    saturation = as_number(saturation, "saturation of scaled_explin", above=0)
    activation = exponential_linear("scaled_explin", scale, scale * saturation)
    return replace(activation, parameters={"scale": scale, "saturation": saturation})


def exponential_linear(name: str, slope: float, floor: float) -> Activation:
    """Return φ(a) = slope·a for a ≥ 0 and floor·(eᵃ − 1) below: ExpLin and its scaled version."""

    def value(a: Array) -> Array:
        return np.where(a >= 0, slope * a, floor * np.expm1(np.minimum(a, 0)))

    def pull_back(error: Array, a: Array, h: Array) -> Array:
        return error * np.where(a >= 0, slope, floor * np.exp(np.minimum(a, 0)))

    def antiderivative(a: Array) -> Array:
        below = np.minimum(a, 0)
        return np.where(a >= 0, slope * a * a / 2, floor * (np.expm1(below) - below))

    def conjugate(t: Array) -> Array:
        u = np.minimum(t / floor, 0)
        return np.where(t >= 0, t * t / (2 * slope), floor * (xlog1py(1 + u, u) - u))

    def matching_loss(t: Array, a: Array) -> Array:
        # Target and activity on the same side of 0 have a closed form; on opposite sides all three terms
        # of Φ(a) − t·a + Φ*(t) are positive and can be added.
        a_below, u = np.minimum(a, 0), np.minimum(t / floor, 0)
        both_below = floor * (xlog1py(1 + u, u) - (1 + u) * a_below + (np.expm1(a_below) - u))
        both_above = (slope * a - t) ** 2 / (2 * slope)
        apart = antiderivative(a) - t * a + conjugate(t)
        return np.where((a >= 0) & (t >= 0), both_above, np.where((a < 0) & (t < 0), both_below, apart))

    return Activation(
        name=name,
        compiled=name,
        value=value,
        pull_back=pull_back,
        antiderivative=antiderivative,
        conjugate=conjugate,
        stable_matching_loss=matching_loss,
        domain=Interval(-floor, np.inf),
        output_range=(-floor, np.inf),
        largest_slope=max(slope, floor),
        strictly_increasing=True,
    )
