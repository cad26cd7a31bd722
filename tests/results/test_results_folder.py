"""Folders that are no store, cannot be one, or are one of another version."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hebbian_descent.storage.results import Store, StoreError
from hebbian_descent.storage.results.parquet import with_checksum
from hebbian_descent.sweep import sweep

NOBODY = 65534


@pytest.mark.parametrize("found", [1, 3])
def test_a_store_of_another_format_is_refused_before_anything_is_read(
    tmp_path: Path, make_record: Any, found: int
) -> None:
    Store(tmp_path).write(make_record())
    (tmp_path / "_store.json").write_text(json.dumps({"format": found, "other": "things"}))
    with pytest.raises(StoreError, match=r"must have format 2.*Got format [13] in .*another version"):
        Store(tmp_path)


def test_a_store_that_becomes_another_under_way_is_not_written_to(tmp_path: Path, make_record: Any) -> None:
    store = Store(tmp_path)
    (tmp_path / "_store.json").write_text('{"format": 3}')
    with pytest.raises(StoreError, match="Got format 3"):
        store.write(make_record())


def test_a_single_cell_of_another_format_is_refused(tmp_path: Path, make_record: Any) -> None:
    store = Store(tmp_path)
    key = store.write(make_record())
    path = tmp_path / f"{key}.parquet"
    other = pa.BufferOutputStream()
    table = pq.read_table(path)
    metadata = json.loads(table.schema.metadata[b"hebbian_descent"]) | {"format": 3}
    pq.write_table(table.replace_schema_metadata({"hebbian_descent": json.dumps(metadata)}), other)
    path.write_bytes(with_checksum(other.getvalue().to_pybytes(), key))
    for attempt in (lambda: store.read(key), store.to_pandas, lambda: list(store)):
        with pytest.raises(StoreError, match=r"Got format 3 in .*parquet"):
            attempt()


@pytest.mark.parametrize("marker", ["", "{", "[]", '{"version": 1}'])
def test_a_marker_that_says_nothing_is_refused(tmp_path: Path, marker: str) -> None:
    (tmp_path / "_store.json").write_text(marker)
    with pytest.raises(StoreError, match=r"_store.json must state the format.*restore it"):
        Store(tmp_path)


def test_a_folder_with_other_files_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(
        StoreError, match=r"must be a new or empty folder.*holds 'thesis.tex'; choose another"
    ):
        Store(tmp_path)
    assert os.listdir(tmp_path) == ["thesis.tex"]


def test_a_folder_that_fills_up_before_the_first_cell_is_refused(tmp_path: Path, make_record: Any) -> None:
    store = Store(tmp_path)
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(StoreError, match=r"holds 'thesis.tex'"):
        store.write(make_record())


def test_a_folder_left_by_a_writer_that_died_before_its_first_cell_is_free(
    tmp_path: Path, make_record: Any
) -> None:
    (tmp_path / f".hebbian-descent-{'0' * 16}.partial").write_text('{"form')
    store = Store(tmp_path)
    store.write(make_record())
    assert sorted(os.listdir(tmp_path)) == ["_store.json", f"{store.keys()[0]}.parquet"]


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match=r"must be a folder. Got .*file, a file; choose another name"):
        Store(tmp_path / "file")


def test_a_store_below_a_file_holds_nothing_and_cannot_be_made(tmp_path: Path, make_record: Any) -> None:
    (tmp_path / "file").touch()
    store = Store(tmp_path / "file" / "store")
    assert store.keys() == []
    assert not store.has("0" * 64)
    with pytest.raises(NotADirectoryError):
        store.write(make_record())


@pytest.fixture
def folder_of_another_user() -> Iterator[Path]:
    """A folder that may be read and not written, for root as well: root becomes nobody for a while."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        yield folder
        if os.geteuid() != os.getuid():
            os.seteuid(os.getuid())
        folder.chmod(0o755)


def _lose_permission(folder: Path) -> None:
    folder.chmod(0o555)
    if os.getuid() == 0:
        os.seteuid(NOBODY)


def test_a_read_only_store_can_be_read_and_refuses_to_be_written(
    folder_of_another_user: Path, make_record: Any
) -> None:
    store = Store(folder_of_another_user)
    key = store.write(make_record())
    _lose_permission(folder_of_another_user)
    store = Store(folder_of_another_user)
    assert store.read(key).seconds == 0.25
    for attempt in (store.prepare, lambda: store.write(make_record(seed=8))):
        with pytest.raises(StoreError, match=r"must be writable. Got .*Change its permissions or choose"):
            attempt()
    assert store.keys() == [key]


def test_a_new_store_in_a_read_only_folder_is_refused(folder_of_another_user: Path, make_record: Any) -> None:
    _lose_permission(folder_of_another_user)
    with pytest.raises(StoreError, match="must be writable"):
        Store(folder_of_another_user / "new").write(make_record())


def test_a_finished_sweep_can_be_repeated_in_a_read_only_folder(folder_of_another_user: Path) -> None:
    def run(learning_rate: float) -> Any:
        return sweep(
            np.eye(3),
            np.eye(3),
            rules="hebbian_descent",
            activations="linear",
            learning_rates=learning_rate,
            engine="reference",
            store=str(folder_of_another_user),
        ).values["mae"]

    first = run(0.1)
    _lose_permission(folder_of_another_user)
    assert np.array_equal(run(0.1), first)
    with pytest.raises(StoreError, match="must be writable"):
        run(0.2)
