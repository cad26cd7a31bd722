"""Cases of sweeps: every engine, auto-encoders, and searches by halving."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any

from tests.golden import interfaces as call
from tests.golden.material import (
    ACTIVATIONS,
    CENTERINGS,
    GRADED,
    GRID,
    LOCAL_RULES,
    LONG_T,
    LONG_X,
    MASK,
    REWARD,
    REWARDED,
    RULES,
    TARGETS_ALONE,
    Case,
    T,
    X,
    key_of,
    units_of,
)


def cases() -> Iterator[Case]:
    yield from (*of_layers(), *of_autoencoders(), *searches())


def of_layers() -> Iterator[Case]:
    def case(engine: str, name: str, rules: Any = RULES, patterns: Any = (X, T), **how: Any) -> Case:
        grid = {
            **GRID,
            "rule": rules,
            "activation": ("linear", "sigmoid", "softmax"),
            "engine": engine,
            **how,
        }
        return key_of("sweep", engine, name), partial(call.swept, *patterns, grid)

    follows_no_targets = tuple(rule for rule in RULES if rule not in TARGETS_ALONE)
    for engine, centering in product(("reference", "sequence", "stacked"), (*CENTERINGS, "fixed")):
        fast = engine != "reference"
        rules = follows_no_targets if fast and centering == "moving" else RULES
        yield case(engine, centering, rules, centering=centering)
    for engine in ("reference", "stacked"):
        batches = {"batch_size": 5, "epochs": 2, "rule": ("hebbian_descent", "contrastive", "hebb")}
        yield case(engine, "batches", **batches)
        yield case(engine, "batches/paper", centering="paper", **batches)
    for engine in ("reference", "sequence", "stacked"):
        yield case(engine, "epochs", follows_no_targets, epochs=3, weight_decay=0.0, learning_rate=0.05)
        yield case(engine, "graded", follows_no_targets, (GRADED, T), error="saturating", trials=1)
        measures = ("mae", "mse", "correlation", "identification", "misclassification")
        yield case(engine, "measures", follows_no_targets, measures=measures, trials=(1,), weight_decay=0.0)
        yield case(engine, "elsewhere", follows_no_targets, evaluate_on=(X[::-1] * 0.5, T), trials=1)
        units = {"activation": ACTIVATIONS, "weight_decay": 0.01, "trials": 1}
        yield case(engine, "units", ("hebbian_descent", "gradient_descent"), **units)
        yield case(engine, "fast", learning_rate=(100.0, 2.0), trials=1, epochs=4, centering="none")
        yield case(
            engine, "long", ("hebbian_descent", "hebb"), (LONG_X, LONG_T), trials=1, activation="sigmoid"
        )
    one = {"activation": "sigmoid", "trials": 1}
    yield case("auto", "automatic rate", learning_rate=("auto", 0.2), **one)
    yield case("auto", "local rules", LOCAL_RULES[:-1], learning_rate=(1.0, 0.2), **one)
    yield case("auto", "three_factor", "three_factor", **REWARDED, **one)
    yield case("auto", "conditions", connectivity=MASK, constraints=["non_negative"], **one)
    yield case("auto", "strength", strength=REWARD, noise={"weights": 0.02}, **one)


def of_autoencoders() -> Iterator[Case]:
    rules = ("hebbian_descent", "gradient_descent", "hebb")
    units = {"hidden_activation": ("sigmoid", "linear"), "activation": ("sigmoid", "linear")}
    grid = {**GRID, **units, "n_hidden": 3, "epochs": 2, "trials": 1}
    for engine, centering, batch in product(("reference", "tied"), ("none", "mean"), (1, 5)):
        how = {**grid, "engine": engine, "centering": centering, "batch_size": batch}
        how["rule"] = (*rules, "contrastive") if engine == "reference" else rules
        yield (
            key_of("sweep", engine, "autoencoders", centering, f"batch{batch}"),
            partial(call.swept_autoencoders, X, how),
        )
    for engine in ("reference", "tied"):
        how = {
            **grid,
            "engine": engine,
            "rule": rules[:2],
            "learning_rate": 0.1,
            "batch_size": 4,
            "trials": 2,
        }
        every = tuple(unit for unit in ACTIVATIONS if unit != "softmax")
        of_all = {
            **how,
            "hidden_activation": ACTIVATIONS,
            "activation": "sigmoid",
            "weight_decay": 0.0,
            "trials": 1,
        }
        yield key_of("sweep", engine, "autoencoders", "hidden"), partial(call.swept_autoencoders, X, of_all)
        of_all = {**of_all, "hidden_activation": "sigmoid", "activation": every, "error": "saturating"}
        yield key_of("sweep", engine, "autoencoders", "outputs"), partial(call.swept_autoencoders, X, of_all)
        large = {**how, "n_hidden": 7, "evaluate_on": LONG_X[:5] * 0.5, "measures": ("mae", "correlation")}
        yield (
            key_of("sweep", engine, "autoencoders", "large"),
            partial(call.swept_autoencoders, LONG_X, large),
        )
    how = {
        **grid,
        **units_of("oja"),
        "rule": ("oja", "sanger"),
        "batch_size": 3,
        "learning_rate": ("auto", 0.1),
    }
    yield key_of("sweep", "auto", "autoencoders", "local"), partial(call.swept_autoencoders, X, how)


def searches() -> Iterator[Case]:
    rates = (5.0, 1.0, 0.5, 0.2, 0.1, 0.05, 0.01)
    for saves, engine in product(("epochs", "trials"), ("auto", "reference")):
        how = {
            "rule": ("hebbian_descent", "hebb"),
            "activation": ("linear", "sigmoid"),
            "learning_rate": rates,
        }
        how |= {"epochs": 9, "trials": 3, "by": "last5", "saves": saves, "engine": engine, "finalists": 2}
        yield key_of("halving", "layers", saves, engine), partial(call.halved, (X, T), how)
        how = {
            "rule": "hebbian_descent",
            "hidden_activation": "sigmoid",
            "activation": "linear",
            "n_hidden": 3,
        }
        how |= {"learning_rate": rates, "epochs": 6, "trials": 2, "saves": saves, "engine": engine}
        yield (
            key_of("halving", "autoencoders", saves, engine),
            partial(call.halved, (X,), {**how, "batch_size": 4}, autoencoders=True),
        )
