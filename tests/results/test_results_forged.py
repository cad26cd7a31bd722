"""Cells that a stranger wrote, with a right checksum: data or damage, never code and never a traceback.

The campaign `forged_cells` tries thousands of them; these are the cases that have names.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hebbian_descent.storage.results import DamagedCellError, DamagedCellWarning, Record, Store, canonical
from hebbian_descent.storage.results.parquet import METADATA, to_parquet, with_checksum
from hebbian_descent.storage.results.values import SCALARS, restore, sha256

Metadata = dict[str, Any]
Forge = Callable[..., str]


@pytest.fixture
def forge(tmp_path: Path, make_record: Any) -> Forge:
    """A forger of cells: other metadata than a good cell's, or another table, with a right checksum."""

    def forged(change: Callable[[Metadata], Any] = lambda metadata: None, table: Any = None) -> str:
        _, content = to_parquet(make_record())
        good = pq.read_table(pa.BufferReader(content))
        metadata = json.loads(good.schema.metadata[METADATA])
        change(metadata)
        key = sha256(metadata["specification"])
        output = pa.BufferOutputStream()
        table = good if table is None else table
        pq.write_table(table.replace_schema_metadata({METADATA: json.dumps(metadata)}), output)
        Store(tmp_path).prepare()
        (tmp_path / f"{key}.parquet").write_bytes(with_checksum(output.getvalue().to_pybytes(), key))
        return key

    return forged


def scalar(name: str, value: Any) -> Callable[[Metadata], Any]:
    return lambda metadata: metadata["specification"].update(seed={"$scalar": {"type": name, "value": value}})


@pytest.mark.parametrize("name", ["test", "seterr", "fromfile", "load", "object_", "datetime64", []])
def test_a_scalar_of_a_type_that_is_none_calls_nothing(
    tmp_path: Path, forge: Forge, monkeypatch: pytest.MonkeyPatch, name: Any
) -> None:
    calls: list[object] = []
    if isinstance(name, str):
        monkeypatch.setattr(np, name, calls.append)
    key = forge(scalar(name, str(tmp_path / "_store.json")))
    store = Store(tmp_path)
    with pytest.raises(DamagedCellError, match=rf"{key}.parquet, which holds no cell"):
        store.read(key)
    with pytest.warns(DamagedCellWarning, match=key):
        assert list(store) == []
    assert [cell.key for cell in store.damaged()] == [key]
    assert calls == []


@pytest.mark.parametrize("name", SCALARS)
def test_every_scalar_comes_back_with_its_type(tmp_path: Path, name: str) -> None:
    value = SCALARS[name](1)
    store = Store(tmp_path)
    back = store.read(store.write(Record({"x": value}, {}, {"y": 1.0}))).specification["x"]
    assert (type(back), back) == (type(value), value)


def test_times_of_other_units_have_other_forms() -> None:
    forms = [canonical(np.timedelta64(1, unit)) for unit in ("ns", "ps")]
    forms += [canonical(np.datetime64(1, unit)) for unit in ("ns", "ps")]
    assert len({json.dumps(form) for form in forms}) == 4


def nested(depth: int) -> Any:
    return reduce(lambda inner, _: [inner], range(depth), [])


ENDLESS = {"$range": [0, 10**15 * (2**61 - 1), 2**61 - 1]}  # whose members all have the same hash

DAMAGES: dict[str, Callable[[Metadata], Any]] = {
    "no axes": lambda m: m.pop("axes"),
    "axes of another kind": lambda m: m.update(axes={"a": 1}),
    "an axis of no length": lambda m: m["axes"][0].__setitem__(2, [0]),
    "an axis of negative length": lambda m: m["axes"][0].__setitem__(2, [-3]),
    "an axis longer than its column": lambda m: m["axes"][0].__setitem__(2, [2**62]),
    "an axis that is not there": lambda m: m["axes"][0].__setitem__(0, "nowhere"),
    "a type that numpy would have to parse": lambda m: m["values"][0].__setitem__(1, "(2,3)f8,O"),
    "objects": lambda m: m["values"][0].__setitem__(1, "|O"),
    "another type than the column's": lambda m: m["values"][0].__setitem__(1, "<i8"),
    "an array over other axes": lambda m: m["values"][0].__setitem__(2, [3, 4]),
    "seconds that are none": lambda m: m.update(seconds="\x1b[2Jsoon"),
    "seconds that are not finite": lambda m: m.update(seconds=float("nan")),
    "notes that are no mapping": lambda m: m.update(notes={"$tuple": []}),
    "provenance that is no mapping": lambda m: m.update(provenance=[]),
    "a specification that is no mapping": lambda m: m.update(specification={"$tuple": []}),
    "a format in words": lambda m: m.update(format="newer than you think"),
    "a number that is none": lambda m: m["specification"].update(seed={"$float": "much"}),
    "nesting that no parser follows": lambda m: m["specification"].update(seed=nested(900)),
    "a range of nothing": lambda m: m["specification"].update(seed={"$range": ["a"]}),
    "a set of a quadrillion": lambda m: m["specification"].update(seed={"$set": ENDLESS}),
    "a tuple of a quadrillion": lambda m: m["specification"].update(seed={"$tuple": ENDLESS}),
    "a mapping of a quadrillion": lambda m: m["specification"].update(seed={"$mapping": ENDLESS}),
    "a scalar of a quadrillion": lambda m: m["specification"].update(
        seed={"$scalar": {"type": "float64", "value": ENDLESS}}
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_forged_cell_is_damaged_and_says_where(tmp_path: Path, forge: Forge, damage: str) -> None:
    key = forge(DAMAGES[damage])
    store = Store(tmp_path)
    with pytest.raises(DamagedCellError, match=rf"Got .*{key}.parquet, which holds no cell") as error:
        store.read(key)
    assert str(error.value).isprintable()
    assert len(str(error.value)) < 600
    with pytest.warns(DamagedCellWarning, match=key):
        assert store.to_pandas().empty
    assert [cell.key for cell in store.damaged()] == [key]


def test_a_cell_with_the_specification_of_another_is_damaged(tmp_path: Path, forge: Forge) -> None:
    key = forge()
    content = (tmp_path / f"{key}.parquet").read_bytes()
    table = pq.read_table(pa.BufferReader(content))
    output = pa.BufferOutputStream()
    pq.write_table(table, output)
    other = "0" * 64
    (tmp_path / f"{other}.parquet").write_bytes(with_checksum(output.getvalue().to_pybytes(), other))
    assert [cell.key for cell in Store(tmp_path).damaged()] == [other]


@pytest.mark.parametrize(
    ("axes", "columns"),
    [
        ([["axis", "<U250000", [4]]], {"axis": pa.array(list("abcd")).dictionary_encode()}),
        ([["axis", "<i8", [40_000]]], {"axis": np.arange(40_000)}),
    ],
    ids=["long texts", "many rows"],
)
def test_what_takes_more_memory_than_there_is_is_not_read(
    tmp_path: Path, forge: Forge, monkeypatch: pytest.MonkeyPatch, axes: Any, columns: Any
) -> None:
    key = forge(lambda metadata: metadata.update(axes=axes, values=[]), pa.table(columns))
    assert Store(tmp_path).read(key).axes["axis"].size in (4, 40_000)
    monkeypatch.setattr(os, "sysconf", lambda name: 1000)  # a thousand pages of a thousand bytes
    with pytest.raises(
        DamagedCellError, match=r"ValueError: \d+ bytes are needed, but this machine has 1000000"
    ):
        Store(tmp_path).read(key)


def test_numbers_that_collide_do_not_hold_up_the_reader(tmp_path: Path, forge: Forge) -> None:
    colliding = [number * (2**61 - 1) for number in range(30_000)]
    key = forge(lambda metadata: metadata["specification"].update(seed={"$set": colliding}))
    assert Store(tmp_path).read(key).specification["seed"] == {"$set": colliding}


@pytest.mark.parametrize(
    "value",
    [
        frozenset({frozenset({1}), frozenset({2})}),
        {frozenset({(1, 2.0)}): 1, (True, None): "b"},
        {np.float32(1), 2.5, "text"},
    ],
    ids=["set of sets", "mapping", "set"],  # the order of a set, and so its text, differs between processes
)
def test_sets_and_mappings_come_back_as_they_were(value: Any) -> None:
    assert restore(canonical(value)) == value


def test_keys_that_are_described_stay_described() -> None:
    form = canonical({np.exp: 1, len: 2})
    assert restore(form) == form
    assert canonical(restore(form)) == form
