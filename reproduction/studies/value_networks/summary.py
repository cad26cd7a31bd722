"""The table of the study, and its verdict by the rule that the protocol states.

Paper: sec:HD_results
"""

from __future__ import annotations

from collections.abc import Callable

from hebbian_descent.checks import Array
from hebbian_descent.table_formats import TextTable
from reproduction.claims.base import Word
from reproduction.studies.base import Answer, Interval, Numbers, Results, interval
from reproduction.studies.value_networks.findings import (
    COMMON,
    CONDITIONS,
    NATURAL,
    NEGATIVE,
    RATES,
    Pooled,
    conditions_of,
    fates,
    greedy_returns,
    hit_runs,
    late_returns,
    part_name,
    pooled,
)
from reproduction.studies.value_networks.tasks import TASKS
from reproduction.studies.value_networks.variants import RECTIFIED, VARIANTS


def table(results: Results) -> TextTable:
    """Return dead units and returns, by task, outputs and start."""
    rows = []
    for task in results.settings["tasks"]:
        hit = hit_runs(results.parts, task)
        for variant, (title, *_) in VARIANTS.items():
            for condition in conditions_of(variant):
                numbers = results.parts[part_name(task, variant, condition)]
                if condition == COMMON and numbers == results.parts[part_name(task, variant)]:
                    continue
                found, played = fates(numbers), greedy_returns(numbers)
                rows.append(
                    (
                        TASKS[task].title,
                        title,
                        CONDITIONS[condition],
                        f"{numbers['runs'][0][0]:g}",
                        f"{found.at_start.sum()} of {found.at_start.size}",
                        str(found.died.sum()),
                        str(found.early.sum()),
                        str(found.trapped.sum()),
                        str(found.came_back.sum()),
                        f"{late_returns(numbers).mean():.1f}",
                        f"{played.mean():.1f}",
                        f"{played[hit].mean():.1f} ({hit.sum()})" if hit.any() else "none",
                    )
                )
    headings = (
        "task",
        "outputs, loss",
        "measured from",
        "learning rate",
        "units dead at the start",
        "died since",
        "dead early",
        "trapped",
        "came back",
        "return, last fifth",
        "greedy return",
        "greedy return, seeds hit",
    )
    return TextTable(headings, rows, alignment="lllrrrrrrrrr")


def _gain(
    results: Results, task: str, condition: str, other: str, of: Callable[[Numbers], Array]
) -> Interval:
    """Return by how much a return of the matching loss exceeds that of another variant."""
    mine, theirs = (of(results.parts[part_name(task, name, condition)]) for name in ("matching", other))
    return interval(mine - theirs)


def _pooled(results: Results, variant: str) -> dict[str, Pooled]:
    """Return the counts over all tasks, from both starts and in the search for learning rates."""
    return {
        end: pooled(results.parts, [part_name(task, variant, end) for task in results.settings["tasks"]])
        for end in (NATURAL, NEGATIVE, RATES)
    }


def verdict_of(results: Results) -> Word:
    """Judge by the rule that the protocol states."""
    squared, matching = (_pooled(results, variant) for variant in RECTIFIED)
    tasks = results.settings["tasks"]
    by_task = [pooled(results.parts, [part_name(task, "squared")]) for task in tasks]
    gains = [_gain(results, task, NEGATIVE, "squared", greedy_returns) for task in tasks]
    if (
        all(counts.trapped > counts.early / 2 for counts in by_task)
        and matching[NATURAL].trapped == matching[NEGATIVE].trapped == 0
        and all(gain.mean > gain.half for gain in gains)
    ):
        return "holds"
    theirs, mine = (counts[NATURAL].trapped / max(counts[NATURAL].early, 1) for counts in (squared, matching))
    return "holds with limits" if theirs > mine else "does not hold"


def answer(results: Results) -> Answer:
    """Count the units that stay dead and those that died since the start, then say what that costs."""
    squared, matching = (_pooled(results, variant) for variant in RECTIFIED)
    return Answer(
        verdict_of(results),
        f"With the squared error {_kept(squared[NATURAL])} rectifier outputs that are dead early stay dead, "
        f"and {_kept(squared[NEGATIVE])} that start with a negative bias, with the matching loss "
        f"{_kept(matching[NATURAL])} and {_kept(matching[NEGATIVE])}; most are dead before the first update: "
        f"learning itself kills {_died(squared)} with the squared error and {_died(matching)} with the "
        "matching loss. At a common learning rate, "
        + "; ".join(_costs(results, task) for task in results.settings["tasks"])
        + ".",
    )


def _kept(counts: Pooled) -> str:
    return f"{counts.trapped} of {counts.early}"


def _died(counts: dict[str, Pooled]) -> str:
    usual = counts[NATURAL]
    return (
        f"{usual.died} ({usual.died_trapped} for good; in the search for learning rates {counts[RATES].died})"
    )


def _costs(results: Results, task: str) -> str:
    """Return what dead units cost in a task at a common learning rate, as a clause."""
    hit = hit_runs(results.parts, task, COMMON)
    words = f"in {TASKS[task].title} the matching loss changes the greedy return "
    if hit.any():
        matching, squared = (
            greedy_returns(results.parts[part_name(task, variant, COMMON)])[hit]
            for variant in ("matching", "squared")
        )
        words += (
            f"of the squared error by {_in_short(interval(matching - squared))} in the {hit.sum()} of "
            f"{len(hit)} seeds in which units of the latter are dead early, and "
        )
    greedy, late = (_gain(results, task, COMMON, "linear", of) for of in (greedy_returns, late_returns))
    return (
        words + f"of linear outputs by {_in_short(greedy)} over all seeds ({_in_short(late)} while learning)"
    )


def _in_short(gain: Interval) -> str:
    return f"{gain.mean:+.1f} ± {gain.half:.1f}"
