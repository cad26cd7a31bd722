"""Where a model is written: links, permissions, devices, full disks, writers that were killed."""

import fcntl
import multiprocessing
import os
import signal
import stat
import subprocess
import sys
import threading

import numpy as np
import pytest

from hebbian_descent import Layer
from hebbian_descent.safe_files import replace_atomically, write_atomically

LAYER = Layer.create(4, 3, rng=np.random.default_rng(0))

pytestmark = pytest.mark.skipif(os.name != "posix", reason="links, modes and signals as on POSIX systems")


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o444])
def test_a_file_that_is_overwritten_keeps_its_permissions(mode, tmp_path):
    LAYER.save(tmp_path / "file")
    (tmp_path / "file").chmod(mode)
    LAYER.save(tmp_path / "file")
    assert mode_of(tmp_path / "file") == mode


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away")
def test_a_file_that_is_overwritten_keeps_its_owner(tmp_path):
    LAYER.save(tmp_path / "file")
    os.chown(tmp_path / "file", 1234, 2345)
    LAYER.save(tmp_path / "file")
    found = (tmp_path / "file").stat()
    assert (found.st_uid, found.st_gid) == (1234, 2345)


@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002])
def test_a_new_file_has_the_permissions_that_open_gives(mask, tmp_path):
    before = os.umask(mask)
    try:
        LAYER.save(tmp_path / "file")
    finally:
        os.umask(before)
    assert mode_of(tmp_path / "file") == 0o666 & ~mask


def test_a_secret_file_is_never_open_to_others_while_it_is_replaced(tmp_path, monkeypatch):
    LAYER.save(tmp_path / "file")
    (tmp_path / "file").chmod(0o600)
    modes = []

    def look(descriptor):
        modes.extend(mode_of(each) for each in tmp_path.iterdir())

    monkeypatch.setattr(os, "fsync", look)
    LAYER.save(tmp_path / "file")
    assert set(modes) == {0o600}


@pytest.mark.parametrize("exists", [True, False])
def test_a_link_leads_to_the_file_that_is_written(exists, tmp_path):
    (tmp_path / "folder").mkdir()
    target, link = tmp_path / "folder" / "target", tmp_path / "link"
    if exists:
        target.write_bytes(b"old")
    link.symlink_to("folder/target")
    LAYER.save(link)
    assert link.is_symlink()
    assert not target.is_symlink()
    np.testing.assert_array_equal(Layer.load(link).weights, Layer.load(target).weights)


def test_a_folder_is_refused_by_its_name(tmp_path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(IsADirectoryError, match=r"must not be a folder. Got '.*folder': name a file in it"):
        LAYER.save(tmp_path / "folder")
    with pytest.raises(FileNotFoundError, match=r"folder .* must exist. Got '.*missing': make it first"):
        LAYER.save(tmp_path / "missing" / "file")
    assert os.listdir(tmp_path) == ["folder"]


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    found = []
    reader = threading.Thread(target=lambda: found.append((tmp_path / "pipe").read_bytes()), daemon=True)
    reader.start()
    LAYER.save(tmp_path / "pipe")
    reader.join(10)
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    (tmp_path / "file").write_bytes(*found)
    np.testing.assert_array_equal(Layer.load(tmp_path / "file").weights, LAYER.weights)


def test_whatever_has_the_name_is_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    for name in ("link", "pipe"):
        replace_atomically(tmp_path / name, b"content")
        assert (tmp_path / name).read_bytes() == b"content"
    assert sorted(os.listdir(tmp_path)) == ["link", "pipe"]


def test_devices_stay_devices(tmp_path):
    """A process writes to its standard output, whatever that is; the null device swallows a model."""
    code = (
        "from hebbian_descent import Layer\n"
        "layer = Layer.from_weights([[0.5], [-0.5]])\n"
        "layer.save('/dev/null')\n"
        "layer.save('/dev/stdout')\n"
    )
    content = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)
    (tmp_path / "file").write_bytes(content)
    np.testing.assert_array_equal(Layer.load(tmp_path / "file").weights.ravel(), [0.5, -0.5])


def test_a_disk_without_room_leaves_the_old_file_and_nothing_else(tmp_path):
    """A limit of the size of files fails as a full disk does: in the middle of writing."""
    code = (
        "import resource, sys\n"
        "from hebbian_descent import Layer\n"
        "layer = Layer.from_weights([[0.0] * 100] * 100)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))\n"
        "try:\n"
        "    layer.save(sys.argv[1])\n"
        "except OSError as error:\n"
        "    print(error.errno)\n"
    )
    LAYER.save(tmp_path / "file")
    command = [sys.executable, "-c", code, str(tmp_path / "file")]
    assert subprocess.run(command, capture_output=True, check=True).stdout.strip() == b"27"
    assert os.listdir(tmp_path) == ["file"]
    np.testing.assert_array_equal(Layer.load(tmp_path / "file").weights, LAYER.weights)


def write_and_wait(path, written):
    def wait(descriptor):
        written.set()
        signal.pause()

    os.fsync = wait
    write_atomically(path, b"never to be seen")


@pytest.fixture
def writer(tmp_path):
    """A process that has written and not yet renamed."""
    context = multiprocessing.get_context("fork")
    written = context.Event()
    process = context.Process(target=write_and_wait, args=(tmp_path / "other", written))
    process.start()
    assert written.wait(30)
    yield process
    process.kill()
    process.join()


def partial_files(folder):
    return [name for name in os.listdir(folder) if name.endswith(".partial")]


def test_what_a_killed_writer_left_is_removed_and_nothing_of_a_living_one(writer, tmp_path):
    assert len(partial_files(tmp_path)) == 1
    LAYER.save(tmp_path / "file")
    assert len(partial_files(tmp_path)) == 1
    writer.kill()
    writer.join()
    LAYER.save(tmp_path / "file")
    assert os.listdir(tmp_path) == ["file"]


def test_hidden_files_of_others_are_left_alone(tmp_path):
    names = [".file.0123456789abcdef.partial", ".hebbian-descent-0123.partial", "x.partial"]
    for name in names:
        (tmp_path / name).touch()
    link = tmp_path / ".hebbian-descent-0123456789abcdef.partial"
    link.symlink_to("x.partial")
    LAYER.save(tmp_path / "file")
    assert {*os.listdir(tmp_path)} == {*names, "file", link.name}


def test_a_writer_whose_file_is_taken_for_abandoned_writes_again(tmp_path, monkeypatch):
    """Between making a file and locking it, another writer may consider it abandoned."""
    import fcntl

    lock, removed = fcntl.flock, []

    def remove_first(descriptor, operation):
        for name in partial_files(tmp_path) if not removed else ():
            removed.append(name)
            (tmp_path / name).unlink()
        lock(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", remove_first)
    LAYER.save(tmp_path / "file")
    assert len(removed) == 1
    assert os.listdir(tmp_path) == ["file"]
    np.testing.assert_array_equal(Layer.load(tmp_path / "file").weights, LAYER.weights)


def test_many_writers_do_not_disturb_each_other(tmp_path):
    def save(number):
        for _ in range(20):
            LAYER.save(tmp_path / f"file{number % 2}")

    threads = [threading.Thread(target=save, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(os.listdir(tmp_path)) == ["file0", "file1"]
    for name in os.listdir(tmp_path):
        np.testing.assert_array_equal(Layer.load(tmp_path / name).weights, LAYER.weights)


def test_a_file_that_was_taken_for_abandoned_is_written_under_another_name(tmp_path, monkeypatch):
    """A writer that holds the removed file open removes its name again, after the other has restarted."""
    flock, removed, n_calls = fcntl.flock, [], [0]

    def slow_flock(file, operation):
        n_calls[0] += 1
        if n_calls[0] == 1:
            removed.extend(tmp_path.glob(".hebbian-descent-*"))
            removed[0].unlink()
        flock(file, operation)
        if n_calls[0] == 2:
            removed[0].unlink(missing_ok=True)

    monkeypatch.setattr(fcntl, "flock", slow_flock)
    LAYER.save(tmp_path / "file")
    assert n_calls == [2]
    assert os.listdir(tmp_path) == ["file"]


def test_names_as_long_as_the_system_allows(tmp_path):
    for name in ("x" * 255, "é" * 127):
        LAYER.save(tmp_path / name)
        assert name in os.listdir(tmp_path)
