"""The parameters of an estimator in plain words."""

from __future__ import annotations

from typing import Any

from hebbian_descent.learning.centering import PAPER_START

MODELS = {
    "softmax": "softmax regression",
    "sigmoid": "logistic regression of each output",
    "linear": "linear regression",
    "exponential": "Poisson regression",
    "step": "perceptron",
}
LOSSES = {
    "softmax": "cross entropy",
    "sigmoid": "cross entropy",
    "linear": "squared error",
    "exponential": "Poisson deviance",
    "step": "perceptron loss",
}
AUTO_RULES = {
    "hebbian_descent": "Hebbian-descent on the reconstruction",
    "gradient_descent": "gradient descent on the reconstruction",
    "hebb": "Hebb's rule",
    "contrastive": "contrastive learning",
    "oja": "Oja's subspace rule",
    "sanger": "Sanger's rule",
}
CENTERINGS = {
    "auto": "centering on the data mean in fit, moving in partial_fit",
    "mean": "centering on the data mean",
    "moving": "moving centering",
}


def describe_layer(setting: Any) -> str:
    """Return a line such as "softmax regression by online gradient descent on the cross entropy, …"."""
    name = setting.activation.name
    model = MODELS.get(name, f"a layer of {setting.activation} units")
    unscaled = setting.scaling is not None and not setting.rule.looks_at_output
    ignored = [*_ignored(setting), *(["inputs are not scaled"] if unscaled else [])]
    return ", ".join([f"{model} by {_method(setting)}", *_details(setting), *ignored])


def describe_autoencoder(setting: Any) -> str:
    """Return a line such as "a tied auto-encoder with sigmoid hidden and linear output units by …"."""
    units = f"{setting.hidden_activation} hidden and {setting.activation} output units"
    way = "online" if setting.batch_size == 1 else f"mini-batch ({setting.batch_size})"
    rule = AUTO_RULES.get(setting.rule.name, f"learning with the rule {setting.rule.name!r}")
    return ", ".join(
        [f"a tied auto-encoder with {units} by {way} {rule}", *_details(setting), *_ignored(setting)]
    )


def _ignored(setting: Any) -> list[str]:
    return [] if setting.rule.takes_error_term else ["the error term is not used"]


def _details(setting: Any) -> list[str]:
    eta, omega = setting.learning_rate, setting.weight_decay
    rate = "automatic learning rate" if eta is None else f"learning rate {eta:g}"
    decay = [f"weight decay {omega:g} per step"] if omega else []
    return [_centering(setting), rate, *decay]


def _centering(setting: Any) -> str:
    centering = setting.centering
    if centering is None:
        return "no centering"
    if not isinstance(centering, str):
        return "centering on given numbers"
    start = PAPER_START if centering == "half" else setting.offset_start
    words = CENTERINGS["moving" if centering == "half" else centering]
    return words if start is None else f"{words} that starts at {start:g}"


def _method(setting: Any) -> str:
    way = "online" if setting.batch_size == 1 else f"mini-batch ({setting.batch_size})"
    rule, error, name = setting.rule.name, setting.error.name, setting.activation.name
    if rule == "hebb":
        return "Hebb's rule"
    if rule == "covariance":
        return "the covariance rule"
    if rule == "contrastive" or (rule == "hebbian_descent" and error == "difference"):
        return f"{way} gradient descent on the {LOSSES.get(name, 'matching loss of the activation')}"
    if rule == "hebbian_descent":
        return f"{way} Hebbian-descent with the error term {error!r}"
    if rule == "gradient_descent":
        loss = "squared error" if error == "difference" else f"loss of the error term {error!r}"
        return f"{way} gradient descent on the {loss}"
    return f"{way} learning with the rule {rule!r}"
