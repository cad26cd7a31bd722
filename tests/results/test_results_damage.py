"""A file that is not what was written: never read, always reported, free to be replaced.

The campaign `bit_flips` flips single bits.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from hebbian_descent.storage.results import DamagedCellError, DamagedCellWarning, Store
from hebbian_descent.storage.results.parquet import (
    CHECKSUM_LENGTH,
    TRAILER_LENGTH,
    damage,
    to_parquet,
    with_checksum,
)


def test_no_cut_goes_unseen(make_record: Any) -> None:
    key, content = to_parquet(make_record())
    whole = with_checksum(content, key)
    assert damage(whole, key) is None
    for place in range(len(whole)):
        assert damage(whole[:place], key), f"cut at {place}"


def test_nothing_can_be_added_and_a_checksum_is_good_for_one_key(make_record: Any) -> None:
    key, content = to_parquet(make_record())
    whole = with_checksum(content, key)
    for changed in (whole + b"PAR1", whole + b"\0", b"PAR1" + whole, whole * 2, content):
        assert damage(changed, key)
    assert damage(whole, "0" * 64) == "whose bytes have changed"


def _footer_start(content: bytes) -> int:
    return len(content) - TRAILER_LENGTH - int.from_bytes(content[-8:-4], "little")


DAMAGES = {
    "empty": lambda whole: b"",
    "first bytes only": lambda whole: whole[:3],
    "half": lambda whole: whole[: len(whole) // 2],
    "cut in front of the footer": lambda whole: whole[: _footer_start(whole)],
    "last byte lost": lambda whole: whole[:-1],
    "zeros in the data": lambda whole: whole[:40] + bytes(20) + whole[60:],
    "zeros in the checksum": lambda whole: (
        whole[: (end := _footer_start(whole)) - CHECKSUM_LENGTH] + bytes(CHECKSUM_LENGTH) + whole[end:]
    ),
    "footer said to be huge": lambda whole: whole[:-8] + b"\xff\xff\xff\x7f" + whole[-4:],
    "another kind of file": lambda whole: b"not a Parquet file",
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_cell_is_reported_and_can_be_written_again(
    tmp_path: Path, make_record: Any, damage: str
) -> None:
    store = Store(tmp_path)
    good, bad = store.write(make_record(seed=1)), store.write(make_record(seed=2))
    file = tmp_path / f"{bad}.parquet"
    file.write_bytes(DAMAGES[damage](file.read_bytes()))

    with pytest.raises(DamagedCellError, match=r"must be what was written. Got .*Compute the cell again"):
        store.read(bad)
    [found] = store.damaged()
    assert (found.key, found.path) == (bad, file)
    with pytest.warns(DamagedCellWarning, match=bad):
        assert store.keys() == [good]
    with pytest.warns(DamagedCellWarning, match=bad):
        assert len(list(store)) == 1
    with pytest.warns(DamagedCellWarning, match=bad):
        assert set(store.to_pandas()["seed"]) == {1}
    with pytest.warns(DamagedCellWarning, match=bad):
        missing = store.missing([make_record(seed=seed).specification for seed in (1, 2)])
    assert [specification["seed"] for specification in missing] == [2]

    assert store.write(make_record(seed=2)) == bad
    assert store.damaged() == []
    assert store.keys() == sorted([good, bad])


def test_a_file_under_the_name_of_another_cell_is_damaged(tmp_path: Path, make_record: Any) -> None:
    store = Store(tmp_path)
    key = store.write(make_record())
    shutil.copy(tmp_path / f"{key}.parquet", tmp_path / f"{'0' * 64}.parquet")
    assert [cell.key for cell in store.damaged()] == ["0" * 64]


def test_what_cannot_be_read_at_all_is_damaged(tmp_path: Path, make_record: Any) -> None:
    store = Store(tmp_path)
    store.prepare()
    (tmp_path / f"{'0' * 64}.parquet").mkdir()
    assert "which cannot be read" in store.damaged()[0].reason


def test_files_that_are_no_cells_are_left_alone(tmp_path: Path, make_record: Any) -> None:
    store = Store(tmp_path)
    key = store.write(make_record())
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "summary.parquet").write_text("mine")
    assert Store(tmp_path).keys() == [key]
    assert store.damaged() == []
