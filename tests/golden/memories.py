"""Cases of memories: every kind, recall in steps, chains, capacity and forgetting."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from tests.golden import interfaces as call
from tests.golden.material import (
    AUTO_RULES,
    CODE,
    FEW_T,
    FEW_X,
    GRADED,
    LOCAL_RULES,
    MASK,
    REWARD,
    RULES,
    SIGNED,
    Case,
    T,
    X,
    key_of,
    needed_by,
    units_of,
)


def cases() -> Iterator[Case]:
    yield from (*associative_memories(), *recalls(), *classical_memories())
    yield from (*chains(), *capacities(), *forgetting())


def associative_memories() -> Iterator[Case]:
    for rule, activation in product(RULES + LOCAL_RULES, ("sigmoid", "linear")):
        rates = ("auto", 0.2) if rule in RULES else ("auto",) if rule == "willshaw" else (0.2,)
        for centering, rate in product(("none", "fixed", "moving", "paper"), rates):
            if rule == "covariance" and centering != "moving":
                continue  # it learns the means with a running mean alone
            how = {"rule": rule, "activation": activation, "centering": centering, "learning_rate": rate}
            how |= {"seed": 2, "weight_decay": 0.01 if rate == 0.2 else 0.0, **needed_by(rule)}
            yield (
                key_of("memory", "pairs", rule, activation, centering, f"rate{rate}"),
                partial(call.stored, *((FEW_X, FEW_T) if rule == "willshaw" else (X, T)), how),
            )
    for rule, centering in product(RULES, ("moving", "none")):
        if rule != "covariance" or centering == "moving":
            how = {"rule": rule, "centering": centering, "auto": "layer"}
            yield key_of("memory", "layer", rule, centering), partial(call.stored, X, None, how)
    for rule, centering in product(AUTO_RULES, ("moving", "none", "paper")):
        how = {
            "rule": rule,
            "centering": centering,
            "auto": "autoencoder",
            "n_hidden": 3,
            "weight_decay": 0.01,
            **units_of(rule),
        }
        yield key_of("memory", "autoencoder", rule, centering), partial(call.stored, X, None, how)
    for name, option in {
        "connectivity": {"connectivity": MASK},
        "constraints": {"constraints": ["non_negative", ("bounds", {"low": 0.0, "high": 0.5})]},
        "noise": {"noise": {"weights": 0.05, "activity": 0.1}},
        "strength": {"strength": REWARD},
        "error": {"error": "saturating"},
    }.items():
        yield key_of("memory", name), partial(call.stored, X, T, option)


def recalls() -> Iterator[Case]:
    settling = {
        "once": {},
        "steps": {"steps": 4},
        "between": {"steps": 4, "between": "threshold"},
        "until": {"steps": 20, "until": "converged"},
        "clamped": {"steps": 4, "clamp": np.arange(6) < 3},
        "asynchronous": {"steps": 3, "order": "asynchronous", "seed": 1},
    }
    damaged = np.where(np.arange(6) < 4, X, 0.5)
    for (name, how), auto in product(settling.items(), ("layer", "autoencoder")):
        settings = {"auto": auto, **({"n_hidden": 4} if auto == "autoencoder" else {})}
        yield (
            key_of("memory", "recall", name, auto),
            delayed_recall("associative", (6,), settings, X, damaged, how),
        )
    for rule in ("hebbian_descent", "hebb", "palimpsest", "gradient_descent"):
        for name, how in {"as it is": {}, "threshold": {"between": "threshold"}}.items():
            settings = {"rule": rule, **({} if rule in RULES else {"learning_rate": 0.2})}
            yield (
                key_of("memory", "sequence", rule, name),
                partial(replayed, (6, 6), settings, {"steps": 5, **how}),
            )
    for measure in ("mae", "mse", "correlation", "identification", "misclassification"):
        yield key_of("memory", "forgetting curve", measure), partial(forgotten, measure)


def delayed_recall(name: str, sizes: Any, settings: Any, x: Any, cue: Any, how: Any, t: Any = None) -> Any:
    """Return a case that makes its memory when it runs."""
    patterns = (x,) if t is None else (x, t)
    return lambda: call.recalled(call.memory_named(name, sizes, settings), patterns, cue, how)


def replayed(sizes: Any, settings: Any, how: Any) -> Mapping[str, Any]:
    return call.replayed(call.memory_named("associative", sizes, settings), X[:8], **how)


def forgotten(measure: str) -> Mapping[str, Any]:
    return call.forgotten(call.memory_named("associative", (6, 4), {}), (X, T), measure)


def classical_memories() -> Iterator[Case]:
    auto: dict[str, tuple[str, Any, Any, Any]] = {
        "hopfield": ("hopfield", {}, SIGNED[:3], {"energy": True}),
        "hopfield/steps": ("hopfield", {}, SIGNED[:3], {"steps": 5, "until": "converged"}),
        "hopfield/asynchronous": ("hopfield", {}, SIGNED[:3], {"steps": 3, "order": "asynchronous"}),
        "hopfield/clamped": ("hopfield", {}, SIGNED[:3], {"steps": 3, "clamp": np.arange(6) < 2}),
        "hopfield/sparse": ("hopfield", {"activity": 0.4}, X[:4], {"energy": True, "steps": 2}),
        "dense/beta": ("dense", {"beta": 2.0}, GRADED, {"energy": True}),
        "dense/power": ("dense", {"power": 3}, SIGNED, {"steps": 2}),
        "dense/asynchronous": ("dense", {"power": 2}, SIGNED, {"steps": 2, "order": "asynchronous"}),
        "pseudo_inverse": ("pseudo_inverse", {}, GRADED[:4], {}),
        "willshaw": ("willshaw", {}, X[:4], {}),
        "willshaw/winners": ("willshaw", {"n_winners": 2}, X[:4], {"steps": 2}),
        "sparse_distributed": ("sparse_distributed", {"n_locations": 40, "seed": 3}, X, {}),
        "sparse_distributed/radius": (
            "sparse_distributed",
            {"n_locations": 40, "radius": 2},
            X,
            {"steps": 2},
        ),
    }
    for key, (name, settings, patterns, how) in auto.items():
        cue = np.array(patterns)
        cue[:, -1] = cue[0, -1]
        yield key_of("classical", "auto", key), delayed_recall(name, (6,), settings, patterns, cue, how)
    for name, settings in {
        "pseudo_inverse": {},
        "willshaw": {},
        "sparse_distributed": {"n_locations": 40, "seed": 1},
    }.items():
        yield (
            key_of("classical", "pairs", name),
            delayed_recall(name, (6, 4), settings, X[:8], X, {}, T[:8]),
        )
        yield key_of("classical", "sequence", name), partial(classical_sequence, name, settings)


def classical_sequence(name: str, settings: Any) -> Mapping[str, Any]:
    return call.replayed(call.memory_named(name, (8, 8), settings), CODE.astype(float), 4)


def chains() -> Iterator[Case]:
    code = CODE.astype(float)
    for name, how in {
        "default": {},
        "hebb": {"rule": "hebb"},
        "connections": {"connections": 3},
        "willshaw": {"memory": "willshaw"},
    }.items():
        yield key_of("chain", name), partial(call.chained, X[:8], T[:8], code, how)


def capacities() -> Iterator[Case]:
    how = {"draws": 2, "seed": 1}
    for name in ("hopfield", "willshaw", "pseudo_inverse", "dense"):
        signed = {"signed": True} if name in ("hopfield", "dense") else {"activity": 0.2}
        yield key_of("capacity", name), partial(call.held, name, [8, 12], {**how, "at_most": 1.0, **signed})
    for rule, noise in product(("hebbian_descent", "hebb"), (0.0, 0.1)):
        settings = {**how, "pairs": True, "noise": noise, "criterion": "identification > 0.9", "at_most": 2.0}
        yield key_of("capacity", rule, f"noise{noise}"), partial(call.held, {"rule": rule}, [8, 12], settings)
    settings = {**how, "pairs": True, "correlation": 0.3, "activity": 0.3, "readout": "winners", "passes": 2}
    yield key_of("capacity", "loads"), partial(call.held, {}, 10, {**settings, "loads": (0.2, 0.5, 1.0)})


def forgetting() -> Iterator[Case]:
    age, random = np.arange(1, 31), np.random.RandomState(3)
    curves = {
        "exponential": 0.6 - 0.5 * np.exp(-0.1 * age),
        "power_law": 0.1 + 0.5 * age**-0.7,
        "line": 0.1 + 0.01 * age,
    }
    for name, curve in curves.items():
        value = (curve + 0.01 * random.randn(30)).round(6)
        for asymptote in (False, True):
            yield (
                key_of("forgetting", name, f"asymptote{asymptote}"),
                partial(call.fitted_laws, age, value, asymptote=asymptote),
            )
    several = (curves["exponential"] + 0.02 * random.randn(6, 30)).round(6)
    yield key_of("forgetting", "compared"), partial(call.compared_laws, age, several, 10)
    yield key_of("forgetting", "compared", "one"), partial(call.compared_laws, age, several[0], 10)
