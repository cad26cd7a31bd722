"""What does the plain loop cost compared with a hand-written one? `python bench/plain_loop.py --help`.

A custom rule, 200 inputs to 200 outputs, one pattern at a time: forward pass, factors, outer product.
The hand-written loop does just that in NumPy; `train`, a memory and a sweep also check, count and can be
undone.
Microseconds per pattern and run, the minimum of several rounds, on one thread.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from math import inf
from time import perf_counter

import numpy as np
from rich.console import Console
from timing import library_threads

from hebbian_descent import Activity, AssociativeMemory, Change, Factors, Layer, Rule, train
from hebbian_descent.sweep import sweep

console = Console(width=120)
RATES = (0.01, 0.02, 0.05, 0.1)
TRIALS = 3


def factors(activity: Activity) -> Factors:
    """Return the factors of the delta rule."""
    return Factors(activity.inputs - activity.offset, activity.output - activity.targets)


def change(activity: Activity) -> Change:
    """Return the change of the delta rule with a pull toward small weights."""
    x, error = activity.inputs - activity.offset, activity.output - activity.targets
    return Change(x.T * error + 1e-3 * activity.weights, error[0])


def by_hand(X: np.ndarray, T: np.ndarray, eta: float = 0.01) -> None:
    """Learn by the delta rule, written in the obvious way."""
    N, M = X.shape[1], T.shape[1]
    W, b, mu = np.random.default_rng(0).uniform(-0.1, 0.1, (N, M)), np.zeros(M), X.mean(axis=0)
    for x, t in zip(X, T, strict=True):
        centered = x - mu
        h = 1 / (1 + np.exp(-(centered @ W + b)))
        W -= eta * np.outer(centered, h - t)
        b -= eta * (h - t)


def main() -> None:
    """Measure each way and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--units", type=int, default=200)
    parser.add_argument("--patterns", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    X, T = (rng.integers(0, 2, (options.patterns, options.units)).astype(float) for _ in range(2))
    mu = X.mean(axis=0)

    def trained(rule: Rule) -> None:
        layer = Layer.create(options.units, options.units, offset=mu, rng=np.random.default_rng(0))
        train(layer, X, T, rule=rule, learning_rate=0.01)

    def stored(rule: Rule) -> None:
        AssociativeMemory(options.units, options.units, rule=rule, learning_rate=0.01, centering=mu).store(
            X, T
        )

    def swept(rule: Rule) -> None:
        sweep(X, T, rules=rule, activations="sigmoid", learning_rates=RATES, trials=TRIALS)

    rules = {"two factors": Rule("own", factors), "a change": Rule("own_change", change)}
    ways: dict[str, tuple[Callable[[], None], int]] = {"by hand": (lambda: by_hand(X, T), 1)}
    for kind, rule in rules.items():
        ways[f"train, {kind}"] = (lambda rule=rule: trained(rule)), 1
        ways[f"memory.store, {kind}"] = (lambda rule=rule: stored(rule)), 1
        ways[f"sweep, {kind}"] = (lambda rule=rule: swept(rule)), len(RATES) * TRIALS
    best = dict.fromkeys(ways, inf)
    with library_threads(1):
        for _ in range(options.rounds):
            for name, (run, n_runs) in ways.items():
                start = perf_counter()
                run()
                best[name] = min(best[name], (perf_counter() - start) / n_runs / options.patterns)
    console.print("| way | µs per pattern | times by hand |\n| --- | --- | --- |", markup=False)
    for name, seconds in best.items():
        times = seconds / best["by hand"]
        console.print(f"| {name} | {seconds * 1e6:.0f} | {times:.1f} |", markup=False)


if __name__ == "__main__":
    main()
