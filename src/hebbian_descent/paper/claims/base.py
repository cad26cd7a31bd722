"""What a claim is: a sentence of the paper, how it is checked here, and a verdict with its numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from hebbian_descent.paper.run_context import Place

SHORT = {
    "hebbian_descent": "Hebbian-descent",
    "gradient_descent": "gradient descent",
    "hebb": "Hebb",
    "covariance": "covariance",
}
"""What the findings call each rule."""
Word = Literal["holds", "holds with limits", "does not hold", "not run"]
PLURAL: dict[Word, str] = {
    "holds": "hold",
    "holds with limits": "hold with limits",
    "does not hold": "do not hold",
    "not run": "not run",
}


class Judgement(NamedTuple):
    """A verdict and what was found."""

    verdict: Word
    findings: str
    """Sentences with numbers; each line stands by itself."""


@dataclass(frozen=True)
class Claim:
    """One numbered conclusion of the paper."""

    number: int
    statement: str
    section: str
    """The label of the section that argues for it."""
    check: str
    """How it is checked here, with the thresholds of the verdict."""
    evidence: tuple[str, ...]
    """Tests as file::function, tables by their labels."""
    judge: Callable[[Place], Judgement]


class Judged(NamedTuple):
    """A claim with its verdict, as plain data."""

    number: int
    statement: str
    section: str
    check: str
    evidence: tuple[str, ...]
    verdict: Word
    findings: str


def counted(judged: Iterable[Judged]) -> str:
    """Return how many claims have each verdict, in words."""
    counts = Counter(claim.verdict for claim in judged)
    return ", ".join(
        f"{counts[word]} {word if counts[word] == 1 else several}"
        for word, several in PLURAL.items()
        if counts[word]
    )


ROUNDING = 1e-6
"""Largest difference of two updates that are the same; derivatives by finite differences need the room."""


def by_deviation(deviation: float, findings: str, limits: str = "") -> Judgement:
    """Judge an identity by its largest deviation over all cases tried; `limits` says what it leaves out."""
    if deviation > ROUNDING:
        return Judgement("does not hold", f"{findings}: largest deviation {deviation:.1e}.")
    found = f"{findings}: largest deviation {deviation:.0e}."
    return Judgement("holds with limits", f"{found} {limits}") if limits else Judgement("holds", found)
