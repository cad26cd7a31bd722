"""Successive halving: try many learning rates for a short time, and only the best of them for the whole.

For work that is expensive, as auto-encoders and large classification. Each rung trains from the start, with
more epochs and fewer learning rates than the one before; the last one trains the finalists with all trials.
What it costs beside the whole grid is stated in the result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from math import ceil, log
from typing import Any, NamedTuple

from hebbian_descent.checks import as_count
from hebbian_descent.sweep.grid import listed
from hebbian_descent.sweep.result import SweepResult
from hebbian_descent.sweep.selection import Best

AXES_OF_ACTIVATIONS = ("activations", "hidden_activations", "output_activations")


class Rung(NamedTuple):
    """One round of the search."""

    epochs: int
    trials: int
    learning_rates: tuple[float, ...]
    costs: tuple[float, ...]
    """What each learning rate was judged by, the smaller the better; inf where a trial diverged."""


class Found(NamedTuple):
    """What the search found for one rule and activation, and what it cost."""

    best: Best
    result: SweepResult
    """The last rung, from which the best was chosen."""
    rungs: tuple[Rung, ...]
    epochs_spent: int
    """Epochs times runs, over all rungs."""
    epochs_of_grid: int
    """The same for the exhaustive grid."""


def halving(
    sweep_function: Callable[..., SweepResult],
    *patterns: Any,
    rules: Any,
    learning_rates: Sequence[float],
    epochs: int,
    trials: int = 10,
    by: str = "all",
    factor: int = 3,
    finalists: int = 2,
    **options: Any,
) -> list[Found]:
    """Search the learning rate of each rule and activation with `sweep` or `sweep_autoencoders`.

    `factor` is how many times longer each rung trains, and how many times fewer learning rates it has.
    """
    as_count(epochs, "number of epochs")
    as_count(trials, "number of trials")
    as_count(factor, "factor", at_least=2)
    as_count(finalists, "number of finalists")
    learning_rates = listed(learning_rates, "learning rates")
    grids = {name: listed(options.pop(name), name) for name in AXES_OF_ACTIVATIONS if name in options}
    found = []
    for rule, *activations in product(listed(rules, "rules"), *grids.values()):
        chosen = dict(zip(grids, activations, strict=True))

        def run(rates: Sequence[float], n_epochs: int, n_trials: int) -> SweepResult:
            return sweep_function(
                *patterns,
                rules=rule,  # noqa: B023  # called before the loop goes on
                learning_rates=rates,
                epochs=n_epochs,
                trials=n_trials,
                **chosen,  # noqa: B023
                **options,
            )

        found.append(_search(run, learning_rates, epochs, trials, by, factor, finalists))
    return found


def _search(
    run: Callable[[Sequence[float], int, int], SweepResult],
    learning_rates: Sequence[float],
    epochs: int,
    trials: int,
    by: str,
    factor: int,
    finalists: int,
) -> Found:
    rates = list(learning_rates)
    rungs = []
    n_rungs = ceil(log(max(len(rates) / finalists, 1), factor))
    for number in range(n_rungs):
        short = max(1, round(epochs / factor ** (n_rungs - number)))
        costs = _costs(run(rates, short, 1), by)
        rungs.append(Rung(short, 1, tuple(rates), costs))
        best_first = sorted(range(len(rates)), key=costs.__getitem__)
        kept = set(best_first[: max(finalists, ceil(len(rates) / factor))])
        rates = [rate for place, rate in enumerate(rates) if place in kept]
    final = run(rates, epochs, trials)
    rungs.append(Rung(epochs, trials, tuple(rates), _costs(final, by)))
    return Found(
        best=final.best(by)[0],
        result=final,
        rungs=tuple(rungs),
        epochs_spent=sum(rung.epochs * rung.trials * len(rung.learning_rates) for rung in rungs),
        epochs_of_grid=epochs * trials * len(learning_rates),
    )


def _costs(result: SweepResult, by: str) -> tuple[float, ...]:
    return tuple(result.costs(by)[0, 0].min(axis=-1).tolist())
