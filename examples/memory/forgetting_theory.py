"""Theory compared with measurement: the figure and the tables of docs/forgetting.md.

python examples/memory/forgetting_theory.py [--figure FOLDER]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from hebbian_descent import RULES, Layer, train
from hebbian_descent.forgetting import Comparison, compare_laws
from hebbian_descent.plotting import new_panels, save_svg
from hebbian_descent.theory.forgetting import best_rate, overlap, power_law_spectrum, time_constant

N_INPUTS = 200
VARIANCE = 0.25
EXACT = 1 / (N_INPUTS * VARIANCE)
"""The rate at which the pattern learned last is recalled exactly, 1/E‖x‖²."""
N_OUTPUTS = 100
WITHOUT_BIAS = replace(RULES["hebbian_descent"], learns_bias=False)
SHARES = (0.3, 1.0, 1.7)
AGES = np.array([0, 50, 100, 200, 350])
PAIRS = (100, 300, 1000)
EXPONENTS = (1.5, 2.0, 3.0)
COLORS = ("#D55E00", "#0072B2", "#009E73", "#CC79A7")


def recalled(x: Any, t: Any, rate: float, activation: str = "linear") -> Any:
    """Learn pairs once, from zero weights, and return what each input recalls."""
    layer = Layer.from_weights(np.zeros((x.shape[1], t.shape[1])), activation=activation)
    train(layer, x, t, rule=WITHOUT_BIAS, learning_rate=rate)
    return layer.forward(x)[1]


def signs(rng: np.random.Generator, n: int, size: int) -> Any:
    """Return centered binary patterns."""
    return rng.choice([-0.5, 0.5], size=(n, size))


def measured_overlap(
    share: float, n: int, draws: int, *, eigenvalues: Any = None, activation: str = "linear"
) -> Any:
    """Return the overlap of recall and target for each draw, the most recent first, (draws, n).

    `share` is the learning rate as a multiple of the one that recalls the last pattern exactly.
    """
    curves = []
    for draw in range(draws):
        rng = np.random.default_rng([draw, n])
        x, t = signs(rng, n, N_INPUTS), signs(rng, n, N_OUTPUTS)
        rate = share * EXACT
        if eigenvalues is not None:
            x = rng.normal(size=(n, N_INPUTS)) * np.sqrt(eigenvalues)
        if activation == "sigmoid":  # whose slope at 0 is ¼
            y = recalled(x, t + 0.5, 4 * rate, activation) - 0.5
        else:
            y = recalled(x, t, rate)
        curves.append(((y * t).mean(axis=1) / (t * t).mean(axis=1))[::-1])
    return np.array(curves)


def overlaps() -> Iterator[tuple[float, Any, Any]]:
    """Yield learning rates, and the overlaps at some ages as measured and as predicted."""
    for share in SHARES:
        measured = _smooth(measured_overlap(share, 400, 10).mean(axis=0), AGES)
        predicted = _smooth(overlap(np.arange(400), share * EXACT, np.full(N_INPUTS, VARIANCE)), AGES)
        yield share, measured, predicted


def _smooth(curve: Any, ages: Any) -> Any:
    """Return the mean of a curve over twenty patterns from each age on; age 0 is not averaged."""
    return np.array([curve[age : age + (20 if age else 1)].mean() for age in ages])


def rates() -> Iterator[tuple[int, str, float, float]]:
    """Yield numbers of pairs, an error, and the best rate in units of 1/E‖x‖², measured and predicted."""
    tried = np.geomspace(0.15, 1.3, 24)
    for n in PAIRS:
        errors = np.zeros((2, len(tried)))
        for draw in range(max(1, 600 // n)):
            rng = np.random.default_rng([draw, n])
            x, t = signs(rng, n, N_INPUTS), signs(rng, n, N_OUTPUTS)
            for place, share in enumerate(tried):
                deviation = recalled(x, t, share * EXACT) - t
                errors[:, place] += (deviation**2).mean(), np.abs(deviation).mean()
        for name, cost in zip(("squared", "absolute"), errors, strict=True):
            predicted = best_rate(n, N_INPUTS, VARIANCE, error=name) / EXACT
            yield n, name, float(tried[cost.argmin()]), predicted


def spectra() -> Iterator[tuple[float, Any, Any, float]]:
    """Yield exponents of a spectrum, the overlap measured and predicted, the exponent of its power law."""
    for alpha in EXPONENTS:
        eigenvalues = power_law_spectrum(N_INPUTS, alpha, variance=VARIANCE)
        share = 0.3  # of the rate that recalls exactly; at larger ones the first eigenvalue diverges
        measured = measured_overlap(share, 400, 30, eigenvalues=eigenvalues).mean(axis=0)
        yield alpha, measured, overlap(np.arange(400), share * EXACT, eigenvalues), -(1 - 1 / alpha)


def sigmoid() -> Iterator[tuple[float, Any, Any, Comparison]]:
    """Yield learning rates, the overlap of sigmoid and of linear units, and the law of the sigmoid units."""
    for share in (0.5, 1.0, 2.0):
        curves = measured_overlap(share, 400, 8, activation="sigmoid")
        linear = overlap(np.arange(400), share * EXACT, np.full(N_INPUTS, VARIANCE))
        yield share, curves.mean(axis=0), linear, compare_laws(np.arange(1, 401), curves, resamples=30)


def tables() -> Iterator[list[str]]:
    """Yield the lines of all tables, separated by empty lines."""
    yield ["η / (1/E‖x‖²)", "time constant", *(f"age {age}" for age in AGES)]
    yield ["---"] * (len(AGES) + 2)
    for share, measured, predicted in overlaps():
        pairs = zip(measured, predicted, strict=True)
        constant = time_constant(share * EXACT, VARIANCE)
        yield [f"{share:g}", f"{constant:.0f}", *(f"{found:.3f} / {theory:.3f}" for found, theory in pairs)]
    yield []
    yield ["pairs", "error", "measured", "theory", "theory, last 20"]
    yield ["---"] * 5
    for n, name, found, theory in rates():
        recent = best_rate(n, N_INPUTS, VARIANCE, recent=20, error=name) / EXACT
        yield [str(n), name, f"{found:.2f}", f"{theory:.2f}", f"{recent:.2f}"]
    yield []
    yield ["η / (4/E‖x‖²)", "law of sigmoid units", "support", "ΔAICc of power law, exponential, stretched"]
    yield ["---"] * 4
    for share, _, _, comparison in sigmoid():
        behind = comparison.differences
        least = [
            min(value for label, value in behind.items() if label.startswith(law))
            for law in ("power_law", "exponential", "stretched")
        ]
        yield [
            f"{share:g}",
            comparison.law,
            f"{comparison.support:.2f}",
            ", ".join(f"{value:.0f}" for value in least),
        ]


def draw() -> Any:
    """Return the figure: overlap by age, best rates, power-law spectra, sigmoid units."""
    figure, (by_age, by_number, by_spectrum, of_sigmoid) = new_panels(2, 2, width=4.4, height=3.3)
    k = np.arange(400)
    for share, color in zip(SHARES, COLORS, strict=False):
        predicted = overlap(k, share * EXACT, np.full(N_INPUTS, VARIANCE))
        measured = measured_overlap(share, 400, 10).mean(axis=0)
        by_age.plot(k, predicted, color=color, label=f"{share:g}")
        by_age.plot(k[::8], measured[::8], ".", color=color, markersize=3)
    by_age.set(title="Independent inputs", xlabel="Age", ylabel="Overlap", ylim=(0, None))
    by_age.legend(title="η·E‖x‖²", frameon=False, fontsize=8)
    numbers = np.unique(np.geomspace(20, 1000, 12).astype(int))
    found = list(rates())
    for name, color in zip(("squared", "absolute"), COLORS, strict=False):
        shares = [best_rate(int(n), N_INPUTS, VARIANCE, error=name) / EXACT for n in numbers]
        by_number.plot(numbers, shares, color=color, label=f"all, {name} error")
        dots = [(n, share) for n, kind, share, _ in found if kind == name]
        by_number.plot(*zip(*dots, strict=True), "o", color=color, markersize=4)
    recent = [best_rate(int(n), N_INPUTS, VARIANCE, recent=20) / EXACT for n in numbers]
    by_number.plot(numbers, recent, color=COLORS[2], linestyle="--", label="last 20, squared error")
    by_number.set(title="Best learning rate", xlabel="Pairs", ylabel="η·E‖x‖²", xscale="log", ylim=(0, 1.1))
    by_number.legend(frameon=False, fontsize=8)
    for (alpha, measured, predicted, slope), color in zip(spectra(), COLORS, strict=False):
        by_spectrum.plot(k + 1, predicted, color=color, label=f"{alpha:g}: age^{slope:.2f}")
        edges = np.unique(np.geomspace(1, 401, 16).astype(int))  # averaged: single patterns vary widely
        dots = [((low + high) / 2, measured[low - 1 : high - 1].mean()) for low, high in pairwise(edges)]
        by_spectrum.plot(*zip(*dots, strict=True), ".", color=color, markersize=4)
        middle = np.array([10.0, 100.0])
        power = predicted[30] * (middle / 31) ** slope
        by_spectrum.plot(middle, 1.15 * power, color="#666666", linewidth=0.8)
    by_spectrum.set(title="Spectra λᵢ ∝ i^(−α)", xlabel="Age + 1", ylabel="Overlap")
    by_spectrum.set(xscale="log", yscale="log", ylim=(3e-3, 0.5))
    by_spectrum.legend(title="α", frameon=False, fontsize=8)
    for (share, measured, linear, _), color in zip(sigmoid(), COLORS, strict=False):
        of_sigmoid.plot(k, measured, color=color, linewidth=1, label=f"{share:g}")
        of_sigmoid.plot(k, linear, color=color, linestyle="--", linewidth=0.8)
    of_sigmoid.set(title="Sigmoid units (dashed: linear)", xlabel="Age", ylabel="Overlap", ylim=(0, None))
    of_sigmoid.legend(title="η·E‖x‖²/4", frameon=False, fontsize=8)
    return figure


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--figure", type=Path, help="folder for forgetting_theory.svg")
    folder = parser.parse_args().figure
    if folder is not None:
        save_svg(draw(), folder / "forgetting_theory.svg")
    for line in tables():
        sys.stdout.write(f"| {' | '.join(line)} |\n" if line else "\n")
