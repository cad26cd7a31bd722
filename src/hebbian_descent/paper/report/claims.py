"""The paper's numbered conclusions with a verdict each, as the report shows them."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any, NamedTuple

from hebbian_descent.paper.place import Place


class ShownClaim(NamedTuple):
    """A conclusion, how it is checked, and what came out."""

    number: int
    statement: str
    how: str
    verdict: str
    findings: str
    evidence: Sequence[str]


def claims(place: Place) -> list[ShownClaim]:
    """Judge every claim; none where the list of claims is not part of the package."""
    try:
        judge_all = import_module("hebbian_descent.paper.claims").judge_all
    except ModuleNotFoundError:
        return []
    return [_shown(judged) for judged in judge_all(place)]


def _shown(judged: Any) -> ShownClaim:
    how = getattr(judged, "how", None) or judged.check
    evidence = [judged.evidence] if isinstance(judged.evidence, str) else judged.evidence
    return ShownClaim(judged.number, judged.statement, how, judged.verdict, judged.findings, evidence)
