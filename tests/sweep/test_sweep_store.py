"""A sweep with a store goes on where it was stopped, and recomputes what has changed."""

import subprocess
import sys
import time

import numpy as np
import pytest

from hebbian_descent import Rule
from hebbian_descent.results import DamagedCellWarning, Store
from hebbian_descent.sweep import Patterns, Setting, Sweep, sweep
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
    prepared = Sweep(Setting.of(**{**GRID, **options}), Patterns.of(*pairs))
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


PROGRAM = """
import sys
import numpy as np
from hebbian_descent.sweep import sweep
rng = np.random.default_rng(0)
x, t = rng.random((30, 20)), rng.random((30, 15))
result = sweep(x, t, rules=["hebbian_descent", "gradient_descent", "hebb"], engine="reference", trials=8,
               activations=["sigmoid", "linear", "explin", "softsign"], learning_rates=(0.3, 0.1, 0.03),
               store=sys.argv[1])
np.save(sys.argv[2], result.values["mae"])
"""


def test_a_sweep_killed_again_and_again_ends_with_the_same_bits(tmp_path):
    def start(store, output):
        return subprocess.Popen([sys.executable, "-c", PROGRAM, str(store), str(output)])

    assert start(tmp_path / "undisturbed", tmp_path / "expected.npy").wait(timeout=120) == 0
    store, n_kills = tmp_path / "store", 0
    while True:
        before = len(list(store.glob("*.parquet")))
        process = start(store, tmp_path / "found.npy")
        while process.poll() is None and len(list(store.glob("*.parquet"))) < min(before + 3, 12):
            time.sleep(0.002)
        if before + 3 > 12 or process.poll() is not None:
            break
        process.kill()  # SIGKILL: no chance to tidy up
        process.wait()
        n_kills += 1
    assert process.wait(timeout=120) == 0
    assert n_kills >= 3
    np.testing.assert_array_equal(np.load(tmp_path / "found.npy"), np.load(tmp_path / "expected.npy"))
    assert not Store(store).damaged()
