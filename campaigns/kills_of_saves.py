"""Saves that are killed at any moment."""

from __future__ import annotations

import os
import signal
import time
from functools import cache
from pathlib import Path
from random import Random

import numpy as np

from campaigns.campaign import Campaign
from hebbian_descent import Layer

LONGEST_LIFE = 0.06
"""Seconds; a save takes a tenth to half of that, depending on the disk."""


def trial(number: int, folder: Path) -> str:
    """Kill a process that saves one model after another, look at the file, and save once more."""
    chance = Random(number)
    path, (old, new) = folder / "model", _layers()
    old.save(path)
    path.chmod(0o640)
    child = os.fork()
    if child == 0:
        try:
            while True:
                new.save(path)
                old.save(path)
        finally:
            os._exit(1)  # a child must never return to the campaign
    time.sleep(chance.uniform(0, LONGEST_LIFE))
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status), "the save failed before it was killed"
    found = Layer.load(path)
    is_new = bool(found.bias[0])
    np.testing.assert_array_equal(found.weights, (new if is_new else old).weights)
    n_left = len(os.listdir(folder)) - 1
    new.save(path)
    assert os.listdir(folder) == ["model"], "the next save must leave no hidden files"
    assert path.stat().st_mode & 0o777 == 0o640, "the permissions must stay"
    return f"{'new' if is_new else 'old'} file{', hidden file removed later' if n_left else ''}"


@cache
def _layers() -> tuple[Layer, Layer]:
    rng = np.random.default_rng(0)
    weights = rng.random((200, 200))
    return Layer.from_weights(weights), Layer.from_weights(1 - weights, bias=1.0)


CAMPAIGN = Campaign(
    title="Kills of saves",
    promise="the old file or the new one is there, whole; nothing else is left after the next save",
    trial=trial,
    goal=400,
    in_tests=30,
    block=100,
)
