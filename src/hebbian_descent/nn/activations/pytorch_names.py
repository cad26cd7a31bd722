"""PyTorch's functions and modules for listed activations; for its names see `network.activations`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

FUNCTIONS: dict[Any, str] = {
    torch.sigmoid: "sigmoid",
    torch.special.expit: "sigmoid",
    F.sigmoid: "sigmoid",
    torch.tanh: "scaled_tanh",
    F.tanh: "scaled_tanh",
    torch.relu: "rectifier",
    F.relu: "rectifier",
    F.elu: "explin",
    torch.selu: "scaled_explin",
    F.selu: "scaled_explin",
    F.leaky_relu: "leaky_rectifier",
    F.softplus: "softplus",
    F.softsign: "softsign",
    torch.exp: "exponential",
}

MODULES: dict[type[nn.Module], Callable[[Any], tuple[str, dict[str, float]] | None]] = {
    nn.Identity: lambda _: ("linear", {}),
    nn.Sigmoid: lambda _: ("sigmoid", {}),
    nn.Tanh: lambda _: ("scaled_tanh", {}),
    nn.ReLU: lambda _: ("rectifier", {}),
    nn.SELU: lambda _: ("scaled_explin", {}),
    nn.Softsign: lambda _: ("softsign", {}),
    nn.ELU: lambda m: ("scaled_explin", {"scale": 1.0, "saturation": m.alpha}) if m.alpha > 0 else None,
    nn.LeakyReLU: lambda m: (
        ("leaky_rectifier", {"slope": m.negative_slope}) if m.negative_slope > 0 else None
    ),
    nn.Softplus: lambda m: ("softplus", {}) if (m.beta, m.threshold) == (1, 20) else None,
    nn.Softmax: lambda m: ("softmax", {}) if m.dim == -1 else None,
}
"""By the type of a module, the name and parameters of what it computes, or None if it is not on the list."""


def recognised(activation: Any) -> tuple[str, dict[str, float]] | None:
    """Return the name and parameters of one of PyTorch's functions or modules, None if it is not on the list.

    Only the value has to be the same; at a kink the derivative is the one stated in `values.py`.
    """
    if isinstance(activation, nn.Module):
        describe = MODULES.get(type(activation))
        return None if describe is None else describe(activation)
    if isinstance(activation, partial):
        along_units = not activation.args and activation.keywords == {"dim": -1}
        return ("softmax", {}) if activation.func in (torch.softmax, F.softmax) and along_units else None
    try:
        name = FUNCTIONS.get(activation)
    except TypeError:  # unhashable, so not a function of PyTorch's
        return None
    return None if name is None else (name, {})
