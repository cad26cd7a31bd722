"""The parameters of an estimator in plain words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hebbian_descent.estimators.labels import ClassWeight
from hebbian_descent.learning.averaging import Average, averaging_in

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

MOST_WEIGHTS = 5
"""The number of class weights that are listed."""


def or_what_is_wrong(describe: Callable[[], str]) -> str:
    """Return a description, or what is wrong with the parameters."""
    try:
        return describe()
    except (TypeError, ValueError) as error:
        return f"not usable: {error}"


def describe_layer(setting: Any, class_weight: ClassWeight = None) -> str:
    """Return a line such as "softmax regression by online gradient descent on the cross entropy; …"."""
    name = setting.activation.name
    model = MODELS.get(name, f"a layer of {setting.activation} units")
    details = [
        f"{model} by {_method(setting)}",
        _centering(setting),
        "inputs scaled by their spread" if setting.scales_inputs else "inputs not scaled",
        *_rate(setting),
        _average(setting.average),
        _epochs(setting),
        *_class_weight(class_weight),
    ]
    return "; ".join([*details, *_ignored(setting)])


def describe_autoencoder(setting: Any) -> str:
    """Return a line such as "a tied auto-encoder with sigmoid hidden and linear output units by …"."""
    units = f"{setting.hidden_activation} hidden and {setting.activation} output units"
    way = "online" if setting.batch_size == 1 else f"mini-batch ({setting.batch_size})"
    rule = AUTO_RULES.get(setting.rule.name, f"learning with the rule {setting.rule.name!r}")
    details = [
        f"a tied auto-encoder with {units} by {way} {rule}",
        _centering(setting),
        *_rate(setting),
        f"{_count(setting.epochs)} in fit",
    ]
    return "; ".join([*details, *_ignored(setting)])


def _ignored(setting: Any) -> list[str]:
    return [] if setting.rule.takes_error_term else ["the error term is not used"]


def _rate(setting: Any) -> list[str]:
    eta, omega = setting.learning_rate, setting.weight_decay
    rate = "automatic learning rate" if eta is None else f"learning rate {eta:g}"
    return [rate, *([f"weight decay {omega:g} per step"] if omega else [])]


def _average(average: Average) -> str:
    """Say over which samples the weights that predict are averaged, in `fit` and in a stream."""
    in_fit, in_stream = (averaging_in(average, stream=stream) for stream in (False, True))
    if in_stream is None:
        return "predictions from the latest weights"
    words = "predictions from weights averaged over the last quarter of all samples seen"
    if not in_stream.rate:
        return words
    where = "" if in_fit == in_stream else "in partial_fit "
    return f"{words}, {where}at most about the last {1 / in_stream.rate:,.0f}"


def _epochs(setting: Any) -> str:
    """Say when `fit` ends."""
    stopping = setting.stopping
    if stopping.max_epochs is None:
        return f"{_count(setting.epochs)} in fit"
    words = f"up to {_count(stopping.max_epochs)} in fit, until the loss"
    if stopping.early_stopping:
        held_out = f"a held-out {100 * stopping.validation_fraction:g} %"
        return f"{words} on {held_out} stops falling, and the best epoch is kept"
    return f"{words} stops falling"


def _class_weight(class_weight: ClassWeight) -> list[str]:
    if class_weight is None:
        return []
    if isinstance(class_weight, str):
        return ["samples weighted so that all classes count the same"]
    weights = [f"{label!r}: {weight:g}" for label, weight in class_weight.items()]
    shown = weights if len(weights) <= MOST_WEIGHTS else [*weights[:MOST_WEIGHTS], "…"]
    return [f"samples weighted by class ({', '.join(shown)})"]


def _count(n_epochs: int) -> str:
    return "1 epoch" if n_epochs == 1 else f"{n_epochs:,} epochs"


def _centering(setting: Any) -> str:
    centering = setting.centering
    if centering is None:
        return "no centering"
    if not isinstance(centering, str):
        return "centering on given numbers"
    words, start = CENTERINGS[centering], setting.offset_start
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
