"""A disk without room: one sentence, no half cell, and everything finished still there.

The campaign `full_disks` fills real ones.
"""

from __future__ import annotations

import errno
import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hebbian_descent.storage.results import Record, Store, StoreError

SENTENCE = r"must have room on its disk. Got .*Free some space and run again: every finished cell is kept"


def large(cell: int) -> Record:
    noise = np.random.default_rng(cell).normal(size=20_000)
    return Record({"cell": cell}, {"pattern": np.arange(noise.size)}, {"error": noise})


@contextmanager
def file_size_limit(n_bytes: int) -> Iterator[None]:
    """No file of this process can grow beyond the limit; needs no permission."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_write_that_does_not_fit_leaves_the_store_as_it_was(tmp_path: Path, make_record: Any) -> None:
    store = Store(tmp_path)
    key = store.write(make_record())
    before = sorted(os.listdir(tmp_path))
    with file_size_limit(50_000), pytest.raises(StoreError, match=SENTENCE):
        store.write(large(1))
    assert sorted(os.listdir(tmp_path)) == before
    assert store.keys() == [key]
    assert store.has(store.write(large(1)))


def test_a_cell_that_does_not_fit_does_not_harm_the_finished_one_it_would_replace(tmp_path: Path) -> None:
    store = Store(tmp_path)
    key = store.write(large(1))
    with file_size_limit(50_000), pytest.raises(StoreError, match=SENTENCE):
        store.write(large(1))
    assert store.keys() == [key]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_disk_that_fails_late_leaves_nothing_behind(
    tmp_path: Path, make_record: Any, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    store = Store(tmp_path)
    store.prepare()

    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, step, fail)
        with pytest.raises(StoreError, match=SENTENCE):
            store.write(make_record())
    assert sorted(os.listdir(tmp_path)) == ["_store.json"]


def test_other_failures_of_the_disk_are_passed_on(
    tmp_path: Path, make_record: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="Input/output error"):
        Store(tmp_path).write(make_record())
