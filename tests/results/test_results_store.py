"""Writing cells and having them back, bit by bit."""

from __future__ import annotations

import json
import pickle
import platform
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from hebbian_descent.source_digest import source_digest
from hebbian_descent.storage.results import MissingCellError, Record, Store, canonical, fingerprint
from hebbian_descent.storage.results.parquet import from_parquet, to_parquet

bit_patterns = st.sampled_from([np.uint32, np.uint64]).flatmap(lambda dtype: hnp.arrays(dtype, (2, 3)))


@given(bit_patterns)
def test_every_bit_of_a_floating_number_is_kept(bits: Any) -> None:
    floats = bits.view(np.float32 if bits.dtype == np.uint32 else np.float64)
    key, content = to_parquet(Record({}, {"a": [1, 2], "b": [1, 2, 3]}, {"x": floats}))
    back = from_parquet(content, key, "").values["x"]
    assert back.dtype == floats.dtype
    assert back.tobytes() == floats.tobytes()


@pytest.mark.parametrize("dtype", ["bool", "int8", "int64", "uint8", "uint64", ">f8", "<U7"])
def test_other_types_come_back_as_they_were(tmp_path: Path, dtype: str) -> None:
    store = Store(tmp_path)
    values = np.array([0, 1, 1]).astype(dtype)
    back = store.read(store.write(Record({}, {"axis": ["a", "bc", "d"]}, {"x": values})))
    assert list(back.axes["axis"]) == ["a", "bc", "d"]
    assert back.values["x"].dtype == np.dtype(dtype).newbyteorder("=")
    assert np.array_equal(back.values["x"], values)


def test_a_record_comes_back_with_all_it_carries(tmp_path: Path) -> None:
    def rule(x: float) -> float:
        return 2 * x

    specification = {
        "rule": rule,
        "weight_decay": 0.1,
        "layers": (3, 4),
        "limit": float("inf"),
        "data": {"name": "rand", "inputs": np.zeros(3)},
        "dtype": np.float32(1),
        "seed": 2**70,
    }
    store = Store(tmp_path / "new" / "store")
    key = store.write(
        Record(
            specification,
            axes={"trial": [3, 1, 2], "half": [0, 1]},
            values={"error": np.arange(6.0).reshape(3, 2), "by_trial": [True, False, True], "total": 4.5},
            seconds=1.5,
            notes={"path": "plain loop", "blocks": 3},
        )
    )
    back = store.read(key)
    assert key == store.key(specification) == store.key(back.specification) == fingerprint(specification)
    assert {**back.specification, "rule": 0, "data": 0} == {**specification, "rule": 0, "data": 0}
    assert back.specification["rule"] == canonical(rule)
    assert list(back.axes) == ["trial", "half"]
    assert back.values["error"].tolist() == [[0, 1], [2, 3], [4, 5]]
    assert back.values["by_trial"].tolist() == [True, False, True]
    assert back.values["total"].item() == 4.5
    assert (back.seconds, back.notes) == (1.5, {"path": "plain loop", "blocks": 3})


def test_a_file_says_what_it_was_computed_with(tmp_path: Path, make_record: Any) -> None:
    store = Store(tmp_path)
    key = store.write(make_record())
    metadata = json.loads(pq.read_schema(tmp_path / f"{key}.parquet").metadata[b"hebbian_descent"])
    assert metadata["key"] == key
    assert metadata["specification"] == {"rule": "hebb", "seed": 7}
    provenance = metadata["provenance"]
    assert provenance["versions"]["numpy"] == np.__version__
    assert provenance["versions"]["python"] == platform.python_version()
    assert provenance["machine"] == platform.machine()
    assert provenance["source_digest"] == source_digest()
    assert all(pool["num_threads"] >= 1 and pool["internal_api"] for pool in provenance["thread_pools"])
    assert store.read(key).provenance == provenance


def test_only_what_is_missing_is_asked_for(tmp_path: Path, make_record: Any) -> None:
    store = Store(tmp_path)
    records = [make_record(weight_decay=decay) for decay in (0.0, 0.1, 0.2)]
    specifications = [record.specification for record in records]
    assert store.missing(specifications) == specifications
    keys = [store.write(record) for record in records[:2]]
    assert store.missing(specifications) == specifications[2:]
    assert store.keys() == sorted(keys)
    assert len(store) == 2
    assert keys[0] in store
    assert 3 not in store
    assert [store.key(record.specification) for record in store] == sorted(keys)


def test_writing_again_replaces(tmp_path: Path, make_record: Any) -> None:
    store = Store(tmp_path)
    assert store.write(make_record(level=1.0)) == (key := store.write(make_record(level=2.0)))
    assert store.read(key).values["error"].max() == 46
    assert len(store) == 1


def test_a_new_store_is_empty_and_leaves_no_trace_until_something_is_written(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    assert list(store) == store.keys() == store.damaged() == []
    assert not store.has("0" * 64)
    assert store.to_pandas().empty
    assert not store.path.exists()
    for key in ("0" * 64, "../../etc/passwd", ""):
        with pytest.raises(MissingCellError, match="must be that of a finished cell"):
            store.read(key)


def test_names_that_would_share_a_column_are_refused(tmp_path: Path, make_record: Any) -> None:
    with pytest.raises(ValueError, match=r"must have different names. Got 'error' twice; rename"):
        Store(tmp_path).write(make_record(error="none"))


def test_a_store_can_be_sent_to_another_process(tmp_path: Path, make_record: Any) -> None:
    store = Store(tmp_path)
    key = store.write(make_record())
    assert pickle.loads(pickle.dumps(store)).has(key)
    assert repr(store) == f"Store({str(tmp_path)!r})"
