"""The study of value networks: its parts, and its protocol with the rule of the verdict.

Paper: sec:HD_results
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from reproduction.studies.base import Later, Numbers, Part, Settings, Study, numbers_to
from reproduction.studies.value_networks.drawing import figure
from reproduction.studies.value_networks.findings import (
    COMMON,
    NEGATIVE,
    RATES,
    best_rate,
    common_rate,
    conditions_of,
    part_name,
)
from reproduction.studies.value_networks.summary import answer, table
from reproduction.studies.value_networks.variants import VARIANTS

FIRST_RATE_SEED = 100
"""Seeds from here on choose learning rates; those from 0 on are measured."""


def parts(settings: Settings) -> dict[str, Part | Later]:
    """Return for each task the comparisons of learning rates, then what the chosen ones give."""
    found: dict[str, Part | Later] = {}
    for task in settings["tasks"]:
        for variant in VARIANTS:
            found[part_name(task, variant, RATES)] = partial(_compare_rates, settings, task, variant)
        for variant in VARIANTS:
            for condition in conditions_of(variant):
                measured = partial(_measure, settings, task, variant, condition)
                found[part_name(task, variant, condition)] = Later(measured)
    return found


def _compare_rates(settings: Settings, task: str, variant: str) -> Numbers:
    from reproduction.studies.value_networks.learning import Run, learn  # PyTorch is optional

    seeds = range(FIRST_RATE_SEED, FIRST_RATE_SEED + settings["rate_seeds"])
    return learn(settings, task, variant, [Run(rate, seed) for rate in settings["rates"] for seed in seeds])


def _measure(
    settings: Settings, task: str, variant: str, condition: str, found: Mapping[str, Numbers]
) -> Numbers:
    from reproduction.studies.value_networks.learning import Run, learn

    own = best_rate(found[part_name(task, variant, RATES)])
    rate = common_rate(found, task) if condition == COMMON else own
    if condition == COMMON and rate == own:
        return found[part_name(task, variant)]  # the same runs
    bias = settings["output_bias"] if condition == NEGATIVE else None
    return learn(settings, task, variant, [Run(rate, seed) for seed in range(settings["seeds"])], bias)


def _seeds(settings: Settings) -> str:
    last = FIRST_RATE_SEED + settings["rate_seeds"] - 1
    return f"{numbers_to(settings['seeds'])} (measured), {FIRST_RATE_SEED} to {last} (learning rates)"


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
    protocol="DQN with replay memories ({capacity} transitions), target networks (renewed after "
    "{target_updates} updates) and ε-greedy exploration (ε from 1 to {exploration} over the first fifth) on "
    "CartPole-v1 of gymnasium and Breakout of MinAtar: {steps} steps, one update by Adam of {batch_size} "
    "transitions per {steps_per_update} steps after {warm_up} random ones, discount {discount}. The "
    "networks have 64-64 and 64 rectifiers in hidden layers, start as PyTorch's linear layers do, and learn "
    "by the squared error with linear outputs, by the squared error with rectifiers, or by the matching "
    "loss with rectifiers (error h − t without φ′; targets from rectified outputs). Errors are not clipped; "
    "equal outputs leave the action to chance. The learning rate of each is the best of {rates} by the "
    "return over the last fifth of learning, on {rate_seeds} seeds that are not measured; {seeds} seeds "
    "are. A unit is dead if a ≤ 0 in all of {looked_at} states of the memory, looked at before learning and "
    "{looks} times since; it is dead early if it is before learning or at some look of the first fifth, and "
    "trapped if it is dead early and at all looks of the last fifth; a linear output that is counted so is "
    "merely negative. Seeds are hit if a unit of the squared error is dead early. Rectifiers also start "
    "with an output bias of {output_bias}, where all are dead. Greedy returns are means of "
    "{evaluation_episodes} episodes after learning. Set before measuring: the remark holds if on both tasks "
    "the squared error traps most units that are dead early from the usual start, the matching loss traps "
    "none from either start, and from the negative start its greedy return is certainly higher; otherwise "
    "it holds with limits if from the usual start the squared error traps a larger share of them than the "
    "matching loss, and else it does not hold. Since the rates chosen for CartPole differ by a factor of "
    "16, all three were then also measured at a common rate, the best on average over the three; rows that "
    "this would repeat are left out.",
    settings={
        "tasks": ["cartpole", "breakout"],
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
        "tasks": ["cartpole"],
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
    parts=parts,
    table=table,
    figure=figure,
    caption="Share of dead output units and return of recent episodes over the steps of learning, means over "
    "the measured seeds (broken lines: negative output bias at the start), and both by learning rate, means "
    "over the seeds that choose it.",
    answer=answer,
    seeds=_seeds,
    needs=("torch", "gymnasium", "minatar"),
)
