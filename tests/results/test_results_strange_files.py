"""What may be in the folder of a store instead of a file: pipes, folders, links, or nothing any more."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hebbian_descent.storage.results import (
    DamagedCellError,
    DamagedCellWarning,
    MissingCellError,
    Store,
    StoreError,
)

HIDDEN = f".hebbian-descent-{'0' * 16}.partial"


@pytest.fixture(autouse=True)
def in_time() -> Iterator[None]:
    """Raise an exception in a test that waits for a pipe."""

    def hung(*_: object) -> None:
        raise AssertionError("hung")

    before = signal.signal(signal.SIGALRM, hung)
    signal.alarm(20)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def _link_to_itself(path: Path) -> None:
    path.symlink_to(path)


def _large(path: Path) -> None:
    path.touch()
    os.truncate(path, 2**43)


STRANGE = {
    "pipe": (os.mkfifo, "must be a regular file"),
    "device": (lambda path: path.symlink_to("/dev/zero"), "must be a regular file"),
    "link to a pipe": (
        lambda path: (os.mkfifo(path.with_name("pipe")), path.symlink_to("pipe")),
        "must be a regular file",
    ),
    "link to itself": (_link_to_itself, "cannot be read"),
    "empty": (lambda path: path.touch(), "is empty"),
    "a hole of terabytes": (_large, "larger than the memory"),
}


@pytest.mark.parametrize("what", STRANGE)
def test_a_cell_that_is_no_file_is_damaged_and_replaced_by_writing(
    tmp_path: Path, make_record: Any, what: str
) -> None:
    store = Store(tmp_path)
    key = store.write(make_record())
    path = tmp_path / f"{key}.parquet"
    path.unlink()
    make, reason = STRANGE[what]
    make(path)
    with pytest.raises(DamagedCellError, match=rf"{reason}.*Compute the cell again"):
        store.read(key)
    with pytest.warns(DamagedCellWarning, match=reason):
        assert store.find(key) is None
    with pytest.warns(DamagedCellWarning, match=reason):
        assert not store.has(key)
    assert [cell.key for cell in store.damaged()] == [key]
    store.write(make_record())
    assert store.damaged() == []


def test_a_folder_in_the_place_of_a_cell_has_to_be_moved(tmp_path: Path, make_record: Any) -> None:
    store = Store(tmp_path)
    store.prepare()
    key = store.key(make_record().specification)
    (tmp_path / f"{key}.parquet").mkdir()
    assert "Move the folder away" in str(store.damaged()[0])
    with pytest.raises(StoreError, match=rf"must not be folders. Got .*{key}.parquet; move it away"):
        store.write(make_record())
    assert not list(tmp_path.glob(".hebbian-descent-*"))


def test_links_to_cells_are_read_and_links_to_nothing_are_missing(tmp_path: Path, make_record: Any) -> None:
    elsewhere, store = Store(tmp_path / "elsewhere"), Store(tmp_path / "store")
    key = elsewhere.write(make_record())
    store.prepare()
    (store.path / f"{key}.parquet").symlink_to(elsewhere.path / f"{key}.parquet")
    assert store.keys() == [key]
    assert store.read(key).seconds == 0.25
    (elsewhere.path / f"{key}.parquet").unlink()
    assert store.keys() == store.damaged() == []
    store.write(make_record())
    assert store.keys() == [key]
    assert elsewhere.keys() == []


def test_a_pipe_in_the_place_of_the_marker_does_not_hang(tmp_path: Path, make_record: Any) -> None:
    Store(tmp_path).write(make_record())
    (tmp_path / "_store.json").unlink()
    os.mkfifo(tmp_path / "_store.json")
    with pytest.raises(StoreError, match="must state the format"):
        Store(tmp_path)


def test_a_pipe_with_the_name_of_a_hidden_file_does_not_hang(tmp_path: Path, make_record: Any) -> None:
    os.mkfifo(tmp_path / HIDDEN)
    assert Store(tmp_path).has(Store(tmp_path).write(make_record()))


def test_a_folder_with_the_name_of_a_hidden_file_is_left_alone(tmp_path: Path, make_record: Any) -> None:
    (tmp_path / HIDDEN).mkdir()
    Store(tmp_path).write(make_record())
    assert (tmp_path / HIDDEN).is_dir()


def test_without_locks_all_may_write_and_nothing_is_removed(
    tmp_path: Path, make_record: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    fcntl = pytest.importorskip("fcntl")

    def unsupported(*_: object) -> None:
        raise OSError("no locks here")

    monkeypatch.setattr(fcntl, "flock", unsupported)
    (tmp_path / HIDDEN).touch()
    assert Store(tmp_path).has(Store(tmp_path).write(make_record()))
    assert (tmp_path / HIDDEN).exists()


def test_a_cell_that_is_deleted_after_it_was_listed_is_missing(
    tmp_path: Path, make_record: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path)
    kept, deleted = store.write(make_record(seed=1)), store.write(make_record(seed=2))
    names = store._names()
    (tmp_path / f"{deleted}.parquet").unlink()
    monkeypatch.setattr(Store, "_names", lambda _: names)
    assert store.keys() == [kept]
    assert len(list(store)) == 1
    assert set(store.to_pandas()["cell_key"]) == {kept}
    assert store.damaged() == []
    assert store.find(deleted) is None
    with pytest.raises(MissingCellError, match=deleted):
        store.read(deleted)


def test_a_folder_that_is_deleted_under_way_holds_nothing(tmp_path: Path, make_record: Any) -> None:
    store = Store(tmp_path / "store")
    key = store.write(make_record())
    for path in (tmp_path / "store").iterdir():
        path.unlink()
    store.path.rmdir()
    assert store.keys() == store.damaged() == list(store) == []
    assert not store.has(key)


def test_a_marker_that_vanishes_between_two_looks_is_missing(
    tmp_path: Path, make_record: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "exists", lambda path: True)
    assert Store(tmp_path).keys() == []
