"""How the goldens call each public interface: one function for each, the only place that knows its names.

Cases say how to learn in words of their own (`rule`, `activation`, `error`, `learning_rate`, `weight_decay`,
`centering`, `batch_size`, …), which stay the same when parameters are renamed. `centering` is one of

    none     no offset                      moving   the running mean, followed by ν = 0.05
    fixed    0.3 for all inputs             paper    from 0.5 on, followed by ν = 0.05
    mean     the mean of all inputs

Every function returns named arrays.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse

from hebbian_descent import (
    AssociativeMemory,
    Autoencoder,
    DivergenceError,
    HebbianDescentAutoencoder,
    HebbianDescentClassifier,
    HebbianDescentRegressor,
    Layer,
    Noise,
    Recorder,
    get_constraint,
    state_of,
    train,
)
from hebbian_descent.forgetting import compare_laws, fit_forgetting, parameter_intervals
from hebbian_descent.memory import MEMORIES, Area, Chain, Memory, capacity, random_projection
from hebbian_descent.native import choice
from hebbian_descent.sweep import SweepResult, halving, sweep, sweep_autoencoders

Arrays = dict[str, Any]
How = Mapping[str, Any]
FOLLOWS = 0.05
N_SHOWN = 3
"""Patterns whose outputs are kept."""
AUTOMATIC = -1.0
"""In place of an automatic learning rate among numbers."""

diverged = DivergenceError


def compiled_core() -> str:
    """Return the level of the compiled core in use, or that there is none."""
    return choice().level or "none"


def in_words(centering: str) -> dict[str, Any]:
    """Return a centering as memories, sweeps and estimators take it."""
    return {
        "auto": {},
        "none": {"centering": None},
        "fixed": {"centering": 0.3},
        "mean": {"centering": "mean"},
        "moving": {"centering": "moving", "shift": FOLLOWS},
        "paper": {"centering": "moving", "shift": FOLLOWS, "offset_start": 0.5},
    }[centering]


def of_training(centering: str, x: Any) -> tuple[Any, dict[str, Any]]:
    """Return the first offset and how it moves, as `train` takes them."""
    return {
        "none": (0.0, {}),
        "fixed": (0.3, {}),
        "mean": (x.mean(axis=0), {}),
        "moving": (0.0, {"shift": FOLLOWS, "running_mean": True}),
        "paper": (0.5, {"shift": FOLLOWS}),
    }[centering]


def conditions(how: How) -> dict[str, Any]:
    """Return the settings of a case with their objects: a noise and constraints with parameters."""
    found = dict(how)
    if "noise" in found:
        found["noise"] = Noise(**found["noise"])
    if "constraints" in found:
        found["constraints"] = [
            name if isinstance(name, str) else get_constraint(name[0], **name[1])
            for name in found["constraints"]
        ]
    return found


def trained(x: Any, t: Any, start: Any, how: How) -> Arrays:
    """Train a layer from given weights, all epochs in one call or a few at once."""
    settings = conditions(how)
    offset, moves = of_training(settings.pop("centering", "none"), x)
    layer = Layer.from_weights(start, activation=settings.pop("activation", "sigmoid"), offset=offset)
    epochs = settings.pop("epochs", 1)
    at_once = settings.pop("epochs_at_once", epochs)
    for first in range(0, epochs, at_once):
        train(layer, x, t, epochs=min(at_once, epochs - first), first_epoch=first, **moves, **settings)
    return {**arrays_of(layer), "output": layer.output(x[:N_SHOWN]), **state_of(layer)}


def recorded(x: Any, t: Any, start: Any, how: How) -> Arrays:
    """Train a layer and return what a recorder kept and measured every five patterns."""
    settings = conditions(how)
    offset, moves = of_training(settings.pop("centering", "none"), x)
    layer = Layer.from_weights(start, activation=settings.pop("activation", "sigmoid"), offset=offset)
    recorder = Recorder(every=5, keep=("bias", "output"), measures="mae", patterns=(x, t))
    train(layer, x, t, **moves, **settings, recorders=recorder)
    return {name: recorder[name] for name in ("bias", "output", "mae")}


def surprise(activity: Any) -> Any:
    """A third factor: the largest error of each pattern."""
    return np.abs(activity.output - activity.targets).max(axis=1)


def arrays_of(network: Layer | Autoencoder) -> Arrays:
    """Return the arrays of a network."""
    names = ("weights", "bias", "offset", "decoder_bias", "hidden_offset")
    return {name: getattr(network, name) for name in names if hasattr(network, name)}


def trained_autoencoder(x: Any, start: Any, how: How) -> Arrays:
    """Train a tied auto-encoder from given weights; without centering its hidden offset stays 0."""
    settings = conditions(how)
    centering = settings.pop("centering", "none")
    offset, moves = of_training(centering, x)
    hidden = (0.0, 0.0) if centering == "none" else (0.5, FOLLOWS)
    network = Autoencoder.from_weights(
        start,
        hidden_activation=settings.pop("hidden_activation", "sigmoid"),
        output_activation=settings.pop("activation", "linear"),
        offset=offset,
        hidden_offset=hidden[0],
    )
    train(network, x, settings.pop("clamped", None), hidden_shift=hidden[1], **moves, **settings)
    shown = x[:N_SHOWN]
    return {**arrays_of(network), "hidden": network.encode(shown), "output": network.reconstruct(shown)}


def associative(sizes: tuple[int, ...], how: How) -> AssociativeMemory:
    """Return an associative memory."""
    settings = conditions(how)
    return AssociativeMemory(*sizes, **in_words(settings.pop("centering", "auto")), **settings)


def stored(x: Any, t: Any, how: How) -> Arrays:
    """Store patterns, or pairs, in two parts, and recall them."""
    settings = dict(how)
    strength, width = settings.pop("strength", None), () if t is None else (t.shape[1],)
    memory = associative((x.shape[1], *width), settings)
    for part in (slice(0, 7), slice(7, None)):
        given = {} if strength is None else {"strength": strength[part]}
        memory.store(x[part], *(() if t is None else (t[part],)), **given)
    return {**arrays_of(memory.network), "recalled": memory.recall(x)}


def memory_named(name: str, sizes: tuple[int, ...], how: How) -> Memory:
    """Return a memory of any kind by its name."""
    return associative(sizes, how) if name == "associative" else MEMORIES[name](*sizes, **how)


def recalled(memory: Memory, stored: tuple[Any, ...], cue: Any, how: How) -> Arrays:
    """Store, and recall in steps; `energy` asks for that of the patterns as well."""
    memory.store(*stored)
    settings = dict(how)
    energy = {"energy": memory.energy(cue)} if settings.pop("energy", False) else {}
    output, steps = memory.recall(cue, **settings, return_steps=True)
    return {"recalled": output, "steps": steps, **energy}


def replayed(memory: Memory, x: Any, steps: int, **how: Any) -> Arrays:
    """Store a sequence and replay it."""
    memory.store_sequence(x)
    return {"replayed": memory.replay(x[0], steps, **how)}


def forgotten(memory: Memory, stored: tuple[Any, ...], measure: str) -> Arrays:
    """Store, and measure the recall of each pattern by its age."""
    memory.store(*stored)
    curve = memory.forgetting_curve(*stored, measure=measure)
    return {"age": curve.age, "value": curve.value}


def chained(x: Any, t: Any, code: Any, how: How) -> Arrays:
    """Store pairs in a chain with a random code and an area whose activity is given; recall and replay."""
    settings = dict(how)
    n, n_code, n_out, last = x.shape[1], 16, code.shape[1], t.shape[1]
    intrinsic = AssociativeMemory(n_out, n_out)
    intrinsic.store_sequence(code)
    chain = Chain(
        [Area("in", n), Area("sparse", n_code, winners=3), Area("code", n_out, winners=2), Area("out", last)],
        [
            random_projection(n, n_code, connections=settings.pop("connections", None), seed=1),
            memory_named(settings.pop("memory", "associative"), (n_code, n_out), {}),
            AssociativeMemory(n_out, last, **settings),
        ],
        recurrent={"code": intrinsic},
    )
    chain.store(x, t, given={"code": code})
    activities = chain.activities(x[:N_SHOWN])
    return {"recalled": chain.recall(x), "replayed": chain.replay(x[0], 4), **activities}


def held(memory: Any, sizes: Any, how: How) -> Arrays:
    """Search the capacity of a memory, given by its name or the settings of an associative one."""
    factory = memory if isinstance(memory, str) else (lambda n: associative((n, n), memory))
    found = capacity(factory, sizes, **how)
    names = ("capacity", "is_limited", "n_synapses", "bits", "gained_bits")
    rows = [(row["patterns"], row["low"], row["high"]) for row in found.rows()]
    traces = {f"trace{size}-{draw}": np.stack(trace) for (size, draw), trace in found.traces.items()}
    return {**{name: found.values[name] for name in names}, "rows": rows, **traces}


def fitted_laws(age: Any, value: Any, *, asymptote: bool) -> Arrays:
    """Fit the classic laws of forgetting."""
    return of_fits(fit_forgetting(age, value, asymptote=asymptote))


def compared_laws(age: Any, values: Any, resamples: int) -> Arrays:
    """Compare all laws of forgetting, and return the chosen one with intervals."""
    comparison = compare_laws(age, values, resamples=resamples)
    best = comparison.best
    with_level = "asymptote" in best.parameters
    intervals = parameter_intervals(age, values, best.law, asymptote=with_level, resamples=20).intervals
    ends = {f"interval {name}": ends for name, ends in sorted(intervals.items())}
    return {**of_fits(comparison.fits), f"best is {best.label}": [comparison.support], **ends}


def of_fits(fits: Mapping[str, Any]) -> Arrays:
    """Return the parameters of fits and how good they are."""
    return {
        name: [*(value for _, value in sorted(fit.parameters.items())), fit.residual_sum_of_squares, fit.aicc]
        for name, fit in sorted(fits.items())
    }


PLURALS = {
    "rule": "rules",
    "activation": "activations",
    "hidden_activation": "hidden_activations",
    "learning_rate": "learning_rates",
    "weight_decay": "weight_decays",
}


def for_sweeps(how: How) -> dict[str, Any]:
    """Return the settings of a case as sweeps take them."""
    settings = {PLURALS.get(name, name): value for name, value in conditions(how).items()}
    return {**in_words(settings.pop("centering", "auto")), **settings}


def for_sweeps_of_autoencoders(how: How) -> dict[str, Any]:
    """Return the settings of a case as sweeps of auto-encoders take them."""
    settings = for_sweeps(how)
    return {"output_activations": settings.pop("activations"), **settings}


def of_sweep(result: SweepResult, by: tuple[str, ...] = ("all", "last5")) -> Arrays:
    """Return all measures of a sweep, where it diverged, and the best settings."""
    best = {
        f"best {criterion}": [
            (
                AUTOMATIC if best.learning_rate == "auto" else best.learning_rate,
                best.weight_decay,
                best.value,
                best.std,
            )
            for best in result.best(criterion)
        ]
        for criterion in by
    }
    return {**result.values, "diverged_at": result.diverged_at, **best, "baseline": [result.baseline]}


def swept(x: Any, t: Any, how: How) -> Arrays:
    """Sweep a grid of layers."""
    return of_sweep(sweep(x, t, **for_sweeps(how)))


def swept_autoencoders(x: Any, how: How) -> Arrays:
    """Sweep a grid of auto-encoders."""
    return of_sweep(sweep_autoencoders(x, **for_sweeps_of_autoencoders(how)))


def halved(patterns: tuple[Any, ...], how: How, *, autoencoders: bool = False) -> Arrays:
    """Search the learning rate by successive halving."""
    function, form = (sweep_autoencoders, for_sweeps_of_autoencoders) if autoencoders else (sweep, for_sweeps)
    arrays: Arrays = {}
    for number, found in enumerate(halving(function, *patterns, **form(how))):
        best = found.best
        arrays[f"best{number}"] = [best.learning_rate, best.weight_decay, best.value, best.std]
        arrays[f"spent{number}"] = [found.epochs_spent, found.epochs_of_grid]
        for place, rung in enumerate(found.rungs):
            arrays[f"rung{number}-{place}"] = [rung.epochs, rung.trials, *rung.learning_rates, *rung.costs]
    return arrays


def classified(x: Any, y: Any, way: str, how: How) -> Arrays:
    """Teach a classifier; `way` is how it meets the samples, see `taught`."""
    model = taught(HebbianDescentClassifier, x, y, way, how)
    shown = x[:N_SHOWN]
    arrays = {"decision": model.decision_function(shown), "predicted": model.predict(x)}
    if how.get("activation", "softmax") in ("softmax", "sigmoid"):
        arrays["probabilities"] = model.predict_proba(shown)
    return {**of_layer_estimator(model), **arrays}


def regressed(x: Any, y: Any, way: str, how: How) -> Arrays:
    """Teach a regressor."""
    model = taught(HebbianDescentRegressor, x, y, way, how)
    return {**of_layer_estimator(model), "predicted": model.predict(x[:N_SHOWN])}


def encoded(x: Any, way: str, how: How) -> Arrays:
    """Teach an auto-encoder estimator."""
    model = taught(HebbianDescentAutoencoder, x, None, way, how)
    hidden = model.transform(x[:N_SHOWN])
    names = ("components_", "bias_", "decoder_bias_", "offset_", "hidden_offset_")
    arrays = {name: getattr(model, name) for name in names}
    return {**arrays, "hidden": hidden, "output": model.inverse_transform(hidden), "score": [model.score(x)]}


def taught(kind: Any, x: Any, y: Any, way: str, how: How) -> Any:
    """Return a model that met the samples in one of four ways.

    "fit" once, "again" with two calls of `fit` and a warm start, "stream" in three calls of `partial_fit`,
    "announced" the same with all classes announced.
    """
    settings = dict(how)
    weights = settings.pop("sample_weight", None)
    model = kind(random_state=0, **in_words(settings.pop("centering", "auto")), **settings)
    if way in ("fit", "again"):
        if way == "again":
            model.set_params(warm_start=True).fit(*chosen(slice(None), x, y), **of_rows(weights, slice(None)))
        return model.fit(*chosen(slice(None), x, y), **of_rows(weights, slice(None)))
    announced = {"classes": np.unique(y)} if way == "announced" else {}
    for rows in (slice(0, 1), slice(1, 11), slice(11, None)):
        model.partial_fit(*chosen(rows, x, y), **of_rows(weights, rows), **announced)
    return model


def chosen(rows: slice, x: Any, y: Any) -> tuple[Any, ...]:
    """Return some rows of inputs, and of targets if there are any."""
    return (x[rows],) if y is None else (x[rows], y[rows])


def of_rows(weights: Any, rows: slice) -> dict[str, Any]:
    """Return the weights of some samples as estimators take them."""
    return {} if weights is None else {"sample_weight": weights[rows]}


def of_layer_estimator(model: Any) -> Arrays:
    """Return the layer that predicts, the one that learns, and how many epochs it took."""
    names = ("coef_", "intercept_", "weights_", "bias_", "offset_", "scale_", "n_iter_", "loss_curve_")
    found = {name: getattr(model, name, None) for name in names}
    return {name: np.atleast_1d(dense(value)) for name, value in found.items() if value is not None}


def dense(values: Any) -> Any:
    """Return values that may be sparse as an array."""
    return values.toarray() if sparse.issparse(values) else values
