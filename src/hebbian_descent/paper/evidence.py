"""Evidence of the reproduction: a document and a CSV file that show every printed result with ours.

The document holds counts, differences, winners, claims, figures and tables.
"""

from __future__ import annotations

import math
import shutil
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from hebbian_descent.paper.claims.base import N_CONCLUSIONS, Judged, counted, saved_claims
from hebbian_descent.paper.comparison import Verdict, cell_key
from hebbian_descent.paper.figures import FIGURES
from hebbian_descent.paper.layout import Line, cell_name
from hebbian_descent.paper.measurements import Measurements
from hebbian_descent.paper.notes import REASON_UNKNOWN, differences
from hebbian_descent.paper.report.content import Column, PaperTable, paper_tables
from hebbian_descent.paper.report.filters import MARKS, baseline, duration, number
from hebbian_descent.paper.report.images import image_file
from hebbian_descent.paper.run_context import Effort
from hebbian_descent.paper.summaries import PairDeviations, Winner, pair_deviations, winners
from hebbian_descent.rules import rule_title
from hebbian_descent.safe_files import write_atomically
from hebbian_descent.table_formats import Cell, Marked, TextTable, csv_text, markdown_text

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
        rows = [(claim.number, *_claim_cells(claim), claim.findings) for claim in judged]
        table = markdown_text(TextTable(("", "claim of the paper", "rule", "verdict", "found"), rows))
        conclusions = sum(claim.number <= N_CONCLUSIONS for claim in judged)
        yield (
            f"## Claims\n\nOf {conclusions} conclusions and {len(judged) - conclusions} statements of the "
            f"paper's text: {counted(judged)}. The rule beside each says when it holds.\n\n{table}"
        )


def _claim_cells(claim: Judged) -> tuple[str, str, str]:
    corrected = f" Corrected: {claim.correction}" if claim.correction else ""
    return f"{claim.statement}{corrected}", claim.rule, claim.verdict


def _figures(folder: Path, beside: Path) -> Iterator[str]:
    for label in CHOSEN_FIGURES:
        source = image_file(folder / "figures" / Effort().name, label)
        if source is not None:
            beside.mkdir(exist_ok=True)
            shutil.copyfile(source, beside / source.name)
            title = FIGURES[label].title if label in FIGURES else label
            yield f"![{title}]({beside.name}/{source.name})\n\n`{label}`: {title}"


COLUMNS = ("table", "cell", "column", "ours", "sd", "printed", "verdict", "z", "n", "best_rate", "seconds")


def write_summary(folder: Path, path: Path) -> None:
    """Write one line per printed result; its seconds are those of the jobs that computed it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows: list[list[str]] = []
    for table in paper_tables(folder, Effort()):
        seconds = _seconds_of_cells(folder, table.label)
        rows += (_line(verdict, seconds[cell_key(verdict.row.cell)]) for verdict in table.verdicts)
    write_atomically(path, csv_text(TextTable(COLUMNS, rows)).encode())


def _line(v: Verdict, seconds: float) -> list[str]:
    run = v.n > 0
    return [
        v.row.label,
        cell_name(v.row.cell),
        v.column,
        f"{v.mean:.6f}" if run else "",
        "" if math.isnan(v.sd) else f"{v.sd:.6f}",
        f"{v.printed:g}",
        v.word,
        "" if math.isnan(v.z) else f"{v.z:.3f}",
        str(v.n),
        f"{v.learning_rate:g}" if run else "",
        f"{seconds:.1f}" if run else "",
    ]


def _seconds_of_cells(folder: Path, label: str) -> dict[tuple[tuple[str, str], ...], float]:
    seconds: dict[tuple[tuple[str, str], ...], float] = defaultdict(float)
    for measurement in Measurements(folder, Effort()).read(label):
        for cell in {cell_key(row.cell) for row in measurement.rows}:
            seconds[cell] += measurement.seconds
    return seconds


ABOUT_CELLS = (
    "In each cell: ours, the printed number in brackets, and whether they agree ({agrees}), differ "
    "({differs}) or are undecided after one draw ({undecided}). Bold is the best of a line, ours and theirs."
).format(**MARKS)


def all_cells(tables: list[PaperTable]) -> Iterator[str]:
    """Yield a heading for each table, and each of its columns as a collapsed section."""
    for table in tables:
        yield f"### {table.title} `{table.label}`"
        yield from map(_folded, table.columns)


def _folded(column: Column) -> str:
    headings = ["data", "units", *map(rule_title, column.rules), *(["baseline"] if column.is_error else [])]
    table = markdown_text(TextTable(headings, [list(_cells(line, column)) for line in column.lines]))
    # The blank lines make the table one of Markdown again inside of HTML.
    return f"<details>\n<summary>{column.title}: {column.summary}</summary>\n\n{table}\n\n</details>"


def _cells(line: Line, column: Column) -> Iterator[Cell]:
    yield line.heading
    yield line.units
    for rule in column.rules:
        verdict = line.by_rule.get(rule)
        yield _cell(verdict, rule in line.best, rule in line.best_in_print) if verdict else ""
    if column.is_error:
        yield number(baseline(line))


def _cell(verdict: Verdict, is_best: bool, is_best_in_print: bool) -> Cell:
    ours, printed = Marked(number(verdict.mean), is_best), Marked(number(verdict.printed), is_best_in_print)
    if not verdict.n:
        return "– (", printed, ")"
    return ours, " (", printed, f") {MARKS[verdict.word]}"
