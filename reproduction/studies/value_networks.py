"""Value networks: whether rectifiers as outputs of a DQN die by gradient descent and live by Hebbian-descent.

A rectifier with a ≤ 0 in all states gets no gradient by the squared error. Hidden layers that learn by other
outputs may still bring it back; if all outputs are dead, nothing changes any more. By the matching loss the
error h − t = −t raises every output whose target is positive.

Paper: sec:HD_results
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from hebbian_descent.plotting import new_panels
from reproduction.evidence import Word, interval
from reproduction.rows import Rows
from reproduction.studies.base import Answer, Change, Record, Study
from reproduction.studies.drawing import legend_below
from reproduction.studies.value_network_fates import (
    NEGATIVE,
    RECTIFIED,
    SEARCH,
    TASKS,
    USUAL,
    VARIANTS,
    Findings,
    chosen_rates,
    late_returns,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FIRST_RATE_SEED = 100
"""Seeds from here on choose learning rates; those from 0 on are measured."""


def measure(at: Any, before: Rows) -> Iterator[Record]:
    """Yield what the networks of a task give: by all learning rates, or by those that were best."""
    from reproduction.studies.value_network_learning import learn  # PyTorch is optional for readers

    rates, seeds, bias = at.rates, range(at.seeds), None
    if at.start == SEARCH:
        seeds = range(FIRST_RATE_SEED, FIRST_RATE_SEED + at.rate_seeds)
    else:
        own, common = chosen_rates(late_returns(before), at.task)
        rates = [own[at.variant], common] if at.start == USUAL else [own[at.variant]]
        bias = at.output_bias if at.start == NEGATIVE else None
    return learn(at, [*product(map(float, dict.fromkeys(rates)), seeds)], bias)


def table(rows: Rows) -> pd.DataFrame:
    """Return dead units and returns, by task, outputs and start."""
    found, lines = Findings(rows), []
    for condition, place in found.conditions():
        task, _, variant, rate = place
        units, played = found.units.loc[place], found.greedy.loc[place]
        hit = found.hit(task, found.own[task]["squared"])
        of_hit = f"{played[hit].mean():.1f} ({hit.sum()})"
        lines.append(
            {
                "task": TASKS[task].title,
                "outputs, loss": VARIANTS[variant].title,
                "measured from": condition,
                "learning rate": rate,
                "units dead at the start": f"{units['at_start'].sum()} of {len(units)}",
                "died since": str(units["died"].sum()),
                "dead early": str(units["early"].sum()),
                "trapped": str(units["trapped"].sum()),
                "came back": str(units["came_back"].sum()),
                "return, last fifth": f"{found.late.loc[place].mean():.1f}",
                "greedy return": f"{played.mean():.1f}",
                "greedy return, seeds hit": of_hit if hit.any() else "none",
            }
        )
    return pd.DataFrame(lines)


def figure(rows: Rows) -> Figure:
    """Draw one row per task: fates and returns while learning, then both by learning rate."""
    found = Findings(rows)
    drawn, panels = new_panels(4, len(found.tasks), width=3.1, height=2.7)
    labels = ("Dead units", "Return, recent episodes", "Dead units at the end", "Late return")
    for task, row in zip(found.tasks, np.reshape(np.array(panels), (-1, 4)), strict=True):
        _draw_learning(row[:2], found, task)
        _draw_rates(row[2:], found, task)
        for axes, x, y in zip(row, ["Share of learning"] * 2 + ["Learning rate"] * 2, labels, strict=True):
            axes.set(xlabel=x, ylabel=y)
            axes.set_ylim(bottom=-0.04 if y.startswith("Dead") else 0)
        row[0].set_title(TASKS[task].title)
    return legend_below(drawn, panels[1])


def _draw_learning(panels: Sequence[Axes], found: Findings, task: str) -> None:
    """Draw dead units and returns over time, at each variant's own rate; linear outputs do not die."""
    for condition, (its_task, start, variant, rate) in found.conditions():
        if its_task != task or rate != found.own[task][variant]:
            continue
        title, color = VARIANTS[variant]
        dashes, words = ("-", "") if start == USUAL else ("--", f", {condition}")
        for axes, values in zip(panels, (found.dead, found.returns), strict=True):
            if variant in RECTIFIED or values is found.returns:
                mean = values.loc[:, (task, start, variant, rate)].mean(axis=1)
                axes.plot(mean.index / mean.index[-1], mean, dashes, color=color, label=title + words)


def _draw_rates(panels: Sequence[Axes], found: Findings, task: str) -> None:
    """Draw dead units at the end and late returns by learning rate."""
    for variant, (_, color) in VARIANTS.items():
        for axes, values in zip(panels, (found.dead.iloc[-1], found.late), strict=True):
            if variant in RECTIFIED or values is found.late:
                mean = values.loc[task, SEARCH, variant].groupby(level="learning_rate").mean()
                axes.semilogx(mean.rename(float).sort_index(), "o-", markersize=4, color=color)


def verdict_of(found: Findings) -> Word:
    """Judge by the rule of the study."""
    counts = found.counts()
    squared, matching = (counts.xs((variant, USUAL), level=("variant", "start")) for variant in RECTIFIED)
    by_start = counts["trapped"].xs("matching", level="variant").groupby(level="start").sum()
    gains = [interval(found.gain(found.greedy, task, NEGATIVE, "squared")) for task in found.tasks]
    if (
        (squared["trapped"] > squared["early"] / 2).all()
        and by_start[USUAL] == by_start[NEGATIVE] == 0
        and all(gain.mean > gain.half for gain in gains)
    ):
        return "holds"
    theirs, mine = (each["trapped"].sum() / max(each["early"].sum(), 1) for each in (squared, matching))
    return "holds with limits" if theirs > mine else "does not hold"


def answer(rows: Rows) -> Answer:
    """Count the units that stay dead and those that died since the start, then say what that costs."""
    found = Findings(rows)
    counts = found.counts().groupby(level=["variant", "start"]).sum()

    def kept(variant: str, start: str) -> str:
        return "{trapped} of {early}".format(**counts.loc[variant, start])

    def died(variant: str) -> str:
        usual, search = (counts.loc[variant, start] for start in (USUAL, SEARCH))
        in_search = f"in the search for learning rates {search['died']}"
        return f"{usual['died']} ({usual['died_trapped']} for good; {in_search})"

    costs = "; ".join(_costs(found, task) for task in found.tasks)
    return Answer(
        verdict_of(found),
        f"With the squared error {kept('squared', USUAL)} rectifier outputs that are dead early stay dead, "
        f"and {kept('squared', NEGATIVE)} that start with a negative bias, with the matching loss "
        f"{kept('matching', USUAL)} and {kept('matching', NEGATIVE)}; most are dead before the first update: "
        f"learning itself kills {died('squared')} with the squared error and {died('matching')} with the "
        f"matching loss. At a common learning rate, {costs}.",
    )


def _costs(found: Findings, task: str) -> str:
    """Return what dead units cost in a task at a common learning rate, as a clause."""
    rate = found.common[task]
    hit = found.hit(task, rate)

    def gain(returns: pd.Series, other: str, seeds: Any = slice(None)) -> str:
        mean, half = interval(found.gain(returns, task, USUAL, other, rate)[seeds])
        return f"{mean:+.1f} ± {half:.1f}"

    words = f"in {TASKS[task].title} the matching loss changes the greedy return "
    if hit.any():
        words += (
            f"of the squared error by {gain(found.greedy, 'squared', hit)} in the {hit.sum()} of {len(hit)} "
            "seeds in which units of the latter are dead early, and "
        )
    greedy, late = gain(found.greedy, "linear"), gain(found.late, "linear")
    return f"{words}of linear outputs by {greedy} over all seeds ({late} while learning)"


STUDY = Study(
    name="value_networks",
    title="Value networks with rectifiers as outputs",
    section="sec:HD_results",
    says="the outputs of DQN are linear although values are not negative; rectifiers would be more "
    "reasonable, but by gradient descent they can be pushed into the negative regime for all inputs early "
    "in training, and are never active again, a problem that Hebbian-descent does not have at all (the "
    "outlook that ends the section on classification; no numbers).",
    question="Do rectifier outputs of a value network die under gradient descent and survive under "
    "Hebbian-descent?",
    protocol=(
        "Tasks: CartPole-v1 of gymnasium and Breakout of MinAtar, {steps} steps, discount {discount}.",
        "Agents: DQN with replay memories of {capacity} transitions, and target networks, renewed after "
        "{target_updates} updates.",
        "Exploration: ε-greedy, from 1 to {exploration} over the first fifth; equal outputs leave the "
        "action to chance.",
        "Learning: by Adam, {batch_size} transitions per {steps_per_update} steps, after {warm_up} random "
        "ones; errors are not clipped.",
        "Networks: hidden layers of 64-64 and 64 rectifiers, initial weights as PyTorch's linear layers.",
        "Compared: squared error with linear outputs, squared error with rectifiers, matching loss with "
        "rectifiers (error h − t without φ′; targets from rectified outputs).",
        "Learning rates: the best of {rates} by the return over the last fifth of learning, on {rate_seeds} "
        "seeds from 100 on.",
        "Seeds: {seeds} others, from 0 on, are measured; they are hit if a unit of the squared error is "
        "dead early.",
        "Dead: a ≤ 0 in all of {looked_at} states of the memory, looked at before learning and {looks} "
        "times since. A linear output that is counted so is merely negative.",
        "Dead early: before learning or at some look of the first fifth. Trapped: dead early and at all "
        "looks of the last fifth.",
        "Negative start: rectifiers begin with an output bias of {output_bias}, where all are dead.",
        "Greedy return: the mean of {evaluation_episodes} episodes after learning.",
    ),
    rule="Holds if on both tasks the squared error traps most units that are dead early from the usual "
    "start, the matching loss traps none from either start, and from the negative start its greedy return "
    "is certainly higher; with limits if from the usual start the squared error traps a larger share of "
    "them than the matching loss; else does not hold. Set before measuring.",
    changes=(
        Change(
            date="2026-11-18",
            old="each at its own learning rate alone; those chosen for CartPole differ by a factor of 16",
            new="all three also at a common rate, the best on average over the three; the rule stays",
            old_verdict="holds",
            verdict="holds",
        ),
    ),
    axes={
        "task": list(TASKS),
        "stage": [
            {"start": start, "variant": variant}
            for start, variants in ((SEARCH, VARIANTS), (USUAL, VARIANTS), (NEGATIVE, RECTIFIED))
            for variant in variants
        ],
    },
    settings={
        "steps": [50_000, 100_000],
        "capacity": [10_000, 20_000],
        "steps_per_update": [2, 4],
        "warm_up": 1000,
        "batch_size": 32,
        "discount": 0.99,
        "exploration": 0.05,
        "exploration_share": 0.2,
        "target_updates": 250,
        "rates": [6.25e-5, 2.5e-4, 1e-3, 4e-3, 1.6e-2],
        "rate_seeds": 3,
        "seeds": 10,
        "output_bias": -1.0,
        "looks": 25,
        "looked_at": 1000,
        "evaluation_episodes": 20,
    },
    quick={
        "task": ["cartpole"],
        "steps": [400],
        "capacity": [200],
        "steps_per_update": [2],
        "warm_up": 100,
        "target_updates": 20,
        "rates": [1e-3, 4e-3],
        "rate_seeds": 1,
        "seeds": 2,
        "looks": 5,
        "looked_at": 50,
        "evaluation_episodes": 2,
    },
    measure=measure,
    measures=("return", "dead", "greedy_return"),
    table=table,
    figure=figure,
    caption="Share of dead output units and return of recent episodes over the steps of learning, means over "
    "the measured seeds (broken lines: negative output bias at the start), and both by learning rate, means "
    "over the seeds that choose it.",
    answer=answer,
    needs=("torch", "gymnasium", "minatar"),
)
