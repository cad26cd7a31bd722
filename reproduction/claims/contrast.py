"""A contrast: some cells of the tables against their rivals, and the criterion that makes a verdict of it.

The cells follow from a query; their rivals from what differs: another rule, activation or centering, another
table, the printed baseline, or 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

import pandas as pd

from hebbian_descent.rules import RULES, rule_title
from reproduction.claims.cells import (
    NEGLIGIBLE,
    Family,
    Numbers,
    Pairs,
    as_printed,
    beside_cells,
    beside_constant,
    hardest,
    listed,
    reversed_,
    sign,
)
from reproduction.compare import FEWEST_DRAWS, FEWEST_TRIALS, fewest
from reproduction.evidence import Word, on_all, on_most, weakest

FEW = f"Fewer than {FEWEST_DRAWS} draws, or {FEWEST_TRIALS} trials on whole datasets, decide nothing."
SIGNIFICANTLY = (
    "A cell is for the sentence where it is significantly better than its rivals (by more than 0.001 and by "
    "more than chance explains, 99 %), against it where it is significantly worse than one."
)
ALL = (
    "Holds if no cell is against it; with limits if some are, but fewer than are for it; does not hold if at "
    "least as many are against it as for it; undecided if no cell is for or against it."
)
STRICTLY = "Cells that are neither also limit it, since the sentence excludes them."
MOST = (
    "Holds if more than half of all cells are for it; with limits if not, but more are for it than against "
    "it; does not hold if at least as many are against it as for it; undecided if no cell is for or against "
    "it."
)
WEAKEST = "Each group is judged alone, and the verdict is that of the weakest."


class Found(NamedTuple):
    """A verdict and what was found: sentences with numbers, one per line."""

    verdict: Word
    findings: str


class Criterion(NamedTuple):
    """Which cells are for a sentence, which are against it, and the verdict on all."""

    rule: str
    is_for: str = "sign > 0"
    """A query on the sign, the gain, the loss, and the share of the other error that it is."""
    is_against: str = "sign < 0"
    word: Callable[[int, int, int], Word] = lambda n_for, n_against, n: on_all(n_for, n_against)
    """Takes the number of cells for it, against it, and in all."""
    tolerance: float = NEGLIGIBLE
    """Differences up to it are ties."""
    loss: str = "loss"
    """By what a cell is worse, to name the furthest: loss or share."""

    def judged(self, pairs: Pairs) -> Pairs:
        """Return pairs with their sign, and whether they are for the sentence or against it."""
        loss = -pairs["gain"]
        share = (loss / pairs["other"]).where(loss != 0, 0.0)  # infinite beside an error of 0
        pairs = pairs.assign(sign=sign(pairs, self.tolerance), loss=loss, share=share)
        return pairs.assign(is_for=pairs.eval(self.is_for), is_against=pairs.eval(self.is_against))

    def word_on(self, pairs: Pairs) -> Word:
        """Return the verdict on judged pairs."""
        return self.word(int(pairs["is_for"].sum()), int(pairs["is_against"].sum()), len(pairs))


CRITERIA = {
    "all": Criterion(f"{SIGNIFICANTLY} {ALL}"),
    "strictly": Criterion(
        f"{SIGNIFICANTLY} {ALL} {STRICTLY}", word=lambda pro, contra, n: on_all(pro, contra, n - pro - contra)
    ),
    "most": Criterion(f"{SIGNIFICANTLY} {MOST}", word=on_most),
    "not worse": Criterion(
        "A cell is against the sentence where it is worse by more than 0.001 and by more than chance "
        f"explains (99 %), else for it. {ALL}",
        is_for="sign >= 0",
    ),
    "similar": Criterion(
        "A cell is for the sentence where the two differ by 0.01 at most, against it where they differ by "
        f"more and by more than chance explains (99 %), in either direction. {ALL}",
        is_for="-0.01 <= gain <= 0.01",
        is_against="sign != 0",
        tolerance=0.01,
    ),
    "slightly worse": Criterion(
        "A cell is for the sentence where the error is at most 10 % larger than the other one, against it "
        f"where it is larger by more than that and by more than chance explains (99 %). {ALL}",
        is_for="share <= 0.1",
        is_against="sign < 0 and share > 0.1",
        tolerance=0.0,
        loss="share",
    ),
}


@dataclass(frozen=True)
class Contrast:
    """Cells of some tables against their rivals; smaller numbers are better."""

    families: tuple[Family, ...]
    where: str
    """Which cells are compared: a query on settings, label and data; all if empty."""
    rivals: tuple[Mapping[str, str], ...] | Family | Literal["baseline", "zero"]
    """The settings in which each rival differs, of which the hardest counts; or where the same cells are."""
    judged_by: str = "all"
    """One of `CRITERIA`."""
    reverse: bool = False
    """Whether the sentence says that the cells are worse than their rivals."""
    by: str = "family"
    """What the cells are grouped by: family, or a setting."""
    weakest: bool = False
    """Whether each group is judged alone."""
    also: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Further counts, which decide nothing: by name, what is changed in this contrast."""
    remark: str = ""

    @property
    def check(self) -> str:
        """Which cells are compared with which."""
        tables = ", ".join(map(str, self.families))
        where = self.where.replace("==", "is").replace("!=", "is not").replace("'", "") or "all"
        return f"Tables: {tables}; smaller is better. Cells: {where}. Beside: {self._rivals_in_words}."

    @property
    def _rivals_in_words(self) -> str:
        if isinstance(self.rivals, str | Family):
            return str(self.rivals)
        return ", ".join(" ".join(f"{name} {word}" for name, word in new.items()) for new in self.rivals)

    @property
    def rule(self) -> str:
        """The rule of the criterion."""
        rule = self._criterion.rule
        if self.reverse:
            rule = rule.replace("better", "…").replace("worse", "better").replace("…", "worse")
        return f"{rule} {WEAKEST}" if self.weakest else rule

    @property
    def _criterion(self) -> Criterion:
        return CRITERIA[self.judged_by]

    @property
    def experiments(self) -> tuple[str, ...]:
        """The labels of all tables."""
        beside = (self.rivals,) if isinstance(self.rivals, Family) else ()
        return tuple(dict.fromkeys(label for family in (*self.families, *beside) for label in family.labels))

    def found(self, numbers: Numbers) -> Found:
        """Return the verdict, the counts, and the cells against it."""
        pairs = self.pairs(numbers)
        groups = {_title(name): group for name, group in pairs.groupby(self.by, sort=False)}
        counts = "; ".join(f"{name}: {self.counted(group)}" for name, group in groups.items())
        n_run = int(pairs["gain"].notna().sum())
        if n_run < len(pairs):
            return Found("not run", f"{n_run} of {len(pairs)} comparisons were run. So far: {counts}.")
        findings = [f"{counts}.", *self._decisive(pairs, groups), self.remark]
        findings += [f"{name}: {replace(self, **new).in_all(numbers)}." for name, new in self.also.items()]
        word = weakest(map(self._criterion.word_on, groups.values() if self.weakest else [pairs]))
        if (pairs["n"] < (pairs["input"] != "").map(fewest)).any():
            word, findings = "undecided", [FEW, *findings]
        return Found(word, "\n".join(filter(None, findings)))

    def pairs(self, numbers: Numbers) -> Pairs:
        """Compare each cell with its hardest rival, and judge it."""
        pairs = [self._pairs_in(family, numbers).assign(family=family.name) for family in self.families]
        return self._criterion.judged(pd.concat(pairs, ignore_index=True))

    def _pairs_in(self, family: Family, numbers: Numbers) -> Pairs:
        pool = family.cells(numbers)
        cells = (pool.query(self.where) if self.where else pool).reset_index(drop=True)
        match self.rivals:
            case "baseline" | "zero":
                constant = cells["baseline"] if self.rivals == "baseline" else 0.0 * cells["printed"]
                found = [beside_constant(cells, constant)]
            case Family():
                found = [beside_cells(cells, self.rivals.cells(numbers), {})]
            case rivals:
                found = [beside_cells(cells, pool, changes) for changes in rivals]
        return hardest([reversed_(pairs) if self.reverse else pairs for pairs in found])

    def in_all(self, numbers: Numbers) -> str:
        """Return the counts of all cells together."""
        return self.counted(self.pairs(numbers))

    def counted(self, pairs: Pairs) -> str:
        """Return how many cells are better, equal and worse, in our numbers and in print."""
        printed = self._criterion.judged(as_printed(pairs))
        ours, print_ = ([int((p["sign"] == s).sum()) for s in (1, 0, -1)] for p in (pairs, printed))
        words = ("below 0", "about 0", "above 0") if self.rivals == "zero" else ("better", "equal", "worse")
        better, equal, worse = words[::-1] if self.reverse else words
        n_run = pairs["gain"].notna().sum()
        text = f"{better} in {ours[0]} of {n_run}, {equal} in {ours[1]}, {worse} in {ours[2]}"
        return f"{text} (print: {' / '.join(map(str, print_))} of {len(pairs)})"

    def _decisive(self, pairs: Pairs, groups: Mapping[str, Pairs]) -> Iterator[str]:
        """Yield which cells are against the sentence, and which are open where the rule counts them."""
        criterion = self._criterion
        if criterion.tolerance != NEGLIGIBLE:  # then for and against are not better and worse
            ours, print_ = (
                f"{p['is_for'].sum()} for it, {p['is_against'].sum()} against it"
                for p in (pairs, criterion.judged(as_printed(pairs)))
            )
            yield f"{ours} (print: {print_})."
        if against := _by_group(groups, "is_against"):
            yield f"Against it: {against}.{self._furthest(pairs)}"
        if self.judged_by == "strictly" and (ties := _by_group(groups, "not is_for and not is_against")):
            yield f"Neither for nor against it: {ties}."

    def _furthest(self, pairs: Pairs) -> str:
        """Return the numbers of the cell that is worse by most; nothing if none is worse."""
        worse = pairs[pairs["is_against"] & (pairs["gain"] < 0)]
        if not len(worse):
            return ""
        return f" Furthest: {_in_numbers(worse.loc[worse[self._criterion.loss].idxmax()])}."


def _title(group: str) -> str:
    return rule_title(group, in_sentence=True) if group in RULES else group


def _by_group(groups: Mapping[str, Pairs], meant: str) -> str:
    """Return the names of the cells that are meant, group by group."""
    found = {name: cells for name, pairs in groups.items() if (cells := listed(pairs.query(meant)))}
    return "; ".join(f"{name}, {cells}" if len(groups) > 1 else cells for name, cells in found.items())


def _in_numbers(pair: pd.Series) -> str:
    return (
        f"{pair['data']} {pair['units']} {pair['ours']:.4f} against {pair['other']:.4f} "
        f"(print: {pair['printed']:.4f}, {pair['printed_other']:.4f})"
    )
