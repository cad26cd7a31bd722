"""How good is the automatic learning rate? `python bench/learning_rates.py --help`.

It is compared with the best of the paper's 35 fixed rates, which is not known beforehand, on two kinds of
work: remembering 100 pairs that are seen once (mean absolute error of all pairs), and classifying (test
error). With `--choose` the same is done for several κ, on data that the tables of the page do not use:
other patterns, other weights and orders, and a part of the training set in place of the test set.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.progress import track

from hebbian_descent import (
    ACTIVATIONS,
    DivergenceError,
    HebbianDescentClassifier,
    HebbianDescentRegressor,
)
from hebbian_descent.datasets import draw_pair, load
from hebbian_descent.datasets.dataset import DatasetError
from hebbian_descent.learning.rates import KAPPAS, Automatic
from hebbian_descent.network import get_activation
from hebbian_descent.sweep.grids import LEARNING_RATES

PAGE = Path(__file__).parent.parent / "docs" / "estimators" / "learning_rate.md"
MARK = "<!-- made by bench/learning_rates.py -->"
DATASETS = ("rand", "digits", "connect_positions")
TRIALS = 2
MOST_EXAMPLES = 10_000
CANDIDATES = (0.0625, 0.125, 0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8)
BOUNDED = ("sigmoid", "step", "softmax", "scaled_tanh", "softsign", "inverse_sqrt")
MOST_ABOVE_BEST = {True: 1.15, False: 1.25}


class Work(NamedTuple):
    """Something to learn: its name, its purpose, and the error for an activation and a learning rate."""

    name: str
    task: str
    error: Callable[[str, Any], float]


def main() -> None:
    """Measure everything and write the tables to the page, or print how κ is chosen."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--choose", action="store_true", help="print the ratios of several κ instead")
    parser.add_argument("--page", type=Path, default=PAGE, help="the page whose tables are replaced")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    seed = 1 if options.choose else 0
    works = [*associations(seed), *classifications(seed)]
    ratios: dict[str, dict[str, float]] = {}
    for activation in track(ACTIVATIONS, "activations"):
        best = {work.name: best_fixed(work, activation) for work in works}
        if options.choose:
            choose(works, activation, best)
        else:
            ratios[activation] = {w.name: w.error(activation, "auto") / best[w.name] for w in works}
    if not options.choose:
        before, _, after = options.page.read_text(encoding="utf-8").split(MARK)
        options.page.write_text(MARK.join([before, tables(works, ratios), after]), encoding="utf-8")


def associations(seed: int) -> Iterator[Work]:
    """Yield all pairs of datasets: 100 patterns, seen once, from the same random weights."""
    for source in DATASETS:
        for target in DATASETS:
            pair = draw_pair(source, target, seed=seed)
            yield Work(f"{source} → {target}", "remember", partial(association_error, *pair, seed))


def association_error(inputs: Any, targets: Any, seed: int, activation: str, learning_rate: Any) -> float:
    """Return the mean absolute error over all pairs after one pass, averaged over trials."""
    errors = []
    for trial in range(seed * TRIALS, (seed + 1) * TRIALS):
        memory = HebbianDescentRegressor(
            activation=activation,
            learning_rate=learning_rate,
            epochs=1,
            shuffle=False,
            initial_weights="random",
            random_state=trial,
        )
        errors.append(np.abs(learned(memory, inputs, targets).predict(inputs) - targets).mean())
    return float(np.mean(errors))


def classifications(seed: int) -> Iterator[Work]:
    """Yield digits, once and ten times, and examples of MNIST once, if it is available.

    Seed 0 learns the training set (of MNIST, the first examples) and is tested on the test set. Seed 1 uses
    only the training set: it learns one half and is tested on the other (of MNIST, from later examples).
    """
    for name, epochs, trials in (("digits", 1, TRIALS), ("digits", 10, TRIALS), ("mnist", 1, 1)):
        try:
            data = load(name)
        except DatasetError as error:
            print(f"Left out: {error}")  # noqa: T201
            continue
        learned = data.train.inputs[:MOST_EXAMPLES], data.train.labels[:MOST_EXAMPLES]
        asked = data.test.inputs, data.test.labels
        if seed:
            rest = (
                slice(MOST_EXAMPLES, 3 * MOST_EXAMPLES)
                if len(data.train.labels) > MOST_EXAMPLES
                else slice(None)
            )
            inputs, labels = data.train.inputs[rest], data.train.labels[rest]
            learned, asked = (inputs[::2], labels[::2]), (inputs[1::2], labels[1::2])
        orders = range(seed * trials, (seed + 1) * trials)
        yield Work(
            f"{name}, {epochs} epoch{'s' if epochs > 1 else ''}",
            "classify",
            partial(classification_error, learned, asked, epochs, orders),
        )


def classification_error(
    examples: Any, asked: Any, epochs: int, orders: Any, activation: str, rate: Any
) -> float:
    """Return the share of wrong labels in the test set, averaged over orders."""
    scores = []
    for order in orders:
        classifier = HebbianDescentClassifier(
            activation=activation, learning_rate=rate, epochs=epochs, random_state=order
        )
        scores.append(learned(classifier, *examples).score(*asked))
    return 1 - float(np.mean(scores))


class Diverged:
    """Stands in for an estimator that diverged: all its predictions are wrong."""

    def predict(self, inputs: Any) -> float:
        """Return an infinitely wrong prediction."""
        return np.inf

    def score(self, inputs: Any, labels: Any) -> float:
        """Return the lowest score."""
        return 0.0


def learned(estimator: Any, inputs: Any, aims: Any) -> Any:
    """Fit an estimator."""
    try:
        return estimator.fit(inputs, aims)
    except DivergenceError:
        return Diverged()


def best_fixed(work: Work, activation: str) -> float:
    """Return the smallest error of the fixed rates."""
    errors = [work.error(activation, rate) for rate in LEARNING_RATES]
    return min(error for error in errors if np.isfinite(error))


def choose(works: list[Work], activation: str, best: dict[str, float]) -> None:
    """Print, for each task and κ, the ratios to the best fixed rate: the largest, then those of all works."""
    for task in dict.fromkeys(work.task for work in works):
        of_task = KAPPAS[task]
        chosen = of_task.copy()
        for value in CANDIDATES:
            of_task[activation] = value
            found = [w.error(activation, "auto") / best[w.name] for w in works if w.task == task]
            cells = "  ".join(f"{ratio:.2f}" for ratio in found)
            mark = "<- now" if value == chosen.get(activation, chosen["others"]) else ""
            print(f"{task:10} {activation:20} κ {value:<6g} {max(found):5.2f} | {cells} {mark}", flush=True)  # noqa: T201
        of_task.clear()
        of_task.update(chosen)


def tables(works: list[Work], ratios: dict[str, dict[str, float]]) -> str:
    """Return one table per task: one row per activation, the ratio to the best fixed rate in each cell."""
    parts = []
    for task, title in (("remember", "Remembering 100 pairs seen once"), ("classify", "Classifying")):
        names = [work.name for work in works if work.task == task]
        rows = [
            ("activation", "κ", *(name.replace("connect_positions", "connect") for name in names), "limit")
        ]
        rows.append(tuple("---" for _ in rows[0]))
        for activation, found in ratios.items():
            limit = MOST_ABOVE_BEST[activation in BOUNDED]
            cells = [
                f"**{found[name]:.2f}**" if found[name] > limit else f"{found[name]:.2f}" for name in names
            ]
            value = Automatic(task).kappa(get_activation(activation))
            rows.append((f"`{activation}`", f"{value:g}", *cells, f"{limit:g}"))
        parts += [f"\n\n### {title}\n", *(f"| {' | '.join(row)} |" for row in rows)]
    return "\n".join(parts) + "\n\n"


if __name__ == "__main__":
    main()
