"""Cases of training: layers and tied auto-encoders."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product
from random import Random
from typing import Any

from tests.golden import interfaces as call
from tests.golden.material import (
    ACTIVATIONS,
    AUTO_RULES,
    CENTERINGS,
    ERRORS,
    FEW_T,
    FEW_X,
    GRADED,
    LINEAR_ALONE,
    LOCAL_RULES,
    MASK,
    REWARD,
    RULES,
    TIED,
    WEIGHTS,
    Case,
    T,
    X,
    key_of,
    needed_by,
)


def cases() -> Iterator[Case]:
    yield from (*of_layers(), *of_layers_with_options(), *of_autoencoders())


def can_train(rule: str, activation: str, centering: str, decay: float, batch: int) -> bool:
    """Whether a rule takes the units and batches of a setting."""
    return rule != "proximal" or (batch == 1 and activation != "softmax")


def trained(rule: str, activation: str, centering: str, decay: float, batch: int, **other: Any) -> Case:
    how = {"rule": rule, "activation": activation, "centering": centering, "weight_decay": decay}
    how |= {"batch_size": batch, "learning_rate": 0.2, **other, **needed_by(rule)}
    t = 2 * T - 1 if other.get("error") == "leaky_hinge" else T
    words = (rule, activation, centering, f"decay{decay}", f"batch{batch}")
    return key_of("train", *words, **other), partial(call.trained, X, t, WEIGHTS, how)


def of_layers() -> Iterator[Case]:
    rules = RULES + LOCAL_RULES
    settings = [
        *product(rules, ACTIVATIONS, ("moving",), (0.01,), (3,)),
        *product(("proximal",), ACTIVATIONS, ("moving",), (0.01,), (1,)),
        *product(rules, ("linear", "sigmoid", "softmax"), CENTERINGS, (0.0, 0.01), (1, 5)),
    ]
    for setting in settings:
        if can_train(*setting):
            yield trained(*setting)
    rest = product(rules, ACTIVATIONS, (*CENTERINGS, "fixed"), (0.0, 0.1), (1, 3, 12))
    possible = [setting for setting in rest if can_train(*setting)]
    for number, setting in enumerate(Random(0).sample(possible, 150)):
        other = (
            {"learning_rate": "auto"},
            {"epochs": 3, "shuffle": True, "seed": 3},
            {"error": ERRORS[number % 3]},
        )[number % 3 if setting[0] in RULES else 1]
        yield trained(*setting, **other)


def of_layers_with_options() -> Iterator[Case]:
    for error, rule, activation in product(ERRORS, ("hebbian_descent", "gradient_descent"), ACTIVATIONS):
        yield trained(rule, activation, "mean", 0.0, 3, error=error)
    for rule, activation in product(("hebbian_descent", "gradient_descent", "contrastive"), ACTIVATIONS):
        yield trained(rule, activation, "moving", 0.0, 2, learning_rate="auto")
    options: dict[str, dict[str, Any]] = {
        "constraints/bounds": {"constraints": [("bounds", {"low": -0.2, "high": 0.3})]},
        "constraints/non_negative": {"constraints": ["non_negative"]},
        "constraints/dale": {"constraints": [("dale", {"signs": [1, 1, -1, 1, -1, 1]})]},
        "constraints/two": {"constraints": ["non_negative", "unit_columns"]},
        "connectivity": {"connectivity": MASK},
        "connectivity/auto": {"connectivity": MASK, "learning_rate": "auto"},
        "noise/weights": {"noise": {"weights": 0.05}, "seed": 4},
        "noise/activity": {"noise": {"activity": 0.3}, "trial": 2},
        "noise/both": {"noise": {"weights": 0.05, "activity": 0.3}, "seed": 4, "trial": 1},
        "strength/array": {"strength": REWARD - 0.2},
        "strength/auto": {"strength": REWARD, "learning_rate": "auto"},
        "strength/function": {"strength": call.surprise},
        "order/shuffled": {"shuffle": True, "epochs": 3, "seed": 5},
        "order/resumed": {"shuffle": True, "epochs": 4, "epochs_at_once": 3, "seed": 5},
    }
    for (name, option), rule, batch in product(options.items(), ("hebbian_descent", "hebb", "bcm"), (1, 5)):
        if rule != "hebbian_descent" and "auto" in name:
            continue
        how = {"rule": rule, "batch_size": batch, "centering": "moving", "learning_rate": 0.2, **option}
        yield key_of("train", name, rule, f"batch{batch}"), partial(call.trained, X, T, WEIGHTS, how)
    for rule in RULES + LOCAL_RULES:
        how = {"rule": rule, "centering": "paper", "learning_rate": 0.2, **needed_by(rule)}
        how["batch_size"] = 1 if rule == "proximal" else 2
        yield key_of("train", "sparse patterns", rule), partial(call.trained, FEW_X, FEW_T, WEIGHTS, how)
        yield key_of("train", "recorded", rule), partial(call.recorded, X, T, WEIGHTS, how)
        how = {"rule": rule, "activation": "linear", "learning_rate": 50.0, "epochs": 5, **needed_by(rule)}
        yield key_of("train", "fast", rule), partial(call.trained, X, T, WEIGHTS, how)


def of_autoencoders() -> Iterator[Case]:
    def case(rule: str, hidden: str, output: str, centering: str, decay: float, batch: int, **other: Any):
        how = {"rule": rule, "hidden_activation": hidden, "activation": output, "centering": centering}
        how |= {"weight_decay": decay, "batch_size": batch, "learning_rate": 0.1, "epochs": 2, **other}
        words = (rule, hidden, output, centering, f"decay{decay}", f"batch{batch}")
        return key_of("autoencoder", *words, **other), partial(call.trained_autoencoder, X, TIED, how)

    of_any_units = tuple(rule for rule in AUTO_RULES if rule not in LINEAR_ALONE)
    for rule, activation in product(of_any_units, ACTIVATIONS):
        yield case(rule, activation, "sigmoid", "moving", 0.01, 3)
        yield case(rule, "sigmoid", activation, "moving", 0.01, 3)
    for setting in product(LINEAR_ALONE, ("linear",), ("linear",), CENTERINGS, (0.0, 0.01), (1, 5)):
        yield case(*setting)
    some = ("linear", "sigmoid", "rectifier", "softmax")
    rest = list(product(of_any_units, some, some, (*CENTERINGS, "fixed"), (0.0, 0.1), (1, 5)))
    for number, setting in enumerate(Random(1).sample(rest, 120)):
        other = ({}, {"learning_rate": "auto"}, {"shuffle": True, "seed": 2}, {"error": "saturating"})
        yield case(*setting, **other[number % 4])
    for name, option in {
        "clamped": {"clamped": GRADED[:, :3]},
        "connectivity": {"connectivity": MASK[:, :3]},
        "constraints": {"constraints": ["non_negative"]},
        "strength": {"strength": REWARD},
        "noise": {"noise": {"weights": 0.05}},
    }.items():
        how = {"rule": "hebbian_descent", "learning_rate": 0.1, "batch_size": 2, **option}
        yield key_of("autoencoder", name), partial(call.trained_autoencoder, X, TIED, how)
