"""A scheduler that does not answer, and workers that stop: the sweep says what it waits for."""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from threading import Thread

import pytest
from dask_processes import WORKER, eventually, prepared, running, running_scheduler
from rules_elsewhere import HARMLESS, harmless

from hebbian_descent import Factors, Rule
from hebbian_descent.rules import Activity
from hebbian_descent.sweep.executors import Dask

distributed = pytest.importorskip("distributed")

# Handshakes as Dask does, and then says no more.
MUTE = """
import asyncio, sys
from distributed.comm import listen

async def serve():
    async with listen("tcp://127.0.0.1:0", lambda comm: asyncio.sleep(1000)) as listener:
        open(sys.argv[1], "w").write(listener.contact_address + "!")
        await asyncio.sleep(1000)

asyncio.run(serve())
"""


@pytest.fixture
def silent() -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"tcp://127.0.0.1:{server.getsockname()[1]}"


@pytest.fixture
def mute(tmp_path: Path) -> Iterator[str]:
    file = tmp_path / "address"
    with running(MUTE, file, folder=tmp_path):
        eventually(lambda: file.exists() and file.read_text().endswith("!"))
        yield file.read_text()[:-1]


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("tcp://127.0.0.1:1", "no answer within 0.5 s"),
        ("tcp://no.such.host.invalid:8786", "no answer within 0.5 s"),
        ("tcp://127.0.0.1", "missing port"),
        ("post://127.0.0.1:8786", "unknown address scheme"),
        ("a cluster", "missing port"),
        ("silent", "no answer within 0.5 s"),
        ("mute", "no answer within 0.5 s"),
    ],
)
def test_a_scheduler_that_does_not_answer_is_told_in_one_sentence(
    address: str,
    reason: str,
    request: pytest.FixtureRequest,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    address = request.getfixturevalue(address) if address in ("silent", "mute") else address
    start = time.monotonic()
    with pytest.raises(ConnectionError, match=f"The scheduler must be the address .*{reason}") as caught:
        prepared(HARMLESS).run(executor=Dask(address, timeout=0.5))
    assert time.monotonic() - start < 5
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__
    assert capfd.readouterr() == ("", "")
    assert caplog.records == []


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[tuple[str, int]]:
    """The address of a scheduler, and its process."""
    with running_scheduler(tmp_path) as running_one:
        yield running_one


def worker(address: str, folder: Path, *options: str, **variables: str) -> AbstractContextManager[int]:
    options = (address, "--no-dashboard", "--no-nanny", "--nthreads", "1", *options)
    return running(WORKER, *options, folder=folder, **variables)


def once(act: Callable[[], object], folder: Path) -> Rule:
    """A rule that does something the first time that it is used on the cluster."""
    trace = folder / "done"

    def factors(activity: Activity) -> Factors:
        if not trace.exists():
            trace.touch()
            act()
        return harmless(activity)

    return Rule("once", factors)


def run_and_help(rule: Rule, address: str, help_out: Callable[[], object]) -> list[str]:
    """Run a sweep, and help as soon as it says something; return what it said."""
    expected = prepared(HARMLESS).run()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")

        def help_when_asked() -> None:
            eventually(lambda: said)
            help_out()

        helper = Thread(target=help_when_asked)
        helper.start()
        result = prepared(rule).run(executor=Dask(address, timeout=2.0))
        helper.join()
    assert result.values["mae"].tobytes() == expected.values["mae"].tobytes()
    return [str(warning.message) for warning in said]


def test_without_a_worker_it_waits_for_one(cluster: tuple[str, int], tmp_path: Path) -> None:
    address, _ = cluster
    with ExitStack() as workers:
        said = run_and_help(HARMLESS, address, lambda: workers.enter_context(worker(address, tmp_path)))
    assert len(said) == 1
    assert "waiting since" in said[0]
    assert said[0].endswith(f"the scheduler {address} has no workers.")


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_the_last_worker_that_dies_is_missed(cluster: tuple[str, int], tmp_path: Path) -> None:
    address, _ = cluster
    with ExitStack() as workers:
        workers.enter_context(worker(address, tmp_path))
        wait_for_worker(address)
        said = run_and_help(
            once(lambda: os.kill(os.getpid(), signal.SIGKILL), tmp_path),
            address,
            lambda: workers.enter_context(worker(address, tmp_path)),
        )
    assert len(said) == 1
    assert said[0].endswith(f"the scheduler {address} has no workers.")


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("who", ["worker", "scheduler"])
def test_who_is_stopped_is_named(who: str, cluster: tuple[str, int], tmp_path: Path) -> None:
    address, scheduler = cluster
    with worker(address, tmp_path) as process:
        name = wait_for_worker(address)
        stopped = process if who == "worker" else scheduler
        rule = once(lambda: os.kill(stopped, signal.SIGSTOP), tmp_path)
        said = run_and_help(rule, address, lambda: os.kill(stopped, signal.SIGCONT))
    assert len(said) == 1
    if who == "worker":
        assert f"nothing has come from 1 of 1 workers ({name}) for 2 s; end a worker" in said[0]
    else:
        assert said[0].endswith(f"the scheduler {address} does not answer.")


def test_workers_that_are_paused_are_named(cluster: tuple[str, int], tmp_path: Path) -> None:
    address, _ = cluster
    full = {"DASK_DISTRIBUTED__WORKER__MEMORY__PAUSE": "0.001"}
    with worker(address, tmp_path, "--memory-limit", "4 GB", **full):
        name = wait_for_worker(address)
        with pytest.raises(UserWarning, match=rf"Dask has paused 1 of 1 workers \({name}\), .* memory"):
            prepared(HARMLESS).run(executor=Dask(address, timeout=2.0))  # warnings are errors here


def wait_for_worker(address: str) -> str:
    """Return the address of the worker as soon as there is one."""
    with distributed.Client(address, set_as_default=False) as client:
        eventually(client.nthreads)
        (name,) = client.nthreads()
    return str(name)
