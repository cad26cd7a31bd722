"""Figures and numbers of docs/theory.md: matching losses, mistakes from zero and random weights, regret.

python bench/theory.py            prints the tables
python bench/theory.py --figures  also draws docs/figures/theory_*.svg
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from scipy.optimize import minimize

from hebbian_descent import ACTIVATIONS, Layer, get_activation, train
from hebbian_descent.plotting import new_panels
from hebbian_descent.theory.bounds import mistake_bound, regret_bound, regret_rate
from hebbian_descent.theory.generalized_linear import FAMILIES

FIGURES = Path(__file__).parents[1] / "docs" / "figures"
COLORS = ("#0072B2", "#D55E00", "#009E73")
N_INPUTS = 20


def say(line: str) -> None:
    """Print a line."""
    sys.stdout.write(f"{line}\n")


def separable(n: int = 60, margin: float = 1.0) -> tuple[Any, Any, Any]:
    """Return binary patterns, their targets, and the unit that separates them."""
    rng = np.random.default_rng(0)
    w = rng.normal(size=N_INPUTS) / 2
    x = rng.integers(0, 2, (400, N_INPUTS)).astype(float)
    x = x[np.abs((x - 0.5) @ w) > margin][:n]
    return x, ((x - 0.5) @ w > 0).astype(float), w


def mistakes(rate: float, start: Any) -> int:
    """Count the mistakes of a step unit until it makes none in a pass."""
    x, t, _ = separable()
    layer = Layer.from_weights(start[:, np.newaxis], activation="step", offset=0.5)
    total = 0
    while True:
        before = total
        for pattern, target in zip(x[:, np.newaxis], t, strict=True):
            if layer.output(pattern)[0, 0] != target:
                total += 1
                train(layer, pattern, [[target]], learning_rate=rate)
        if total == before:
            return total


def domain_table() -> None:
    """Print the targets, the slope and the distribution of each activation."""
    families = {make().activation.name: name for name, make in FAMILIES.items()}
    say("| activation | targets | largest slope | distribution |")
    say("| --- | --- | --- | --- |")
    for name in ACTIVATIONS:
        phi = get_activation(name)
        slope = f"{phi.largest_slope:.4g}" if np.isfinite(phi.largest_slope) else "none"
        say(f"| `{name}` | {phi.domain} | {slope} | {families.get(name, 'none')} |")


def mistake_table() -> None:
    """Print mistakes and bounds, from zero and from random weights."""
    x, t, w = separable()
    random = np.random.default_rng(1).normal(size=N_INPUTS)
    say("| initial weights | rate | mistakes | Novikoff's bound | with the second term |")
    say("| --- | --- | --- | --- | --- |")
    for name, start in (("zero", np.zeros(N_INPUTS)), ("random", random)):
        for power in (0, 4, 8, 12):
            rate = 2.0**-power  # exact, so that ties do not depend on rounding
            found = mistakes(rate, start)
            bounds = [
                mistake_bound(x, t, w, offset=0.5, start=length)
                for length in (0.0, np.linalg.norm(start) / rate)
            ]
            shown = f"1/{2**power}" if power else "1"
            say(f"| {name} | {shown} | {found:,} | {bounds[0]:,.0f} | {bounds[1]:,.0f} |")


def noisy_stream(n: int) -> tuple[Any, Any]:
    """Return inputs in [−1, 1] and labels, a fifth of them wrong."""
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (n, 3))
    return x, ((x @ [2.0, -1.0, 0.5] + 0.3 > 0) ^ (rng.random(n) < 0.2)).astype(float)[:, np.newaxis]


def regret(n: int, rate: float | None) -> tuple[float, float]:
    """Return the regret of sigmoid units at a given rate, or at that of the bound, and the bound."""
    x, t = noisy_stream(n)
    phi, inputs = get_activation("sigmoid"), np.column_stack([x, np.ones(n)])
    best = minimize(lambda w: phi.matching_loss(t[:, 0], inputs @ w).sum(), np.zeros(4))
    gradient, radius = float(np.linalg.norm(inputs, axis=1).max()), float(np.linalg.norm(best.x))
    layer = Layer.from_weights(np.zeros((3, 1)), activation="sigmoid")
    used = regret_rate(gradient, radius, n) if rate is None else rate
    lost = 0.0
    for pattern, target in zip(x[:, np.newaxis], t[:, np.newaxis], strict=True):
        lost += float(phi.matching_loss(target, layer.preactivation(pattern)).sum())
        train(layer, pattern, target, learning_rate=used)
    return lost - float(best.fun), regret_bound(gradient, radius, n)


def regret_table() -> None:
    """Print the regret of rates that fall with the length of the stream, and of a constant one."""
    say("| patterns | η = D/(G√T) | per pattern | η = 2 | per pattern | bound G·D·√T |")
    say("| --- | --- | --- | --- | --- | --- |")
    for n in (100, 400, 1600, 6400):
        (falling, bound), (constant, _) = regret(n, None), regret(n, 2.0)
        say(
            f"| {n:,} | {falling:.1f} | {falling / n:.3f} | {constant:.1f} | {constant / n:.3f} | "
            f"{bound:.1f} |"
        )


def draw_losses() -> None:
    """Draw the matching loss of every element-wise activation for three targets that all of them reach."""
    names = [name for name in ACTIVATIONS if get_activation(name).elementwise]
    a = np.linspace(-4, 4, 65)
    figure, panels = new_panels(5, 3, width=2.0, height=1.7)
    for axes, name in zip(panels, names, strict=False):
        phi = get_activation(name)
        for t, color in zip((0.1, 0.5, 0.9), COLORS, strict=True):
            axes.plot(a, phi.matching_loss(np.full_like(a, t), a), color=color, label=f"loss for t = {t}")
        axes.plot(a, phi(a), color="#666666", linewidth=0.9, linestyle="--", label="output φ(a)")
        axes.set(title=name.replace("_", " "), ylim=(-1, 3), xticks=(-4, 0, 4), yticks=(0, 2))
    handles, labels = panels[0].get_legend_handles_labels()
    for axes in panels[len(names) :]:
        axes.set_axis_off()
        axes.legend(handles, labels, loc="center", frameon=False)
    save(figure, "theory_matching_losses")


def draw_step_units() -> None:
    """Draw error and loss of step and rectifier units on pairs that cannot be learned."""
    rng = np.random.default_rng(0)
    x, t = rng.integers(0, 2, (2, 400, 50)).astype(float)
    figure, axes = new_panels(2, width=3.8, height=2.8)
    for name, color in (("step", COLORS[1]), ("rectifier", COLORS[0])):
        layer = Layer.create(50, 50, activation=name, offset=x.mean(axis=0), rng=np.random.default_rng(1))
        errors, losses = [], []
        for epoch in range(61):
            if epoch:
                train(layer, x, t, learning_rate=0.001)
            a, h = layer.forward(x)
            errors.append(np.abs(h - t).mean())
            losses.append(layer.activation.matching_loss(t, a).mean())
        axes[0].plot(np.array(losses) / losses[0], color=color, label=f"{name} units")
        axes[1].plot(errors, color=color)
        say(
            f"{name}: loss to {losses[-1] / losses[0]:.1%}, error {errors[0]:.3f} → {min(errors):.3f} "
            f"(epoch {int(np.argmin(errors))}) → {errors[-1]:.3f}"
        )
    axes[0].set(xlabel="epoch", ylabel="matching loss, of the start", ylim=(0, 1.05))
    axes[1].set(xlabel="epoch", ylabel="mean absolute error")
    axes[0].legend(frameon=False)
    save(figure, "theory_step_units")


def save(figure: Any, name: str) -> None:
    """Write a figure as a small, reproducible SVG: text as text, coordinates to a tenth of a point."""
    path = FIGURES / f"{name}.svg"
    with mpl.rc_context({"svg.hashsalt": name, "svg.fonttype": "none"}):
        figure.savefig(path, metadata={"Date": None, "Creator": None})
    text = path.read_text(encoding="utf-8")
    shorter = re.sub(r'd="[^"]+"', lambda found: re.sub(r"(\.\d)\d+", r"\1", found[0]), text)
    path.write_text(re.sub(r" +\n", "\n", shorter), encoding="utf-8")


def main() -> None:
    """Print the tables, and draw the figures if requested."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--figures", action="store_true")
    figures = parser.parse_args().figures
    domain_table()
    say("")
    mistake_table()
    say("")
    regret_table()
    if figures:
        with mpl.rc_context({"font.size": 9, "axes.titlesize": 9, "font.sans-serif": ["DejaVu Sans"]}):
            draw_losses()
            draw_step_units()


if __name__ == "__main__":
    main()
