"""Small random networks, on which identities of updates are checked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hebbian_descent.checks import Array
from hebbian_descent.network import ACTIVATIONS, Activation, Autoencoder, Layer, get_activation
from hebbian_descent.rules import AUTO_RULES, get_error_term
from hebbian_descent.rules.base import Activity, AutoActivity, Change, ErrorFunction

N_INPUTS, N_OUTPUTS, N_PATTERNS = 4, 3, 5
STEP = 1e-6
INCREASING = tuple(name for name in ACTIVATIONS if get_activation(name).strictly_increasing)
"""The activations with φ′ > 0."""


def activity(activation: str | Activation, error: ErrorFunction | str = "difference") -> Activity:
    """Return what the synapses of a small random layer see; the targets suit every activation."""
    rng = np.random.default_rng(0)
    weights, offset = rng.normal(size=(N_INPUTS, N_OUTPUTS)), rng.random(N_INPUTS)
    bias = rng.normal(size=N_OUTPUTS) / 2
    layer = Layer.from_weights(weights, activation=activation, offset=offset, bias=bias)
    x, t = rng.random((N_PATTERNS, N_INPUTS)), rng.dirichlet(np.ones(N_OUTPUTS), size=N_PATTERNS)
    a, h = layer.forward(x)
    term, means = get_error_term(error), (x.mean(axis=0), t.mean(axis=0))
    return Activity(x, offset, t, a, h, layer.activation, term, *means, weights)


def autoencoder(
    hidden: str, output: str, n_hidden: int = 3, centered: bool = True
) -> tuple[Autoencoder, Array]:
    """Return a small random auto-encoder and patterns for it."""
    rng = np.random.default_rng(0)
    n_inputs = N_INPUTS + 1
    network = Autoencoder.from_weights(
        rng.normal(size=(n_inputs, n_hidden)) / 2,
        hidden_activation=hidden,
        output_activation=output,
        offset=rng.random(n_inputs) if centered else 0.0,
        hidden_offset=rng.random(n_hidden) if centered else 0.0,
        bias=rng.normal(size=n_hidden) / 2 if centered else 0.0,
    )
    return network, rng.random((N_PATTERNS, n_inputs))


def auto_change(
    rule: str, network: Autoencoder, x: Array, error: ErrorFunction | str = "difference", **parameters: Any
) -> Change:
    """Return the update of an auto-associative rule."""
    seen = AutoActivity(network, x, network.forward(x), get_error_term(error))
    return AUTO_RULES[rule](**parameters).change(seen)


def hidden_clamped(seen: Activity) -> Change:
    """Return contrastive learning of a layer, its outputs clamped in both phases.

    The free phase infers the inputs by linear units from the clamped outputs, one step of mean field.
    """
    network = Autoencoder.from_weights(
        seen.weights,
        hidden_activation=seen.activation,
        output_activation="linear",
        offset=seen.offset,
        hidden_offset=0.0,
    )
    found = network.forward(seen.inputs)
    clamped = AutoActivity(network, seen.inputs, found, seen.error, hidden_targets=seen.targets)
    return AUTO_RULES["contrastive"](clamp_hidden=True).change(clamped)._replace(decoder_bias=None)


def slope(function: Callable[[Array], Array], at: Array) -> Array:
    """Return the derivative of a sum of elements, element by element."""
    return _derivatives(lambda a: function(a).sum(), at).reshape(at.shape)


def asymmetry(update: Callable[[Array], Array], at: Array) -> float:
    """Return how far the second derivatives are from commuting, 0 for a gradient."""
    jacobian = _derivatives(lambda w: update(w).ravel(), at)
    return float(np.abs(jacobian - jacobian.T).max())


def _derivatives(function: Callable[[Array], Array], at: Array) -> Array:
    """Return the derivative in each element by central differences."""
    nudges = STEP * np.eye(at.size).reshape(-1, *at.shape)
    return np.array([(function(at + nudge) - function(at - nudge)) / (2 * STEP) for nudge in nudges])
