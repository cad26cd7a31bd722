"""Hebb's rule and the covariance rule learn once for all learning rates, and agree with the plain loop."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from hebbian_descent.engines.choice import choose
from hebbian_descent.engines.closed_form import imprint
from hebbian_descent.engines.reference import reference
from hebbian_descent.engines.stack import Stack
from hebbian_descent.engines.stacked import stacked
from hebbian_descent.engines.stacked_inputs import Schedule
from hebbian_descent.measures import MEASURES, Measure
from hebbian_descent.sweep import LayerGrid, Patterns

RULES = ("hebb", "covariance")


@pytest.fixture(scope="module")
def pairs():
    rng = np.random.default_rng(3)
    return rng.random((24, 10)), rng.dirichlet(np.ones(6), size=24)


@pytest.fixture(scope="module")
def patterns(pairs):
    return Patterns.of(*pairs)


@pytest.fixture
def updates(monkeypatch):
    """Return a list to which every stack that learns step by step adds its number of runs."""
    made = []
    original = Stack.learn

    def learn(stack, blocks):
        made.append(len(stack.eta))
        original(stack, blocks)

    monkeypatch.setattr(Stack, "learn", learn)
    return made


def setting_of(rule, **options):
    return LayerGrid.of(
        **{
            "rules": rule,
            "activations": "sigmoid",
            "learning_rates": (2.0, 0.1, 0.01),
            "trials": 2,
            "epochs": 5,
            "batch_size": 7,  # of 24: the last one has 3
            **options,
        }
    )


def run_both(setting, patterns):
    (cell,) = setting.cells()
    return stacked(cell, setting, patterns, threads=2), reference(cell, setting, patterns)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("activation", ["sigmoid", "softmax", "linear", "rectifier"])
@pytest.mark.parametrize("centering", ["mean", None])
@pytest.mark.parametrize("shuffle", [True, False])
def test_weights_follow_from_one_run(rule, activation, centering, shuffle, patterns, updates, monkeypatch):
    monkeypatch.setitem(MEASURES, "spread", Measure("spread", "Spread", lambda t, h: h.std(axis=1)))
    setting = setting_of(
        rule, activations=activation, centering=centering, shuffle=shuffle, measures=tuple(MEASURES)
    )
    found, expected = run_both(setting, patterns)
    assert not updates
    assert (found.diverged_at == -1).all()
    # A correlation divides the rounding of outputs by their spread, which is small where units saturate.
    rounding = 8 * np.finfo(float).eps / np.maximum(expected.values["spread"], np.finfo(float).eps)
    for name, values in expected.values.items():
        allowed = 1e-12 + 1e-9 * np.abs(values) + (rounding if name == "correlation" else 0)
        excess = np.abs(found.values[name] - values) - allowed
        assert (excess <= 0).all(), (name, excess.max())


@pytest.mark.parametrize("rule", RULES)
def test_float32_agrees(rule, patterns, updates):
    found, expected = run_both(setting_of(rule, dtype=np.float32), patterns)
    assert not updates
    np.testing.assert_allclose(found.values["mae"], expected.values["mae"], rtol=1e-4)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_which_runs_diverge_follows_as_well(rule, dtype, patterns, updates):
    rates = (0.1, 1e30, 1e7, 0.01, 1e5, 1e3)
    setting = setting_of(rule, activations="linear", learning_rates=rates, dtype=dtype)
    found, expected = run_both(setting, patterns)
    assert not updates
    np.testing.assert_array_equal(found.diverged_at, expected.diverged_at)
    assert (found.diverged_at[1:3] >= 0).all()
    assert (found.diverged_at[[0, 3, 5]] == -1).all()
    np.testing.assert_allclose(
        found.values["mae"], expected.values["mae"], rtol=1e-9 if dtype is np.float64 else 1e-4
    )


def test_runs_at_the_limit_go_step_by_step(patterns, updates):
    (cell,) = setting_of("hebb").cells()
    unlimited = setting_of("hebb", activations="linear", learning_rates=1.0)
    with ThreadPoolExecutor(1) as pool:
        largest = imprint(Schedule(cell, unlimited, patterns), pool, 2**20).largest[-1]
    rates = tuple(1e6 / largest * np.array([0.9, 0.9999, 1.0001, 1.1]))
    found, expected = run_both(setting_of("hebb", activations="linear", learning_rates=rates), patterns)
    assert sum(updates) == 2 * 2  # the two learning rates in the middle, in two trials
    np.testing.assert_array_equal(found.diverged_at, expected.diverged_at)
    assert (found.diverged_at[0] == -1).all()
    assert (found.diverged_at[-1] >= 0).all()


def test_nothing_is_certain_where_initial_weights_matter(pairs, updates):
    patterns = Patterns.of(pairs[0] * 1e6, pairs[1])
    found, expected = run_both(setting_of("hebb", activations="linear", learning_rates=1e-9), patterns)
    assert updates
    np.testing.assert_array_equal(found.diverged_at, expected.diverged_at)


@pytest.mark.parametrize(
    "options", [{"weight_decays": 0.1}, {"centering": "moving", "offset_start": 0.5}], ids=str
)
def test_decay_and_moving_offsets_go_step_by_step(options, patterns, updates):
    found, expected = run_both(setting_of("hebb", **options), patterns)
    assert updates
    np.testing.assert_allclose(found.values["mae"], expected.values["mae"], rtol=1e-9, atol=1e-13)


def test_inputs_that_are_mostly_zero_agree(pairs, updates):
    inputs = np.where(np.random.default_rng(0).random(pairs[0].shape) < 0.2, pairs[0], 0)
    found, expected = run_both(setting_of("hebb"), Patterns.of(inputs, pairs[1]))
    assert not updates
    np.testing.assert_allclose(found.values["mae"], expected.values["mae"], rtol=1e-9)


def test_the_choice_says_that_one_run_tells_all(patterns):
    setting = setting_of("hebb")
    (cell,) = setting.cells()
    assert "one imprint serves all of them" in choose("auto", cell, setting, patterns).reason
