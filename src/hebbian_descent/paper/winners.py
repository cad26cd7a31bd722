"""Which rule wins a row of a table: theirs, ours, and whether the difference is more than noise."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

import numpy as np

from hebbian_descent.paper.comparison import Verdict

JUDGED = ("mae_last20", "mae_mean", "error_mean")
"""The columns that the paper prints winners of in bold; the smaller, the better."""


class Winner(NamedTuple):
    """One comparison of rules: everything of the cell but the rule."""

    label: str
    cell: Mapping[str, str]
    printed: tuple[str, ...]
    """The rules with the smallest printed number."""
    ours: str
    verdict: Literal["same", "tie", "other"]
    """A tie if the printed winner and ours differ by less than the spread, in our numbers or in theirs."""
    printed_gap: float
    """How far the best other rule is behind in print."""
    spread: float


def winners(verdicts: Iterable[Verdict]) -> list[Winner]:
    """Compare the winners wherever every rule of a comparison was run, more than once to know the spread."""
    groups: dict[tuple[str, tuple[tuple[str, str], ...]], dict[str, Verdict]] = defaultdict(dict)
    for verdict in verdicts:
        if verdict.column in JUDGED:
            rest = tuple((name, word) for name, word in verdict.row.cell.items() if name != "rule")
            groups[verdict.row.label, rest][verdict.row.cell["rule"]] = verdict
    return [
        _winner(label, dict(rest), by_rule)
        for (label, rest), by_rule in groups.items()
        if len(by_rule) > 1 and all(verdict.n > 1 for verdict in by_rule.values())
    ]


def _winner(label: str, cell: Mapping[str, str], by_rule: Mapping[str, Verdict]) -> Winner:
    smallest = min(verdict.printed for verdict in by_rule.values())
    printed = tuple(rule for rule, verdict in by_rule.items() if verdict.printed == smallest)
    ours = min(by_rule, key=lambda rule: by_rule[rule].mean)
    others = [verdict.printed for rule, verdict in by_rule.items() if rule not in printed]
    rival = by_rule[printed[0]]
    spread = float(np.hypot(np.nan_to_num(by_rule[ours].sd), np.nan_to_num(rival.sd)))
    gap = min(others) - smallest if others else 0.0
    if ours in printed:
        verdict: Literal["same", "tie", "other"] = "same"
    elif rival.mean - by_rule[ours].mean <= spread or by_rule[ours].printed - smallest <= spread:
        verdict = "tie"
    else:
        verdict = "other"
    return Winner(label, cell, printed, ours, verdict, gap, spread)
