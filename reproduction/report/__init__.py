"""The report: one page with counts, claims, tables, figures, protocol and versions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from datetime import date
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import hebbian_descent
from hebbian_descent.checks import printable, require_extra
from hebbian_descent.safe_files import write_atomically
from hebbian_descent.storage.results import provenance
from reproduction.claims.base import counted, saved_claims
from reproduction.context_numbers import summarise_context
from reproduction.figures import FIGURES
from reproduction.formula_tables import FORMULA_TABLES
from reproduction.kept_evidence import document_on
from reproduction.measurements import Measurements
from reproduction.notes import REASON_UNKNOWN, differences, notes
from reproduction.paired import summarise_pairs
from reproduction.report.content import (
    PaperTable,
    main_finding,
    other_efforts,
    own_tables,
    paper_tables,
)
from reproduction.report.filters import FILTERS, MARKS
from reproduction.report.images import Image, figure_images
from reproduction.results import Results
from reproduction.run_context import Effort, RunContext
from reproduction.studies import STUDIES
from reproduction.studies.page import with_results
from reproduction.summaries import supports, systematics, winners
from reproduction.swaps import KINDS, shares, swaps
from reproduction.tables import TABLES

Tell = Callable[[str], None]

SCRIPTS = ("sorting.js", "notes.js", "zoom.js", "tables.js", "commands.js", "contents.js")
"""In an order in which each uses only those before it."""
MAIN_FIGURE = "fig:rand_rand_sigmoid_true_online"
"""The figure that shows the main finding."""


def write_report(
    folder: Path,
    effort: Effort | None = None,
    tell: Tell = lambda step: None,
    exhibits: Mapping[str, str] | None = None,
    explorer: str = "",
) -> Path:
    """Write `report.html` into the folder of the results and return its path.

    With exhibits, labels of figures with a sentence each, the page shows those and the custom tables
    instead of everything. It links to the explorer if that is a page in the same folder.
    """
    text = render(folder, effort or Effort(), tell, exhibits, explorer)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "report.html"
    write_atomically(path, text.encode(errors="backslashreplace"))
    return path


def render(
    folder: Path,
    effort: Effort,
    tell: Tell = lambda step: None,
    exhibits: Mapping[str, str] | None = None,
    explorer: str = "",
) -> str:
    """Return the page on the measurements of one effort; `tell` is called before each slow step."""
    jinja2 = require_extra("jinja2", extra="paper", purpose="Writing the report")
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_part),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=lambda value: printable(value) if type(value) is str else value,
    )
    environment.filters |= FILTERS
    content = _content(folder, effort, tell)
    template = environment.get_template("demonstration.html" if exhibits else "page.html")
    shown = _exhibits(content["images"], exhibits or {})
    text: str = template.render(**content, exhibits=shown, explorer=explorer)
    return text


def _exhibits(drawn: list[Image], sentences: Mapping[str, str]) -> list[Image]:
    """Return the images with these sentences below them."""
    by_label = {image.label: image for image in drawn}
    return [
        by_label[label]._replace(description=by_label[label].description._replace(see=sentence))
        for label, sentence in sentences.items()
        if label in by_label
    ]


def _part(name: str) -> str:
    return resources.files(__name__).joinpath("parts", name).read_text(encoding="utf-8")


def _content(folder: Path, effort: Effort, tell: Tell) -> dict[str, Any]:
    tell("Comparing the tables")
    results = Results(folder, effort)
    tables = paper_tables(results)
    judged = saved_claims(folder, effort)
    tell("Gathering figures and other tables")
    # Those next to the document on the same evidence; another folder's figures show other numbers.
    kept_figures = document_on(folder).parent / "figures" if results.kept.numbers else None
    images = figure_images(folder, effort, kept_figures)
    finding = main_finding(tables)
    counts = Counter(verdict.word for table in tables for verdict in table.verdicts)
    n_judged = counts["agrees"] + counts["differs"]
    return {
        "version": hebbian_descent.__version__,
        "today": date.today().isoformat(),
        "effort": effort,
        "judged": effort.is_the_papers,
        "tables": tables,
        "counts": counts,
        "n_judged": n_judged,
        "n_run": counts.total() - counts["not run"],
        **_comparison(tables, results),
        "claims": judged,
        "claim_counts": Counter(claim.verdict for claim in judged),
        "claim_words": counted(judged),
        "studies": with_results(STUDIES.values(), folder) if effort.is_the_papers else [],
        "finding": finding,
        "has_finding": bool(finding.n_experiments or judged or (effort.is_the_papers and n_judged)),
        "main_figure": next((image for image in images if image.label == MAIN_FIGURE and image.source), None),
        "images": images,
        "formula_tables": FORMULA_TABLES.values(),
        "own_tables": own_tables(folder, effort),
        "other_efforts": other_efforts(folder, effort),
        "protocol": notes("protocol"),
        "misprints": notes("misprints"),
        "versions_used": versions_used(folder, effort),
        "command": RunContext(folder, effort).shown_command,
        "marks": MARKS,
        "known_figures": FIGURES,
        "style": _part("style.css"),
        "script": "".join(map(_part, SCRIPTS)),
    }


def _comparison(tables: list[PaperTable], results: Results) -> dict[str, Any]:
    verdicts = [verdict for table in tables for verdict in table.verdicts]
    found, pairs = winners(verdicts), results.pairs(verdicts)
    support = supports(verdicts)
    return {
        "differences": differences(verdicts),
        "reason_unknown": REASON_UNKNOWN,
        "winners": found,
        "winner_counts": Counter(winner.verdict for winner in found),
        "support": [sum(counts) for counts in zip(*(row[2:] for row in support), strict=True)],
        "swap_kinds": KINDS,
        "swaps": shares(swaps(verdicts)),
        "pairs": summarise_pairs(pairs),
        "pair_words": Counter(pair.word for pair in pairs),
        "context": summarise_context(item for label in TABLES for item in results.context(label)),
        "systematics": systematics(verdicts),
        "where_from": results.where_from(TABLES),
        "origins": {table.label: results.origin(table.label) for table in tables if table.n_run},
    }


class VersionsUsed(NamedTuple):
    """Versions that wrote this page and that measured what it shows."""

    now: dict[str, Any]
    """Machine and versions that wrote the page."""
    computed_with: list[tuple[str, int]]
    """Versions used for the measurements, with their number of jobs."""


def versions_used(folder: Path, effort: Effort) -> VersionsUsed:
    """Return the versions of this process and of the measurements."""
    measurements = Measurements(folder, effort)
    counts = Counter(
        ", ".join(f"{name} {version}" for name, version in measurement.versions.items())
        for label in measurements.labels()
        for measurement in measurements.read(label)
    )
    return VersionsUsed(dict(provenance()), counts.most_common())
