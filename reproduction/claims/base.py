"""Claims of the paper: a sentence, how it is checked, by which rule it holds, and the verdict."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from hebbian_descent.datasets import DatasetUnavailableError, load
from hebbian_descent.safe_files import write_atomically
from reproduction.comparison import FEWEST_DRAWS, FEWEST_TRIALS, is_enough
from reproduction.results import Results
from reproduction.run_context import Effort, RunContext
from reproduction.saved_json import as_list, as_object, as_text, as_whole, read_json, warn_of_damage
from reproduction.tables import TABLES

Word = Literal[
    "holds",
    "holds with limits",
    "misprint (corrected it holds)",
    "does not hold",
    "undecided",
    "not run",
    "not judged at this effort",
]
PLURAL: dict[Word, str] = {
    "holds": "hold",
    "holds with limits": "hold with limits",
    "misprint (corrected it holds)": "misprints (corrected they hold)",
    "does not hold": "do not hold",
    "undecided": "undecided",
    "not run": "not run",
    "not judged at this effort": "not judged at this effort",
}
N_CONCLUSIONS = 20
"""Claims up to this number are the paper's numbered conclusions; the others are statements of its text."""


class Judgement(NamedTuple):
    """A verdict and what was found."""

    verdict: Word
    findings: str
    """Sentences with numbers, one per line."""


@dataclass(frozen=True)
class Claim:
    """One numbered conclusion of the paper, or a statement of its text."""

    number: int
    statement: str
    section: str
    """The label of the section that argues for it; of its table where the section has none."""
    check: str
    """What is computed or compared."""
    rule: str
    """When it holds, when with limits, when not: fixed before anything is computed."""
    evidence: tuple[str, ...]
    """Tests as file::function, tables by their labels."""
    judge: Callable[[RunContext], Judgement]
    correction: str = ""
    """The sentence as it should read, if it is a misprint."""
    analytical: bool = False
    """Whether the verdict is the same at every effort, since nothing is measured for it."""
    datasets: tuple[str, ...] = ()
    """What `judge` learns itself; with less of it the verdict would be another one, so there is none."""


class Judged(NamedTuple):
    """A claim with its verdict, as plain data."""

    number: int
    statement: str
    section: str
    check: str
    rule: str
    evidence: tuple[str, ...]
    verdict: Word
    findings: str
    correction: str = ""


FEW = f"Fewer than {FEWEST_DRAWS} draws, or {FEWEST_TRIALS} trials on whole datasets, decide nothing."


def judged(claim: Claim, context: RunContext) -> Judged:
    """Judge a claim; data that are missing, few draws and less effort than the paper's give no verdict."""
    verdict, findings = _missing_data(claim, context) or claim.judge(context)
    if not claim.analytical and not context.effort.is_the_papers:
        verdict = "not judged at this effort"
    elif verdict != "not run" and _has_few_draws(claim, context):
        verdict, findings = "undecided", f"{FEW}\n{findings}"
    return Judged(
        claim.number,
        claim.statement,
        claim.section,
        claim.check,
        claim.rule,
        claim.evidence,
        verdict,
        findings,
        claim.correction,
    )


def _missing_data(claim: Claim, context: RunContext) -> Judgement | None:
    if context.effort.quick:  # quick looks need no data
        return None
    try:
        for name in claim.datasets:
            load(name)
    except DatasetUnavailableError as reason:
        return Judgement("not run", str(reason))
    return None


def _has_few_draws(claim: Claim, context: RunContext) -> bool:
    results = Results(context.folder, context.effort)
    verdicts = (verdict for label in claim.evidence if label in TABLES for verdict in results.verdicts(label))
    return any(verdict.n and not is_enough(verdict.row, verdict.n) for verdict in verdicts)


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
IDENTITY = (
    "Holds if both sides differ by less than 1e-6 in every case tried; with limits if that is so, but the "
    "sentence covers cases in which it is not; does not hold otherwise."
)
CORRECTED = (
    "Holds if the printed form differs by less than 1e-6 in every case tried; a misprint if it does not and "
    "the corrected form does; does not hold if neither does."
)


def by_deviation(deviation: float, findings: str, limits: str = "") -> Judgement:
    """Judge an identity by its largest deviation over all cases tried; `limits` says where it fails."""
    if not deviation < ROUNDING:
        return Judgement("does not hold", f"{findings}: largest deviation {deviation:.1e}.")
    found = f"{findings}: largest deviation {deviation:.0e}."
    return Judgement("holds with limits", f"{found} {limits}") if limits else Judgement("holds", found)


def by_correction(printed: float, corrected: float, findings: str) -> Judgement:
    """Judge a sentence with one wrong word by the deviations of its printed and its corrected form."""
    word: Word = "does not hold"
    if printed < ROUNDING:
        word = "holds"
    elif corrected < ROUNDING:
        word = "misprint (corrected it holds)"
    return Judgement(
        word, f"{findings}: as printed it deviates by {printed:.2g}, corrected by {corrected:.0e}."
    )


ORDER: tuple[Word, ...] = (
    "not run",
    "does not hold",
    "undecided",
    "misprint (corrected it holds)",
    "holds with limits",
    "holds",
)


def weakest(words: Iterable[Word]) -> Word:
    """Return the verdict on a sentence of several parts: that of its weakest part."""
    return min(words, key=ORDER.index)


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
        return [_from_json(as_object(claim, "a claim")) for claim in as_list(read_json(path), "the file")]
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as error:
        warn_of_damage(path, error, "`hebbian-descent claims` judges again")
        return []


TEXTS = ("statement", "section", "check", "rule", "findings", "correction")


def _from_json(claim: dict[str, Any]) -> Judged:
    if set(claim) != set(Judged._fields):
        raise ValueError(f"a claim must have {', '.join(Judged._fields)}")
    if as_text(claim["verdict"], "the verdict") not in PLURAL:
        raise ValueError(f"a verdict must be one of {', '.join(PLURAL)}")
    return Judged(
        number=as_whole(claim["number"], "the number", at_least=1),
        evidence=tuple(as_text(item, "evidence") for item in as_list(claim["evidence"], "the evidence")),
        verdict=claim["verdict"],
        **{name: as_text(claim[name], name) for name in TEXTS},
    )


def _path(folder: Path, effort: Effort) -> Path:
    return folder / "claims" / f"{effort.name}.json"
