"""A store read as one table by readers that know nothing about it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from hebbian_descent.storage.results import Record, Store

N_ROWS = 3 * 2 * 4


@pytest.fixture
def store(tmp_path: Path, make_record: Any) -> Store:
    """Four cells; the decays are a whole number, a real one, a NumPy one and none."""
    store = Store(tmp_path / "store")
    for level, decay in enumerate([0, 0.1, np.float32(0.5), None]):
        rule = "hebb" if level % 2 else _own_rule
        store.write(make_record(level=float(level), rule=rule, weight_decay=decay, data={"name": "rand"}))
    (store.path / f".hebbian-descent-{'0' * 16}.partial").write_bytes(b"left by a killed writer")
    return store


def _own_rule(x: float) -> float:
    return x


def _check(table: pd.DataFrame) -> None:
    assert len(table) == 4 * N_ROWS
    assert set(table["rule"]) == {"hebb", "_own_rule"}
    assert set(table["data_name"]) == {"rand"}
    assert sorted(table["weight_decay"].dropna().unique()) == [0.0, 0.1, 0.5]
    assert table.groupby("cell_key", observed=True)["error"].sum().tolist() == pytest.approx(
        table.groupby("cell_key", observed=True)["error"].max() * N_ROWS / 2
    )
    one = table[(table["weight_decay"] == 0.1) & (table["learning_rate"] == 0.1) & (table["trial"] == 1)]
    assert one["pattern"].tolist() == [0, 1, 2, 3]
    assert one["error"].tolist() == [12.0, 13.0, 14.0, 15.0]
    assert one["diverged"].tolist() == [True] * 4
    assert set(table["cell_seconds"]) == {0.25}


def test_pandas(store: Store) -> None:
    _check(pd.read_parquet(store.path))
    _check(store.to_pandas())


def test_pandas_with_some_columns_and_rows(store: Store) -> None:
    table = pd.read_parquet(store.path, columns=["error"], filters=[("weight_decay", "==", 0.1)])
    assert table["error"].tolist() == list(range(N_ROWS))
    assert list(store.to_pandas(columns=["rule", "error"]).columns) == ["rule", "error"]


def test_polars(store: Store) -> None:
    polars = pytest.importorskip("polars")
    _check(pd.DataFrame(polars.read_parquet(store.path / "*.parquet").to_dict(as_series=False)))


def test_duckdb(store: Store) -> None:
    duckdb = pytest.importorskip("duckdb")
    _check(duckdb.sql(f"SELECT * FROM '{store.path}/*.parquet' ORDER BY learning_rate, trial, pattern").df())


def test_cells_of_different_columns_and_types_become_one_table(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.write(Record({"rule": None}, {"epoch": [1]}, {"loss": np.array([0.1], np.float32)}))
    store.write(Record({"rule": "hebb"}, {"trial": [1, 2]}, {"loss": [0.25, 0.1]}))
    table = store.to_pandas().sort_values("trial")
    assert table["loss"].tolist() == [0.25, 0.1, np.float32(0.1)]
    assert table["rule"].tolist()[:2] == ["hebb", "hebb"]
    assert table["epoch"].isna().tolist() == [True, True, False]


def test_texts_and_numbers_in_one_column_are_texts(tmp_path: Path) -> None:
    store = Store(tmp_path)
    for rate in ("auto", 0.5, None, True):
        store.write(Record({"rate": rate}, {"trial": [1, 2]}, {"loss": [0.25, 0.1]}))
    table = store.to_pandas()
    assert set(table["rate"].dropna()) == {"auto", "0.5", "true"}
    assert table["loss"].tolist() == [0.25, 0.1] * 4


def test_the_package_can_be_imported_without_the_libraries_of_a_store(tmp_path: Path) -> None:
    program = """
import sys
sys.modules.update(pyarrow=None, pandas=None)
from hebbian_descent.checks import MissingExtraError
from hebbian_descent.storage.results import Record, Store, fingerprint
fingerprint({"seed": 1})
record = Record({}, {}, {"x": 1.0})
try:
    Store(sys.argv[1]).prepare()
except MissingExtraError as error:
    print(error)
try:
    Store(sys.argv[1]).write(record)
except MissingExtraError as error:
    print(error)
"""
    run = [sys.executable, "-c", program, str(tmp_path / "unwritten")]
    done = subprocess.run(
        run, env={"PYTHONPATH": ":".join(sys.path)}, capture_output=True, text=True, check=True
    )
    assert done.stdout.count("A store of results needs pyarrow, which is not installed: pip install") == 2
    assert not (tmp_path / "unwritten").exists()
