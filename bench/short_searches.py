"""What short runs choose: results of `docs/protocol.md` as they were before all rates ran for all epochs.

Large classification and Hebb's auto-encoders once searched their learning rate by halving: all 35 for a short
time, ever fewer for ever longer. Here the same jobs run with that search again. Run with

    python bench/short_searches.py FOLDER

where FOLDER holds what is finished, so that a stopped run resumes; about a quarter of an hour on two cores.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any
from unittest.mock import patch

from rich.console import Console

from hebbian_descent.sweep import Found, halving
from reproduction.context import Context, Effort
from reproduction.experiments import auto_association, classification
from reproduction.rows import settings_of
from reproduction.running import run
from reproduction.tables import TABLES

JOBS = (
    ("tab:label_learning_centered", "mnist-linear"),
    ("text:auto_associative_hebb", "mnist-sigmoid-linear"),
    ("text:auto_associative_hebb", "cifar-sigmoid-linear"),
)


def main() -> None:
    """Run the jobs and print the results beside their learning rates."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="folder of finished work")
    context, say = Context(parser.parse_args().folder), Console(soft_wrap=True).print
    for label, name in JOBS:
        jobs = [job for job in TABLES[label].jobs(Effort()) if job.name == name]
        rows = run(TABLES[label], context, jobs).rows
        found = rows.groupby([*settings_of(rows), "measure"], observed=True)["value"]
        say(name, found.agg(["mean", "std", "size"]).to_string())


def by_short_runs(*arguments: Any, saves: str, **options: Any) -> list[Found]:
    """Search as before: whatever was to be saved, save epochs."""
    return halving(*arguments, saves="epochs", **options)


if __name__ == "__main__":
    with (
        patch.object(classification, "halving", by_short_runs),
        patch.object(auto_association, "halving", by_short_runs),
    ):
        main()
