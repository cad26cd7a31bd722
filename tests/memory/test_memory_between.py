"""Recall in steps: what happens between them, when they end, which units are known, and their order."""

import pickle

import numpy as np
import pytest

from hebbian_descent import AssociativeMemory, patterns
from hebbian_descent.measures import identified, mean_absolute_error
from hebbian_descent.memory import BETWEEN, HopfieldMemory, sign, threshold, winners
from hebbian_descent.memory.between import get_between

X = patterns.sparse(30, 100, activity=0.1, seed=0)
DAMAGED = patterns.corrupt(X, flip=0.1, seed=1)
RNG = np.random.default_rng(0)
UNITS = RNG.normal(size=(6, 9))


@pytest.fixture(scope="module")
def memory():
    memory = AssociativeMemory(100, auto="layer")
    memory.store(X)
    return memory


def naive_winners(row, k):
    order = sorted(range(len(row)), key=lambda unit: (-row[unit], unit))
    return [1.0 if unit in order[:k] else 0.0 for unit in range(len(row))]


def test_what_is_listed_does_what_it_says():
    for row, found in zip(UNITS, threshold(0.3)(UNITS), strict=True):
        assert found.tolist() == [1.0 if unit > 0.3 else 0.0 for unit in row]
    for row, found in zip(UNITS, sign()(UNITS), strict=True):
        assert found.tolist() == [1.0 if unit > 0 else -1.0 for unit in row]
    with_ties = np.round(UNITS)
    for row, found in zip(with_ties, winners(4)(with_ties), strict=True):
        assert found.tolist() == naive_winners(row, 4)
    np.testing.assert_array_equal(winners(0.33)(UNITS), winners(3)(UNITS))
    assert winners(1e-9)(UNITS).sum(axis=1).tolist() == [1] * 6


@pytest.mark.parametrize("name", BETWEEN)
def test_every_name_is_picklable_and_of_known_value(name):
    chosen = BETWEEN[name](3) if name == "winners" else get_between(name)
    again = pickle.loads(pickle.dumps(chosen))
    assert again == chosen
    np.testing.assert_array_equal(again(UNITS), chosen(UNITS))


@pytest.mark.parametrize("between", [None, "threshold", winners(10), lambda h: np.clip(h, 0.1, 0.9)])
def test_steps_are_a_naive_loop(memory, between):
    layer = memory.network
    x = DAMAGED
    for _ in range(4):
        x = 1 / (1 + np.exp(-((x - layer.offset) @ layer.weights + layer.bias)))
        x = {None: lambda h: h, "threshold": lambda h: (h > 0.5) * 1.0}.get(between, between)(x)
    np.testing.assert_allclose(memory.recall(DAMAGED, 4, between=between), x, atol=1e-12)
    replayer = AssociativeMemory(100, 100)
    replayer.network = layer
    np.testing.assert_allclose(replayer.replay(DAMAGED, 4, between=between)[:, -1], x, atol=1e-12)


def test_a_threshold_keeps_what_graded_units_lose(memory):
    errors = {
        (between, steps): mean_absolute_error(X, memory.recall(DAMAGED, steps, between=between)).mean()
        for between in (None, "threshold")
        for steps in (1, 20)
    }
    assert errors["threshold", 1] < errors[None, 1]
    assert errors["threshold", 20] <= errors["threshold", 1]
    assert errors[None, 20] > 5 * errors["threshold", 20]


def test_winners_replay_a_sequence_that_graded_units_lose():
    sequence = patterns.sparse(60, 100, activity=0.1, seed=3)
    memory = AssociativeMemory(100, 100)
    for _ in range(3):
        memory.store_sequence(sequence)
    graded = memory.replay(sequence[0], 59)
    sharp = memory.replay(sequence[0], 59, between=winners(10))
    assert identified(sequence[1:], sharp).mean() == 1
    assert identified(sequence[1:], graded).mean() < 0.8


def test_a_forgetting_curve_takes_the_settings_of_recall(memory):
    settings = {"steps": 5, "between": winners(10), "until": "converged"}
    curve = memory.forgetting_curve(X, cue=DAMAGED, **settings)
    error = np.abs(memory.recall(DAMAGED, **settings) - X).mean(axis=1)
    np.testing.assert_array_equal(curve.value, error[::-1])


def test_each_cue_ends_when_it_has_settled(memory):
    settled, steps = memory.recall(DAMAGED, until="converged", between="threshold", return_steps=True)
    assert steps.shape == (30,)
    assert 1 < steps.max() < 100
    for cue, found, n in zip(DAMAGED, settled, steps, strict=True):
        np.testing.assert_array_equal(memory.recall(cue, int(n), between="threshold"), found)
        if n > 1:
            np.testing.assert_array_equal(memory.recall(cue, int(n) - 1, between="threshold"), found)
        if n > 2:
            assert (memory.recall(cue, int(n) - 2, between="threshold") != found).any()
    alone, n = memory.recall(DAMAGED[4], until="converged", between="threshold", return_steps=True)
    assert type(n) is int
    assert n == steps[4]
    np.testing.assert_array_equal(alone, settled[4])


def test_the_end_can_be_a_tolerance_or_a_function(memory):
    def after_two(before, after):
        calls.append(len(before))
        return len(calls) == 2

    calls = []
    _, steps = memory.recall(DAMAGED, until=after_two, return_steps=True)
    assert calls == [30, 30]
    assert set(steps) == {2}
    _, loose = memory.recall(DAMAGED, until=0.5, return_steps=True)
    _, tight = memory.recall(DAMAGED, until=1e-3, return_steps=True)
    assert (loose <= tight).all()
    assert loose.sum() < tight.sum()
    _, limited = memory.recall(DAMAGED, 3, until=1e-12, return_steps=True)
    assert limited.max() == 3
    _, once = memory.recall(DAMAGED, return_steps=True)
    assert set(once) == {1}


def test_known_units_stay_and_help(memory):
    known = np.arange(100) < 60
    cues = np.where(known, X, 0.5)
    free = memory.recall(cues, 10, between="threshold")
    held = memory.recall(cues, 10, between="threshold", clamp=known)
    np.testing.assert_array_equal(held[:, known], X[:, known])
    assert np.abs(held - X).mean() < np.abs(free - X).mean()
    for_each = np.tile(known, (30, 1))
    for_each[1:] = False
    mixed = memory.recall(cues, 10, between="threshold", clamp=for_each)
    np.testing.assert_array_equal(mixed[0], held[0])
    np.testing.assert_array_equal(mixed[1:], free[1:])


@pytest.mark.parametrize("clamp", [None, np.arange(12) < 3], ids=["free", "clamped"])
def test_units_one_after_another_are_a_naive_loop(clamp):
    memory = AssociativeMemory(12, auto="layer", seed=2)
    memory.store(RNG.random((5, 12)))
    layer, cue = memory.network, RNG.random(12)
    state, order = cue.copy(), np.random.default_rng(7)
    for _ in range(3):
        for unit in order.permutation(12):
            if clamp is None or not clamp[unit]:
                a = (state - layer.offset) @ layer.weights[:, unit] + layer.bias[unit]
                state[unit] = min(1 / (1 + np.exp(-a)), 0.8)
    settings = {"order": "asynchronous", "seed": 7, "between": lambda h: np.minimum(h, 0.8), "clamp": clamp}
    np.testing.assert_allclose(memory.recall(cue, 3, **settings), state, atol=1e-12)
    together = memory.recall(np.stack([RNG.random(12), cue]), 3, **settings)
    np.testing.assert_allclose(together[1], state, atol=1e-12)


def test_units_that_depend_on_each_other_can_come_one_after_another():
    memory = AssociativeMemory(6, auto="layer", activation="softmax")
    memory.store(np.eye(6))
    state, order = np.eye(6)[:1].copy(), np.random.default_rng(0)
    for unit in order.permutation(6):
        state[:, unit] = memory.recall(state)[:, unit]
    np.testing.assert_allclose(memory.recall(np.eye(6)[0], order="asynchronous"), state[0], atol=1e-12)


def test_two_units_that_exclude_each_other_settle_one_after_another_only():
    """Updated all at once they swap forever, as in every textbook."""
    memory = HopfieldMemory(2)
    memory.store([[1, -1]])
    both, n = memory.recall([1, 1], until="converged", return_steps=True)
    assert n == 100
    one, n = memory.recall([1, 1], until="converged", order="asynchronous", return_steps=True)
    assert n == 2
    assert one.sum() == 0
    assert abs(both.sum()) == 2


PAIRS = AssociativeMemory(100, 50)
BAD = [
    (
        {"between": "treshold"},
        ValueError,
        r"must be one of sign, threshold, winners.*Did you mean 'threshold'",
    ),
    ({"between": "winners"}, ValueError, r"needs the number of winners.*try between=winners\(20\)"),
    ({"between": winners(101)}, ValueError, r"as many winners as units, 100. Got 101"),
    ({"between": 0.5}, TypeError, r"a name or a function of the units. Got 0.5"),
    ({"between": lambda h: h[:, :3]}, ValueError, r"function between steps must return an array"),
    ({"between": lambda h: h * np.inf}, ValueError, r"must return finite numbers. Got (inf|nan)"),
    ({"until": "convergd"}, ValueError, r"must be one of converged. Got 'convergd'. Did you mean"),
    ({"until": -1}, ValueError, r"tolerance of recall must be at least 0"),
    ({"until": lambda before, after: 1}, ValueError, r"must return True or False, or 30 of them"),
    ({"clamp": [True]}, ValueError, r"mask of shape \(100,\) or \(30, 100\). Got \(1,\)"),
    ({"clamp": np.full(100, 0.5)}, ValueError, r"must be True or False for each unit. Got .*0.5"),
    ({"order": "random"}, ValueError, r"must be one of asynchronous, synchronous. Got 'random'"),
    ({"steps": 0}, ValueError, r"number of steps must be at least 1"),
    ({"steps": 2.0}, TypeError, r"number of steps must be a whole number"),
    ({"seed": -1}, ValueError, r"seed must be at least 0"),
]


@pytest.mark.parametrize(("settings", "error", "message"), BAD, ids=[message for *_, message in BAD])
def test_bad_settings_are_one_clear_sentence(memory, settings, error, message):
    with pytest.raises(error, match=message):
        memory.recall(X, **settings)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: winners(0), r"number of winners must be at least 1"),
        (lambda: winners(1.5), r"share of winners must be above 0 and below 1. Got 1.5"),
        (lambda: threshold(np.nan), r"threshold must be finite"),
        (lambda: PAIRS.recall(X, until="converged"), r"outputs must be as many as inputs, 100. Got 50"),
        (lambda: PAIRS.recall(X, clamp=X[0] > 0), r"To clamp units, outputs must be as many"),
        (lambda: PAIRS.recall(X, order="asynchronous"), r"where patterns recall themselves. Got a memory of"),
        (lambda: PAIRS.forgetting_curve(X), r"measured with their targets. Got cues alone"),
        (lambda: AssociativeMemory(9, 9).replay(UNITS, 2, between="no"), r"function between steps must be"),
    ],
)
def test_what_cannot_be_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
