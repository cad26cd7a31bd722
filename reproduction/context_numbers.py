"""Printed standard deviations and best learning rates, which the paper gives with its results.

A standard deviation over ten trials is itself uncertain by a quarter: it agrees with ours if the ratio of the
two variances lies in the 99 % interval of the F distribution, whatever the last printed digit was rounded
from. A learning rate is one of 35; it agrees if it is the same one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import fdtri

from reproduction.comparison import CONFIDENCE, N_PRINTED_TRIALS, STD_OF, Verdict, is_drawn
from reproduction.experiments.base import Measured
from reproduction.grids import LEARNING_RATES
from reproduction.printed import PrintedRow

BEST_RATE = "best_learning_rate"
RESULT_OF = {std: result for result, std in STD_OF.items()}
CONTEXT_COLUMNS = (*RESULT_OF, BEST_RATE)
HALF_A_DIGIT = 0.5e-4

ContextWord = Literal["agrees", "a step apart", "differs", "not run"]


class ContextVerdict(NamedTuple):
    """The verdict on a printed standard deviation or learning rate."""

    row: PrintedRow
    column: str
    printed: float
    ours: float = np.nan
    n: int = 0
    """Number of trials; 0 if it was not run, or its trials are not on record."""
    word: ContextWord = "not run"


def context_verdict(row: PrintedRow, column: str, ours: float, n: int) -> ContextVerdict:
    """Judge one number."""
    printed = row.context[column]
    if not n or np.isnan(ours):
        return ContextVerdict(row, column, printed)
    word = _rate_word(printed, ours) if column == BEST_RATE else _std_word(printed, ours, n)
    return ContextVerdict(row, column, printed, ours, n, word)


def _rate_word(printed: float, ours: float) -> ContextWord:
    grid = np.sort(LEARNING_RATES)
    steps = abs(int(np.abs(grid - printed).argmin()) - int(np.abs(grid - ours).argmin()))
    return "agrees" if steps == 0 else "a step apart" if steps == 1 else "differs"


def _std_word(printed: float, ours: float, n: int) -> ContextWord:
    smallest, largest = max(printed - HALF_A_DIGIT, 0.0), printed + HALF_A_DIGIT
    if n < 2:
        return "not run"
    # Both are deviations of the trials themselves: n / (n − 1) makes them estimates of the spread.
    theirs = np.array([smallest, largest]) * np.sqrt(N_PRINTED_TRIALS / (N_PRINTED_TRIALS - 1))
    own = ours * np.sqrt(n / (n - 1))
    freedom = (N_PRINTED_TRIALS - 1, n - 1)
    low, high = (np.sqrt(fdtri(*freedom, tail)) for tail in ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2))
    return "agrees" if theirs[1] >= low * own and theirs[0] <= high * own else "differs"


def our_number(
    row: PrintedRow, column: str, draws: Sequence[Measured], results: Mapping[str, Verdict]
) -> tuple[float, int]:
    """Return our number and its trials: of the first draw, or of the verdict if nothing was drawn."""
    if draws:
        first = draws[0]
        return (first.learning_rate if column == BEST_RATE else first.std[RESULT_OF[column]]), first.n_trials
    if is_drawn(row) or not results:
        return np.nan, 0
    verdict = next(iter(results.values())) if column == BEST_RATE else results[RESULT_OF[column]]
    return (verdict.learning_rate if column == BEST_RATE else verdict.sd), verdict.n


class ContextSummary(NamedTuple):
    """Counts of one column of a table."""

    label: str
    column: str
    words: Counter[str]

    @property
    def n(self) -> int:
        """Number of printed numbers."""
        return self.words.total()


def summarise_context(found: Iterable[ContextVerdict]) -> list[ContextSummary]:
    """Return counts for each table and column."""
    by_place: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for verdict in found:
        by_place[verdict.row.label, verdict.column][verdict.word] += 1
    return [ContextSummary(*place, words) for place, words in by_place.items()]
