"""Cells of a store that a stranger wrote: read as data or reported as damaged, and never as code."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from campaigns.audit import watched
from campaigns.campaign import Campaign
from campaigns.cell_forgery import forged
from hebbian_descent.storage.results import DamagedCellError, DamagedCellWarning, Record, Store, StoreError
from hebbian_descent.storage.results.parquet import with_checksum
from hebbian_descent.sweep import LayerGrid, Patterns, Sweep, SweepResult


class Known(NamedTuple):
    """A sweep of two cells, and its result without interference."""

    sweep: Sweep
    files: dict[str, bytes]
    keys: list[str]
    records: list[Record]
    result: SweepResult


class Given:
    """An executor that computes nothing: under audit, a sweep only reads and writes."""

    def run(self, works: Sequence[Any], patterns: Patterns) -> Iterator[tuple[int, Record]]:
        for place, work in enumerate(works):
            yield place, known().records[known().sweep.works.index(work)]


@cache
def known() -> Known:
    rng = np.random.default_rng(0)
    setting = LayerGrid.of(
        rules=["hebbian_descent", "hebb"], activations="sigmoid", learning_rates=(0.5, 0.05), trials=2
    )
    sweep = Sweep(setting, Patterns.of(rng.random((5, 3)), rng.random((5, 2))), engine="reference")
    with TemporaryDirectory() as folder:
        store = Store(folder)
        result = sweep.run(store=store)
        store.to_pandas()  # so that late imports happen now, and not under audit
        keys = [sweep.key(store, number) for number in range(2)]
        files = {path.name: path.read_bytes() for path in Path(folder).iterdir()}
        return Known(sweep, files, keys, [store.read(key) for key in keys], result)


def trial(number: int, folder: Path) -> str:
    random, settings = Random(number), np.geterr()
    sweep, files, keys, _, expected = known()
    good, victim = random.sample(keys, 2)
    key, content = forged(random, pq.read_table(pa.BufferReader(files[f"{victim}.parquet"])))
    forgery = {f"{key}.parquet": with_checksum(content, key)}
    for name in files.keys() - {f"{victim}.parquet"} | forgery.keys():
        (folder / name).write_bytes((files | forgery)[name])
    with watched(folder), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        outcome = _read(Store(folder), key, good)
        if outcome != "refused as newer":
            result = sweep.run(store=Store(folder), executor=Given())
            if outcome == "damaged" or key != victim:
                assert np.array_equal(result.values["mae"], expected.values["mae"], equal_nan=True)
            assert victim in Store(folder)
    assert np.geterr() == settings
    for warning in caught:
        assert warning.category is DamagedCellWarning, warning
        assert f"{key}.parquet" in str(warning.message), warning
    return outcome


def _read(store: Store, key: str, good: str) -> str:
    """Read a store in every way it offers; a cell that is damaged in one is damaged in all."""
    outcome, said = "read as data", f"{key}.parquet"
    try:
        store.read(key)
    except DamagedCellError as error:
        outcome, said = "damaged", str(error)
    except StoreError as error:  # of a newer format: another version may know more
        outcome, said = "refused as newer", str(error)
    assert f"{key}.parquet" in said
    if outcome == "refused as newer":
        assert "must have format" in said
        return outcome
    is_read = outcome == "read as data"
    assert [cell.key for cell in store.damaged()] == ([] if is_read else [key])
    assert len(list(store)) == 1 + is_read
    # A cell that is read may still have names that cannot stand side by side in a table.
    assert set(store.to_pandas()["cell_key"]) in ([{good}, {good, key}] if is_read else [{good}])
    return outcome


CAMPAIGN = Campaign(
    title="Forged cells of stores",
    promise="a cell is read as data or reported as damaged with its path; nothing in it is run",
    trial=trial,
    goal=20_000,
    in_tests=80,
    block=250,
)
