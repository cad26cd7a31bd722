"""What five claims measure themselves: experiments like the tables, whose rows their verdicts follow from.

`run "claim 14"` measures one anew. Each has one protocol; a quick run measures its first setting alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array
from hebbian_descent.datasets import draw_pair, load
from hebbian_descent.forgetting import compare_laws
from hebbian_descent.learning.divergence import DivergenceError
from hebbian_descent.learning.run import train
from hebbian_descent.network import ACTIVATIONS, Autoencoder, Layer, get_activation
from hebbian_descent.rules import AUTO_RULES, AutoActivity, AutoRule, Change
from reproduction.context import Context, Effort
from reproduction.grids import LEARNING_RATES, QUICK_RATES
from reproduction.rows import Rows
from reproduction.running import Job

Records = Iterator[Mapping[str, Any]]
Setting = Mapping[str, str]


@dataclass(frozen=True)
class Training:
    """Networks that a claim trains, one job for each setting."""

    label: str
    title: str
    settings: tuple[Setting, ...]
    measure: Callable[[Context, Setting], Records]
    datasets: frozenset[str] = frozenset()

    def jobs(self, effort: Effort) -> Iterator[Job]:
        """Yield one job for each setting."""
        if effort.changes:
            raise ValueError(f"The protocol of {self.label} has no settings to change: leave --set out.")
        for setting in self.settings[: 1 if effort.quick else None]:
            yield Job(_name(setting), partial(self._records, setting))

    def _records(self, setting: Setting, context: Context, _: Rows) -> Records:
        for record in self.measure(context, setting):
            yield {**setting, **record}

    def missing(self, rows: Rows) -> list[str]:
        """Return the names of the jobs that have no rows."""
        names = list(self.settings[0])
        there = set(rows[names].itertuples(index=False, name=None)) if len(rows) else set()
        return [_name(setting) for setting in self.settings if tuple(setting.values()) not in there]


def _name(setting: Setting) -> str:
    return "-".join(setting.values())


# Claim 3: convergence of stochastic learning with falling rates


def increasing() -> tuple[str, ...]:
    """Return the activations with a strictly positive derivative."""
    return tuple(name for name in ACTIVATIONS if get_activation(name).strictly_increasing)


def convergence(_: Context, setting: Setting) -> Records:
    """Excess of the matching loss over its minimum that stochastic learning leaves, as a share of the start.

    As in the theorem of the appendix: single patterns in random order, which cannot all be fitted, with
    falling rates. The minimum is that of a quasi-Newton method. Ten draws.
    """
    for draw in range(10):
        yield {"draw": draw, "measure": "excess_left", "value": excess_left(setting["activation"], draw)}


def excess_left(activation: str, seed: int) -> float:
    """Learn with rates that fall as 1/epoch: their sum diverges and that of their squares does not."""
    rng = np.random.default_rng(seed)
    x, t = rng.random((10, 4)), rng.uniform(0.2, 0.8, (10, 2))
    layer = Layer.create(4, 2, activation=activation, offset=x.mean(axis=0), rng=rng)
    slope = layer.activation.largest_slope
    smallest, start = _smallest_loss(layer, x, t), _loss(layer, x, t)
    for epoch in range(60):
        rate = 0.5 / (1 + epoch / 4) / (slope if np.isfinite(slope) else 1.0)
        train(layer, x, t, rule="hebbian_descent", learning_rate=rate, shuffle=True, seed=epoch)
    return (_loss(layer, x, t) - smallest) / (start - smallest)


def _loss(layer: Layer, x: Array, t: Array) -> float:
    return float(layer.activation.matching_loss(t, layer.preactivation(x)).sum(axis=-1).mean())


def _smallest_loss(layer: Layer, x: Array, t: Array) -> float:
    """Return the minimum over weights and biases by a quasi-Newton method."""
    from scipy.optimize import minimize  # takes a quarter of a second to import

    phi, inputs = layer.activation, np.column_stack([x - layer.offset, np.ones(len(x))])

    def loss_and_gradient(flat: npt.NDArray[np.float64]) -> tuple[float, Array]:
        a = inputs @ flat.reshape(inputs.shape[1], t.shape[1])
        gradient = inputs.T @ (phi(a) - t) / len(x)
        return float(phi.matching_loss(t, a).sum(axis=-1).mean()), gradient.ravel()

    start = np.vstack([layer.weights, layer.bias]).ravel()
    found = minimize(
        loss_and_gradient,
        start,
        jac=True,
        method="L-BFGS-B",
        options={"ftol": 1e-10, "gtol": 1e-7},
    )
    return float(found.fun)


# Claim 13: convergence where φ is flat


def flat_units(context: Context, setting: Setting) -> Records:
    """Errors by epoch on 100 random pairs of 200 inputs, which can be learned; 400 of 50, which cannot."""
    x, t = draw_pair("rand", "rand", 100, seed=0)
    for epochs in (1, 10, 100):
        found = context.sweep(
            x,
            t,
            rules="hebbian_descent",
            activations=setting["activation"],
            learning_rates=QUICK_RATES,
            trials=2,
            epochs=epochs,
        )
        value = found.best("all")[0].value
        yield {"patterns": "100", "epoch": str(epochs), "measure": "mae_all", "value": value}
    yield from too_many_pairs(setting["activation"])


def too_many_pairs(activation: str) -> Records:
    """Learn 400 random pairs of 50 inputs with a small rate, four times the capacity of Cover (1965)."""
    rng = np.random.default_rng(0)
    x, t = rng.integers(0, 2, (2, 400, 50)).astype(np.float64)
    layer = Layer.create(50, 50, activation=activation, offset=x.mean(axis=0), rng=rng)
    for epoch in range(101):
        if epoch:
            train(layer, x, t, rule="hebbian_descent", learning_rate=0.001)
        a, h = layer.forward(x)
        measured = {"mae_all": np.abs(h - t).mean(), "loss": layer.activation.matching_loss(t, a).mean()}
        for name, value in measured.items():
            yield {"patterns": "400", "epoch": str(epoch), "measure": name, "value": float(value)}


# Claim 14: forgetting

RULES = ("hebbian_descent", "gradient_descent", "hebb", "covariance")
CENTERINGS = {"centered": "mean", "uncentered": None}


def forgetting(context: Context, setting: Setting) -> Records:
    """Errors on streams: five draws, sigmoid units, no decay, every rule at its best rate, centered or not.

    Laws of the error by age, with and without asymptote, are compared by AICc and by drawing the curves anew.
    """
    n, curves = int(setting["patterns"]), []
    for draw in range(5):
        x, t = draw_pair(setting["input"], setting["target"], n, seed=draw)
        for word, centering in CENTERINGS.items():
            result = context.sweep(
                x,
                t,
                rules=RULES,
                activations="sigmoid",
                learning_rates=LEARNING_RATES,
                trials=1,
                centering=centering,
            )
            for best in result.best("last20", "mae"):
                errors = result.trials_of(best, "mae").mean(axis=0)
                if (best.rule, word) == ("hebbian_descent", "centered"):
                    curves.append(errors)
                way = {"rule": best.rule, "centering": word, "draw": draw}
                yield {**way, "measure": "mae_last20", "value": errors[-20:].mean()}
                yield {**way, "measure": "mae_older_half", "value": errors[: n // 2].mean()}
        yield {"draw": draw, "measure": "baseline", "value": float(result.baseline)}
    laws = compare_laws(np.arange(n, 0, -1), np.array(curves), resamples=40)
    for label, fit in laws.fits.items():
        yield {"law": label, "measure": "aicc", "value": fit.aicc}
    yield {"law": laws.best.label, "measure": "support", "value": laws.support}


# Claims 18 and 19: auto-encoders on digits and ADULT

NETWORKS = (("linear", "linear"), ("rectifier", "sigmoid"), ("explin", "linear"), ("sigmoid", "linear"))
"""Hidden and output activations."""
RATES = (4.0, 1.0, 0.4, 0.1, 0.04, 0.01)
FIXED_BIAS = "gradient_descent_with_fixed_bias"


def reconstruction(_: Context, setting: Setting) -> Records:
    """Second derivatives in the network of the proof; reconstruction errors by epoch, at the best rate."""
    for epoch, error in enumerate(best_run("hebbian_descent", setting, epochs=100)[1]):
        yield {"epoch": str(epoch), "measure": "mae_mean", "value": error}


def hidden_activity(_: Context, setting: Setting) -> Records:
    """Spread of the units' mean activities over the spread of a unit; directions that carry variance."""
    rules = {name: AUTO_RULES[name]() for name in ("gradient_descent", "hebbian_descent")}
    for rule in (*rules.values(), AutoRule(FIXED_BIAS, _gradient_without_bias)):
        activity = best_run(rule, setting, epochs=30)[0].encode(patterns(setting["dataset"]))
        yield {"rule": rule.name, "measure": "unevenness", "value": unevenness(activity)}
        yield {"rule": rule.name, "measure": "participation", "value": participation(activity)}


def _gradient_without_bias(activity: AutoActivity) -> Change:
    """Follow the gradient, but keep the encoder bias fixed, as Hebbian-descent does."""
    return AUTO_RULES["gradient_descent"]().change(activity)._replace(bias=None)


def unevenness(activity: Array) -> float:
    """Return how far the mean activities of the units lie apart, in units of the spread of a unit."""
    return float(activity.mean(axis=0).std() / activity.std(axis=0).mean())


def participation(activity: Array) -> float:
    """Return (Σ λ)² / Σ λ² over the variances λ of the principal directions, per unit."""
    variances = np.linalg.eigvalsh(np.cov(activity.T))
    return float(variances.sum() ** 2 / (variances**2).sum() / len(variances))


def patterns(dataset: str) -> Array:
    """Return the training patterns of a dataset, at most 2000."""
    return load(dataset).train.inputs[:2000].astype(np.float64)


def best_run(rule: AutoRule | str, setting: Setting, epochs: int) -> tuple[Autoencoder, list[float]]:
    """Return network and errors at the rate that reconstructs best; those that diverge are left out."""
    runs = []
    for rate in RATES:
        with suppress(DivergenceError):
            runs.append(_run(rule, setting, epochs, rate))
    return min(runs, key=lambda run: run[1][-1])


def _run(rule: AutoRule | str, setting: Setting, epochs: int, rate: float) -> tuple[Autoencoder, list[float]]:
    x = patterns(setting["dataset"])
    network = Autoencoder.create(
        x.shape[1],
        int(x.shape[1] / 4 + 0.5),
        hidden_activation=setting["hidden_activation"],
        output_activation=setting["output_activation"],
        offset=x.mean(axis=0),
        rng=np.random.default_rng(0),
    )
    errors = [_error(network, x)]
    for epoch in range(epochs):
        train(network, x, rule=rule, learning_rate=rate, batch_size=100, shuffle=True, seed=epoch)
        errors.append(_error(network, x))
    return network, errors


def _error(network: Autoencoder, x: Array) -> float:
    return float(np.abs(network.reconstruct(x) - x).mean())


_STREAMS = tuple(
    {"input": data, "target": "rand", "patterns": n}
    for data in ("rand", "adult", "mnist")
    for n in ("100", "200", "300", "1000", "2000")
)
_DATASETS = frozenset({"digits", "adult"})
_AUTOENCODERS = tuple(
    {"dataset": dataset, "hidden_activation": hidden, "output_activation": output}
    for dataset in sorted(_DATASETS, reverse=True)
    for hidden, output in NETWORKS
)
_FLAT = tuple({"activation": name} for name in ("rectifier", "step"))
_INCREASING = tuple({"activation": name} for name in increasing())
EXPERIMENTS: dict[str, Training] = {
    training.label: training
    for training in (
        Training("claim 3", "Convergence with falling rates", _INCREASING, convergence),
        Training("claim 13", "Convergence of units with flat parts", _FLAT, flat_units),
        Training("claim 14", "Forgetting", _STREAMS, forgetting, frozenset({"adult", "mnist"})),
        Training("claim 18", "Reconstruction by epoch", _AUTOENCODERS, reconstruction, _DATASETS),
        Training("claim 19", "Evenness of hidden units", _AUTOENCODERS, hidden_activity, _DATASETS),
    )
}
