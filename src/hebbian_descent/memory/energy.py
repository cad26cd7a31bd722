"""The energy of a layer that is fed its own output, where one exists.

    E(x) = −½ xWxᵀ − (b − μW)·x + Σᵢ Φ*(xᵢ),   Φ*(x) = ∫ φ⁻¹

For symmetric W without self-connections no update of a single unit, xᵢ = φ(aᵢ), increases E: its result
is the minimum of E over xᵢ, since ∂E/∂xᵢ = φ⁻¹(xᵢ) − aᵢ. Hopfield 1984; for step units Φ* = 0, Hopfield 1982.
"""

from __future__ import annotations

import numpy as np

from hebbian_descent.checks import Array
from hebbian_descent.network import Layer


def has_energy(layer: Layer) -> bool:
    """Return whether the weights are symmetric and without self-connections, and Φ* is known."""
    W, phi = layer.weights, layer.activation
    return (
        phi.elementwise and phi.conjugate is not None and np.array_equal(W, W.T) and not np.diagonal(W).any()
    )


def energy_of(layer: Layer, x: Array) -> Array:
    """Return the energy of each pattern; it is infinite for units outside the range of the activation."""
    W, b, mu, phi = layer.weights, layer.bias, layer.offset, layer.activation
    assert phi.conjugate is not None
    inside = phi.domain.contains(x)
    cost = phi.conjugate(np.where(inside, x, phi.domain.any_point(x.shape[1])))
    energy: Array = -0.5 * ((x @ W) * x).sum(axis=1) - x @ (b - mu @ W)
    energy += np.where(inside, cost, np.inf).sum(axis=1)
    return energy
