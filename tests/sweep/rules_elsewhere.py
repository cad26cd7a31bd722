"""Rules for sweeps in other processes: one that harms nobody, and one that kills its process."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from hebbian_descent import Factors, Rule
from hebbian_descent.rules import Activity


def harmless(activity: Activity) -> Factors:
    return Factors(activity.inputs - activity.offset, activity.output - activity.targets)


HARMLESS = Rule("harmless", harmless)


def deadly(times: int, folder: Path) -> Rule:
    """A rule that kills the process in which it is used, so many times in all."""
    deaths = str(folder / "death-")  # Text, as stores do not take paths.

    def factors(activity: Activity) -> Factors:
        for number in range(times):
            try:
                open(f"{deaths}{number}", "x").close()  # Only one process succeeds in this.
            except FileExistsError:
                continue
            os.kill(os.getpid(), signal.SIGKILL)
        return harmless(activity)

    return Rule("deadly", factors)


def deaths_in(folder: Path) -> int:
    return len(list(folder.glob("death-*")))
