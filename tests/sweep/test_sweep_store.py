"""A sweep with a store resumes where it was stopped, and recomputes what has changed."""

from dataclasses import replace

import numpy as np
import pytest

from hebbian_descent import Rule
from hebbian_descent.storage.results import DamagedCellWarning, Store
from hebbian_descent.storage.results.parquet import to_parquet, with_checksum
from hebbian_descent.sweep import LayerGrid, Patterns, Sweep, sweep
from hebbian_descent.sweep.executors import InProcess

GRID = {
    "rules": ["hebbian_descent", "hebb"],
    "activations": ["sigmoid", "linear"],
    "learning_rates": (0.5, 0.05),
    "trials": 2,
}


class Counting(InProcess):
    """Runs cells in this process and remembers how many."""

    def __init__(self):
        super().__init__(threads=1)
        self.n_cells = 0

    def run(self, works, patterns):
        self.n_cells += len(works)
        yield from super().run(works, patterns)


def run(pairs, folder, **options):
    counting = Counting()
    prepared = Sweep(LayerGrid.of(**{**GRID, **options}), Patterns.of(*pairs))
    result = prepared.run(store=Store(folder), executor=counting)
    return result, counting.n_cells


def test_finished_cells_are_not_computed_again(pairs, tmp_path):
    first, computed = run(pairs, tmp_path / "store")
    again, computed_again = run(pairs, tmp_path / "store")
    assert (computed, computed_again) == (4, 0)
    np.testing.assert_array_equal(first.values["mae"], again.values["mae"])
    np.testing.assert_array_equal(first.diverged_at, again.diverged_at)


def test_a_larger_grid_computes_only_what_is_new(pairs, tmp_path):
    run(pairs, tmp_path / "store")
    _, computed = run(pairs, tmp_path / "store", activations=["sigmoid", "linear", "explin"])
    assert computed == 2


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 1},
        {"epochs": 2},
        {"centering": None},
        {"learning_rates": (0.5, 0.04)},
        {"dtype": np.float32},
        {"measures": "mse"},
        {"trials": 3},
    ],
    ids=str,
)
def test_whatever_the_numbers_depend_on_is_in_the_key(change, pairs, tmp_path):
    run(pairs, tmp_path / "store")
    assert run(pairs, tmp_path / "store", **change)[1] == 4


def test_other_patterns_are_other_cells(pairs, tmp_path):
    run(pairs, tmp_path / "store")
    inputs = pairs[0].copy()
    inputs[3, 2] = 1 - inputs[3, 2]
    assert run((inputs, pairs[1]), tmp_path / "store")[1] == 4


def make_rule(strength):
    def factors(activity):
        return activity.inputs, -strength * activity.targets

    return Rule("own", factors)


def test_editing_a_rule_of_ones_own_recomputes_its_cells(pairs, tmp_path):
    grid = {"rules": ["hebb", make_rule(1.0)], "activations": "sigmoid"}
    assert run(pairs, tmp_path / "store", **grid)[1] == 2
    assert run(pairs, tmp_path / "store", **{**grid, "rules": ["hebb", make_rule(1.0)]})[1] == 0
    assert run(pairs, tmp_path / "store", **{**grid, "rules": ["hebb", make_rule(2.0)]})[1] == 1


def test_a_damaged_cell_is_told_and_computed_again(pairs, tmp_path):
    first, _ = run(pairs, tmp_path / "store")
    file = sorted((tmp_path / "store").glob("*.parquet"))[0]
    file.write_bytes(file.read_bytes()[:-100])
    with pytest.warns(DamagedCellWarning):
        again, computed = run(pairs, tmp_path / "store")
    assert computed == 1
    np.testing.assert_array_equal(first.values["mae"], again.values["mae"])


def test_what_was_finished_before_a_failure_is_kept(pairs, tmp_path):
    def failing(activity):
        raise RuntimeError("no")

    rules = ["hebb", Rule("failing", failing)]
    with pytest.raises(RuntimeError, match="no"):
        run(pairs, tmp_path / "store", rules=rules, activations="sigmoid")
    assert len(Store(tmp_path / "store")) == 1


def test_progress_counts_what_the_store_has(pairs, tmp_path):
    sweep(*pairs, store=str(tmp_path / "store"), **GRID)
    seen = []
    sweep(
        *pairs,
        store=str(tmp_path / "store"),
        progress=lambda *counts: seen.append(counts),
        **{**GRID, "activations": ["sigmoid", "linear", "step"]},
    )
    assert seen == [(4, 6), (5, 6), (6, 6)]


def test_the_store_reads_as_one_table(pairs, tmp_path):
    result = sweep(*pairs, store=str(tmp_path / "store"), **GRID)
    table = Store(tmp_path / "store").to_pandas()
    assert len(table) == result.values["mae"].size
    chosen = table[(table["rule_name"] == "hebb") & (table["activation_name"] == "linear")]
    assert chosen["mae"].mean() == pytest.approx(result.values["mae"][1, 1].mean())


def forge(path, **changes):
    """Change the record of a cell with a right checksum, as a stranger might."""
    record = Store(path.parent).read(path.stem)
    _, content = to_parquet(replace(record, **changes))
    path.write_bytes(with_checksum(content, path.stem))


@pytest.mark.parametrize(
    "change",
    [
        lambda record: {"axes": {**record.axes, "trial": [5, 6]}},
        lambda record: {"axes": {"other": [1]}, "values": {"mae": [1.0]}},
        lambda record: {"values": {**record.values, "more": 1.0}},
        lambda record: {"values": {"mae": record.values["mae"]}},
        lambda record: {"values": {**record.values, "mae": record.values["mae"].astype(str)}},
        lambda record: {"values": {**record.values, "mae": 0.5}},
    ],
    ids=["labels", "axes", "one more", "one less", "texts", "repeated"],
)
def test_a_cell_that_is_not_what_the_sweep_stores_is_computed_again(change, pairs, tmp_path):
    first, _ = run(pairs, tmp_path / "store")
    path = sorted((tmp_path / "store").glob("*.parquet"))[0]
    forge(path, **change(Store(path.parent).read(path.stem)))
    with pytest.warns(DamagedCellWarning, match=f"{path.name}, which is not what its key stands for"):
        again, computed = run(pairs, tmp_path / "store")
    assert computed == 1
    np.testing.assert_array_equal(first.values["mae"], again.values["mae"])
    assert run(pairs, tmp_path / "store")[1] == 0


def test_a_cell_that_is_deleted_after_the_first_look_is_computed_again(pairs, tmp_path, monkeypatch):
    run(pairs, tmp_path / "store")
    deleted = sorted((tmp_path / "store").glob("*.parquet"))[0]
    look = Store._look

    def look_then_delete(store, key):
        found = look(store, key)
        deleted.unlink(missing_ok=True)
        return found

    monkeypatch.setattr(Store, "_look", look_then_delete)
    result, computed = run(pairs, tmp_path / "store")
    assert computed <= 1
    assert np.isfinite(result.values["mae"]).all()


def test_what_dead_processes_left_is_removed_though_nothing_is_missing(pairs, tmp_path):
    run(pairs, tmp_path / "store")
    (tmp_path / "store" / f".hebbian-descent-{'0' * 16}.partial").touch()
    run(pairs, tmp_path / "store")
    assert not list((tmp_path / "store").glob(".hebbian-descent-*"))
