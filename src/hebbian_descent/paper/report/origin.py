"""What the numbers of the report were computed with: versions, machine, seeds."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from hebbian_descent.paper.effort import Effort
from hebbian_descent.paper.measurements import Measurements
from hebbian_descent.storage.results import provenance


class Origin(NamedTuple):
    """Facts on this page and on the measurements that it shows."""

    now: dict[str, Any]
    """The machine and the versions that wrote the page."""
    computed_with: list[tuple[str, int]]
    """Versions that measured, and how many jobs did so with them."""


def origin(folder: Path, effort: Effort) -> Origin:
    """Ask this process and the measurements."""
    measurements = Measurements(folder, effort)
    counts = Counter(
        ", ".join(f"{name} {version}" for name, version in measurement.versions.items())
        for label in measurements.labels()
        for measurement in measurements.read(label)
    )
    return Origin(dict(provenance()), counts.most_common())
