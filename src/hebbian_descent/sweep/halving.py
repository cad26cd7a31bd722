"""Successive halving: try many learning rates briefly, and only the best of them at full length.

For expensive work, such as auto-encoders and large classification. Each rung trains from the start, with
more epochs and fewer learning rates than the one before; the last one trains the finalists with all trials.
Short rungs favour fast learning rates, which may end with a larger error than slow ones. Where that matters
more than the spread of trials, save trials instead: all learning rates train for all epochs once, then the
finalists as often as requested. A finalist that diverges in one of them is replaced by the next in line. The
result states the cost in comparison with the whole grid.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from math import ceil, inf, log
from operator import itemgetter
from typing import Any, NamedTuple

from hebbian_descent.checks import as_count, unknown_name
from hebbian_descent.engines.grid import listed
from hebbian_descent.sweep.result import SweepResult
from hebbian_descent.sweep.selection import Best

SAVINGS = ("epochs", "trials")
AXES_OF_ACTIVATIONS = ("activations", "hidden_activations", "output_activations")


class Rung(NamedTuple):
    """One round of the search."""

    epochs: int
    trials: int
    learning_rates: tuple[float, ...]
    costs: tuple[float, ...]
    """The cost of each learning rate, the smaller the better; inf where a trial diverged."""


class Found(NamedTuple):
    """The result of the search for one rule and activation, and its cost."""

    best: Best
    result: SweepResult
    """The rung of finalists from which the best was chosen."""
    rungs: tuple[Rung, ...]
    epochs_spent: int
    """Epochs times runs, summed over all rungs."""
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
    saves: str = "epochs",
    factor: int = 3,
    finalists: int = 2,
    **options: Any,
) -> list[Found]:
    """Search the learning rate of each rule and activation with `sweep` or `sweep_autoencoders`.

    When saving epochs, each rung trains `factor` times longer, with `factor` times fewer learning rates; when
    saving trials, there is one rung before the finalists.
    """
    if saves not in SAVINGS:
        raise unknown_name("saves", saves, SAVINGS)
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
                rules=rule,  # noqa: B023  # called before the loop continues
                learning_rates=rates,
                epochs=n_epochs,
                trials=n_trials,
                **chosen,  # noqa: B023
                **options,
            )

        n_rates = len(learning_rates)
        plan = (
            _ever_longer(n_rates, epochs, factor, finalists) if saves == "epochs" else [(epochs, finalists)]
        )
        found.append(_search(run, learning_rates, epochs, trials, by, plan if n_rates > finalists else []))
    return found


def _ever_longer(n_rates: int, epochs: int, factor: int, finalists: int) -> list[tuple[int, int]]:
    """Return the epochs of each rung before the last, and how many learning rates it leaves."""
    n_rungs, plan = ceil(log(max(n_rates / finalists, 1), factor)), []
    for number in range(n_rungs):
        n_rates = max(finalists, ceil(n_rates / factor))
        plan.append((max(1, round(epochs / factor ** (n_rungs - number))), n_rates))
    return plan


def _search(
    run: Callable[[Sequence[float], int, int], SweepResult],
    learning_rates: Sequence[float],
    epochs: int,
    trials: int,
    by: str,
    plan: list[tuple[int, int]],
) -> Found:
    rates, in_line = list(learning_rates), list[float]()
    rungs, finals = [], []
    for n_epochs, n_kept in plan:
        costs = _costs(run(rates, n_epochs, 1), by)
        rungs.append(Rung(n_epochs, 1, tuple(rates), costs))
        ranked = sorted(zip(costs, rates, strict=True), key=itemgetter(0))
        kept = {rate for _, rate in ranked[:n_kept]}
        rates = [rate for rate in rates if rate in kept]
        in_line = [rate for cost, rate in ranked[n_kept:] if cost < inf]
    while rates:
        final = run(rates, epochs, trials)
        costs = _costs(final, by)
        rungs.append(Rung(epochs, trials, tuple(rates), costs))
        finals.append((min(costs), final))
        n_diverged = costs.count(inf)
        rates, in_line = in_line[:n_diverged], in_line[n_diverged:]
    _, result = min(finals, key=itemgetter(0))
    return Found(
        best=result.best(by)[0],
        result=result,
        rungs=tuple(rungs),
        epochs_spent=sum(rung.epochs * rung.trials * len(rung.learning_rates) for rung in rungs),
        epochs_of_grid=epochs * trials * len(learning_rates),
    )


def _costs(result: SweepResult, by: str) -> tuple[float, ...]:
    return tuple(result.costs(by)[0, 0].min(axis=-1).tolist())
