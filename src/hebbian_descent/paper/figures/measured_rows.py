"""The rows of the paper's tables that a figure shows: as printed, and as measured here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hebbian_descent.datasets import DatasetUnavailableError
from hebbian_descent.paper.experiments import Experiment, Job, Measured
from hebbian_descent.paper.experiments.association import AssociationJob
from hebbian_descent.paper.experiments.auto_association import AutoAssociationJob
from hebbian_descent.paper.experiments.classification import ClassificationJob
from hebbian_descent.paper.figures.base import NotMeasuredError
from hebbian_descent.paper.measurements import Measurements
from hebbian_descent.paper.printed import PrintedRow, printed_rows
from hebbian_descent.paper.run_context import Place
from hebbian_descent.paper.running import run_jobs
from hebbian_descent.paper.tables import TABLES

SMALL = frozenset({"rand", "randn", "adult"})
"""Datasets with few inputs, on which a quick look takes seconds."""

MOST_JOBS = 3


def printed(labels: Sequence[str]) -> list[PrintedRow]:
    """Return the printed rows of several tables."""
    return [row for label in labels for row in printed_rows(label)]


def measured(place: Place, labels: Sequence[str]) -> list[Measured]:
    """Return the measured rows of several tables; a quick look runs a small part of those never run."""
    measurements = Measurements(place.folder, place.effort)
    rows = {label: measurements.rows(label) for label in labels}
    missing = [label for label in labels if not rows[label]]
    if missing and not place.effort.quick:
        raise NotMeasuredError(
            f"The figure shows what was measured for {', '.join(labels)}. Got nothing for "
            f"{', '.join(missing)}: run them first, `{place.command('run', *missing)}`."
        )
    reasons: list[str] = []
    for label in missing:
        rows[label], without_data = run_jobs(TABLES[label], _small_jobs(TABLES[label], place), place)
        reasons += without_data
    found = [row for label in labels for row in rows[label]]
    if not found:
        raise DatasetUnavailableError(reasons[0])
    return found


def _small_jobs(experiment: Experiment, place: Place) -> list[Job]:
    """Return the first jobs on the first datasets that are small."""
    small = [job for job in experiment.jobs(replace(place.effort, draws=1)) if _datasets(job) <= SMALL]
    return [job for job in small if _datasets(job) == _datasets(small[0])][:MOST_JOBS]


def _datasets(job: Job) -> set[str]:
    if isinstance(job, AssociationJob):
        return {job.input_name, job.target_name}
    assert isinstance(job, (AutoAssociationJob, ClassificationJob))
    return {job.dataset}
