"""The cluster that `scheduler="local"` starts is for this machine alone, and leaves nothing behind."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from hebbian_descent.sweep.executors.dask_connection import local_cluster
from hebbian_descent.thread_pools import ONE_THREAD

distributed = pytest.importorskip("distributed")
LOOPBACK = "0100007F"  # 127.0.0.1, as Linux writes it
LISTENS = "0A"


def listening(process: int) -> set[str]:
    """Return the addresses on which a process waits for connections, in hexadecimal digits."""
    links = [os.readlink(link) for link in Path(f"/proc/{process}/fd").iterdir() if link.is_symlink()]
    addresses = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{process}/net/{table}").read_text().splitlines()[1:]:
            _, address, _, state, *_, inode = line.split()[:10]
            if state == LISTENS and f"socket:[{inode}]" in links:
                addresses.add(address.partition(":")[0])
    return addresses


@pytest.mark.skipif(sys.platform != "linux", reason="reads the sockets of a process from /proc")
def test_nobody_listens_beyond_this_machine() -> None:
    with (
        local_cluster(distributed, 2) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        workers = client.run(os.getpid).values()
        for process in (os.getpid(), *workers):  # this one has the scheduler and the nannies
            assert listening(process) == {LOOPBACK}


def test_the_environment_is_what_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    monkeypatch.delenv("MKL_NUM_THREADS", raising=False)
    before = {name: os.environ.get(name) for name in (*ONE_THREAD, "PYTHONSAFEPATH")}
    with (
        local_cluster(distributed, 1) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        (there,) = client.run(lambda: dict(os.environ)).values()
    assert there["OMP_NUM_THREADS"] == there["MKL_NUM_THREADS"] == there["PYTHONSAFEPATH"] == "1"
    assert {name: os.environ.get(name) for name in before} == before
