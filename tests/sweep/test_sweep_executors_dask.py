"""A Dask cluster of real processes: some die, some lack the package, some are not there."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hebbian_descent import Factors, Rule
from hebbian_descent.rules import Activity
from hebbian_descent.sweep import Patterns, Setting, Sweep
from hebbian_descent.sweep.executors import Dask, WorkerLostError

distributed = pytest.importorskip("distributed")

ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": os.pathsep.join(sys.path),
    "OPENBLAS_NUM_THREADS": "3",
    "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1",
    "DASK_DISTRIBUTED__SCHEDULER__WORK_STEALING_INTERVAL": "100ms",
}
WITHOUT_PACKAGE = "import sys; sys.modules['hebbian_descent'] = None"
OTHER_VERSION = "import hebbian_descent; hebbian_descent.__version__ = '0.0.1'"
SCHEDULER = f"{WITHOUT_PACKAGE}; from distributed.cli.dask_scheduler import main; main()"
WORKER = "from distributed.cli.dask_worker import main; main()"
StartWorker = Callable[..., None]


@contextmanager
def running(*arguments: object, folder: Path) -> Iterator[None]:
    """Run Python with these arguments as long as it is needed; Dask keeps its files in the folder."""
    command = [sys.executable, *map(str, arguments)]
    environment = {**ENVIRONMENT, "DASK_TEMPORARY_DIRECTORY": str(folder)}
    with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as process:
        try:
            yield
        finally:
            process.terminate()


def eventually(condition: Callable[[], Any], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("scheduler")
    file = folder / "address.json"
    options = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", file)
    with running("-c", SCHEDULER, *options, folder=folder):
        eventually(lambda: file.exists() and file.read_text().endswith("}"))
        yield json.loads(file.read_text())["address"]


@pytest.fixture
def start_worker(scheduler: str, tmp_path: Path) -> Iterator[StartWorker]:
    """A function that starts a worker and waits for it; all are gone when the test is over."""
    with distributed.Client(scheduler, set_as_default=False) as client:
        with ExitStack() as workers:

            def start(*options: str, program: str = WORKER) -> None:
                n_workers = len(client.nthreads())
                command = ("-c", program, scheduler, "--no-dashboard", *options)
                workers.enter_context(running(*command, folder=tmp_path))
                eventually(lambda: len(client.nthreads()) > n_workers)

            yield start
        eventually(lambda: not client.nthreads())


def harmless(activity: Activity) -> Factors:
    return Factors(activity.inputs - activity.offset, activity.output - activity.targets)


def deadly(times: int, folder: Path) -> Rule:
    """A rule that kills the process in which it is used, so many times in all."""

    def factors(activity: Activity) -> Factors:
        with open(folder / "deaths", "a+") as file:
            file.seek(0)
            if len(file.read()) < times:
                file.write("x")
                file.flush()
                os.kill(os.getpid(), signal.SIGKILL)
        return harmless(activity)

    return Rule("deadly", factors)


def prepared(rule: Rule) -> Sweep:
    patterns = Patterns.of(np.eye(4), np.full((4, 2), 0.5))
    activations = ["sigmoid", "linear", "explin", "softsign"]
    return Sweep(Setting.of(rules=rule, activations=activations, learning_rates=0.1, trials=1), patterns)


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_worker_that_is_killed_costs_nothing(
    scheduler: str, start_worker: StartWorker, tmp_path: Path
) -> None:
    start_worker("--nthreads", "1", "--no-nanny")
    start_worker("--nthreads", "1", "--no-nanny")
    result = prepared(deadly(1, tmp_path)).run(executor=Dask(scheduler))
    assert (tmp_path / "deaths").read_text() == "x"
    expected = prepared(Rule("harmless", harmless)).run()
    assert result.values["mae"].tobytes() == expected.values["mae"].tobytes()


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_cell_that_kills_every_worker_is_given_up(
    scheduler: str, start_worker: StartWorker, tmp_path: Path
) -> None:
    start_worker("--nthreads", "1", "--nanny")  # which starts a worker again that has died
    with pytest.raises(WorkerLostError, match=r"2 in a row .* memory.* goes on from") as caught:
        prepared(deadly(99, tmp_path)).run(executor=Dask(scheduler))
    assert "This happened in the cell: deadly" in caught.value.__notes__[0]


def test_a_worker_with_two_threads_runs_two_cells_with_one_thread_each(
    scheduler: str, start_worker: StartWorker, tmp_path: Path
) -> None:
    def in_company(activity: Activity) -> Factors:
        import numba

        if numba.config.NUMBA_NUM_THREADS != 1:
            raise RuntimeError("Numba would use several threads.")
        (tmp_path / f"cell-{activity.activation.name}").touch()
        while len(list(tmp_path.glob("cell-*"))) < 2:
            time.sleep(0.01)
        return harmless(activity)

    start_worker("--nthreads", "2", "--no-nanny")
    sweep = prepared(Rule("in_company", in_company))
    records = dict(Dask(scheduler).run(sweep.works, sweep.patterns))
    assert sorted(records) == [0, 1, 2, 3]
    for record in records.values():
        assert {pool["num_threads"] for pool in record.provenance["thread_pools"]} == {1}


@pytest.mark.parametrize(
    ("difference", "found"),
    [
        (WITHOUT_PACKAGE, "Got none on the worker tcp"),
        (OTHER_VERSION, "Got version 0.0.1 on the worker tcp"),
    ],
)
def test_a_worker_must_have_the_package_in_the_same_version(
    difference: str, found: str, scheduler: str, start_worker: StartWorker
) -> None:
    start_worker("--nthreads", "1", "--no-nanny", program=f"{difference}; {WORKER}")
    with pytest.raises(RuntimeError, match=f"All workers .* must have hebbian-descent .*{found}"):
        prepared(Rule("harmless", harmless)).run(executor=Dask(scheduler))


def test_a_sweep_without_workers_says_that_it_waits(scheduler: str) -> None:
    with distributed.Client(scheduler, set_as_default=False) as client:
        assert not client.nthreads()
    sweep = prepared(Rule("harmless", harmless))
    with pytest.raises(UserWarning, match="has no workers yet: the sweep waits"):  # warnings are errors here
        sweep.run(executor=Dask(scheduler))


@pytest.fixture
def silent_server() -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"tcp://127.0.0.1:{server.getsockname()[1]}"


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("tcp://127.0.0.1:1", "nobody answers within 0.5 s"),
        ("tcp://no.such.host.invalid:8786", "nobody answers within 0.5 s"),
        ("tcp://127.0.0.1", "missing port"),
        ("post://127.0.0.1:8786", "unknown address scheme"),
        ("a cluster", "missing port"),
        ("silent", "nobody answers within 0.5 s"),
    ],
)
def test_a_scheduler_that_does_not_answer_is_told_in_one_sentence(
    address: str,
    reason: str,
    silent_server: str,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    address = silent_server if address == "silent" else address
    start = time.monotonic()
    with pytest.raises(ConnectionError, match=f"The scheduler must be the address .*{reason}") as caught:
        prepared(Rule("harmless", harmless)).run(executor=Dask(address, timeout=0.5))
    assert time.monotonic() - start < 5
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__
    assert capfd.readouterr() == ("", "")
    assert caplog.records == []


def test_the_scheduler_must_be_a_text() -> None:
    with pytest.raises(TypeError, match=r"must be an address, or 'local'\. Got 8786"):
        Dask(8786)  # type: ignore[arg-type]
