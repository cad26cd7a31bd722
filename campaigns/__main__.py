"""`python -m campaigns`: list campaigns, run them, write the page about them."""

from __future__ import annotations

import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from campaigns import page
from campaigns.campaign import Result, run
from campaigns.registry import CAMPAIGNS

HERE = Path(__file__).parent
RECORD = HERE / "results"

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
console = Console(highlight=False, soft_wrap=True)


@app.command(name="list")
def list_campaigns() -> None:
    """List the campaigns: what they try, how often, and what is promised."""
    for name, campaign in CAMPAIGNS.items():
        console.print(f"{name}: {campaign.goal:,} {campaign.title.lower()}; {campaign.promise}")


@app.command(name="run")
def run_campaigns(
    names: Annotated[list[str] | None, typer.Argument(help="Campaigns; all of them by default.")] = None,
    trials: Annotated[int | None, typer.Option(help="How many trials, instead of the goal's number.")] = None,
    first: Annotated[
        int | None, typer.Option(help="Number of the first trial; results are then not saved.")
    ] = None,
    processes: Annotated[int, typer.Option(help="Processes that share the trials.")] = 2,
    results: Annotated[Path, typer.Option(help="Folder of the results; a stopped run resumes.")] = Path(
        "test-long"
    ),
    record: Annotated[bool, typer.Option("--record", help=f"Keep the results in {RECORD.name}/.")] = False,
) -> None:
    """Run campaigns up to a number of trials; exit with 1 if a promise was broken."""
    folder = RECORD if record else results
    n_broken = 0
    for name in names or CAMPAIGNS:
        campaign = CAMPAIGNS[name]
        result = Result() if first is not None else Result.load(folder / f"{name}.json")
        last = (first or 0) + (trials or -(-campaign.goal // campaign.per_trial))
        starts = range(result.trials if first is None else first, last, campaign.block)
        began, earlier = time.monotonic(), result.seconds
        with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
            blocks = [range(start, min(start + campaign.block, last)) for start in starts]
            for found in pool.map(run, [campaign] * len(blocks), blocks):
                result.add(found)
                result.seconds = earlier + time.monotonic() - began
                if first is None:
                    result.save(folder / f"{name}.json")
        n_broken += result.n_broken
        outcomes = ", ".join(f"{word} {count:,}" for word, count in sorted(result.outcomes.items()))
        console.print(f"{name}: {result.trials:,} trials; {outcomes}; broken {result.n_broken}")
        for broken in result.broken:
            console.print(f"  trial {broken['trial']}: {broken['what']}", markup=False)
    raise typer.Exit(1 if n_broken else 0)


@app.command(name="page")
def write_page() -> None:
    """Write the recorded results into docs/reliability.md."""
    page.write(RECORD)


if __name__ == "__main__":
    app()
