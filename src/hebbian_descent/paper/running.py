"""Run the jobs of an experiment one after another, and keep what each measured."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from hebbian_descent.datasets import DatasetUnavailableError
from hebbian_descent.paper.experiments.base import Experiment, Job, Measured
from hebbian_descent.paper.measurements import Measurements
from hebbian_descent.paper.run_context import Place

Work = TypeVar("Work")


def run_jobs(
    experiment: Experiment, jobs: Iterable[Job], place: Place, done: Callable[[Job], None] = lambda job: None
) -> tuple[list[Measured], list[str]]:
    """Return what the jobs measured, and why those that lack their data could not run."""
    measurements = Measurements(place.folder, place.effort)
    measured: list[Measured] = []
    reasons: dict[str, None] = {}
    for job in jobs:
        start = time.perf_counter()
        try:
            rows = job.run(place)
        except DatasetUnavailableError as error:
            reasons[str(error)] = None
        else:
            measurements.write(experiment, job.name, rows, time.perf_counter() - start)
            measured += rows
        done(job)
    return measured, list(reasons)


def share(work: Sequence[Work], part: int, parts: int) -> list[Work]:
    """Return part 1, 2, … of several equal parts of the work."""
    return [piece for number, piece in enumerate(work) if number % parts == part - 1]
