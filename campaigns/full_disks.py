"""Full file systems, for cells, for the sweeps that write them, and for model files."""

from __future__ import annotations

import errno
import os
import resource
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from random import Random
from typing import TypeVar

import numpy as np

from campaigns.campaign import Campaign
from campaigns.small_sweep import check_resumed, partials, small_sweep, undisturbed
from hebbian_descent import Layer
from hebbian_descent.storage.results import Record, Store, StoreError

NO_ROOM = (errno.ENOSPC, errno.EFBIG)
BALLAST = "ballast"
Error = TypeVar("Error", bound=Exception)


def trial(number: int, folder: Path) -> str:
    """Let a disk fill up while something is written; afterwards there is room again."""
    random = Random(number)
    undisturbed()
    what = (_cells, _sweep, _models)[number % 3]
    with _small_disk(folder, random.randrange(256, 512)) as is_real:
        what(random, folder / "written", _Room(folder, is_real))
    return f"{what.__name__[1:]}, {'a full disk' if is_real else 'files limited in size'}"


class _Room:
    """Disk space for a few more kilobytes, or for any number of them."""

    def __init__(self, folder: Path, is_real: bool) -> None:
        self.ballast = folder / BALLAST
        self.is_real = is_real

    def leave(self, n_bytes: int) -> None:
        if self.is_real:
            with self.ballast.open("wb") as file:
                free = os.statvfs(file.fileno()).f_bavail * os.statvfs(file.fileno()).f_frsize
                file.write(bytes(max(free - n_bytes, 0)))
        else:
            resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes // 4, resource.RLIM_INFINITY))

    def leave_much(self) -> None:
        self.ballast.unlink(missing_ok=True)
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def _cells(random: Random, folder: Path, room: _Room) -> None:
    store, first = Store(folder), _noise(0, 1000)
    keys = [store.write(first)]
    room.leave(random.randrange(4_000, 60_000))
    cells = (_noise(cell, random.randrange(100, 5000)) for cell in range(1, 100))
    error = _without_room(lambda: keys.extend(map(store.write, cells)), StoreError)
    assert "must have room on its disk" in str(error)
    assert store.keys() == sorted(keys)
    assert store.damaged() == []
    assert not partials(folder)
    assert store.read(keys[0]).values["error"].tobytes() == first.values["error"].tobytes()
    room.leave_much()
    assert store.write(first) == keys[0]


def _sweep(random: Random, folder: Path, room: _Room) -> None:
    Store(folder).prepare()
    room.leave(random.randrange(1_000, 40_000))
    error = _without_room(lambda: small_sweep().run(store=Store(folder)), StoreError)
    assert "every finished cell is kept" in str(error)
    assert Store(folder).damaged() == []
    room.leave_much()
    check_resumed(folder)


def _models(random: Random, folder: Path, room: _Room) -> None:
    folder.mkdir()
    rng = np.random.default_rng(random.randrange(1000))
    old, new = (Layer.from_weights(rng.random((50, n_outputs))) for n_outputs in (20, 200))
    old.save(folder / "model")
    room.leave(random.randrange(1_000, 40_000))
    for path in (folder / "model", folder / "another"):
        assert _without_room(partial(new.save, path), OSError).errno in NO_ROOM
    assert os.listdir(folder) == ["model"]
    assert Layer.load(folder / "model").weights.tobytes() == old.weights.tobytes()
    room.leave_much()
    new.save(folder / "model")
    assert Layer.load(folder / "model").weights.tobytes() == new.weights.tobytes()


def _without_room(action: Callable[[], object], kind: type[Error]) -> Error:
    try:
        action()
    except kind as error:
        return error
    raise AssertionError("a full disk was not noticed")


def _noise(cell: int, n_patterns: int) -> Record:
    noise = np.random.default_rng(cell).normal(size=n_patterns)
    return Record({"cell": cell}, {"pattern": np.arange(n_patterns)}, {"error": noise})


@contextmanager
def _small_disk(folder: Path, n_kilobytes: int) -> Iterator[bool]:
    """Mount a disk of that size where that is allowed, and yield whether it was."""
    command = ["mount", "-t", "tmpfs", "-o", f"size={n_kilobytes}k", "tmpfs", str(folder)]
    try:
        is_mounted = subprocess.run(command, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        is_mounted = False
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        yield is_mounted
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        if is_mounted:
            subprocess.run(["umount", str(folder)], check=True)


CAMPAIGN = Campaign(
    title="Full disks",
    promise="one sentence, everything finished still there, nothing half-written; with room again it resumes",
    trial=trial,
    goal=30,
    in_tests=6,
    block=10,
    seconds=60.0,
)
