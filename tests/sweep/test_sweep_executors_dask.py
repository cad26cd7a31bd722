"""A Dask cluster of real processes: some die, some lack the package or have another one."""

from __future__ import annotations

import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from dask_processes import (
    ENVIRONMENT,
    WITHOUT_PACKAGE,
    WORKER,
    eventually,
    prepared,
    running,
    running_scheduler,
)
from rules_elsewhere import HARMLESS, deadly, deaths_in, harmless

import hebbian_descent
from hebbian_descent import Factors, Rule
from hebbian_descent.rules import Activity
from hebbian_descent.source_digest import digest_of
from hebbian_descent.storage.results import Store
from hebbian_descent.sweep.executors import Dask, WorkerLostError
from hebbian_descent.thread_pools import ONE_THREAD

distributed = pytest.importorskip("distributed")

OTHER_VERSION = "import hebbian_descent; hebbian_descent.__version__ = '0.0.1'"
StartWorker = Callable[..., None]


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_scheduler(tmp_path_factory.mktemp("scheduler")) as (address, _):
        yield address


@pytest.fixture
def start_worker(scheduler: str, tmp_path: Path) -> Iterator[StartWorker]:
    """A function that starts a worker and waits for it; all are gone when the test is over."""
    with distributed.Client(scheduler, set_as_default=False) as client:
        with ExitStack() as workers:

            def start(*options: str, program: str = WORKER, **variables: str) -> None:
                n_workers = len(client.nthreads())
                options = (scheduler, "--no-dashboard", "--nthreads", "1", *options)
                workers.enter_context(running(program, *options, folder=tmp_path, **variables))
                eventually(lambda: len(client.nthreads()) > n_workers)

            yield start
        eventually(lambda: not client.nthreads())


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_worker_that_is_killed_costs_nothing(
    scheduler: str, start_worker: StartWorker, tmp_path: Path
) -> None:
    start_worker("--no-nanny")
    start_worker("--no-nanny")
    result = prepared(deadly(1, tmp_path)).run(executor=Dask(scheduler))
    assert deaths_in(tmp_path) == 1
    expected = prepared(HARMLESS).run()
    assert result.values["mae"].tobytes() == expected.values["mae"].tobytes()


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_cell_that_kills_every_worker_is_given_up(
    scheduler: str, start_worker: StartWorker, tmp_path: Path
) -> None:
    start_worker("--nanny")  # which starts a worker again that has died
    with pytest.raises(WorkerLostError, match=r"2 in a row .* memory.* resumes from") as caught:
        # A busy machine may take longer to start a worker again than a sweep waits without a warning.
        prepared(deadly(99, tmp_path)).run(executor=Dask(scheduler, timeout=60))
    assert "This happened in the cell: deadly" in caught.value.__notes__[0]


def test_a_worker_with_two_threads_runs_two_cells_with_one_thread_each(
    scheduler: str, start_worker: StartWorker, tmp_path: Path
) -> None:
    def in_company(activity: Activity) -> Factors:
        if {os.environ[name] for name in ONE_THREAD} != {"1"}:
            raise RuntimeError("A library that is loaded now would use several threads.")
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
        (OTHER_VERSION, "Got version 0.0.1 with code [0-9a-f]{12} on the worker tcp"),
    ],
)
def test_a_worker_must_have_the_package_in_the_same_version(
    difference: str, found: str, scheduler: str, start_worker: StartWorker
) -> None:
    start_worker("--no-nanny", program=f"{difference}; {WORKER}")
    with pytest.raises(RuntimeError, match=f"All workers .* must have hebbian-descent .*{found}"):
        prepared(HARMLESS).run(executor=Dask(scheduler))


@pytest.mark.parametrize("is_edited", [False, True])
def test_a_worker_with_edited_code_computes_nothing(
    is_edited: bool, scheduler: str, start_worker: StartWorker, tmp_path: Path
) -> None:
    package = Path(hebbian_descent.__file__).parent
    copy = tmp_path / "site" / package.name
    shutil.copytree(package, copy, ignore=shutil.ignore_patterns("__pycache__"))
    if is_edited:
        measures = copy / "measures.py"
        code = measures.read_text(encoding="utf-8")
        assert code.count("np.abs(") == 1
        measures.write_text(code.replace("np.abs(", "2 * np.abs("), encoding="utf-8")
    start_worker("--no-nanny", PYTHONPATH=f"{copy.parent}{os.pathsep}{ENVIRONMENT['PYTHONPATH']}")
    sweep, store = prepared(HARMLESS), Store(tmp_path / "store")
    if not is_edited:
        result = sweep.run(store=store, executor=Dask(scheduler))
        assert result.values["mae"].tobytes() == sweep.run().values["mae"].tobytes()
        return
    with pytest.raises(RuntimeError) as caught:
        sweep.run(store=store, executor=Dask(scheduler))
    here, there, worker = re.fullmatch(
        r"All workers of the cluster must have hebbian-descent in (.*), as this client has it\. "
        r"Got (.*) on the worker (.*): install the same files on both sides, and start the worker again\.",
        str(caught.value),
    ).groups()  # type: ignore[union-attr]
    version = f"version {hebbian_descent.__version__} with code "
    assert here == version + digest_of(package)[:12]
    assert there == version + digest_of(copy)[:12] != here
    assert worker.startswith("tcp://127.0.0.1:")
    assert len(store) == 0


def test_a_worker_is_no_scheduler(scheduler: str, start_worker: StartWorker) -> None:
    start_worker("--no-nanny")
    with distributed.Client(scheduler, set_as_default=False) as client:
        (worker,) = client.nthreads()
    with pytest.raises(ConnectionError, match=f"Got '{worker}': this is the address of a Worker"):
        prepared(HARMLESS).run(executor=Dask(worker))


def test_the_scheduler_must_be_a_text() -> None:
    with pytest.raises(TypeError, match=r"must be an address, or 'local'\. Got 8786"):
        Dask(8786)  # type: ignore[arg-type]
