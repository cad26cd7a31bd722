"""Compare the speed of sweeps with NumPy, PyTorch and JAX: `python bench/sweeps.py --help`."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import growth
import machine
import report
import workers
from comparison import Comparison, compare
from peers import installed_peers
from rich.console import Console
from timing import library_threads, use_cores
from works import WORKS

CORES = 2
WIDTH = 130
QUICK = {"repeats": 2, "seconds_per_pass": 0.5, "most_runs": 1000, "trials": 1}
FULL = {"repeats": 7, "seconds_per_pass": 2.0, "most_runs": 7000, "trials": 15}


def main() -> None:
    """Run what was requested, print tables and write files."""
    options = parsed_options()
    console = Console(width=WIDTH)
    settings = dict(QUICK if options.quick else FULL)
    settings["repeats"] = options.repeats or settings["repeats"]
    n_cores = use_cores(CORES)
    about = machine.description(n_cores)
    console.print(about)
    with library_threads(n_cores):
        results = []
        for name, measure in measurements(settings, n_cores, console).items():
            if options.only in (None, name):
                results.append(measure())
                console.print(report.sheet_of(results[-1]).drawn())
    sheets = [report.sheet_of(result) for result in results]
    if comparisons := [result for result in results if isinstance(result, Comparison)]:
        sheets.insert(0, report.summary(comparisons))
        console.print(sheets[0].drawn())
    if options.json:
        content = {
            "machine": about,
            "settings": settings,
            "results": [result.as_dict() for result in results],
        }
        options.json.write_text(json.dumps(content, indent=2) + "\n")
    if options.markdown:
        options.markdown.write_text(report.in_markdown(sheets, about))
    if wrong := [comparison.work.name for comparison in comparisons if comparison.disagreements]:
        raise SystemExit(f"Peers disagree about {', '.join(wrong)}; see the tables.")


def parsed_options() -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    names = (*WORKS, growth.NAME, workers.NAME)
    parser.add_argument("--quick", action="store_true", help="few repeats and few runs of slow peers")
    parser.add_argument("--only", choices=names, help="one piece of work instead of all")
    parser.add_argument("--repeats", type=int, help="how often everything is timed")
    parser.add_argument("--json", type=Path, help="a file for everything that was measured")
    parser.add_argument("--markdown", type=Path, help="a file for the tables")
    return parser.parse_args()


def measurements(settings: dict[str, Any], n_cores: int, console: Console) -> dict[str, Callable[[], Any]]:
    """Return everything that can be measured, by name."""
    peers, missing = installed_peers()
    for reason in missing:
        console.print(f"[yellow]Left out: {reason}.[/yellow]")
    repeats, seconds_per_pass = settings["repeats"], settings["seconds_per_pass"]

    def compared(name: str) -> Comparison:
        return compare(
            WORKS[name](name), peers, repeats=repeats, seconds_per_pass=seconds_per_pass, n_cores=n_cores
        )

    return {
        **{name: partial(compared, name) for name in WORKS},
        growth.NAME: partial(growth.measure_growth, repeats=repeats, most_runs=settings["most_runs"]),
        workers.NAME: partial(
            workers.measure_workers, repeats=max(1, repeats // 3), trials=settings["trials"]
        ),
    }


if __name__ == "__main__":
    main()
