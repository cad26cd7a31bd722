"""`hebbian-descent compare`: how the printed numbers compare with ours."""

from __future__ import annotations

from collections import Counter
from math import isnan
from typing import Annotated, Any

import typer

from hebbian_descent.checks import unknown_name
from hebbian_descent.cli import completion
from hebbian_descent.cli.console import PlainConsole, print_fitting, stacked
from hebbian_descent.cli.json_output import write_json
from hebbian_descent.cli.messages import say
from hebbian_descent.cli.options import OUTPUT, Json, Output
from hebbian_descent.paper.comparison import Verdict
from hebbian_descent.paper.comparison import compare as compare_with_print
from hebbian_descent.paper.layout import cell_name
from hebbian_descent.paper.measurements import Measurements
from hebbian_descent.paper.notes import REASON_UNKNOWN, differences, reason
from hebbian_descent.paper.run_context import Effort, RunContext
from hebbian_descent.paper.summaries import Winner, summarise, winners
from hebbian_descent.paper.tables import TABLES
from hebbian_descent.table_formats import TextTable


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

    Differences are listed by reason, if the reason is known.

    Only what `run` computed with the paper's protocol is judged. Where patterns were drawn, a number agrees
    if it lies in the 99 % prediction interval of one more draw, or within 0.005 of our mean.

    **Example**

        hebbian-descent compare tab:Hetero_online_centered_1
    """
    for label in labels or ():
        if label not in TABLES:
            raise unknown_name("label of a printed table", label, TABLES)
    measurements = Measurements(output, Effort())
    verdicts = {
        label: compare_with_print(label, measurements.rows(label)) for label in labels or list(TABLES)
    }
    if as_json:
        write_json({label: comparison_record(found) for label, found in verdicts.items()})
        return
    console = PlainConsole()
    print_fitting(_counts(verdicts), wrap=[0, 1])
    everything = [verdict for found in verdicts.values() for verdict in found]
    if not any(verdict.n for verdict in everything):
        command = RunContext(output).command("run", "LABEL")
        say(
            f"Nothing of this was run by the paper's protocol in {output}: `{command}` computes it. "
            "Quick runs are not compared; `table LABEL --quick` and `report --quick` show them."
        )
        return
    _print_winners(console, winners(everything))
    _print_differences(console, everything)


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


def _counts(verdicts: dict[str, list[Verdict]]) -> TextTable:
    rows = []
    for label, found in verdicts.items():
        for summary in summarise(found):
            agree = f"{summary.n_agree}/{summary.n_judged}" if summary.n_run else ""
            open_ = summary.n_results - summary.n_judged
            z = "" if isnan(summary.rms_z) else f"{summary.rms_z:.2f}"
            rows.append([label, summary.column, agree, str(open_ or ""), z])
    headings = ["Table", "Column", "Agree", stacked("Not judged"), stacked("RMS z")]
    return TextTable(headings, rows, "Printed numbers", "llrrr")


def comparison_record(verdicts: list[Verdict]) -> dict[str, Any]:
    """Return all that is known about a table, for JSON."""
    return {
        "summary": summarise(verdicts),
        "results": list(map(_record, verdicts)),
        "winners": winners(verdicts),
    }


def _record(verdict: Verdict) -> dict[str, Any]:
    record = {**verdict.row.cell, **verdict._asdict(), "verdict": verdict.word}
    del record["row"]
    return {**record, "reason": (reason(verdict) or None) if verdict.word == "differs" else None}
