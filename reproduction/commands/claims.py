"""`hebbian-descent claims`: the paper's conclusions, judged by our numbers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from hebbian_descent.cli.console import PlainConsole
from hebbian_descent.cli.failures import resumable
from hebbian_descent.cli.json_output import write_json
from hebbian_descent.cli.messages import say, say_where_from, waiting_for
from hebbian_descent.cli.options import OUTPUT, Json, Output
from hebbian_descent.safe_files import write_atomically
from reproduction import claims as paper_claims
from reproduction.claims.base import (
    N_CONCLUSIONS,
    Judged,
    Word,
    counted,
    judged,
    kept_claims,
    save_claims,
)
from reproduction.kept_evidence import claims_origin, origins_file, read_kept
from reproduction.measurements import Measurements
from reproduction.origin import Origin, this_origin
from reproduction.results import Results
from reproduction.run_context import Effort, RunContext
from reproduction.tables import TABLES

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
        bool,
        typer.Option("--again", help="Judge every claim again, by the kept evidence where nothing was run."),
    ] = False,
    output: Output = OUTPUT,
    as_json: Json = False,
) -> None:
    """Judge the paper's twenty conclusions, and some statements of its text, by stated rules.

    A claim holds, holds with limits, is a misprint (corrected it holds), does not hold, or is undecided.
    Identities are checked on small networks; conclusions from the paper's tables are judged by what `run`
    measured; a few curves are computed here, which takes minutes the first time. The verdicts are saved in
    OUTPUT for the report. Claims on tables without a run of your own show the verdict kept in OUTPUT, such as
    those in a clone of the repository.

    **Example**

        hebbian-descent claims --quick
    """
    context = RunContext(output, Effort(quick=quick))
    found = _found(context, [] if quick or again else kept_claims(output))
    if as_json:
        write_json(found)
        return
    console = PlainConsole()
    for claim in found:
        if claim.number == N_CONCLUSIONS + 1:
            console.print("Statements of the text", style="bold")
            console.print()
        _print(console, claim)
        console.print()
    console.print(counted(found))
    if quick:
        console.print(
            "Only claims that need no measurement are judged. The others are not judged at this effort, "
            "whatever `run --quick` measures: use `run`, then `claims`, without --quick."
        )


def _found(context: RunContext, kept: Sequence[Judged]) -> Sequence[Judged]:
    """Return the kept verdicts, except on claims with a table of your own run, which are judged."""
    own = Measurements(context.folder, context.effort).labels() if kept else []
    on_own = _claims_on(own)
    again = f"`{context.command('claims', '--again')}` judges"
    if kept and not _are_of_today(kept):
        say(f"Some kept verdicts are on claims or rules of another version: {again} by those of this one.")
    if kept and not on_own:
        why = "no claim is on a table of your own run" if own else "it has no run of your own"
        say(f"From the evidence kept in {context.folder}: {why}. {again} again, by the kept numbers.")
        return kept
    shown = {claim.number: claim for claim in kept if claim.number not in on_own}
    origin = this_origin()  # now: sources may change while claims are judged
    with resumable(context.folder), waiting_for("Judging the claims; the forgetting curves take longest"):
        found = _judged_except(context, shown)
        save_claims(context.folder, context.effort, found)
        _save_origins(context, [claim.number for claim in found if claim.number not in shown], shown, origin)
    say_where_from(Results(context.folder, context.effort), TABLES)
    if shown:
        new = ", ".join(str(claim.number) for claim in found if claim.number not in shown)
        say(
            f"Judged now: {new}. The other claims: evidence kept in {context.folder}; "
            f"{again} them again, by the kept numbers."
        )
    return found


def _are_of_today(kept: Sequence[Judged]) -> bool:
    """Return whether the kept claims and their rules are those of this version."""
    return {(claim.number, claim.statement, claim.rule) for claim in kept} == {
        (claim.number, claim.statement, claim.rule) for claim in paper_claims.CLAIMS
    }


def _save_origins(context: RunContext, new: Collection[int], shown: Collection[int], origin: Origin) -> None:
    """Save where the verdicts come from: they may be added to evidence much later."""
    earlier = read_kept(context.folder).origins.get("claims", Origin())
    origins = dict.fromkeys(map(str, new), origin) | dict.fromkeys(map(str, shown), earlier)
    write_atomically(claims_origin(context.folder, context.effort), origins_file(origins))


def _claims_on(labels: Collection[str]) -> set[int]:
    """Return the numbers of the claims with one of these tables as evidence."""
    return {claim.number for claim in paper_claims.CLAIMS if not set(claim.evidence).isdisjoint(labels)}


def _judged_except(context: RunContext, kept: Mapping[int, Judged]) -> list[Judged]:
    """Judge every claim, except those with a kept verdict."""
    return [kept.get(claim.number) or judged(claim, context) for claim in paper_claims.CLAIMS]


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
