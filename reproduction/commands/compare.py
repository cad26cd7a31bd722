"""`hebbian-descent compare`: how the printed numbers compare with ours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import isnan
from typing import Annotated, Any

import typer

from hebbian_descent.checks import unknown_name
from hebbian_descent.cli import completion
from hebbian_descent.cli.console import PlainConsole, print_fitting, stacked
from hebbian_descent.cli.json_output import write_json
from hebbian_descent.cli.messages import say, say_where_from
from hebbian_descent.cli.options import OUTPUT, Json, Output
from hebbian_descent.table_formats import TextTable
from reproduction.comparison import Verdict
from reproduction.context_numbers import BEST_RATE, RESULT_OF, ContextVerdict
from reproduction.layout import cell_name
from reproduction.notes import REASON_UNKNOWN, differences, reason
from reproduction.paired import PairedVerdict, PairedWord
from reproduction.results import Results
from reproduction.run_context import RunContext
from reproduction.summaries import Support, Winner, summarise, supports, winners
from reproduction.swaps import DESCENTS, OFFSETS, Swaps, shares, swaps
from reproduction.tables import TABLES


def compare(
    labels: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="LABEL",
            help="Tables; all of them by default.",
            autocompletion=completion.printed_tables,
            show_default=False,
        ),
    ] = None,
    output: Output = OUTPUT,
    as_json: Json = False,
) -> None:
    """Count how many printed numbers agree with ours, by table and column, and list those that differ.

    Differences are listed by reason, if the reason is known. A run of your own by the paper's protocol is
    judged; tables without one show the evidence kept in OUTPUT, such as that in a clone of the repository.

    Where patterns were drawn, a number agrees if it lies in the 99 % prediction interval of one more draw, or
    within 0.005 of our mean. With fewer than five draws (three trials where whole datasets are learned), or
    if the interval is too wide, it is undecided.
    Blind is the share of agreements that would survive if the print had exchanged gradient descent and
    Hebbian-descent, or fixed and adaptive offsets: the larger one. Paired differences of these, and of
    centering, are counted below.

    **Example**

        hebbian-descent compare tab:Hetero_online_centered_1
    """
    for label in labels or ():
        if label not in TABLES:
            raise unknown_name("label of a printed table", label, TABLES)
    results = Results(output)
    chosen = labels or list(TABLES)
    if as_json:
        write_json(comparison_records(results, chosen))
        return
    verdicts = {label: results.verdicts(label) for label in chosen}
    everything = [verdict for found in verdicts.values() for verdict in found]
    console = PlainConsole()
    print_fitting(_counts(verdicts, shares(swaps(everything))), wrap=[0, 1])
    if not any(verdict.n for verdict in everything):
        command = RunContext(output).command("run", "LABEL")
        say(
            f"Nothing of this was run by the paper's protocol in {output}: `{command}` computes it. "
            "Quick runs are not compared; `table LABEL --quick` and `report --quick` show them."
        )
        return
    console.print(ABOUT_BLIND, soft_wrap=True)
    say_where_from(results, chosen)
    _print_support(console, supports(everything))
    _print_paired(console, results.pairs(everything))
    _print_context(console, [found for label in chosen for found in results.context(label)])
    _print_winners(console, winners(everything))
    _print_differences(console, everything)


ABOUT_BLIND = (
    "Blind: share of agreements that would remain if the printed numbers of the two descents, or of the two "
    "offsets, were swapped."
)


def _print_support(console: PlainConsole, found: list[Support]) -> None:
    interval, absolute, relative = (sum(counts) for counts in zip(*(row[2:] for row in found), strict=True))
    console.print(
        f"Agreements by the interval: {interval}; by 0.005 alone: {absolute}; by 5 % alone: {relative}."
    )


def _print_paired(console: PlainConsole, found: list[PairedVerdict]) -> None:
    for kind in dict.fromkeys(pair.kind for pair in found):
        words = Counter(pair.word for pair in found if pair.kind == kind)
        directions = Counter(pair.direction for pair in found if pair.kind == kind and pair.n)
        counts = ", ".join(f"{words[word]} {text}" for word, text in PAIRED_WORDS.items() if words[word])
        console.print(
            f"Paired, {kind}: {counts}; direction {directions['same']} the same, "
            f"{directions['opposite']} opposite.",
            soft_wrap=True,
        )


def _print_context(console: PlainConsole, found: list[ContextVerdict]) -> None:
    for name, columns in CONTEXT_TITLES.items():
        words = Counter(verdict.word for verdict in found if verdict.column in columns)
        counts = ", ".join(f"{n} {CONTEXT_WORDS.get(word, word)}" for word, n in words.most_common())
        if counts:
            console.print(f"{name}: {counts}.", soft_wrap=True)


PAIRED_WORDS: dict[PairedWord, str] = {
    "agrees": "agree",
    "differs": "differ",
    "undecided": "undecided",
    "unpaired": "unpaired",
}
CONTEXT_WORDS = {"agrees": "agree", "differs": "differ"}
CONTEXT_TITLES = {"Printed standard deviations": tuple(RESULT_OF), "Printed learning rates": (BEST_RATE,)}


def _print_winners(console: PlainConsole, found: list[Winner]) -> None:
    counts = Counter(winner.verdict for winner in found)
    console.print(
        f"Winners: {counts['same']} the same, {counts['tie']} within the spread, {counts['other']} other.",
    )
    for winner in found:
        if winner.verdict == "other":
            console.print(
                f"  {winner.label} {cell_name(winner.cell)}: ours {winner.ours}, printed "
                f"{', '.join(winner.printed)} by {winner.printed_gap:.4f}, spread {winner.spread:.4f}",
                soft_wrap=True,
            )


def _print_differences(console: PlainConsole, verdicts: list[Verdict]) -> None:
    for why, different in differences(verdicts).items():
        console.print(f"\n{why or REASON_UNKNOWN}")
        for verdict in different:
            console.print(
                f"  {verdict.row.label} {cell_name(verdict.row.cell)} {verdict.column}: "
                f"ours {verdict.mean:.4f} ± {verdict.sd:.4f}, printed {verdict.printed:.4f}, "
                f"z {verdict.z:.1f}",
                soft_wrap=True,
            )


def _counts(
    verdicts: dict[str, list[Verdict]], power: Mapping[tuple[str, str], Mapping[str, Swaps]]
) -> TextTable:
    rows = []
    for label, found in verdicts.items():
        for summary in summarise(found):
            agree = f"{summary.n_agree}/{summary.n_judged}" if summary.n_run else ""
            undecided, absent = summary.n_run - summary.n_judged, summary.n_results - summary.n_run
            blind = _blind(power.get((label, summary.column), {}))
            z = "" if isnan(summary.rms_z) else f"{summary.rms_z:.2f}"
            rows.append([label, summary.column, agree, str(undecided or ""), str(absent or ""), blind, z])
    headings = [
        "Table",
        "Column",
        "Agree",
        stacked("Unde- cided"),
        stacked("Not run"),
        "Blind",
        stacked("RMS z"),
    ]
    return TextTable(headings, rows, "Printed numbers", "llrrrrr")


def _blind(by_kind: Mapping[str, Swaps]) -> str:
    """Return the larger share of swaps that go unnoticed, of the two rules or of the two offsets."""
    tried = [by_kind[kind].share for kind in (DESCENTS, OFFSETS) if kind in by_kind]
    return f"{max(tried):.0%}" if tried else ""


def comparison_records(results: Results, labels: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return everything that is known about each table, for JSON; a pair is under the table of its first."""
    verdicts = {label: results.verdicts(label) for label in labels}
    everything = [verdict for found in verdicts.values() for verdict in found]
    swapped, pairs = swaps(everything), results.pairs(everything)  # partners may be in another table
    return {label: _comparison(found, results, swapped, pairs) for label, found in verdicts.items()}


def _comparison(
    verdicts: list[Verdict], results: Results, swapped: list[Swaps], pairs: list[PairedVerdict]
) -> dict[str, Any]:
    label = verdicts[0].row.label
    return {
        "source": "run" if results.own(label) else "kept" if results.kept.numbers.get(label) else "none",
        "origin": results.origin(label),
        "summary": summarise(verdicts),
        "results": list(map(_record, verdicts)),
        "context": [_without_row(found) for found in results.context(label)],
        "swaps": [swap for swap in swapped if swap.label == label],
        "paired": [_pair(pair) for pair in pairs if pair.first.label == label],
        "winners": winners(verdicts),
    }


def _record(verdict: Verdict) -> dict[str, Any]:
    record = _without_row(verdict)
    return {**record, "reason": (reason(verdict) or None) if verdict.word == "differs" else None}


def _without_row(verdict: Verdict | ContextVerdict) -> dict[str, Any]:
    """Return a verdict with the words of its cell in place of its printed row."""
    record = {**verdict.row.cell, **verdict._asdict(), "verdict": verdict.word}
    return {name: value for name, value in record.items() if name not in ("row", "word")}


def _pair(pair: PairedVerdict) -> dict[str, Any]:
    record = {**pair._asdict(), "first": cell_name(pair.first.cell), "second": cell_name(pair.second.cell)}
    return {("verdict" if name == "word" else name): value for name, value in record.items()}
