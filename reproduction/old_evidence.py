"""Evidence of the reproduction: results of runs are added to those kept under version control.

Nothing is lost: a cell that was not run keeps the numbers it has, and so does one that was run with
fewer draws than before, or without single trials where these are kept; a claim that could not be judged, or
not later than before, keeps its verdict.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from pathlib import Path
from typing import NamedTuple

import numpy as np

from hebbian_descent.safe_files import write_atomically
from hebbian_descent.table_formats import Cell, TextTable, csv_text
from reproduction.claims.base import Judged, kept_claims, run_claims
from reproduction.comparison import Key, cell_key, draws_by_cell, estimate, is_drawn
from reproduction.experiments.base import Measured
from reproduction.kept_evidence import (
    CLAIMS,
    DRAWS,
    ORIGIN,
    SUMMARY,
    KeptEvidence,
    Number,
    claims_origin,
    draws_file,
    origins_file,
    read_kept,
    read_origins,
    require_arrow,
)
from reproduction.layout import FIELDS, SUMMARY_DIGITS, result_table
from reproduction.origin import SPAN, Origin, one_line
from reproduction.printed import PrintedRow, printed_rows
from reproduction.results import Results
from reproduction.run_context import Effort
from reproduction.saved_json import as_file
from reproduction.tables import TABLES


class Added(NamedTuple):
    """Counts of the cells that were taken from a run, and of those that were kept."""

    n_taken: int = 0
    """Cells whose numbers are now those of the run."""
    n_kept: int = 0
    """Cells that keep the numbers they had."""
    n_fewer: int = 0
    """Of these, cells that were run with fewer draws or trials."""
    n_bare: int = 0
    """Cells of the run whose files are of an earlier version and hold no single trials."""
    n_older: int = 0
    """Claims with another verdict in the run, which may be older than the kept one."""

    def __add__(self, other: Added) -> Added:  # type: ignore[override]  # not one tuple after the other
        return Added(*(a + b for a, b in zip(self, other, strict=True)))


def add_to_evidence(run: Path, folder: Path) -> Added:
    """Add what was run, by the paper's protocol, to the evidence in a folder, and write its files."""
    require_arrow()  # without it draws look unreadable, and could not be written
    before, results = _readable(folder), Results(run)
    merged = {label: _merged(label, results, before) for label in TABLES}
    origins = {label: found.origin for label, found in merged.items() if found.numbers}
    if not origins:
        raise ValueError(
            "--output must be a folder in which `hebbian-descent run` left results by the paper's protocol, "
            f"or --kept one with evidence. Got {run} and {folder}, which have none; nothing was written."
        )
    numbers = {label: found.numbers for label, found in merged.items()}
    rows = {label: found.rows for label, found in merged.items()}
    claims = _merged_claims(run, folder, {label for label in TABLES if numbers[label]}, before)
    files = {SUMMARY: summary_file(Results.of(KeptEvidence(numbers, rows, origins)))}
    if any(rows.values()):
        files[DRAWS] = draws_file(rows)
    files[ORIGIN] = origins_file(origins | claims.origin)
    if claims.changed:
        files[CLAIMS] = as_file([claim._asdict() for claim in claims.changed])
    _write(folder, files)
    return sum((found.added for found in merged.values()), Added(n_older=claims.n_older))


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write finished files in an order in which each can be read with those before it.

    Draws without their summary cannot, and neither numbers nor verdicts that are already there are taken
    again together with their origin: so the summary comes first, and the origin before the claims.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        write_atomically(folder / name, content)


def _readable(folder: Path) -> KeptEvidence:
    """Return the evidence in a folder; files that cannot be read are not overwritten."""
    kept, has_draws = read_kept(folder), (folder / DRAWS).exists()
    # Draws without their summary would be dropped: they have no numbers.
    has_summary = has_draws or (folder / SUMMARY).exists()
    for name, expected, found in ((SUMMARY, has_summary, kept.numbers), (DRAWS, has_draws, kept.rows)):
        if expected and not found:
            raise ValueError(
                "--kept must be a folder with evidence that can be read, or without any. "
                f"Got {folder}, whose {name} cannot; nothing was written."
            )
    return kept


class Merged(NamedTuple):
    """The evidence on one label: numbers by cell and column, every draw, and where they come from."""

    numbers: dict[Key, Mapping[str, Number]]
    rows: list[Measured]
    origin: Origin
    added: Added


def _merged(label: str, run: Results, kept: KeptEvidence) -> Merged:
    """Return what was run where it has at least as much as what is kept, which stays elsewhere."""
    own = draws_by_cell(row for measurement in run.own(label) for row in measurement.rows)
    earlier, seconds = draws_by_cell(kept.rows.get(label, ())), run.seconds_of_cells(label)
    numbers: dict[Key, Mapping[str, Number]] = {}
    rows: list[Measured] = []
    added = Added()
    for row in printed_rows(label):
        key = cell_key(row.cell)
        before = kept.numbers.get(label, {}).get(key, {})
        now = _numbers(row, own.get(key, []), seconds.get(key, np.nan))
        n_before, n_now = (
            max((side[column].estimate.n for column in row.results if column in side), default=0)
            for side in (before, now)
        )
        bare = not all(found.trials for found in own.get(key, ()))
        if n_now and n_now >= n_before and not (bare and key in earlier):
            numbers[key] = now
            rows += [] if bare else own[key]  # all draws of a cell or none: the others would be left out
            added += Added(n_taken=1, n_bare=int(bare))
        elif n_before:
            numbers[key] = before
            rows += earlier.get(key, [])
            added += Added(n_kept=1, n_fewer=int(0 < n_now < n_before), n_bare=int(bare))
    origins = [run.origin(label)] if added.n_taken else []
    origins += [kept.origins.get(label, Origin())] if added.n_kept else []
    return Merged(numbers, rows, one_line(origins)._replace(seeds=_seeds(label, numbers)), added)


def _numbers(row: PrintedRow, draws: Sequence[Measured], seconds: float) -> dict[str, Number]:
    """Return the numbers of a cell with the digits that the summary has."""
    found = {column: estimate(row, column, draws) for column in row.results}
    return {
        column: Number(
            value._replace(mean=round(value.mean, SUMMARY_DIGITS), sd=round(value.sd, SUMMARY_DIGITS)),
            seconds,
        )
        for column, value in found.items()
        if value
    }


def _seeds(label: str, numbers: Mapping[Key, Mapping[str, Number]]) -> str:
    """Return the seeds of the draws, which are numbered from 0; whole datasets have the seed 0."""
    n = max((found.estimate.n for cell in numbers.values() for found in cell.values()), default=1)
    return f"0 to {n - 1}" if is_drawn(printed_rows(label)[0]) and n > 1 else "0"


class MergedClaims(NamedTuple):
    """All claims, if any verdict changed, and where they come from, if there are any."""

    changed: list[Judged]
    origin: dict[str, Origin]
    n_older: int


def _merged_claims(run: Path, folder: Path, tables: Set[str], before: KeptEvidence) -> MergedClaims:
    """Return the kept claims with the later verdicts on those that were judged by all their tables."""
    kept = {claim.number: claim for claim in kept_claims(folder)}
    judged = {
        claim.number: claim
        for claim in run_claims(run)
        if claim.verdict not in ("not run", "not judged at this effort")
        and tables >= set(TABLES) & set(claim.evidence)
    }
    origins = [before.origins["claims"]] if "claims" in before.origins else []
    judged_at = read_origins(claims_origin(run, Effort()))
    later = {
        number: claim
        for number, claim in judged.items()
        if number not in kept or _last_date(judged_at.get(str(number))) >= _last_date(*origins)
    }
    changed: list[Judged] = []
    if kept | later != kept:
        changed = [claim for _, claim in sorted((kept | later).items())]
        origins = origins if set(kept) - set(later) else []
        origins += [judged_at.get(str(number), Origin()) for number in later]
    n_older = sum(judged[number] != kept[number] for number in set(judged) - set(later))
    return MergedClaims(changed, {"claims": one_line(origins)} if origins else {}, n_older)


def _last_date(origin: Origin | None = None) -> str:
    """Return the last date of an origin; what is not dated comes before everything that is."""
    return origin.date.split(SPAN)[-1] if origin else ""


def summary_file(results: Results) -> bytes:
    """Return a file of one line per printed number; its seconds are those of the jobs that computed it."""
    rows: list[Sequence[Cell]] = []
    for label in TABLES:
        seconds = results.seconds_of_cells(label)
        rows += result_table(results.verdicts(label), results.context(label), seconds).rows
    return csv_text(TextTable(FIELDS, rows)).encode()
