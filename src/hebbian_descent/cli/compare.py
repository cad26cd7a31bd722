"""`hebbian-descent compare`: how the printed numbers compare with ours."""

from __future__ import annotations

import json
from collections import Counter
from math import isnan
from typing import Annotated, Any

import typer

from hebbian_descent.cli.console import PlainConsole, echo, show_table
from hebbian_descent.cli.options import OUTPUT, Output
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
    labels: Annotated[list[str] | None, typer.Argument(help="Tables; all of them by default.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Everything as JSON instead of tables.")] = False,
    output: Output = OUTPUT,
) -> None:
    """Count how many printed numbers agree with ours, by table and column, and list those that differ.

    Differences are listed by reason, if the reason is known.

    Only what `run` computed with the paper's protocol is judged. Where patterns were drawn, a number agrees
    if it lies in the 99 % prediction interval of one more draw, or within 0.005 of our mean.
    """
    measurements = Measurements(output, Effort())
    verdicts = {
        label: compare_with_print(label, measurements.rows(label)) for label in labels or list(TABLES)
    }
    if as_json:
        echo(json.dumps(_as_data(verdicts), indent=1))
        return
    console = PlainConsole()
    show_table(_counts(verdicts))
    everything = [verdict for found in verdicts.values() for verdict in found]
    if not any(verdict.n for verdict in everything):
        command = RunContext(output).command("run", "LABEL")
        console.print(f"Nothing of this was run in {output}: `{command}` computes it.")
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
    return TextTable(["Table", "Column", "Agree", "Not judged", "RMS z"], rows, "Printed numbers", "llrrr")


def _as_data(verdicts: dict[str, list[Verdict]]) -> dict[str, Any]:
    return {
        label: {
            "summary": [_finite(summary._asdict()) for summary in summarise(found)],
            "results": [
                _finite({**v.row.cell, **v._asdict(), "row": None, "verdict": v.word, "reason": _why(v)})
                for v in found
            ],
            "winners": [_finite(winner._asdict()) for winner in winners(found)],
        }
        for label, found in verdicts.items()
    }


def _why(verdict: Verdict) -> str | None:
    return (reason(verdict) or None) if verdict.word == "differs" else None


def _finite(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record for JSON, which has no NaN."""
    return {
        name: None if isinstance(value, float) and value != value else value
        for name, value in record.items()
        if name != "row"
    }
