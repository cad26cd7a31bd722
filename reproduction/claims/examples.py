"""Small random networks for checking identities of updates."""

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


def increasing() -> list[str]:
    """Return the activations with a strictly positive derivative."""
    return [name for name in ACTIVATIONS if get_activation(name).strictly_increasing]


def activity(
    activation: str | Activation, seed: int = 0, error: ErrorFunction | str = "difference"
) -> Activity:
    """Return what the synapses of a small random layer see; the targets suit every activation."""
    rng = np.random.default_rng(seed)
    layer = Layer.from_weights(
        rng.normal(size=(N_INPUTS, N_OUTPUTS)),
        activation=activation,
        offset=rng.random(N_INPUTS),
        bias=rng.normal(size=N_OUTPUTS) / 2,
    )
    x, t = rng.random((N_PATTERNS, N_INPUTS)), rng.dirichlet(np.ones(N_OUTPUTS), size=N_PATTERNS)
    a, h = layer.forward(x)
    term = get_error_term(error)
    return Activity(x, layer.offset, t, a, h, layer.activation, term, x.mean(axis=0), t.mean(axis=0))


def autoencoder(
    hidden: str = "sigmoid", output: str = "sigmoid", n_hidden: int = 3, centered: bool = True
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


def hidden_clamped(activation: str) -> Change:
    """Return contrastive learning of the layer of `activity`, its outputs clamped in both phases.

    The free phase infers the inputs by linear units from the clamped outputs, one step of mean field.
    """
    seen = activity(activation)
    rng = np.random.default_rng(0)
    network = Autoencoder.from_weights(
        rng.normal(size=(N_INPUTS, N_OUTPUTS)),
        hidden_activation=activation,
        output_activation="linear",
        offset=seen.offset,
        hidden_offset=0.0,
    )
    clamped = AutoActivity(
        network, seen.inputs, network.forward(seen.inputs), seen.error, hidden_targets=seen.targets
    )
    return AUTO_RULES["contrastive"](clamp_hidden=True).change(clamped)._replace(decoder_bias=None)


def deviation(first: Change, second: Change) -> float:
    """Return the largest difference of two updates, in the parameters that both change."""
    pairs = zip(first, second, strict=True)
    return max(
        float(np.abs(one - other).max()) for one, other in pairs if one is not None and other is not None
    )


def slope(function: Callable[[Array], Array], at: Array) -> Array:
    """Return the derivative of a sum of elements, element by element, by finite differences."""
    found = np.empty_like(at)
    for place in np.ndindex(at.shape):
        nudge = np.zeros_like(at)
        nudge[place] = STEP
        found[place] = (function(at + nudge).sum() - function(at - nudge).sum()) / (2 * STEP)
    return found


def asymmetry(update: Callable[[Array], Array], at: Array) -> float:
    """Return how far the second derivatives are from commuting, 0 for a gradient."""
    jacobian = np.empty((at.size, at.size))
    for column in range(at.size):
        nudge = np.zeros(at.size)
        nudge[column] = STEP
        above, below = (update(at + sign * nudge.reshape(at.shape)) for sign in (1, -1))
        jacobian[:, column] = (above - below).ravel() / (2 * STEP)
    return float(np.abs(jacobian - jacobian.T).max())
