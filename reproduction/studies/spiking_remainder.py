"""What changes by timing, supervised minus free, leave beside the rule."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from hebbian_descent.checks import Array
from reproduction.studies.base import Numbers, Settings
from reproduction.studies.spiking_neurons import Neurons, Phase, simulate

CLAMPED, ADDED, INDEPENDENT = "clamped", "added", "independent"
BASE: dict[str, Any] = {"rate": 20.0, "window": 0.02, "gain": 1.0, "depression": 0.0, "teacher": CLAMPED}
VARIED = {
    "rate": "rates",
    "window": "windows",
    "gain": "gains",
    "depression": "depressions",
    "teacher": "teachers",
}
TWO_POPULATIONS, BASELINE = "two populations", "rates around a baseline"


def conditions(settings: Settings) -> dict[str, dict[str, Any]]:
    """Return the base condition, and those that differ from it in one thing."""
    varied = [
        {**BASE, name: value}
        for name, values in VARIED.items()
        for value in settings[values]
        if value != BASE[name]
    ]
    return {_name(condition): condition for condition in (BASE, *varied)}


def _name(condition: dict[str, Any]) -> str:
    changed = [
        f"{name}-{value:g}" if isinstance(value, float) else f"{name}-{value}"
        for name, value in condition.items()
        if value != BASE[name]
    ]
    return changed[0] if changed else "base"


def remainders(settings: Settings, condition: dict[str, Any]) -> Numbers:
    """Return the remainder, its prediction and how they fit, in lists over draws."""
    found = [_remainder(settings, condition, draw) for draw in range(settings["draws"])]
    return {name: [numbers[name] for numbers in found] for name in found[0]}


def _remainder(settings: Settings, condition: dict[str, Any], draw: int) -> Numbers:
    """Return what is left of supervised minus free changes beside the rule, relative to the rule's step."""
    rng = np.random.default_rng((draw, 0))
    neurons = Neurons(condition["rate"], condition["window"], depression=condition["depression"])
    n_in, n_out = settings["inputs"], settings["outputs"]
    x = rng.uniform(0, 2, (n_in,))
    W = rng.normal(0, 2 * condition["gain"] / np.sqrt(n_in), (n_in, n_out))
    t = rng.uniform(0.1, 0.9, (n_out,))
    per_pair = neurons.window_area * neurons.rate * neurons.highest_rate * neurons.step
    step = per_pair * (1 - neurons.depression) * x[:, None]
    rules, lefts, slopes = [], [], []
    for _ in range(2):  # two halves, each with its own rates: independent, so their product has no bias
        activity = np.tile(x, (settings["repetitions"] // 2, 1))
        run = partial(simulate, neurons, activity, W, -W.sum(axis=0), seconds=settings["seconds"], rng=rng)
        free, taught, slope = _phases(run, condition["teacher"], (x - 1) @ W, t)
        rules.append(step * (taught.outputs.mean(axis=0) - free.outputs.mean(axis=0)))
        lefts.append((taught.change - free.change) / settings["seconds"] - rules[-1])
        slopes.append(slope)
    causal = 2 * neurons.rate * neurons.overlap * x[:, None] * W * np.mean(slopes, axis=0)
    first, second = lefts
    size, left = float((np.mean(rules, axis=0) ** 2).sum()), float((first * second).sum())
    along = float(((first + second) / 2 * causal).sum() / (causal**2).sum()) if causal.any() else 0.0
    return {
        "remainder": np.sign(left) * np.sqrt(abs(left) / size),  # signed, so that noise around 0 averages out
        "predicted": np.sqrt((causal**2).sum() / size),
        "along_causal_term": along,
    }


def _phases(
    run: Callable[..., Phase], teacher: str, drive: Array, targets: Array
) -> tuple[Phase, Phase, Array]:
    """Return the free and the taught phase, and by how much more the latter lets inputs cause spikes."""
    if teacher == INDEPENDENT:  # spikes of both phases have rates, but no causes
        return run(teacher=1 / (1 + np.exp(-drive))), run(teacher=targets), np.zeros(len(targets))
    if teacher == CLAMPED:
        free, taught = run(), run(teacher=targets)
        return free, taught, -free.slope
    free, taught = run(), run(adds=np.log(targets / (1 - targets)) - drive)
    return free, taught, taught.slope - free.slope


def signed_remainders(settings: Settings, way: str) -> Numbers:
    """Return the remainder and the noise of one presentation where inputs are above or below their mean."""
    found: Numbers = {"remainder": [], "noise": []}
    neurons = Neurons(BASE["rate"], BASE["window"])
    per_pair = neurons.window_area * neurons.rate * neurons.highest_rate * neurons.step
    for draw in range(settings["draws"]):
        rng = np.random.default_rng((draw, 0))
        n_in, n_out = settings["inputs"], settings["outputs"]
        x = rng.uniform(-1, 1, (n_in,))
        W = rng.normal(0, 2 / np.sqrt(n_in), (n_in, n_out))
        t = rng.uniform(0.1, 0.9, (n_out,))
        if way == TWO_POPULATIONS:
            activity, weights, bias = (
                np.concatenate([np.maximum(x, 0), np.maximum(-x, 0)]),
                np.vstack([W, -W]),
                0 * t,
            )
        else:
            activity, weights, bias = 1 + x, W, -W.sum(axis=0)
        changes, errors = [], []
        for _ in range(2):
            run = partial(
                simulate,
                neurons,
                np.tile(activity, (settings["repetitions"] // 2, 1)),
                weights,
                bias,
                seconds=settings["seconds"],
                rng=rng,
            )
            taught, free = run(teacher=t), run()
            error = taught.outputs.mean(axis=0) - free.outputs.mean(axis=0)
            change = (taught.change - free.change) / settings["seconds"]
            # Either the two populations pull in opposite directions, or each output spike takes away what
            # inputs at their baseline would have added.
            signed = change[:n_in] - change[n_in:] if way == TWO_POPULATIONS else change - per_pair * error
            changes.append(signed)
            errors.append(error)
        rule = per_pair * np.outer(x, np.mean(errors, axis=0))
        size = float((rule**2).sum())
        first, second = (
            change - per_pair * np.outer(x, error) for change, error in zip(changes, errors, strict=True)
        )
        found["remainder"].append(np.sqrt(max(float((first * second).sum()), 0.0) / size))
        spread = float(((changes[0] - changes[1]) ** 2).sum()) / 4 * settings["repetitions"]
        found["noise"].append(np.sqrt(spread / size))
    return found
