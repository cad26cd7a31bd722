"""`hebbian-descent claims`: the paper's conclusions, judged by our numbers."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from hebbian_descent.cli.console import PlainConsole
from hebbian_descent.cli.failures import resumable
from hebbian_descent.cli.json_output import write_json
from hebbian_descent.cli.messages import say, say_where_from, waiting_for
from hebbian_descent.cli.options import OUTPUT, Json, Output
from hebbian_descent.paper.claims import Judged, judge_all
from hebbian_descent.paper.claims.base import N_CONCLUSIONS, Word, counted, kept_claims, save_claims
from hebbian_descent.paper.measurements import Measurements
from hebbian_descent.paper.results import Results
from hebbian_descent.paper.run_context import Effort, RunContext
from hebbian_descent.paper.tables import TABLES

COLOURS: dict[Word, str] = {
    "holds": "green",
    "holds with limits": "yellow",
    "misprint (corrected it holds)": "yellow",
    "does not hold": "red",
    "undecided": "cyan",
    "not run": "dim",
    "not judged at this effort": "dim",
}


def claims(
    quick: Annotated[
        bool, typer.Option("--quick", help="Look at quick runs: only what needs no measurement is judged.")
    ] = False,
    again: Annotated[
        bool, typer.Option("--again", help="Where nothing was run, judge by the kept evidence.")
    ] = False,
    output: Output = OUTPUT,
    as_json: Json = False,
) -> None:
    """Judge the paper's twenty conclusions, and some statements of its text, by stated rules.

    A claim holds, holds with limits, is a misprint (corrected it holds), does not hold, or is undecided.
    Identities are checked on small networks; conclusions from the paper's tables are judged by what `run`
    measured; a few curves are computed here, which takes minutes the first time. The verdicts are saved in
    OUTPUT for the report. Without a run of your own, the verdicts kept in OUTPUT are shown, such as those in
    a clone of the repository.

    **Example**

        hebbian-descent claims --quick
    """
    context = RunContext(output, Effort(quick=quick))
    judged = [] if quick or again or Measurements(output, context.effort).labels() else kept_claims(output)
    if judged:
        say(
            f"From the evidence kept in {output}: it has no run of your own. "
            f"`{context.command('claims', '--again')}` judges again, by the kept numbers."
        )
    else:
        with resumable(output), waiting_for("Judging the claims; the forgetting curves take longest"):
            judged = judge_all(context)
            save_claims(output, context.effort, judged)
        say_where_from(Results(output, context.effort), TABLES)
    if as_json:
        write_json(judged)
        return
    console = PlainConsole()
    for claim in judged:
        if claim.number == N_CONCLUSIONS + 1:
            console.print("Statements of the text", style="bold")
            console.print()
        _print(console, claim)
        console.print()
    console.print(counted(judged))
    if quick:
        console.print("Quick runs give no verdicts; without --quick everything is judged.")


def _print(console: PlainConsole, claim: Judged) -> None:
    """Print a claim, how it was checked, by which rule, the verdict, what was found, and where to look."""
    block = Table.grid(padding=(0, 1))
    block.add_column(justify="right", no_wrap=True, width=9)
    block.add_column(overflow="fold")
    block.add_row(f"{claim.number}.", Text(claim.statement, "bold"))
    block.add_row(Text("checked", "dim"), Text(claim.check, "dim"))
    block.add_row(Text("rule", "dim"), Text(claim.rule, "dim"))
    block.add_row(Text("verdict", "dim"), Text(claim.verdict, COLOURS[claim.verdict]))
    if claim.correction:
        block.add_row(Text("corrected", "dim"), Text(claim.correction))
    block.add_row(Text("found", "dim"), Text(claim.findings))
    block.add_row(Text("evidence", "dim"), Text(", ".join(claim.evidence), "dim"))
    console.print(block)
