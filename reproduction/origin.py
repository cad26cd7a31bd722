"""Origin of measurements: when, from which commit, on which processor and with which versions."""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Iterable
from datetime import date
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy

import hebbian_descent

SPAN, OR = " to ", " or "
SOURCES = ("src", "reproduction", ":!reproduction/data", ":!reproduction/output")
"""What decides numbers, as git's patterns."""


class Origin(NamedTuple):
    """Where numbers come from; a field is empty if it was not recorded."""

    date: str = ""
    """Such as 2025-01-31."""
    commit: str = ""
    """Of the sources; ends in "+" if they differ from it."""
    versions: str = ""
    processor: str = ""
    seeds: str = ""
    """Such as "0 to 9": one for each draw of the patterns."""


@cache
def this_origin() -> Origin:
    """Return the origin of what is measured by this process."""
    versions = f"Python {platform.python_version()}, NumPy {np.__version__}, SciPy {scipy.__version__}"
    return Origin(
        date.today().isoformat(),
        source_commit(),
        f"hebbian-descent {hebbian_descent.__version__}, {versions}",
        processor_name(),
    )


def one_line(origins: Iterable[Origin]) -> Origin:
    """Return one origin for several: what they agree on, and the first and last date.

    Each may itself be one for several.
    """
    columns = list(zip(*origins, strict=True)) or [()]
    dates = sorted({date for text in columns[0] for date in text.split(SPAN) if date})
    rest = (OR.join(dict.fromkeys(w for text in texts for w in text.split(OR) if w)) for texts in columns[1:])
    return Origin(SPAN.join(dict.fromkeys([*dates[:1], *dates[-1:]])), *rest)


def source_commit() -> str:
    """Return the commit of library and reproduction; nothing if they are not under version control."""
    root = Path(__file__).parents[1]
    commit = _git(root, "rev-parse", "--short=12", "HEAD")
    return f"{commit}+" if commit and _git(root, "status", "--porcelain", "--", *SOURCES) else commit


def _git(folder: Path, *words: str) -> str:
    try:
        answer = subprocess.run(
            ["git", "-C", str(folder), *words], capture_output=True, text=True, timeout=10, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return answer.stdout.strip() if answer.returncode == 0 else ""


def processor_name() -> str:
    """Return the name of the processor, or of its architecture."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, "") or platform.processor() or platform.machine()
