"""Paired differences: by how much one of two results is better, draw by draw.

Two cells of one draw saw the same patterns and began with the same weights, so their difference scatters far
less than either number. The printed difference counts as that of one more draw; where whole datasets are
learned, as the mean difference of ten more trials. The paper's text is about such differences, and they tell
apart numbers whose intervals overlap.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

import numpy as np

from hebbian_descent.checks import Array
from reproduction.comparison import (
    N_PRINTED_TRIALS,
    ROUNDING,
    WIDEST,
    Key,
    Verdict,
    cell_key,
    draws_by_cell,
    is_drawn,
    is_enough,
    student,
)
from reproduction.experiments.base import Measured
from reproduction.printed import PrintedRow
from reproduction.swaps import CENTERING, DESCENTS, OFFSETS, grouped

PAIRED_KINDS = (DESCENTS, CENTERING, OFFSETS)
"""The differences that the paper's text is about."""
PRINTED_STEP = 1e-4
"""How far rounding moves the difference of two numbers with four digits."""

PairedWord = Literal["agrees", "differs", "undecided", "unpaired"]
Direction = Literal["same", "opposite", "open"]
Draws = dict[tuple[str, Key], list[Measured]]
"""The draws of each cell, by label and cell."""


class PairedVerdict(NamedTuple):
    """The verdict on one printed difference, first minus second."""

    kind: str
    first: PrintedRow
    second: PrintedRow
    column: str
    printed: float
    mean: float = np.nan
    sd: float = np.nan
    """Over the draws, or over the trials where nothing was drawn."""
    n: int = 0
    """Draws, or trials, that both have; 0 if they are not on record."""
    z: float = np.nan
    word: PairedWord = "unpaired"
    direction: Direction = "open"
    """Whether ours has the same sign; open where chance could have made ours, or the print has a tie."""


def draws_of(measured: Iterable[tuple[str, Sequence[Measured]]]) -> Draws:
    """Return the draws of each cell from the measurements of several labels."""
    return {(label, key): draws for label, rows in measured for key, draws in draws_by_cell(rows).items()}


def compare_pairs(verdicts: Iterable[Verdict], draws: Draws) -> list[PairedVerdict]:
    """Judge every printed difference of the kinds above."""
    everything = list(verdicts)
    return [
        judge_pair(kind, members[0].row, members[1].row, members[0].column, draws)
        for kind in PAIRED_KINDS
        for members in grouped(everything, kind)
        if len(members) == 2
    ]


def judge_pair(kind: str, first: PrintedRow, second: PrintedRow, column: str, draws: Draws) -> PairedVerdict:
    """Judge one printed difference.

    It agrees within the 99 % interval (Student's t), or within what rounding may change. It is undecided
    with fewer than five draws (three trials), if the interval reaches further than 0.01 and than the
    difference itself, and if the opposite difference would agree as well: then it is open which is better.
    """
    # Printed numbers have four digits; what subtraction adds behind them could hide a tie.
    printed = round(first.results[column] - second.results[column], 6)
    values = _differences(first, second, column, draws)
    n = len(values)
    if n < 2:
        return PairedVerdict(kind, first, second, column, printed, n=n, word="undecided" if n else "unpaired")
    mean, sd = float(values.mean()), float(values.std(ddof=1))
    # One more draw, or the mean of the printed trials, scatters around ours by:
    spread = sd * np.sqrt(1 / n + (1 if is_drawn(first) else 1 / N_PRINTED_TRIALS))
    bound = max(student(n - 1) * spread, PRINTED_STEP)
    agrees, opposite_agrees = (abs(number - mean) <= bound for number in (printed, -printed))
    is_tie = abs(printed) <= PRINTED_STEP
    blind = bound > max(WIDEST, abs(printed)) or (opposite_agrees and not is_tie)
    if not is_enough(first, n) or (agrees and blind):
        word: PairedWord = "undecided"
    else:
        word = "agrees" if agrees else "differs"
    chance = max(student(n - 1) * sd / np.sqrt(n), PRINTED_STEP)
    certain = abs(mean) > chance and not is_tie and is_enough(first, n)
    direction: Direction = ("same" if mean * printed > 0 else "opposite") if certain else "open"
    z = float((printed - mean) / np.hypot(spread, np.sqrt(2) * ROUNDING))
    return PairedVerdict(kind, first, second, column, printed, mean, sd, n, z, word, direction)


def _differences(first: PrintedRow, second: PrintedRow, column: str, draws: Draws) -> Array:
    """Return first minus second for every draw, or every trial, that both have."""
    a, b = (draws.get((row.label, cell_key(row.cell)), []) for row in (first, second))
    if is_drawn(first):
        of_b = {found.draw: found.results[column] for found in b}
        return np.array([found.results[column] - of_b[found.draw] for found in a if found.draw in of_b])
    trials = [found[0].trials.get(column, ()) if found else () for found in (a, b)]
    n = min(map(len, trials))
    differences: Array = np.array(trials[0][:n], dtype=float) - np.array(trials[1][:n], dtype=float)
    return differences


class PairedSummary(NamedTuple):
    """Counts of the paired verdicts of one kind in one column of a table."""

    kind: str
    label: str
    """Of the first of the two."""
    column: str
    words: Counter[str]
    directions: Counter[str]

    @property
    def n(self) -> int:
        """Number of printed differences."""
        return self.words.total()


def summarise_pairs(found: Iterable[PairedVerdict]) -> list[PairedSummary]:
    """Return counts for each kind, table and column."""
    by_place: dict[tuple[str, str, str], list[PairedVerdict]] = defaultdict(list)
    for pair in found:
        by_place[pair.kind, pair.first.label, pair.column].append(pair)
    return [
        PairedSummary(
            *place, Counter(pair.word for pair in pairs), Counter(pair.direction for pair in pairs if pair.n)
        )
        for place, pairs in by_place.items()
    ]
