"""Downloads that are interrupted, killed, or run twice at once: no partial file ever has the final name."""

import hashlib
import os
import subprocess
import sys
import threading
import time

import pytest

from hebbian_descent.datasets.dataset import RemoteFile
from hebbian_descent.datasets.download import fetch_file

CONTENT = b"patterns " * 50_000
SHA256 = hashlib.sha256(CONTENT).hexdigest()


def get(folder, url, **options):
    return fetch_file(RemoteFile("table", (url,), SHA256, len(CONTENT)), folder, mirrors=(), **options)


def test_an_interrupted_download_leaves_nothing_behind(server, tmp_path):
    def interrupt(received, total):
        assert len(list(tmp_path.glob(".table.*.part"))) == 1
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        get(tmp_path, server.serves("/x", CONTENT), report=interrupt)
    assert list(tmp_path.iterdir()) == []


def start_process(url, folder):
    code = (
        "from pathlib import Path; from hebbian_descent.datasets import dataset, download; "
        f"table = dataset.RemoteFile('table', ({url!r},), {SHA256!r}, {len(CONTENT)}); "
        f"download.fetch_file(table, Path({str(folder)!r}), mirrors=())"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen([sys.executable, "-c", code], env=environment, stderr=subprocess.PIPE, text=True)


def test_two_processes_may_fetch_at_the_same_time(server, tmp_path):
    at_once = threading.Barrier(2, timeout=30)

    def both_then_answer(handler):
        at_once.wait()
        handler.answer(CONTENT)

    server.behaviours["/x"] = both_then_answer
    for process in [start_process(server.url + "/x", tmp_path) for _ in range(2)]:
        _, errors = process.communicate(timeout=30)
        assert process.returncode == 0, errors
    assert (tmp_path / "table").read_bytes() == CONTENT
    assert [path.name for path in tmp_path.iterdir()] == ["table"]


def test_a_killed_download_leaves_no_file_of_that_name_and_hinders_no_other(server, tmp_path):
    process = start_process(server.stalls_after("/slow", CONTENT[:-1000]), tmp_path)
    deadline = time.monotonic() + 30
    while not any(part.stat().st_size for part in tmp_path.glob(".table.*.part")):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.kill()
    process.communicate()
    assert [path.suffix for path in tmp_path.iterdir()] == [".part"]
    assert get(tmp_path, server.serves("/x", CONTENT)).read_bytes() == CONTENT


def test_parts_abandoned_long_ago_are_removed_and_younger_ones_left(server, tmp_path):
    old, young = tmp_path / ".table.1.part", tmp_path / ".table.2.part"
    for part in (old, young):
        part.write_bytes(b"half")
    two_days_ago = time.time() - 2 * 86_400
    os.utime(old, (two_days_ago, two_days_ago))
    get(tmp_path, server.serves("/x", CONTENT))
    assert not old.exists()
    assert young.exists()
