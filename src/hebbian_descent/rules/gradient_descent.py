"""Gradient descent: the error of the output, pulled back through the activation, times the centered input."""

from __future__ import annotations

from hebbian_descent.checks import Array, unknown_name
from hebbian_descent.network import Activation
from hebbian_descent.registry import made_once
from hebbian_descent.rules.base import Activity, AutoActivity, AutoRule, Change, Factors, Rule, mean_outer


def factors(activity: Activity) -> Factors:
    """Follow the gradient of the loss: ΔW = −η (x − μ)ᵀ (E(t, h) ⊙ φ′(a)), Δb = −η E(t, h) ⊙ φ′(a).

    Where the activation is flat nothing is learned, however wrong the output is.

    Paper: eqn:update_general_gradient_descent_sup_w_2
    """
    x, mu, t = activity.inputs, activity.offset, activity.targets
    a, h = activity.preactivation, activity.output
    return Factors(pre=x - mu, post=pulled_back(activity.activation, activity.error(t, h), a, h))


@made_once
def rule() -> Rule:
    """Return the rule for a layer."""
    return Rule(
        "gradient_descent", factors, pulls_back=True, compiled="pulled_back_error", title="Gradient descent"
    )


PARTS = ("both", "encoder", "decoder")


@made_once
def auto_rule(part: str = "both") -> AutoRule:
    """Follow the gradient of the reconstruction loss through both uses of the tied weights.

    With δ = E(x, z) ⊙ φ′(a_dec) the decoder part is δᵀ(h − λ) for the weights and δ for c; with
    ε = δW ⊙ φ′(a_enc) the encoder part is (x − μ)ᵀε for the weights and ε for b. `part` takes one alone.

    Paper: eqn:update_auto_gradient_descent_unsup_w
    """
    if part not in PARTS:
        raise unknown_name("part of auto-associative gradient descent", part, PARTS)

    def change(activity: AutoActivity) -> Change:
        network, x, units = activity.network, activity.inputs, activity.units
        W, mu, lam, h = network.weights, network.offset, network.hidden_offset, units.hidden
        E = activity.error(x, units.reconstruction)
        delta = pulled_back(network.output_activation, E, units.preactivation, units.reconstruction)
        decoder = Change(weights=mean_outer(delta, h - lam), decoder_bias=delta.mean(axis=0))
        if part == "decoder":
            return decoder
        epsilon = pulled_back(network.hidden_activation, delta @ W, units.hidden_preactivation, h)
        encoder = Change(weights=mean_outer(x - mu, epsilon), bias=epsilon.mean(axis=0))
        if part == "encoder":
            return encoder
        return Change(encoder.weights + decoder.weights, encoder.bias, decoder.decoder_bias)

    compiled = "encoder_and_decoder" if part == "both" else None
    return AutoRule("gradient_descent", change, {"part": part}, pulls_back=True, compiled=compiled)


def pulled_back(activation: Activation, error: Array, a: Array, h: Array) -> Array:
    """Return error·∂h/∂a, or raise if the activation has no derivative."""
    if activation.pull_back is None:
        raise ValueError(
            f"Gradient descent needs the pull_back of the activation {activation.name!r}, which has none. "
            "Pass pull_back=… to Activation, or learn with hebbian_descent, which does not need it."
        )
    return activation.pull_back(error, a, h)
