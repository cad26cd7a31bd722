"""Summaries of verdicts: counts per column, winning rules, and pairs of datasets that deviate as a whole."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

import numpy as np

from reproduction.comparison import Verdict, is_drawn, is_enough
from reproduction.layout import data_name


class Summary(NamedTuple):
    """Counts of the verdicts of one column."""

    column: str
    n_results: int
    n_run: int
    n_agree: int
    n_differ: int
    rms_z: float
    """Near 1 if the printed numbers scatter around ours as our own draws do."""

    @property
    def n_judged(self) -> int:
        """Number of results that agree or differ; the others are undecided or were not run."""
        return self.n_agree + self.n_differ

    def __str__(self) -> str:
        undecided = self.n_run - self.n_judged
        needed = f", {undecided} undecided" if undecided else ""
        z = "" if np.isnan(self.rms_z) else f", rms z {self.rms_z:.2f}"
        return f"{self.n_agree} of {self.n_judged} agree{z}{needed}" if self.n_run else "not run"


def summarise(verdicts: Iterable[Verdict]) -> list[Summary]:
    """Return counts for each column."""
    by_column: dict[str, list[Verdict]] = defaultdict(list)
    for verdict in verdicts:
        by_column[verdict.column].append(verdict)
    return [
        Summary(
            column,
            len(found),
            sum(verdict.n > 0 for verdict in found),
            sum(verdict.word == "agrees" for verdict in found),
            sum(verdict.word == "differs" for verdict in found),
            root_mean_square(verdict.z for verdict in found),
        )
        for column, found in by_column.items()
    ]


def root_mean_square(z: Iterable[float]) -> float:
    """Return the root mean square of the finite values, or NaN if there are none."""
    values = np.fromiter(z, float)
    finite = values[np.isfinite(values)]
    return float(np.sqrt(np.mean(finite**2))) if finite.size else np.nan


class Support(NamedTuple):
    """What the agreements of one column of a table rest on."""

    label: str
    column: str
    n_interval: int
    """They lie in the 99 % interval."""
    n_absolute: int
    """They lie outside it, but within 0.005."""
    n_relative: int
    """They lie outside both, but within 5 %."""


def supports(verdicts: Iterable[Verdict]) -> list[Support]:
    """Count for each table and column what its agreements rest on."""
    found: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for verdict in verdicts:
        found[verdict.row.label, verdict.column][verdict.rests_on] += 1
    return [
        Support(*place, counts["interval"], counts["absolute"], counts["relative"])
        for place, counts in found.items()
    ]


class Systematic(NamedTuple):
    """How the results of one rule on one dataset deviate together, where whole datasets are learned."""

    label: str
    column: str
    dataset: str
    rule: str
    n: int
    n_far: int
    """Those further than three standard deviations of the difference of the means over trials."""
    median: float
    """Of ours minus the printed number."""
    smallest: float
    largest: float

    @property
    def is_shared(self) -> bool:
        """Whether most of the results deviate: it is not a single unit that does."""
        return self.n > MOST_ALONE and self.n_far > self.n / 2


FAR = 3.0
MOST_ALONE = 2
"""So few results share nothing."""


def systematics(verdicts: Iterable[Verdict]) -> list[Systematic]:
    """Return one entry for each table, column, dataset and rule of whole datasets that was run."""
    found: dict[tuple[str, str, str, str], list[Verdict]] = defaultdict(list)
    for verdict in verdicts:
        if not is_drawn(verdict.row) and verdict.n:
            cell = verdict.row.cell
            found[verdict.row.label, verdict.column, cell["dataset"], cell["rule"]].append(verdict)
    entries = []
    for place, members in found.items():
        deviations = np.array([verdict.mean - verdict.printed for verdict in members])
        n_far = sum(abs(verdict.z) > FAR for verdict in members)
        described = (np.median(deviations), deviations.min(), deviations.max())
        entries.append(Systematic(*place, len(members), n_far, *map(float, described)))
    return sorted(entries, key=lambda entry: (entry.label, entry.column))


JUDGED = ("mae_last20", "mae_mean", "error_mean")
"""The columns whose winners the paper prints in bold; smaller is better."""


class Winner(NamedTuple):
    """One comparison of rules, in cells that differ only in the rule."""

    label: str
    cell: Mapping[str, str]
    printed: tuple[str, ...]
    """The rules with the smallest printed number."""
    ours: str
    verdict: Literal["same", "tie", "other"]
    """A tie if the printed winner and ours differ by less than the spread, in our numbers or in theirs."""
    printed_gap: float
    """The printed margin to the best other rule."""
    spread: float


def winners(verdicts: Iterable[Verdict]) -> list[Winner]:
    """Compare winners wherever every rule was run with enough draws to know the spread."""
    groups: dict[tuple[str, tuple[tuple[str, str], ...]], dict[str, Verdict]] = defaultdict(dict)
    for verdict in verdicts:
        if verdict.column in JUDGED:
            rest = tuple((name, word) for name, word in verdict.row.cell.items() if name != "rule")
            groups[verdict.row.label, rest][verdict.row.cell["rule"]] = verdict
    return [
        _winner(label, dict(rest), by_rule)
        for (label, rest), by_rule in groups.items()
        if len(by_rule) > 1 and all(is_enough(verdict.row, verdict.n) for verdict in by_rule.values())
    ]


def _winner(label: str, cell: Mapping[str, str], by_rule: Mapping[str, Verdict]) -> Winner:
    smallest = min(verdict.printed for verdict in by_rule.values())
    printed = tuple(rule for rule, verdict in by_rule.items() if verdict.printed == smallest)
    # Of equal rules, such as two that diverged, the printed one counts, whatever their order.
    ours = min(by_rule, key=lambda rule: (_size(by_rule[rule]), rule not in printed))
    others = [verdict.printed for rule, verdict in by_rule.items() if rule not in printed]
    rival = min((by_rule[rule] for rule in printed), key=_size)
    spread = float(np.hypot(np.nan_to_num(by_rule[ours].sd), np.nan_to_num(rival.sd)))
    gap = min(others) - smallest if others else 0.0
    if ours in printed:
        verdict: Literal["same", "tie", "other"] = "same"
    elif rival.mean - by_rule[ours].mean <= spread or by_rule[ours].printed - smallest <= spread:
        verdict = "tie"
    else:
        verdict = "other"
    return Winner(label, cell, printed, ours, verdict, gap, spread)


def _size(verdict: Verdict) -> float:
    """Return our number; one that diverged is larger than all others."""
    return np.inf if np.isnan(verdict.mean) else verdict.mean


class PairDeviations(NamedTuple):
    """Deviations by pair of datasets, for one column of a table.

    All cells of a pair were printed from one draw of patterns.
    """

    label: str
    column: str
    n_pairs: int
    rms_of_means: float
    """Root mean square of the mean z of each pair."""
    furthest: str
    z_of_furthest: float
    """Its mean z."""
    rms_of_others: float
    """Root mean square of z without the furthest pair."""


def pair_deviations(verdicts: Iterable[Verdict]) -> list[PairDeviations]:
    """Return one row for each column of each table that was run on at least two pairs."""
    columns: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for verdict in verdicts:
        if is_drawn(verdict.row) and np.isfinite(verdict.z):
            columns[verdict.row.label, verdict.column][data_name(verdict.row.cell)].append(verdict.z)
    return [_of_column(*place, found) for place, found in columns.items() if len(found) > 1]


def _of_column(label: str, column: str, z_of_pairs: dict[str, list[float]]) -> PairDeviations:
    means = {name: float(np.mean(z)) for name, z in z_of_pairs.items()}
    furthest = max(means, key=lambda name: abs(means[name]))
    others = [z for name, found in z_of_pairs.items() if name != furthest for z in found]
    return PairDeviations(
        label,
        column,
        len(means),
        root_mean_square(means.values()),
        furthest,
        means[furthest],
        root_mean_square(others),
    )
