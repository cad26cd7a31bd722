"""Comparison of printed results with ours: would one more run give the printed number?

Where patterns were drawn, the printed number counts as one more draw; where whole datasets were used, it is
compared with ours by the spread over the trials of both. A verdict must be able to come out either
way: with few draws, or an interval so wide that most numbers lie in it, a result is undecided.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import stdtrit  # Student's t; scipy.stats would take half a second to import

from reproduction.experiments.base import Measured
from reproduction.printed import PrintedRow, printed_rows

CONFIDENCE = 0.99
CLOSE_ENOUGH = 0.005
RELATIVELY_CLOSE = 0.05
"""Tolerance for whole datasets, whose results differ by more than one draw of patterns explains."""
FEWEST_DRAWS = 5
FEWEST_TRIALS = 3
"""Trials differ only in their initial weights, and the print has its own spread over trials."""
WIDEST = 0.01
RELATIVELY_WIDE = 0.25
"""In an interval that reaches further than both, 0.01 and a quarter of the printed number, nothing agrees."""
N_PRINTED_TRIALS = 10
ROUNDING = 1e-4 / np.sqrt(12)
"""Standard deviation of the rounding error of four printed digits."""

STD_OF = {"error_mean": "error_std", "mae_mean": "mae_std"}
"""The printed standard deviation that belongs to a result."""

Word = Literal["agrees", "differs", "undecided", "not run"]
Reason = Literal["interval", "absolute", "relative", ""]
Key = tuple[tuple[str, str], ...]


class Estimate(NamedTuple):
    """Our estimate of one number."""

    mean: float
    sd: float
    """Standard deviation over the draws of the patterns, or over the trials where nothing was drawn."""
    n: int
    """Number of draws, or of trials where nothing was drawn."""
    learning_rate: float = np.nan
    """The best one of the first draw."""
    weight_decay: float = np.nan


class Verdict(NamedTuple):
    """The verdict on one printed number."""

    row: PrintedRow
    column: str
    printed: float
    mean: float = np.nan
    sd: float = np.nan
    n: int = 0
    """As in `Estimate`; 0 if it was not run."""
    z: float = np.nan
    """Distance of the printed number from ours, in standard deviations of that distance."""
    word: Word = "not run"
    rests_on: Reason = ""
    """What an agreement rests on: the interval, or only the absolute or the relative tolerance."""
    half_width: float = np.nan
    """How far the interval reaches to each side of our mean."""
    learning_rate: float = np.nan
    weight_decay: float = np.nan


def cell_key(cell: Mapping[str, str]) -> Key:
    """Return a key that identifies a row of a table, whatever the order of its columns."""
    return tuple(sorted(cell.items()))


def compare(label: str, measured: Iterable[Measured]) -> list[Verdict]:
    """Judge every printed number of a table, including those without a measurement."""
    return compare_rows(printed_rows(label), measured)


def compare_rows(rows: Iterable[PrintedRow], measured: Iterable[Measured]) -> list[Verdict]:
    """Judge printed rows; if a draw was measured several times, the last measurement counts."""
    by_cell = draws_by_cell(measured)
    return [
        judge(row, column, estimate(row, column, by_cell.get(cell_key(row.cell), ())))
        for row in rows
        for column in row.results
    ]


def draws_by_cell(measured: Iterable[Measured]) -> dict[Key, list[Measured]]:
    """Return the draws of each cell in order; the last measurement of a draw counts."""
    by_cell: dict[Key, dict[int, Measured]] = defaultdict(dict)
    for found in measured:
        by_cell[cell_key(found.cell)][found.draw] = found
    return {key: [draws[number] for number in sorted(draws)] for key, draws in by_cell.items()}


def estimate(row: PrintedRow, column: str, draws: Sequence[Measured]) -> Estimate | None:
    """Return mean and spread over the draws of a cell, or over the trials if nothing was drawn."""
    if not draws:
        return None
    first = draws[0]
    best = (first.learning_rate, first.weight_decay)
    if not is_drawn(row):
        return Estimate(first.results[column], first.std[column], first.n_trials, *best)
    values = np.array([found.results[column] for found in draws])
    sd = float(values.std(ddof=1)) if len(values) > 1 else np.nan
    return Estimate(float(values.mean()), sd, len(values), *best)


def is_drawn(row: PrintedRow) -> bool:
    """Whether the row is about 100 patterns drawn at random."""
    return "input" in row.cell


def is_enough(row: PrintedRow, n: int) -> bool:
    """Whether n draws, or trials where nothing was drawn, can decide anything."""
    return n >= (FEWEST_DRAWS if is_drawn(row) else FEWEST_TRIALS)


def judge(row: PrintedRow, column: str, ours: Estimate | None) -> Verdict:
    """Judge one printed number.

    It agrees within the 99 % interval or within 0.005, and for whole datasets also within 5 %. It is
    undecided with fewer than five draws (three trials), or if it lies in an interval that reaches further
    than 0.01 and than a quarter of the number; what lies even outside a wide interval differs. So does a
    number where one of our draws diverged at every learning rate: our mean is NaN then, and so is z.
    """
    printed = row.results[column]
    if ours is None:
        return Verdict(row, column, printed)
    drawn = is_drawn(row)
    spread, half_width = _one_more_draw(ours) if drawn else _means_of_trials(row, column, ours)
    distance = printed - ours.mean
    rests_on = _rests_on(abs(distance), printed, half_width, drawn)
    if not is_enough(row, ours.n) or (rests_on and _is_wide(half_width, printed)):
        word: Word = "undecided"
    else:
        word = "agrees" if rests_on else "differs"
    return Verdict(
        row,
        column,
        printed,
        ours.mean,
        ours.sd,
        ours.n,
        float(distance / np.hypot(spread, ROUNDING)) if np.isfinite(spread) else np.nan,
        word,
        rests_on if word == "agrees" else "",
        half_width,
        ours.learning_rate,
        ours.weight_decay,
    )


def _rests_on(distance: float, printed: float, half_width: float, drawn: bool) -> Reason:
    """Return the first of the three bounds within which a number lies, or nothing."""
    if distance <= half_width:
        return "interval"
    if distance <= CLOSE_ENOUGH:
        return "absolute"
    return "relative" if not drawn and distance <= RELATIVELY_CLOSE * abs(printed) else ""


def _is_wide(half_width: float, printed: float) -> bool:
    return not half_width <= max(WIDEST, RELATIVELY_WIDE * abs(printed))


def would_agree(verdict: Verdict, number: float) -> bool:
    """Return whether another number in place of the printed one would agree with ours."""
    distance, drawn = abs(number - verdict.mean), is_drawn(verdict.row)
    return bool(_rests_on(distance, number, verdict.half_width, drawn)) and not _is_wide(
        verdict.half_width, number
    )


def _one_more_draw(ours: Estimate) -> tuple[float, float]:
    """Return the spread of one more draw, and half the 99 % prediction interval (Student's t).

    Most of our draws have fewer trials than the printed one and so scatter more: it covers at least 99 %.
    """
    if ours.n < 2:
        return np.nan, np.nan
    spread = ours.sd * np.sqrt(1 + 1 / ours.n)
    return float(spread), float(student(ours.n - 1) * spread)


def _means_of_trials(row: PrintedRow, column: str, ours: Estimate) -> tuple[float, float]:
    """Return the spread of the difference of two means over trials, and half its 99 % interval (Welch)."""
    # Both deviations are those of the trials themselves, which are smaller than those of their population.
    variance = ours.sd**2 / max(ours.n - 1, 1)
    printed_sd = row.context.get(STD_OF.get(column, ""))
    printed_variance = (
        variance * ours.n / N_PRINTED_TRIALS  # as large as ours where none is printed
        if printed_sd is None
        else printed_sd**2 / (N_PRINTED_TRIALS - 1)
    )
    variances = np.array([printed_variance, variance])
    spread = float(np.sqrt(variances.sum()))
    if ours.n < 2 or not spread > 0:
        return spread, 0.0 if ours.n > 1 else np.nan
    freedom = variances.sum() ** 2 / (variances**2 / [N_PRINTED_TRIALS - 1, ours.n - 1]).sum()
    return spread, float(student(freedom) * spread)


def student(freedom: float) -> float:
    """Return the quantile of Student's t below which 99 % lie, in absolute value."""
    return float(stdtrit(freedom, (1 + CONFIDENCE) / 2))
