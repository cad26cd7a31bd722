"""The document on the reproduction: counts, power, differences, winners, claims, figures and tables.

It is made from the kept evidence and nothing else; a test compares the two.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from hebbian_descent.safe_files import write_atomically
from hebbian_descent.table_formats import TextTable, markdown_text
from reproduction.claims.base import N_CONCLUSIONS, Judged, counted, kept_claims
from reproduction.comparison import Verdict
from reproduction.context_numbers import summarise_context
from reproduction.document import judgements
from reproduction.document.cells import ABOUT_CELLS, all_cells
from reproduction.figures import FIGURES
from reproduction.notes import differences
from reproduction.origin import Origin
from reproduction.report.content import PaperTable, paper_tables
from reproduction.report.filters import duration, number
from reproduction.report.images import image_file
from reproduction.results import Results
from reproduction.summaries import pair_deviations, supports, systematics, winners
from reproduction.swaps import swaps
from reproduction.tables import TABLES

CHOSEN_FIGURES = (
    "fig:rand_rand_sigmoid_true_online",
    "fig:rand_rand_sigmoid_false_online",
    "fig:adult_rand_sigmoid_true_online",
    "fig:learning_rate_compare_lin_sig",
    "fig:heteroassociative_online_hebbian_scatter",
    "fig:rand_adult_weightdecay",
    "fig:auto_association_compare",
    "fig:hidden_activity_GD_HD",
)
"""The figures that the document shows, if they were drawn."""


ABOUT_COUNTS = (
    "Where whole datasets are learned nothing is drawn: the column shows the number of trials, and z is "
    "in units of the spread over initial weights, which is often smaller than the last printed digit. "
    "Times are of all jobs one after another on two cores, partly with other work running or while "
    "waiting for it; for a stopped job, results that were kept and not computed again do not count."
)

ABOUT_ORIGIN = (
    "Draw k has the seed k, for patterns and weights; whole datasets have the seed 0. “Not recorded” "
    "means measured before versions and processor were kept; a + after a commit, with changes of the sources "
    "that were not committed yet."
)


def write_document(kept: Path, path: Path, figures: Path | None = None) -> None:
    """Write the document on the evidence in a folder, with the chosen figures next to it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if figures is not None:
        copy_figures(figures, path.parent / "figures")
    text = document(kept, path.parent / "figures")
    write_atomically(path, text.encode(errors="backslashreplace"))


def document(kept: Path, figures: Path) -> str:
    """Return the document on the evidence in a folder, with the figures next to it."""
    results = Results(kept, kept_only=True)
    tables = paper_tables(results)
    verdicts = [verdict for table in tables for verdict in table.verdicts]
    context = [found for label in TABLES for found in results.context(label)]
    shown = list(_figures(figures))
    sections = [
        _opening(verdicts),
        "## Counts\n\n" + _counts(tables),
        "## What agreement rests on\n\n" + judgements.support(supports(verdicts)),
        "## What a swap would change\n\n" + judgements.swaps(swaps(verdicts)),
        "## Paired differences\n\n" + judgements.paired(results.pairs(verdicts)),
        "## What differs\n\n" + judgements.differences(differences(verdicts)),
        "## Systematic deviations\n\n" + judgements.systematics(systematics(verdicts)),
        "## Standard deviations and learning rates\n\n" + judgements.context(summarise_context(context)),
        *judgements.pairs(pair_deviations(verdicts)),
        "## Winners\n\n" + judgements.winners(winners(verdicts)),
        *_claims(kept),
        *(["## Figures", *shown] if shown else []),
        f"## Tables\n\n{ABOUT_CELLS}",
        *all_cells(tables),
        "## Where the numbers come from\n\n" + _origins(results),
    ]
    return "\n\n".join(sections) + "\n"


def _opening(verdicts: list[Verdict]) -> str:
    counts = Counter(verdict.word for verdict in verdicts)
    return (
        "# The paper, reproduced\n\n"
        f"Of {len(verdicts):,} printed results {counts['agrees']:,} agree with ours, "
        f"{counts['differs']:,} differ, {counts['undecided']:,} are undecided, because our draws scatter "
        f"too widely or are too few, and {counts['not run']:,} were not run. "
        "[The protocol](protocol.md) says when a number agrees; `hebbian-descent report` shows the same as a "
        "page, with draws, spread and learning rate of each cell. `hebbian-descent evidence` writes this "
        "document from the files in `reproduction/`, which hold all of its numbers."
    )


def _counts(tables: list[PaperTable]) -> str:
    headings = (
        *("table", "column", "printed", "agree", "differ", "undecided", "agree of judged"),
        *("rms z", "draws", "time of the table"),
    )
    rows = [
        (
            f"`{table.label}`",
            summary.column,
            summary.n_results,
            summary.n_agree,
            summary.n_differ,
            summary.n_run - summary.n_judged,
            f"{summary.n_agree / summary.n_judged:.1%}" if summary.n_judged else "–",
            number(summary.rms_z, 2),
            _draws(table),
            duration(table.seconds) if table.n_run else "–",
        )
        for table in tables
        for summary in (column.summary for column in table.columns)
    ]
    return f"{markdown_text(TextTable(headings, rows))}\n\n{ABOUT_COUNTS}"


def _origins(results: Results) -> str:
    headings = ("table", "measured", "commit", "versions", "processor", "seeds")
    labels = [label for label in (*TABLES, "claims") if label in results.kept.origins]
    rows = [(f"`{label}`", *_origin(results.kept.origins[label])) for label in labels]
    return f"{ABOUT_ORIGIN}\n\n{markdown_text(TextTable(headings, rows))}"


def _origin(origin: Origin) -> Sequence[str]:
    return [text or "not recorded" for text in origin]


def _draws(table: PaperTable) -> str:
    """Return the number of draws behind the results, or of trials where nothing is drawn."""
    numbers = sorted({verdict.n for verdict in table.verdicts if verdict.n})
    return " to ".join(str(n) for n in dict.fromkeys((numbers[0], numbers[-1]))) if numbers else "–"


def _claims(folder: Path) -> Iterator[str]:
    if judged := kept_claims(folder):
        rows = [(claim.number, *_claim_cells(claim), claim.findings) for claim in judged]
        table = markdown_text(TextTable(("", "claim of the paper", "rule", "verdict", "found"), rows))
        conclusions = sum(claim.number <= N_CONCLUSIONS for claim in judged)
        yield (
            f"## Claims\n\nOf {conclusions} conclusions and {len(judged) - conclusions} statements of the "
            f"paper's text: {counted(judged)}. Each has a rule that says when it holds.\n\n{table}"
        )


def _claim_cells(claim: Judged) -> tuple[str, str, str]:
    corrected = f" Corrected: {claim.correction}" if claim.correction else ""
    return f"{claim.statement}{corrected}", claim.rule, claim.verdict


def copy_figures(drawn: Path, beside: Path) -> None:
    """Copy the chosen figures that were drawn into the folder next to the document."""
    for label in CHOSEN_FIGURES:
        source = image_file(drawn, label)
        if source is not None:
            beside.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, beside / source.name)


def _figures(beside: Path) -> Iterator[str]:
    for label in CHOSEN_FIGURES:
        source = image_file(beside, label)
        if source is not None:
            title = FIGURES[label].title if label in FIGURES else label
            yield f"![{title}]({beside.name}/{source.name})\n\n`{label}`: {title}"
