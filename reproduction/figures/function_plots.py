"""Plots of functions: activations with their derivatives, and a loss with its error term."""

from __future__ import annotations

from typing import Any

import numpy as np

from hebbian_descent import plotting
from hebbian_descent.network import get_activation
from hebbian_descent.rules import LOSSES
from hebbian_descent.rules.gradient_descent import pulled_back
from reproduction.context import Context
from reproduction.figures.parts import Figure, named_panels

ACTIVATIONS = {"sigmoid": ("Sigmoid", "-"), "rectifier": ("Rectifier", "--"), "explin": ("ExpLin", ":")}
"""Title and dashes."""

SMOOTH_LOSSES = {
    "Squared error": (LOSSES["squared_error"](), "#000000", ":"),
    "Smooth Huber, $\\alpha$ = 1": (LOSSES["smooth_huber"](saturation=1.0), "#E69F00", "-"),
    "Smooth Huber, $\\alpha$ = 2": (LOSSES["smooth_huber"](saturation=2.0), "#56B4E9", "--"),
}
"""Loss, colour and dashes."""


def draw_activations(context: Context) -> Figure:
    """Draw three activation functions and their derivatives, two of which vanish on one side, one on both."""
    a = np.linspace(-4, 4, 801)
    figure, panels = named_panels("Activation functions", "Their derivatives")
    for name, (title, dashes) in ACTIVATIONS.items():
        activation = get_activation(name)
        h = activation(a)
        slope = pulled_back(activation, np.ones_like(a), a, h)
        for axes, values in zip(panels, (h, slope), strict=True):
            color = plotting.ACTIVATION_COLORS[name]
            axes.plot(a, values, linewidth=2, linestyle=dashes, color=color, label=title)
    panels[0].set(xlabel="Preactivation $a$", ylabel="$\\phi(a)$", ylim=(-1.2, 4.1))
    panels[1].set(xlabel="Preactivation $a$", ylabel="$\\phi'(a)$", ylim=(-0.05, 1.1))
    panels[0].legend(loc="upper left", frameon=False, fontsize=9)
    return figure


def draw_smooth_losses(context: Context) -> Figure:
    """Draw the losses on the left and their error terms on the right."""
    difference = np.linspace(-4, 4, 401)
    targets = np.zeros_like(difference)
    figure, panels = named_panels("Loss", "Error term")
    for title, (loss, color, dashes) in SMOOTH_LOSSES.items():
        style: dict[str, Any] = {"color": color, "linestyle": dashes, "linewidth": 2, "label": title}
        panels[0].plot(difference, loss.elements(targets, difference), **style)
        panels[1].plot(difference, loss.error(targets, difference), **style)
    panels[0].set(xlabel="$h - t$", ylabel="$\\mathcal{L}_{HD}(t, h)$", ylim=(-0.1, 6))
    panels[1].set(xlabel="$h - t$", ylabel="$\\mathcal{E}(t, h)$", ylim=(-3, 3))
    panels[1].legend(loc="upper left", frameon=False, fontsize=9)
    return figure
