"""Capacity is found where it is known, and does not depend on how it was computed."""

import csv
import doctest
import importlib
import json
import re
import runpy
from pathlib import Path

import numpy as np
import pytest

from hebbian_descent import AssociativeMemory, patterns
from hebbian_descent.memory import MEMORIES, capacity
from hebbian_descent.memory.criteria import binary, information
from hebbian_descent.memory.footprint import n_bytes, n_synapses
from hebbian_descent.plotting import forgetting_curve, save_svg
from hebbian_descent.storage.results import FingerprintError, Store

ROOT = Path(__file__).parents[2]


class Limited:
    """Recalls all patterns perfectly if there are neither too few nor too many of them."""

    def __init__(self, size, most, least=0):
        self.size, self.most, self.least = size, most, least
        self.n_synapses = 3 * size

    def store(self, x, t=None):
        self.stored = x if t is None else t

    def recall(self, cue):
        return self.stored if self.least <= len(cue) <= self.most else 1 - self.stored


def layer(size):
    return AssociativeMemory(size, auto="layer", connectivity=~np.eye(size, dtype=bool))


SMALL = {"draws": 3, "criterion": "overlap > 0.9", "readout": "winners"}


@pytest.mark.parametrize("most", [1, 7, 64, 101])
def test_the_largest_number_of_patterns_is_found_exactly(most):
    found = capacity(lambda size: Limited(size, most), [20, 50], draws=2, precision=0)
    assert (found.n_patterns == most).all()
    assert not found.values["is_limited"].any()
    assert (found.values["n_synapses"] == [[60, 60], [150, 150]]).all()


@pytest.mark.parametrize(("options", "expected"), [({"at_most": 2}, 40), ({"loads": [0.5, 1.5]}, 30)])
def test_a_memory_that_holds_all_that_was_tried_is_marked(options, expected):
    found = capacity(lambda size: Limited(size, 10**6), 20, draws=2, **options)
    assert (found.n_patterns == expected).all()
    assert found.values["is_limited"].all()
    assert found.rows()[0]["limited"] == 2
    assert "or more" in str(found)


def test_a_memory_that_fails_with_few_patterns_may_hold_more():
    found = capacity(lambda size: Limited(size, 30, least=2), 20, draws=1, precision=0)
    assert found.n_patterns.item() == 30
    assert capacity(lambda size: Limited(size, 0), 20, draws=1).n_patterns.item() == 0


def test_of_given_loads_the_largest_that_meets_the_criterion_counts():
    found = capacity(lambda size: Limited(size, 30, least=20), 20, draws=1, loads=[0.1, 1, 1.4, 1.6])
    assert found.n_patterns.item() == 28
    np.testing.assert_array_equal(found.traces[20, 0][0], [2, 20, 28, 32])


def hopfield_error(x, cue):
    """Return the share of wrong units after one step of a Hopfield network, in naive loops."""
    n, size = x.shape
    wrong = 0
    for row in range(n):
        for i in range(size):
            field = sum(x[p, i] * x[p, j] * cue[row, j] for p in range(n) for j in range(size) if j != i)
            wrong += (1 if field > 0 else -1) != x[row, i]
    return wrong / (n * size)


class Hopfield:
    def __init__(self, size):
        self.weights = np.zeros((size, size))

    def store(self, x):
        self.weights += x.T @ x
        np.fill_diagonal(self.weights, 0)

    def recall(self, cue):
        return cue @ self.weights


def test_the_score_is_that_of_naive_loops():
    found = capacity(Hopfield, 16, signed=True, noise={"flip": 0.125}, draws=1, loads=[0.25, 0.5])
    seeds = np.random.SeedSequence([0, 16, 0]).generate_state(3)
    for n, score in zip(*found.traces[16, 0], strict=True):
        x = patterns.bipolar(patterns.sparse(n, 16, 0.5, int(seeds[0])))
        cue = patterns.corrupt(x, flip=0.125, seed=int(seeds[2]))
        assert score == pytest.approx(hopfield_error(x, cue))


def test_winners_are_as_many_as_are_active_in_each_target():
    targets = np.array([[1, 0, 0, 0], [1, 1, 1, 0], [0, 0, 0, 0]])
    recalled = np.array([[0.2, 0.9, 0.3, 0.1], [0.9, 0.2, 0.1, 0.2], [0.5, 0.6, 0.7, 0.8]])
    expected = [[0, 1, 0, 0], [1, 1, 0, 1], [0, 0, 0, 0]]  # of equal units the first
    np.testing.assert_array_equal(binary(recalled, targets, "winners"), expected)


def test_a_hopfield_network_holds_about_what_theory_says():
    # One step: P(error) = Q(√(N/P)), which is 1 % at N/P = 2.33² = 5.4.
    found = capacity(Hopfield, 200, signed=True, draws=4)
    assert found.rows()[0]["per_unit"] == pytest.approx(1 / 5.4, rel=0.2)


def test_information_is_the_mutual_information_of_the_joint_counts():
    rng = np.random.default_rng(0)
    targets = rng.random((30, 40)) < 0.2
    recalled = np.where(rng.random((30, 40)) < 0.1, ~targets, targets)
    expected = 0.0
    for t in (0, 1):
        for r in (0, 1):
            joint = ((targets == t) & (recalled == r)).mean()
            expected += joint * np.log2(joint / ((targets == t).mean() * (recalled == r).mean()))
    assert information(targets, recalled) == pytest.approx(1200 * expected)
    f = targets.mean()
    entropy = -f * np.log2(f) - (1 - f) * np.log2(1 - f)
    assert information(targets, targets) == pytest.approx(1200 * entropy)
    assert information(targets, np.zeros_like(targets)) == 0


def test_what_all_patterns_have_in_common_is_no_information():
    x = patterns.correlated(400, 300, 0.5, 0.64, seed=0)
    prototype = patterns.sparse(1, 300, 0.5, seed=0)[0]
    assert information(x, np.tile(prototype, (400, 1))) > 0.3 * x.size
    assert information(x, np.tile(prototype, (400, 1)), prototype) == 0
    # A unit that is on in the prototype is on with probability ½ + ½·0.8 = 0.9.
    entropy = -0.9 * np.log2(0.9) - 0.1 * np.log2(0.1)
    assert information(x, x, prototype) / x.size == pytest.approx(entropy, abs=0.01)


def test_bits_of_perfect_recall_are_those_of_the_patterns_and_cues_are_subtracted():
    row = capacity(lambda size: Limited(size, 12), 20, noise=0.2, draws=2, precision=0).rows()[0]
    assert row["bits_per_synapse"] == pytest.approx(12 * 20 / 60)
    cue = 1 + 0.2 * np.log2(0.2) + 0.8 * np.log2(0.8)  # information in a cue of which a fifth is wrong
    assert row["gained_bits_per_synapse"] == pytest.approx(12 * 20 * (1 - cue) / 60)
    pairs = capacity(lambda size: Limited(size, 12), 20, pairs=True, draws=2, precision=0).rows()[0]
    assert pairs["gained_bits_per_synapse"] == pairs["bits_per_synapse"] == pytest.approx(4)


def test_what_the_targets_of_pairs_have_in_common_is_no_information():
    (row,) = capacity(
        lambda size: Limited(size, 12), 20, pairs=True, correlation=0.5, draws=1, precision=0
    ).rows()
    seed = int(np.random.SeedSequence([0, 20, 0]).generate_state(3)[1])
    targets = patterns.correlated(12, 20, 0.5, 0.5, seed) > 0
    prototype = patterns.sparse(1, 20, 0.5, seed)[0]
    assert row["bits_per_synapse"] == pytest.approx(information(targets, targets, prototype) / 60)


def test_intervals_hold_the_mean_and_are_narrow_where_draws_agree():
    found = capacity(layer, [12, 16], **SMALL)
    for row, held in zip(found.rows(), found.n_patterns, strict=True):
        assert held.min() <= row["low"] <= row["patterns"] <= row["high"] <= held.max()
        assert row["patterns"] == pytest.approx(held.mean())
    assert found.n_patterns[1].mean() > found.n_patterns[0].mean()


def test_what_a_memory_costs():
    memory = layer(10)
    assert n_synapses(memory) == 90
    assert n_bytes(memory) >= 8 * 100 + 100  # weights and mask
    stated = Limited(10, 5)
    stated.n_bytes, stated.n_synapses = 5, lambda: 7
    assert (n_bytes(stated), n_synapses(stated)) == (5, 7)
    binary_synapses = Hopfield(4)
    binary_synapses.weights = np.zeros((4, 4), dtype=bool)
    assert n_synapses(binary_synapses) == 16


class StoppedError(Exception):
    pass


def equal(one, other):
    for name, values in one.values.items():
        np.testing.assert_array_equal(values, other.values[name])
    for key, (n, score) in one.traces.items():
        np.testing.assert_array_equal(n, other.traces[key][0])
        np.testing.assert_array_equal(score, other.traces[key][1])


def test_a_run_that_was_stopped_resumes_and_equals_one_that_was_not(tmp_path):
    whole = capacity(layer, [12, 16], **SMALL)
    folder = str(tmp_path / "store")

    def stop(done, total):
        if done == 4:
            raise StoppedError

    with pytest.raises(StoppedError):
        capacity(layer, [12, 16], **SMALL, store=folder, progress=stop)
    assert len(Store(folder)) == 4
    seen = []
    resumed = capacity(layer, [12, 16], **SMALL, store=folder, progress=lambda *done: seen.append(done))
    assert seen == [(4, 6), (5, 6), (6, 6)]
    equal(whole, resumed)
    more = capacity(layer, [12, 16, 8], **SMALL, store=folder, progress=lambda *done: seen.append(done))
    assert seen[3] == (6, 9)
    equal(capacity(layer, 8, **SMALL), capacity(layer, 8, **SMALL, store=folder))
    assert more.n_patterns.shape == (3, 3)


def test_another_memory_or_setting_has_another_key_and_what_cannot_be_hashed_is_refused(tmp_path):
    store, seen = Store(tmp_path / "store"), []

    def run(rate, **options):
        settings = {**SMALL, "draws": 1, **options}
        make = lambda size: AssociativeMemory(size, size, learning_rate=rate)  # noqa: E731
        capacity(make, 12, pairs=True, store=store, progress=lambda *done: seen.append(done), **settings)
        return len(store)

    assert [run(0.1), run(0.1), run(0.2), run(0.2, noise=0.1), run(0.2, passes=2)] == [1, 1, 2, 3, 4]
    rng = np.random.default_rng(0)
    with pytest.raises(FingerprintError, match=r"memory.*Generator, whose state cannot be read"):
        capacity(lambda size: Limited(size, rng.integers(5)), 12, store=store)


def test_worker_processes_give_the_same_result():
    factor = 1.0  # a value that the function of a memory uses travels with it
    make = lambda size: AssociativeMemory(size, size, learning_rate=factor / size)  # noqa: E731
    equal(
        capacity(make, [12, 16], pairs=True, **SMALL),
        capacity(make, [12, 16], pairs=True, **SMALL, workers=1),
    )


def test_your_own_patterns_and_criterion_are_used():
    def one_of_n(n, size, seed):
        return np.eye(size)[np.arange(n) % size]

    def nearly(targets, recalled):
        return np.abs(targets - recalled).max() < 0.5

    make = lambda size: Limited(size, 9)  # noqa: E731
    found = capacity(make, 10, patterns=one_of_n, criterion=nearly, draws=1, precision=0)
    assert found.n_patterns.item() == 9
    assert found.criterion == "nearly"


def test_a_listed_memory_goes_by_its_name():
    by_name = capacity("associative", 20, **SMALL)
    equal(by_name, capacity(layer, 20, **SMALL))


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("name", MEMORIES)
def test_every_listed_memory_holds_the_patterns_that_it_is_for(name, signed):
    if signed and name in ("willshaw", "sparse_distributed"):
        with pytest.raises(ValueError, match=r"must be 0 or 1.*Got -1.*signed=False in capacity"):
            capacity(name, 30, signed=True, draws=1)
        return
    assert capacity(name, 30, signed=signed, draws=2, at_most=1).n_patterns.min() >= 4


def test_a_listed_memory_knows_the_activity_of_the_patterns():
    made = MEMORIES["hopfield"].for_patterns(10, activity=0.2)
    assert made.activity == 0.2
    assert MEMORIES["hopfield"].for_patterns(10, signed=True).activity is None


def test_a_memory_that_diverges_holds_nothing():
    make = lambda size: AssociativeMemory(size, size, activation="linear", learning_rate=1e9)  # noqa: E731
    assert capacity(make, 10, pairs=True, draws=1, criterion="mae < 0.1").n_patterns.item() == 0


def test_the_table_and_the_figure(tmp_path):
    found = capacity(lambda size: Limited(size, 2 * size), [10, 20], draws=2, precision=0)
    found.to_csv(tmp_path / "table.csv")
    with open(tmp_path / "table.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["size"], float(row["patterns"])) for row in rows] == [("10", 20.0), ("20", 40.0)]
    pytest.importorskip("matplotlib")
    (axes,) = found.plot().axes
    np.testing.assert_array_equal(axes.lines[0].get_xydata(), [[10, 20], [20, 40]])


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: capacity(layer(5), 5), TypeError, r"function of the number of units .* Got Assoc"),
        (lambda: capacity("asociative", 5), ValueError, r"Did you mean 'associative'"),
        (lambda: capacity(lambda n: 3, 5), TypeError, r"Got one that returns int, without store and recall"),
        (lambda: capacity(layer, []), ValueError, r"sizes must be different .* Got \[\]"),
        (lambda: capacity(layer, [5, 5]), ValueError, r"sizes must be different"),
        (lambda: capacity(layer, 5, criterion="error 1"), ValueError, r"such as 'error < 1 %'.* Got 'er"),
        (lambda: capacity(layer, 5, criterion="eror < 1"), ValueError, r"Did you mean 'error'"),
        (lambda: capacity(layer, 5, criterion="error < 1e"), ValueError, r"number. Got 'error < 1e'"),
        (lambda: capacity(layer, 5, readout="max"), ValueError, r"readout must be one of threshold, winners"),
        (lambda: capacity(layer, 5, noise={"flp": 1}), ValueError, r"Did you mean 'flip'"),
        (lambda: capacity(layer, 5, loads=[]), ValueError, r"at least one number of patterns per unit"),
        (lambda: capacity(layer, 5, patterns=3), TypeError, r"function of \(n, size, seed\). Got int"),
        (lambda: capacity(layer, 5, patterns=lambda *_: np.eye(7)), ValueError, r"must have 5 columns"),
    ],
)
def test_bad_input_is_one_clear_sentence(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_the_example_in_the_docstring_runs():
    outcome = doctest.testmod(importlib.import_module("hebbian_descent.memory.capacity"))
    assert outcome.attempted > 0
    assert outcome.failed == 0


PAGE = ROOT / "docs" / "capacity.md"


def test_the_examples_of_the_page_run():
    pytest.importorskip("matplotlib")
    names = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL):
        exec(compile(block, "capacity.md", "exec"), names)
    assert (names["found"].n_patterns > 0).all()


def test_the_table_of_the_page_is_that_of_the_results():
    script = runpy.run_path(str(ROOT / "examples" / "memory" / "compare_capacity.py"))
    rows = json.loads(script["RESULTS"].read_text(encoding="utf-8"))
    lines = [f"| {' | '.join(line)} |" for line in script["table"](rows, script["SIZES"][-1])]
    assert "\n".join(lines) in PAGE.read_text(encoding="utf-8")
    assert {row["memory"] for row in rows} == set(script["memories"]())


def test_a_figure_is_the_same_bytes_whenever_it_is_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    for folder in ("first", "second"):
        (tmp_path / folder).mkdir()
        figure = forgetting_curve({"hebb": np.arange(3.0)})
        save_svg(figure, tmp_path / folder / "curve.svg")
    first, second = ((tmp_path / folder / "curve.svg").read_bytes() for folder in ("first", "second"))
    assert first == second
