"""A lock that somebody else holds: after some seconds a warning says who waits for whom."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hebbian_descent.storage.results import LockedStoreWarning, Store, locks

fcntl = pytest.importorskip("fcntl")

HOLDER = """
import fcntl, sys
with open(sys.argv[1]) as file:
    fcntl.flock(file, fcntl.LOCK_EX)
    print("held", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def holder(tmp_path: Path, make_record: Any) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the lock of a store alone until it gets a line."""
    Store(tmp_path).write(make_record())
    command = [sys.executable, "-c", HOLDER, str(tmp_path / ".lock")]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def _release(holder: subprocess.Popen[str]) -> None:
    assert holder.stdin is not None
    holder.stdin.write("\n")
    holder.stdin.flush()


def test_who_waits_for_whom_is_said_once_and_the_cell_is_written_in_the_end(
    tmp_path: Path, make_record: Any, holder: subprocess.Popen[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "PATIENCE", 0.2)
    threading.Timer(0.6, _release, [holder]).start()
    with pytest.warns(LockedStoreWarning, match=r"waits to write") as caught:
        key = Store(tmp_path).write(make_record(seed=8))
    [warning] = caught
    assert str(tmp_path) in str(warning.message)
    if locks.LOCKS.exists():
        assert f"locked by process {holder.pid} (python" in str(warning.message)
    assert Store(tmp_path).has(key)


def test_a_short_wait_is_not_mentioned(
    tmp_path: Path, make_record: Any, holder: subprocess.Popen[str]
) -> None:
    threading.Timer(0.2, _release, [holder]).start()
    assert Store(tmp_path).has(Store(tmp_path).write(make_record(seed=8)))


@pytest.mark.parametrize("content", ["", "1: FLOCK\n", None])
def test_a_system_that_does_not_say_who_holds_the_lock(
    tmp_path: Path,
    make_record: Any,
    holder: subprocess.Popen[str],
    monkeypatch: pytest.MonkeyPatch,
    content: str | None,
) -> None:
    if content is not None:
        (tmp_path / "locks").write_text(content)
    monkeypatch.setattr(locks, "LOCKS", tmp_path / "locks")
    monkeypatch.setattr(locks, "PATIENCE", 0.1)
    threading.Timer(0.4, _release, [holder]).start()
    with pytest.warns(LockedStoreWarning, match="locked by another process"):
        Store(tmp_path).write(make_record(seed=8))


def test_without_locks_all_may_write_and_nobody_clears_away(
    tmp_path: Path, make_record: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unsupported(*_: object) -> None:
        raise OSError("no locks here")

    monkeypatch.setattr(fcntl, "flock", unsupported)
    (tmp_path / ".partial-1-abc").touch()
    assert Store(tmp_path).has(Store(tmp_path).write(make_record()))
    assert (tmp_path / ".partial-1-abc").exists()
