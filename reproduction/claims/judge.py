"""A claim of the paper: a sentence, what decides it, and the verdict.

What decides is a contrast of cells of the tables (`contrast`), an identity (`identities`), or networks that
were trained for this claim (`networks`). Verdicts follow from rows: nothing is trained to judge.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from reproduction.claims.cells import Numbers
from reproduction.claims.contrast import Found
from reproduction.evidence import Word

LESS_EFFORT = "Runs of less effort than the paper's decide nothing."


class Evidence(Protocol):
    """What decides a claim."""

    @property
    def check(self) -> str:
        """What is compared or computed."""

    @property
    def rule(self) -> str:
        """When the claim holds, when with limits, when not: fixed before anything is computed."""

    @property
    def experiments(self) -> tuple[str, ...]:
        """Labels of the experiments whose rows decide; none for a formula."""

    def found(self, numbers: Numbers) -> Found:
        """Return the verdict with its numbers."""


@dataclass(frozen=True)
class Claim:
    """One numbered conclusion of the paper, or a statement of its text."""

    number: int
    statement: str
    section: str
    """The label of the section that argues for it; of its table where the section has none."""
    evidence: Evidence
    tests: tuple[str, ...] = ()
    """Files of tests that belong to it."""
    correction: str = ""
    """The sentence as it should read, if it is a misprint."""


class Judged(NamedTuple):
    """A claim with its verdict, as plain data."""

    number: int
    statement: str
    section: str
    check: str
    rule: str
    evidence: tuple[str, ...]
    """Labels of experiments, and files of tests."""
    verdict: Word
    findings: str
    correction: str = ""


def judge(claim: Claim, numbers: Numbers) -> Judged:
    """Judge a claim; missing numbers and less effort than the paper's give no verdict."""
    evidence, place = claim.evidence, (claim.number, claim.statement, claim.section)
    decides = numbers.context.effort.is_the_papers or not evidence.experiments
    found = evidence.found(numbers) if decides else Found("not run", LESS_EFFORT)
    by = (*evidence.experiments, *claim.tests)
    return Judged(*place, evidence.check, evidence.rule, by, *found, claim.correction)


def summary(function: Callable[..., object]) -> str:
    """Return a docstring as a paragraph: what is checked is written down where it is computed."""
    return " ".join((function.__doc__ or "").split())
