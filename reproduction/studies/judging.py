"""How studies judge: which cells are for a sentence, which verdict follows, and both in words.

Criteria are data, so the text of a rule and the counts in an answer follow from what was computed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import pandas as pd

from hebbian_descent.rules import rule_title
from reproduction.evidence import Interval, Word, weakest
from reproduction.rows import Rows
from reproduction.studies.base import Answer


class Sign(NamedTuple):
    """Which cells are for a sentence (+1) or against it (−1); the others are open (0)."""

    yes: str
    no: str
    of: Callable[[Any], int]
    """Takes a cell, whose `difference` is an interval."""


def certain_sign(cell: Any) -> int:
    """Return +1 for a difference that is certainly above zero, −1 for one certainly below."""
    difference: Interval = cell.difference
    return (1 if difference.mean > 0 else -1) if difference.is_certain else 0


ABOVE_ZERO = Sign("with certainly positive differences", "with certainly negative ones", certain_sign)


def within(bound: float) -> Sign:
    """Return the sign of cells that are similar: the interval lies within ±bound."""

    def sign(cell: Any) -> int:
        mean, half = cell.difference
        return int(abs(mean) + half <= bound) - int(abs(mean) - half > bound)

    return Sign(f"with 99 % intervals within ±{bound:g}", "certainly beyond", sign)


class Condition(NamedTuple):
    """When a word is the verdict."""

    text: str
    is_met: Callable[[int, int, int], bool]
    """Takes how many cells are for the sentence, how many against it, and how many there are."""


ALL_FOR = Condition("all cells are for it", lambda n_for, n_against, n: n_for == n)
MOST_FOR = Condition("more than half are for it", lambda n_for, n_against, n: 2 * n_for > n)
SOME_FOR = Condition("some cell is for it", lambda n_for, n_against, n: n_for > 0)
MANY_AGAINST = Condition("more than a quarter are against it", lambda n_for, n_against, n: 4 * n_against > n)
SOME_AGAINST = Condition("some cell is against it", lambda n_for, n_against, n: n_against > 0)


@dataclass(frozen=True)
class Criterion:
    """A sentence that rows are for or against."""

    says: str
    """A clause that "in 3 of 4 cells" may follow."""
    cells: Callable[[Rows], pd.DataFrame]
    """Returns a line per cell: `difference`, an interval, and what else the sign needs."""
    sign: Sign
    words: Mapping[Word, Condition]
    """The first condition that is met gives the verdict."""
    otherwise: Word = "undecided"
    quantity: str = "difference"
    """What the differences are, in words."""
    remarks: Callable[[Rows], str] = lambda rows: ""
    """Sentences on what else was measured."""
    also: Criterion | None = None
    """Another sentence of the paper's, whose verdict counts if it is weaker."""

    @property
    def rule(self) -> str:
        """Which numbers give which verdict, in words."""
        words = "; ".join(f"{word} if {condition.text}" for word, condition in self.words.items())
        cells = f"cells {self.sign.yes} are for it, those {self.sign.no} against it"
        rule = f"{self.says}: {cells}. {words.capitalize()}; else {self.otherwise}."
        return f"{rule} {self.also.rule} The weaker verdict counts." if self.also else rule

    def answer(self, rows: Rows) -> Answer:
        """Return the verdict, with the number of cells, the largest difference, and the remarks."""
        cells = self.cells(rows)
        signs = [self.sign.of(cell) for cell in cells.itertuples()]
        n_for, n_against, n = signs.count(1), signs.count(-1), len(signs)
        met = (word for word, condition in self.words.items() if condition.is_met(n_for, n_against, n))
        largest = max(cells.reset_index().to_dict("records"), key=lambda cell: abs(cell["difference"].mean))
        text = (
            f"{self.says} in {n_for} of {n} cells, {self.sign.yes}; against it are {n_against}, "
            f"{self.sign.no}. The largest {self.quantity} is {largest['difference']} "
            f"({', '.join(rule_title(largest[name]) for name in cells.index.names)})."
        )
        word = next(met, self.otherwise)
        if self.also:
            other = self.also.answer(rows)
            word, text = weakest([word, other.verdict]), f"{text} {other.text}"
        return Answer(word, f"{text} {self.remarks(rows)}".strip())
