"""Sweeps that are killed at any moment, again and again, and then resumed."""

from __future__ import annotations

import os
import signal
import time
import warnings
from pathlib import Path
from random import Random

from campaigns.campaign import Campaign
from campaigns.small_sweep import check_resumed, partials, small_sweep, undisturbed
from hebbian_descent.storage.results import Store

N_KILLS = 4
LONGEST_LIFE = 0.15
"""Seconds; about as long as the sweep takes."""


def trial(number: int, folder: Path) -> str:
    """Kill a sweep several times; whatever it reported as finished must exist each time."""
    random = Random(number)
    undisturbed()  # so that late imports and compilation are done before the first process is forked
    store, finished, n_abandoned = Store(folder), set[str](), 0
    for _ in range(N_KILLS):
        n_reported = _killed(folder, random.uniform(0, LONGEST_LIFE))
        keys = set(store.keys())
        assert store.damaged() == []
        assert keys >= finished, "a finished cell was lost"
        assert len(keys) >= n_reported, "a cell that was reported as finished is not there"
        finished, n_abandoned = keys, n_abandoned + len(partials(folder))
    check_resumed(folder)
    return f"resumed{', unfinished files removed' if n_abandoned else ''}"


def _killed(folder: Path, seconds: float) -> int:
    """Run the sweep in a process, kill it after some time, and return how many cells it reported finished."""
    incoming, report = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # about threads, none of which the child needs
        child = os.fork()
    if child == 0:
        try:
            _sweep_and_overwrite(folder, report)
        finally:
            os._exit(1)  # a child must never return to the campaign
    os.close(report)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    with os.fdopen(incoming, "rb") as lines:
        n_finished = max(lines.read(), default=0)
    assert os.WIFSIGNALED(status), "the sweep failed before it was killed"
    return n_finished


def _sweep_and_overwrite(folder: Path, report: int) -> None:
    store = Store(folder)
    small_sweep().run(store=store, progress=lambda done, total: os.write(report, bytes([done])))
    while True:  # a sweep that is done early continues to replace its cells
        for record in store:
            store.write(record)


CAMPAIGN = Campaign(
    title="Kills of sweeps",
    promise="nothing finished is lost, and the resumed sweep has the bits of an undisturbed one",
    trial=trial,
    goal=600,
    in_tests=4,
    per_trial=N_KILLS,
    block=25,
    seconds=30.0,
)
