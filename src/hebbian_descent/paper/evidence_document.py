"""The document on the reproduction: counts, differences, winners, claims, figures and tables."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from hebbian_descent.paper.claims.base import counted, saved_claims
from hebbian_descent.paper.comparison import Verdict
from hebbian_descent.paper.effort import Effort
from hebbian_descent.paper.evidence_cells import ABOUT_CELLS, all_cells
from hebbian_descent.paper.figures import FIGURES
from hebbian_descent.paper.layout import cell_name
from hebbian_descent.paper.notes import REASON_UNKNOWN, differences
from hebbian_descent.paper.report.filters import duration, number
from hebbian_descent.paper.report.images import image_file
from hebbian_descent.paper.report.tables import PaperTable, paper_tables
from hebbian_descent.paper.summaries import PairDeviations, Winner, pair_deviations, winners
from hebbian_descent.rules import rule_title
from hebbian_descent.safe_files import write_atomically
from hebbian_descent.table_formats import TextTable, markdown_text

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
    "Where whole datasets are learned nothing is drawn: the column shows the number of trials, and z is in "
    "units of the spread over initial weights, which is often smaller than the last printed digit. Times are "
    "of all jobs one after another on two cores, partly with other work beside them or waiting for it; "
    "of a job that was stopped, what was kept and not computed again does not count."
)

ABOUT_PAIRS = (
    "All cells of a pair of datasets were printed from one draw of patterns, and so deviate together. What "
    "scatters by chance is the mean z of a pair."
)


def write_document(folder: Path, path: Path) -> None:
    """Write the document on a folder of results, and copy the chosen figures beside it."""
    tables = paper_tables(folder, Effort())
    verdicts = [verdict for table in tables for verdict in table.verdicts]
    path.parent.mkdir(parents=True, exist_ok=True)
    figures = list(_figures(folder, path.parent / "figures"))
    sections = [
        _opening(verdicts),
        "## Counts\n\n" + _counts(tables),
        "## What differs\n\n" + _differences(differences(verdicts)),
        *_pairs(pair_deviations(verdicts)),
        "## Winners\n\n" + _winners(winners(verdicts)),
        *_claims(folder),
        *(["## Figures", *figures] if figures else []),
        f"## Tables\n\n{ABOUT_CELLS}",
        *all_cells(tables),
    ]
    write_atomically(path, ("\n\n".join(sections) + "\n").encode(errors="backslashreplace"))


def _opening(verdicts: list[Verdict]) -> str:
    counts = Counter(verdict.word for verdict in verdicts)
    undecided = f", {counts['undecided']:,} are undecided after one draw" if counts["undecided"] else ""
    return (
        "# The paper, reproduced\n\n"
        f"Of {len(verdicts):,} printed results {counts['agrees']:,} agree with ours, "
        f"{counts['differs']:,} differ{undecided} and {counts['not run']:,} were not run. "
        "[The protocol](protocol.md) says when a number agrees; `hebbian-descent report` shows the same as a "
        "page, with draws, spread and learning rate of each cell. This one is written by "
        "`hebbian-descent evidence`."
    )


def _counts(tables: list[PaperTable]) -> str:
    headings = (
        "table",
        "column",
        "printed",
        "judged",
        "agree",
        "share",
        "rms z",
        "draws",
        "time of the table",
    )
    rows = [
        (
            f"`{table.label}`",
            summary.column,
            summary.n_results,
            summary.n_judged,
            summary.n_agree,
            f"{summary.n_agree / summary.n_judged:.1%}" if summary.n_judged else "–",
            number(summary.rms_z, 2),
            _draws(table),
            duration(table.seconds) if table.n_run else "–",
        )
        for table in tables
        for summary in (column.summary for column in table.columns)
    ]
    return f"{markdown_text(TextTable(headings, rows))}\n\n{ABOUT_COUNTS}"


def _draws(table: PaperTable) -> str:
    """Return the number of draws behind the results, or of trials where nothing is drawn."""
    numbers = sorted({verdict.n for verdict in table.verdicts if verdict.n})
    return " to ".join(str(n) for n in dict.fromkeys((numbers[0], numbers[-1]))) if numbers else "–"


def _differences(found: dict[str, list[Verdict]]) -> str:
    headings = ("table", "cell", "column", "ours", "printed", "z")
    parts = [
        f"{why or REASON_UNKNOWN}\n\n{markdown_text(TextTable(headings, list(map(_difference, verdicts))))}"
        for why, verdicts in found.items()
    ]
    return "\n\n".join(parts) or "Nothing that was run."


def _difference(verdict: Verdict) -> Sequence[str]:
    return (
        f"`{verdict.row.label}`",
        cell_name(verdict.row.cell),
        verdict.column,
        f"{number(verdict.mean)} ± {number(verdict.sd)}",
        number(verdict.printed),
        number(verdict.z, 1),
    )


def _pairs(found: list[PairDeviations]) -> Iterator[str]:
    if found:
        headings = (
            "table",
            "column",
            "pairs",
            "rms of mean z",
            "furthest pair",
            "its mean z",
            "rms z without it",
        )
        rows = [
            (
                f"`{column.label}`",
                column.column,
                column.n_pairs,
                number(column.rms_of_means, 2),
                column.furthest,
                number(column.z_of_furthest, 1),
                number(column.rms_of_others, 2),
            )
            for column in found
        ]
        yield f"## Pairs of datasets\n\n{ABOUT_PAIRS}\n\n{markdown_text(TextTable(headings, rows))}"


def _winners(found: list[Winner]) -> str:
    counts = Counter(winner.verdict for winner in found)
    text = (
        f"In {len(found)} comparisons of rules the printed winner is ours in {counts['same']}, "
        f"within the spread of ours in {counts['tie']}, and another in {counts['other']}."
    )
    others = [
        (
            f"`{winner.label}`",
            cell_name(winner.cell),
            ", ".join(map(rule_title, winner.printed)),
            rule_title(winner.ours),
            number(winner.printed_gap),
            number(winner.spread),
        )
        for winner in found
        if winner.verdict == "other"
    ]
    headings = ("table", "cell", "printed winner", "our winner", "printed gap", "spread")
    return f"{text}\n\n{markdown_text(TextTable(headings, others))}" if others else text


def _claims(folder: Path) -> Iterator[str]:
    if judged := saved_claims(folder, Effort()):
        rows = [(claim.number, claim.statement, claim.verdict, claim.findings) for claim in judged]
        table = markdown_text(TextTable(("", "claim of the paper", "verdict", "found"), rows))
        yield f"## Claims\n\nOf the paper's {len(judged)} conclusions: {counted(judged)}.\n\n{table}"


def _figures(folder: Path, beside: Path) -> Iterator[str]:
    for label in CHOSEN_FIGURES:
        source = image_file(folder / "figures" / Effort().name, label)
        if source is not None:
            beside.mkdir(exist_ok=True)
            shutil.copyfile(source, beside / source.name)
            title = FIGURES[label].title if label in FIGURES else label
            yield f"![{title}]({beside.name}/{source.name})\n\n`{label}`: {title}"
