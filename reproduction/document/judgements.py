"""Sections on the verdicts: what they rest on, what swaps would change, what differs, who wins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from hebbian_descent.rules import rule_title
from hebbian_descent.table_formats import Cell, TextTable, markdown_text
from reproduction.comparison import Verdict
from reproduction.context_numbers import ContextSummary
from reproduction.document.cells import folded
from reproduction.layout import cell_name
from reproduction.notes import REASON_UNKNOWN
from reproduction.paired import PairedSummary, PairedVerdict, summarise_pairs
from reproduction.report.filters import number
from reproduction.summaries import PairDeviations, Support, Systematic, Winner
from reproduction.swaps import KINDS, Swaps, shares

ABOUT_SUPPORT = (
    "An agreement rests on the 99 % interval if the printed number lies in it, and otherwise on a "
    "tolerance: 0.005, or 5 % where whole datasets are learned."
)

ABOUT_SWAPS = (
    "An agreement says little where other numbers would agree as well. Each column shows how many of "
    "the agreements would still be agreements if the print had exchanged two numbers: of two cells of a "
    "rule, of two rules in one cell (if there are others than the two descents), and so on; exchanges of "
    "equal numbers do not count. Where the share is large, the agreement of the numbers does not tell the "
    "two apart; their paired difference does."
)

ABOUT_PAIRED = (
    "Two results of one draw saw the same patterns and began with the same weights. Their difference is "
    "compared, draw by draw (trial by trial where nothing is drawn), with the printed one. A difference is "
    "the first of the two less the second, so below zero the first has the smaller number. It is undecided "
    "if the opposite difference would agree as well or the interval reaches further than 0.01 and than the "
    "difference itself, and unpaired where single draws are not on record yet. The direction "
    "is that of our mean difference, where chance does not explain it and the print has no tie. Trials on "
    "whole datasets differ only in their initial weights, so there a thousandth can be enough to differ."
)

ABOUT_CONTEXT = (
    "The paper prints standard deviations over trials and, for auto-encoders, the best learning rate. A "
    "deviation agrees if the ratio of variances lies in the 99 % interval of the F distribution, a rate "
    "if it is the same of 35."
)

ABOUT_SYSTEMATICS = (
    "Trials on whole datasets differ little, so that small deviations that all units share can be seen. "
    "The table shows, for each dataset and rule, how many results lie further than three standard "
    "deviations from the print, and ours minus the printed number: median, smallest and largest."
)

ABOUT_PAIRS = (
    "All cells of a pair of datasets were printed from one draw of patterns, and so deviate together. "
    "It is the mean z of a pair that scatters by chance."
)


def support(found: list[Support]) -> str:
    """Return the section on what agreements rest on."""
    headings = ("table", "column", "interval", "0.005 alone", "5 % alone")
    rows = [(f"`{row.label}`", row.column, *row[2:]) for row in found if sum(row[2:])]
    total = [sum(column) for column in zip(*(row[2:] for row in found), strict=True)]
    text = (
        f"Of {sum(total):,} agreements {total[0]:,} rest on the interval, {total[1]} on 0.005 alone and "
        f"{total[2]} on 5 % alone. {ABOUT_SUPPORT}"
    )
    return f"{text}\n\n{markdown_text(TextTable(headings, rows))}"


def swaps(found: list[Swaps]) -> str:
    """Return the section on agreements that would survive swaps."""
    rows = [
        (f"`{label}`", column, *(_share(by_kind.get(kind)) for kind in KINDS))
        for (label, column), by_kind in shares(found).items()
    ]
    return f"{ABOUT_SWAPS}\n\n{markdown_text(TextTable(('table', 'column', *KINDS), rows))}"


def _share(swap: Swaps | None) -> str:
    return f"{swap.share:.0%} of {swap.n_swaps:,}" if swap else "–"


def paired(found: list[PairedVerdict]) -> str:
    """Return the section on paired differences."""
    words = Counter(pair.word for pair in found)
    text = (
        f"Of {len(found):,} printed differences {words['agrees']:,} agree with ours, "
        f"{words['differs']:,} differ, {words['undecided']:,} are undecided and "
        f"{words['unpaired']:,} are unpaired. {ABOUT_PAIRED}"
    )
    headings = (
        *("difference", "table", "column", "printed", "agree", "differ", "undecided", "unpaired"),
        *("same direction", "opposite", "open"),
    )
    rows = [_paired_row(summary) for summary in summarise_pairs(found)]
    counts = f"{text}\n\n{markdown_text(TextTable(headings, rows))}"
    differ = [pair for pair in found if pair.word == "differs" or pair.direction == "opposite"]
    if not differ:
        return counts
    of_pairs = ("difference", "table", "cell", "column", "ours", "printed", "z", "verdict", "direction")
    listed = markdown_text(TextTable(of_pairs, list(map(_paired_difference, differ))))
    return f"{counts}\n\n{folded('Differences that differ, or point the other way', listed)}"


def _paired_row(summary: PairedSummary) -> Sequence[Cell]:
    words = (summary.words[word] for word in ("agrees", "differs", "undecided", "unpaired"))
    directions = (summary.directions[word] for word in ("same", "opposite", "open"))
    return summary.kind, f"`{summary.label}`", summary.column, summary.n, *words, *directions


def _paired_difference(pair: PairedVerdict) -> Sequence[Cell]:
    ours = f"{number(pair.mean)} ± {number(pair.sd)}"
    name = cell_name(pair.first.cell)
    numbers = (ours, number(pair.printed), number(pair.z, 1), pair.word, pair.direction)
    return pair.kind, f"`{pair.first.label}`", name, pair.column, *numbers


def context(found: list[ContextSummary]) -> str:
    """Return the section on printed standard deviations and learning rates."""
    headings = ("table", "column", "printed", "agree", "a step apart", "differ", "not run")
    words = ("agrees", "a step apart", "differs", "not run")
    rows: list[Sequence[Cell]] = [
        (f"`{row.label}`", row.column, row.n, *(row.words[word] for word in words)) for row in found
    ]
    return f"{ABOUT_CONTEXT}\n\n{markdown_text(TextTable(headings, rows))}"


def systematics(found: list[Systematic]) -> str:
    """Return the section on deviations that the results of a dataset share."""
    headings = (
        *("table", "column", "dataset", "rule", "results", "beyond 3 sd"),
        *("median deviation", "smallest", "largest"),
    )
    rows = [
        (
            *(f"`{row.label}`", row.column, row.dataset, rule_title(row.rule), row.n, row.n_far),
            *(number(row.median), number(row.smallest), number(row.largest)),
        )
        for row in found
    ]
    n_far, n = Counter[str](), Counter[str]()
    for row in found:
        n_far[row.column] += row.n_far
        n[row.column] += row.n
    counts = "; ".join(f"{n_far[column]} of {n[column]} of `{column}`" for column in n)
    shared = "; ".join(
        f"{row.dataset} by {rule_title(row.rule)} in `{row.label}`, {row.column} ({row.n_far} of {row.n}, "
        f"median {number(row.median)})"
        for row in found
        if row.is_shared
    )
    table = markdown_text(TextTable(headings, rows))
    text = f"{ABOUT_SYSTEMATICS} Beyond three standard deviations: {counts}."
    return f"{text} Shared by most units: {shared or 'none'}.\n\n{table}"


def differences(found: dict[str, list[Verdict]]) -> str:
    """Return the section on results that differ, by reason."""
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


def pairs(found: list[PairDeviations]) -> Iterator[str]:
    """Yield the section on pairs of datasets, if any was run."""
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


def winners(found: list[Winner]) -> str:
    """Return the section on the best rules."""
    counts = Counter(winner.verdict for winner in found)
    text = (
        f"In {len(found)} comparisons of rules the printed winner is ours in {counts['same']}, "
        f"within the spread of ours in {counts['tie']}, and a different rule in {counts['other']}."
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
