"""Cases of the three estimators."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from tests.golden import interfaces as call
from tests.golden.material import (
    AUTO_RULES,
    COUNTS,
    GRADED,
    INPUTS,
    LABELS,
    NUMBERS,
    REWARD,
    RULES,
    SAMPLE_WEIGHTS,
    SEVERAL,
    Case,
    key_of,
    units_of,
)


def cases() -> Iterator[Case]:
    yield from (*in_general(), *options(), *of_autoencoders())


def of_each(name: str, way: str, how: Mapping[str, Any], kinds: tuple[str, ...]) -> Iterator[Case]:
    """Yield what a classifier and a regressor, or the one named by `for`, learn from each kind of input."""
    settings = dict(how)
    models = settings.pop("for", ("classifier", "regressor"))
    labels, numbers = settings.pop("labels", LABELS), settings.pop("numbers", NUMBERS)
    for kind, model in product(kinds, models):
        teach, y = {"classifier": (call.classified, labels), "regressor": (call.regressed, numbers)}[model]
        yield key_of(model, way, kind, name), partial(teach, INPUTS[kind], y, way, settings)


def in_general() -> Iterator[Case]:
    everything = product(RULES, ("softmax", "sigmoid", "linear", "scaled_tanh"), ("fit", "stream"))
    for rule, activation, way in everything:
        how = {"rule": rule, "activation": activation, "epochs": 2}
        if activation in ("softmax", "sigmoid", "scaled_tanh"):
            how["for"] = ("classifier",)
        if activation == "scaled_tanh":
            how["error"] = "leaky_hinge"
        if rule in ("hebb", "covariance"):
            how["learning_rate"] = 0.01
        yield from of_each(f"{rule}/{activation}", way, how, ("dense", "sparse"))
    averages = ("auto", False, True, 0.1)
    for centering, scaling, average in product(
        ("auto", "none", "mean", "moving", "paper"), ("auto", None), averages
    ):
        for way in ("fit", "stream"):
            if way == "stream" and centering == "mean":
                continue  # the mean of a stream is not known
            how = {"centering": centering, "scaling": scaling, "average": average, "epochs": 2}
            if scaling is None:
                how["learning_rate"] = 0.003
            yield from of_each(
                f"{centering}/scaling {scaling}/average {average}", way, how, ("dense", "sparse")
            )


def options() -> Iterator[Case]:
    classifier, regressor = {"for": ("classifier",)}, {"for": ("regressor",)}
    both_ways: dict[str, dict[str, Any]] = {
        "sample_weight": {"sample_weight": SAMPLE_WEIGHTS},
        "learning_rate": {"learning_rate": 0.02},
        "weight_decay": {"weight_decay": 0.01},
        "random": {"initial_weights": "random"},
        "saturating": {"error": "saturating", "activation": "sigmoid", **classifier},
        "class_weight": {"class_weight": {0: 2.0, 2: 0.5}, **classifier},
        "several": {"activation": "sigmoid", "labels": SEVERAL, **classifier},
        "several/weighted": {
            "activation": "sigmoid",
            "labels": SEVERAL,
            "sample_weight": SAMPLE_WEIGHTS,
            **classifier,
        },
        "vectors": {"numbers": np.stack([NUMBERS, -2 * COUNTS[:, 2]], axis=1), **regressor},
        "counts": {"activation": "exponential", "numbers": COUNTS[:, 1] + 1, **regressor},
        "softplus": {"activation": "softplus", "numbers": COUNTS[:, 1] + 1, **regressor},
        "rectifier": {"activation": "rectifier", "learning_rate": 0.05, "numbers": COUNTS[:, 1], **regressor},
    }
    for (name, how), way in product(both_ways.items(), ("fit", "stream")):
        yield from of_each(name, way, {"epochs": 2, **how}, ("dense", "counts", "sparse"))
    fits: dict[str, dict[str, Any]] = {
        "batches": {"batch_size": 4, "epochs": 3},
        "batches/weighted": {"batch_size": 4, "epochs": 3, "sample_weight": SAMPLE_WEIGHTS},
        "given order": {"shuffle": False, "epochs": 3},
        "balanced": {"class_weight": "balanced", "epochs": 2, **classifier},
        "max_epochs": {"max_epochs": 40, "tol": 0.01, "n_iter_no_change": 2},
        "early_stopping": {"max_epochs": 30, "early_stopping": True, "validation_fraction": 0.3},
        "early_stopping/weighted": {
            "max_epochs": 30,
            "early_stopping": True,
            "sample_weight": SAMPLE_WEIGHTS + 0.5,
            "validation_fraction": 0.2,
            "n_iter_no_change": 3,
        },
    }
    for name, how in fits.items():
        yield from of_each(name, "fit", how, ("dense", "sparse"))
    yield from of_each("continued", "again", {"epochs": 2}, ("dense", "sparse"))
    yield from of_each("classes", "announced", classifier, ("dense", "sparse"))


def of_autoencoders() -> Iterator[Case]:
    for rule, way, centering in product(
        AUTO_RULES, ("fit", "stream"), ("auto", "none", "moving", "paper", "mean")
    ):
        if way == "stream" and centering == "mean":
            continue
        how = {"rule": rule, "centering": centering, "n_hidden": 3, "epochs": 2, "learning_rate": 0.02}
        how |= units_of(rule)
        yield key_of("autoencoder estimator", way, rule, centering), partial(call.encoded, GRADED, way, how)
    for name, how in {
        "default": {},
        "automatic": {"n_hidden": 2, "learning_rate": "auto", "hidden_activation": "linear"},
        "batches": {"batch_size": 5, "activation": "sigmoid", "weight_decay": 0.01},
        "single": {"batch_size": 1, "shuffle": False, "activation": "sigmoid"},
        "error": {"error": "saturating", "activation": "sigmoid"},
    }.items():
        for way in ("fit", "stream", "again"):
            yield key_of("autoencoder estimator", way, name), partial(call.encoded, GRADED, way, how)
    how = {"sample_weight": REWARD, "batch_size": 4}
    yield key_of("autoencoder estimator", "fit", "weighted"), partial(call.encoded, GRADED, "fit", how)
