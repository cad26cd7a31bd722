"""Claims of the paper: a sentence, how it is checked, and the verdict, saved beside the measurements."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from hebbian_descent.paper.run_context import Effort, RunContext
from hebbian_descent.paper.saved_json import as_list, as_object, as_text, as_whole, read_json, warn_of_damage
from hebbian_descent.safe_files import write_atomically

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
    """Sentences with numbers, one per line."""


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
    judge: Callable[[RunContext], Judgement]


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
"""Largest difference of two updates that count as equal; finite differences need this tolerance."""


def by_deviation(deviation: float, findings: str, limits: str = "") -> Judgement:
    """Judge an identity by its largest deviation over all cases tried; `limits` says what it leaves out."""
    if deviation > ROUNDING:
        return Judgement("does not hold", f"{findings}: largest deviation {deviation:.1e}.")
    found = f"{findings}: largest deviation {deviation:.0e}."
    return Judgement("holds with limits", f"{found} {limits}") if limits else Judgement("holds", found)


def save_claims(folder: Path, effort: Effort, judged: Sequence[Judged]) -> None:
    """Save the judged claims, replacing earlier ones."""
    path = _path(folder, effort)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_claims(path, judged)


def write_claims(path: Path, judged: Sequence[Judged]) -> None:
    """Write judged claims into a file."""
    content = [claim._asdict() for claim in judged]
    write_atomically(path, (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode())


def saved_claims(folder: Path, effort: Effort) -> list[Judged]:
    """Return the claims judged here, or else those of the evidence that is kept; empty if there are none."""
    return run_claims(folder, effort) or (kept_claims(folder) if effort.is_the_papers else [])


def run_claims(folder: Path, effort: Effort | None = None) -> list[Judged]:
    """Return the claims that were judged here."""
    return _read(_path(folder, effort or Effort()))


def kept_claims(folder: Path) -> list[Judged]:
    """Return the claims of the evidence that is kept in a folder."""
    return _read(folder / "claims.json")


def _read(path: Path) -> list[Judged]:
    """Return the claims in a file; an empty list if it is missing or damaged, since judging repairs it."""
    try:
        return [_judged(as_object(claim, "a claim")) for claim in as_list(read_json(path), "the file")]
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as error:
        warn_of_damage(path, error, "`hebbian-descent claims` judges again")
        return []


def _judged(claim: dict[str, Any]) -> Judged:
    if set(claim) != set(Judged._fields):
        raise ValueError(f"a claim must have {', '.join(Judged._fields)}")
    if claim["verdict"] not in PLURAL:
        raise ValueError(f"a verdict must be one of {', '.join(PLURAL)}")
    texts = {name: as_text(claim[name], name) for name in ("statement", "section", "check", "findings")}
    return Judged(
        number=as_whole(claim["number"], "the number", at_least=1),
        evidence=tuple(as_text(item, "evidence") for item in as_list(claim["evidence"], "the evidence")),
        verdict=claim["verdict"],
        **texts,
    )


def _path(folder: Path, effort: Effort) -> Path:
    return folder / "claims" / f"{effort.name}.json"
