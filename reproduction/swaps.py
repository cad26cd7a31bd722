"""Swaps of printed numbers: how many agreements would survive if the print had exchanged two of them?

An agreement says little where numbers that mean something else would agree as well. The share of agreements
that a swap leaves standing is 0 where the comparison tells the two numbers apart, and 1 where it cannot.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import permutations
from typing import NamedTuple

from reproduction.comparison import Key, Verdict, cell_key, would_agree
from reproduction.printed import PrintedRow

WITHIN_RULE = "cells of a rule"
BETWEEN_RULES = "rules"
DESCENTS = "gradient descent and Hebbian-descent"
CENTERING = "centered and uncentered"
OFFSETS = "fixed and adaptive offsets"
KINDS = (WITHIN_RULE, BETWEEN_RULES, DESCENTS, CENTERING, OFFSETS)
"""What is swapped, each within one table, except for centering, of which some tables have one side each."""
TWO_DESCENTS = {"gradient_descent", "hebbian_descent"}


class Swaps(NamedTuple):
    """The agreements of one column of a table after swaps of one kind."""

    label: str
    column: str
    kind: str
    n_swaps: int
    """Swaps of agreeing numbers for other ones; a swap of equal numbers is none."""
    n_agree: int
    """Those after which the number would still agree."""

    @property
    def share(self) -> float:
        """The share of swaps that go unnoticed."""
        return self.n_agree / self.n_swaps


def group(row: PrintedRow, kind: str) -> tuple[str, Key] | None:
    """Return what rows that can be swapped have in common, or None if this row has no such swap."""
    cell, label = dict(row.cell), row.label
    if kind == WITHIN_RULE:
        return label, (("rule", cell["rule"]),)
    if kind == CENTERING:
        cell.pop("centering", None)
        return label.replace("uncentered", "centered"), cell_key(cell)
    if kind == OFFSETS:
        return (label, cell_key(cell)) if cell.pop("offsets", None) else None
    if kind == DESCENTS and cell["rule"] not in TWO_DESCENTS:
        return None
    del cell["rule"]
    return label, cell_key(cell)


def grouped(verdicts: Iterable[Verdict], kind: str) -> Iterator[Sequence[Verdict]]:
    """Yield verdicts on one column that can be swapped with each other."""
    found: dict[tuple[str, tuple[str, Key]], list[Verdict]] = defaultdict(list)
    for verdict in verdicts:
        common = group(verdict.row, kind)
        if common is not None:
            found[verdict.column, common].append(verdict)
    for members in found.values():
        # Two descents alone are a kind of their own, and would only be counted twice.
        if kind != BETWEEN_RULES or any(verdict.row.cell["rule"] not in TWO_DESCENTS for verdict in members):
            yield members


def swaps(verdicts: Iterable[Verdict]) -> list[Swaps]:
    """Try all swaps of every kind, for each table and column."""
    everything = list(verdicts)
    counts: dict[tuple[str, str, str], list[bool]] = {
        (verdict.row.label, verdict.column, kind): [] for verdict in everything for kind in KINDS
    }
    for kind in KINDS:
        for members in grouped(everything, kind):
            for verdict, other in permutations(members, 2):
                if verdict.word == "agrees" and verdict.printed != other.printed:
                    survives = would_agree(verdict, other.printed)
                    counts[verdict.row.label, verdict.column, kind].append(survives)
    return [Swaps(*place, len(tried), sum(tried)) for place, tried in counts.items() if tried]


def shares(found: Iterable[Swaps]) -> dict[tuple[str, str], dict[str, Swaps]]:
    """Return the swaps of each table and column by kind."""
    table: dict[tuple[str, str], dict[str, Swaps]] = defaultdict(dict)
    for swap in found:
        table[swap.label, swap.column][swap.kind] = swap
    return table
