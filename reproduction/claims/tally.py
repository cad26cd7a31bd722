"""Verdicts on sentences about many cells: how many are for it, how many against it, and which.

"All" and "in general" are judged by one rule, without a threshold: one cell that is significantly against the
sentence limits it, and as many against it as for it refute it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from reproduction.claims.base import Judgement, Word, weakest
from reproduction.claims.cells import NEGLIGIBLE, Comparison
from reproduction.layout import heading, units
from reproduction.run_context import RunContext

ALL = (
    "Holds if no cell is against it; with limits if some are, but fewer than are for it; does not hold if at "
    "least as many are against it as for it; undecided if no cell is for or against it."
)
SIGNIFICANTLY = "significantly (by more than 0.001 and by more than chance explains, 99 %)"
BY_RULE = "Each rule is judged alone, and the verdict is that of the weakest."
STRICTLY = "Cells that are neither also limit it, since the sentence excludes them."
WORDS = ("better", "equal", "worse")


def on_all(n_for: int, n_against: int, n_excluded: int = 0) -> Word:
    """Return the verdict on "all": `n_excluded` cells are not against it, but the sentence excludes them."""
    if not n_for and not n_against:
        return "undecided"
    if n_against >= n_for:
        return "does not hold"
    return "holds with limits" if n_against or n_excluded else "holds"


MOST = (
    "Holds if more than half of all cells are for it; with limits if not, but more are for it than against "
    "it; does not hold if at least as many are against it as for it; undecided if no cell is for or against "
    "it."
)


def on_most(n_for: int, n_against: int, n: int) -> Word:
    """Return the verdict on "most" or "often" of n cells, which asks more than that few are against it."""
    if not n_for and not n_against:
        return "undecided"
    if n_against >= n_for:
        return "does not hold"
    return "holds" if 2 * n_for > n else "holds with limits"


class Tally(NamedTuple):
    """How often the first of two cells was better, equal or worse."""

    better: int
    tied: int
    worse: int
    n_run: int
    n: int
    printed: tuple[int, int, int]

    def __str__(self) -> str:
        return self.in_words(*WORDS)

    def in_words(self, better: str, equal: str, worse: str) -> str:
        """Return the counts, with these words for the three outcomes."""
        return (
            f"{better} in {self.better} of {self.n_run}, {equal} in {self.tied}, {worse} in {self.worse} "
            f"(print: {' / '.join(map(str, self.printed))} of {self.n})"
        )

    @property
    def is_complete(self) -> bool:
        """Whether every cell was run."""
        return self.n_run == self.n


def every(found: Tally) -> Word:
    """Judge that the first is better in all cells; ties do not matter."""
    return on_all(found.better, found.worse)


def every_strictly(found: Tally) -> Word:
    """Judge that the first is better in all cells; ties limit it."""
    return on_all(found.better, found.worse, found.tied)


def not_worse(found: Tally) -> Word:
    """Judge that the first is similar or better in all cells."""
    return on_all(found.better + found.tied, found.worse)


def most(found: Tally) -> Word:
    """Judge that the first is better in most cells."""
    return on_most(found.better, found.worse, found.n)


def tally(comparisons: Iterable[Comparison], tolerance: float = NEGLIGIBLE) -> Tally:
    """Count signs: ours where both cells were run, and the printed ones everywhere."""
    found = list(comparisons)
    signs = [comparison.sign(tolerance) for comparison in found if comparison.is_run]
    printed = [comparison.printed_sign(tolerance) for comparison in found]
    return Tally(
        signs.count(1),
        signs.count(0),
        signs.count(-1),
        n_run=len(signs),
        n=len(found),
        printed=(printed.count(1), printed.count(0), printed.count(-1)),
    )


SIMILAR = 0.01
"""A hundredth of the range of the data."""
SIMILARLY = (
    "A cell is for it where the two differ by 0.01 at most, against it where they differ by more and by more "
    "than chance explains (99 %)."
)


def judged_as_similar(
    context: RunContext, labels: Sequence[str], name: str, comparisons: Sequence[Comparison]
) -> Judgement:
    """Judge "there is no difference in any cell", with the cells against it listed."""
    found = tally(comparisons, SIMILAR)
    findings = f"{name} {found}."
    if not found.is_complete:
        return not_run(context, labels, found.n_run, found.n, findings)
    if against := listed(comparisons, lambda item: item.sign(SIMILAR) != 0):
        findings += f"\nAgainst it: {against}."
    findings += f"\nIf differences from 0.001 on counted: {tally(comparisons)}."
    similar = sum(abs(item.gain) <= SIMILAR for item in comparisons)
    return Judgement(on_all(similar, found.better + found.worse), findings)


def not_run(context: RunContext, labels: Iterable[str], n_run: int, n: int, so_far: str) -> Judgement:
    """Return no verdict, with the command that would lead to one."""
    done = f"{n_run} of {n} comparisons were run"
    if context.effort.quick:  # no quick run leads to a verdict
        return Judgement("not run", f"{done}. So far: {so_far}")
    command = context.shown_command("run", *labels, "--draws", "10")
    return Judgement("not run", f"{done}; `{command}` computes them. So far: {so_far}")


def listed(
    comparisons: Iterable[Comparison], is_meant: Callable[[Comparison], bool] = lambda item: item.sign() < 0
) -> str:
    """Return the names of the cells that are meant (against a sentence), by their data; empty if none."""
    by_data: dict[str, dict[str, None]] = defaultdict(dict)
    for item in comparisons:
        if item.is_run and is_meant(item):
            by_data[heading(item.first.cell)][units(item.first.cell)] = None
    return "; ".join(f"{data} ({', '.join(names)})" for data, names in by_data.items())


def worst(comparisons: Iterable[Comparison]) -> str:
    """Return the comparison in which the first is worst, with its numbers."""
    found = min((item for item in comparisons if item.is_run), key=lambda item: item.gain)
    return (
        f"{found.first.name} {found.first.ours:.4f} against {found.second.ours:.4f} "
        f"(print: {found.first.printed:.4f}, {found.second.printed:.4f})"
    )


def judged_by_cells(
    context: RunContext,
    labels: Sequence[str],
    groups: Mapping[str, Sequence[Comparison]],
    *,
    by: Callable[[Tally], Word] = every,
    by_group: bool = False,
    words: tuple[str, str, str] = WORDS,
) -> Judgement:
    """Judge "the first is better", with counts by group and the cells against it listed.

    `by` says in how many cells it must be; `by_group` the verdict is that of the weakest group; `words` say
    what "better", "equal" and "worse" mean here.
    """
    everything = [item for comparisons in groups.values() for item in comparisons]
    found = tally(everything)
    counts = (f"{name} {tally(comparisons).in_words(*words)}" for name, comparisons in groups.items())
    findings = "; ".join(counts) + "."
    if not found.is_complete:
        return not_run(context, labels, found.n_run, found.n, findings)
    if against := _by_group(groups, lambda item: item.sign() < 0):
        findings += f"\nAgainst it: {against}. Furthest: {worst(everything)}."
    if by is every_strictly and (ties := _by_group(groups, lambda item: item.sign() == 0)):
        findings += f"\nNeither for nor against it: {ties}."
    tallies = map(tally, groups.values()) if by_group else [found]
    return Judgement(weakest(map(by, tallies)), findings)


def _by_group(groups: Mapping[str, Sequence[Comparison]], is_meant: Callable[[Comparison], bool]) -> str:
    """Return the names of the cells that are meant, group by group."""
    found = {name: cells for name, items in groups.items() if (cells := listed(items, is_meant))}
    names = (f"{name.rstrip(':')}, {cells}" if len(groups) > 1 else cells for name, cells in found.items())
    return "; ".join(names)
