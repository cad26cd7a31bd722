"""Inputs that are mostly zero are learned without their zeros, and as the plain loop learns them."""

import numpy as np
import pytest

from hebbian_descent import ACTIVATIONS, ERROR_TERMS
from hebbian_descent.engines import stacked_inputs
from hebbian_descent.engines.choice import LAYER_ENGINES, choose
from hebbian_descent.measures import MEASURES
from hebbian_descent.native import core
from hebbian_descent.sweep import LayerGrid, Patterns

pytestmark = pytest.mark.skipif(core() is None, reason="only the compiled core leaves out zeros")

COMPILED_RULES = ("hebbian_descent", "contrastive", "gradient_descent")
DIVERGING = 1e5


@pytest.fixture(scope="module")
def pairs():
    rng = np.random.default_rng(5)
    inputs = np.where(rng.random((60, 14)) < 0.3, rng.random((60, 14)), 0)
    inputs[:, 4] = 0  # as at the edge of an image
    return inputs, rng.dirichlet(np.ones(5), size=60)


@pytest.fixture(scope="module")
def patterns(pairs):
    return Patterns.of(*pairs)


def run(engine, cell, setting, patterns):
    return LAYER_ENGINES[engine](cell, setting, patterns, threads=2, memory_budget=2**30)


def assert_agreement(setting, patterns, *, rtol, atol):
    """Compare all runs that end near the baseline or below; the others are chaotic. Return how many."""
    compared = 0
    for cell in setting.cells():
        found, expected = (run(engine, cell, setting, patterns) for engine in ("stacked", "reference"))
        np.testing.assert_array_equal(found.diverged_at >= 0, expected.diverged_at >= 0)
        with np.errstate(invalid="ignore"):
            tame = expected.values["mae"].mean(axis=-1) < 2 * patterns.baseline
        for name, values in expected.values.items():
            np.testing.assert_allclose(found.values[name][tame], values[tame], rtol=rtol, atol=atol)
            assert np.isnan(found.values[name][expected.diverged_at >= 0]).all()
        compared += tame.sum()
    return compared


@pytest.fixture(autouse=True)
def batches_without_zeros(monkeypatch):
    """Count the batches that are learned without zeros; a test that makes none would compare nothing."""
    made = []
    original = stacked_inputs._Source.batches

    def batches(source, rows, bounds, *arguments, learns=True):
        if source.sparse is not None and learns:
            made.extend(bounds[1:])
        return original(source, rows, bounds, *arguments, learns=learns)

    monkeypatch.setattr(stacked_inputs._Source, "batches", batches)
    return made


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("rule", COMPILED_RULES)
def test_every_activation_centering_and_decay_agrees(rule, activation, patterns, batches_without_zeros):
    compared = 0
    for centering in ("mean", "moving", None):
        setting = LayerGrid.of(
            rules=rule,
            activations=activation,
            centering=centering,
            learning_rates=(DIVERGING, 0.5, 0.05),
            weight_decays=(0.0, 0.1, 1.0),
            trials=2,
            epochs=2,
            batch_size=8,  # the last one has 4
        )
        compared += assert_agreement(setting, patterns, rtol=1e-9, atol=1e-13)
    assert compared >= 8
    assert len(batches_without_zeros) == 3 * 3 * 2 * 8  # centerings, decays, epochs, batches; trials share


@pytest.mark.parametrize("rule", COMPILED_RULES)
def test_float32_agrees(rule, patterns, batches_without_zeros):
    setting = LayerGrid.of(
        rules=rule,
        activations=["sigmoid", "softmax", "linear"],
        learning_rates=(0.5, 0.05),
        weight_decays=(0.0, 0.1),
        trials=2,
        epochs=2,
        batch_size=20,
        dtype=np.float32,
    )
    assert assert_agreement(setting, patterns, rtol=1e-4, atol=1e-5) >= 12
    assert batches_without_zeros


def test_runs_diverge_as_in_the_plain_loop(patterns):
    setting = LayerGrid.of(
        rules="hebbian_descent",
        activations=["linear", "rectifier"],
        learning_rates=(1e300, DIVERGING, 30.0, 0.1),
        trials=2,
        epochs=3,
        batch_size=15,
    )
    for cell in setting.cells():
        found, expected = (run(engine, cell, setting, patterns) for engine in ("stacked", "reference"))
        np.testing.assert_array_equal(found.diverged_at, expected.diverged_at)
        assert (found.diverged_at[:2] >= 0).all()
        assert (found.diverged_at[3] == -1).all()


def test_all_measures_agree_on_a_test_set(pairs):
    rng = np.random.default_rng(1)
    for share in (0.2, 1.0):
        test = np.where(rng.random((31, 14)) < share, rng.random((31, 14)), 0)
        patterns = Patterns.of(*pairs, evaluate_on=(test, rng.dirichlet(np.ones(5), size=31)))
        setting = LayerGrid.of(
            rules="hebbian_descent",
            activations="softmax",
            learning_rates=(0.5, 0.05),
            trials=2,
            batch_size=30,
            measures=tuple(MEASURES),
        )
        assert assert_agreement(setting, patterns, rtol=1e-9, atol=1e-12) == 4


@pytest.mark.parametrize("centering", ["mean", "moving"])
@pytest.mark.parametrize("activation", ["softmax", "sigmoid"])
@pytest.mark.parametrize("rule", [*COMPILED_RULES, "hebb"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_bits_do_not_depend_on_threads_or_other_trials(
    pairs, dtype, rule, activation, centering, batches_without_zeros
):
    patterns = Patterns.of(*pairs)
    grid = {
        "rules": rule,
        "activations": activation,
        "learning_rates": (1.0, 0.1, 0.01),
        "weight_decays": 0.01 if rule == "contrastive" else 0.0,
        "centering": centering,
        "epochs": 2,
        "batch_size": 25,
        "dtype": dtype,
    }
    setting, alone = LayerGrid.of(trials=5, **grid), LayerGrid.of(trials=[3], **grid)
    (cell,) = setting.cells()
    one, two = (
        LAYER_ENGINES["stacked"](cell, setting, patterns, threads=threads, memory_budget=2**30)
        for threads in (1, 2)
    )
    np.testing.assert_array_equal(one.values["mae"], two.values["mae"])
    third = run("stacked", cell, alone, patterns)
    np.testing.assert_array_equal(one.values["mae"][:, 3:4], third.values["mae"])
    assert batches_without_zeros or rule == "hebb"  # which learns once for all rates


def test_little_memory_gives_the_same_numbers(patterns, batches_without_zeros):
    setting = LayerGrid.of(
        rules="hebbian_descent",
        activations="sigmoid",
        learning_rates=(1.0, 0.3, 0.1, 0.03),
        trials=3,
        batch_size=20,
    )
    (cell,) = setting.cells()
    little, enough = (
        LAYER_ENGINES["stacked"](cell, setting, patterns, threads=2, memory_budget=budget)
        for budget in (2**15, 2**30)
    )
    np.testing.assert_allclose(little.values["mae"], enough.values["mae"], rtol=1e-12)
    assert len(batches_without_zeros) > 2 * 3


def test_the_choice_says_when_zeros_are_left_out(pairs):
    grid = {"activations": "softmax", "learning_rates": 0.1, "trials": 1, "batch_size": 20}
    for error in ERROR_TERMS:
        targets = np.where(pairs[1] > 0.2, 1.0, -1.0)
        setting = LayerGrid.of(rules="hebbian_descent", error=error, **grid)
        (cell,) = setting.cells()
        choice = choose("auto", cell, setting, Patterns.of(pairs[0], targets))
        assert choice.engine == "stacked"
        assert "leave out the 7" in choice.reason
    dense = np.random.default_rng(0).random((60, 14))
    for options, inputs in (({}, dense), ({"batch_size": 4}, pairs[0])):
        setting = LayerGrid.of(**{"rules": "hebbian_descent", **grid, **options})
        (cell,) = setting.cells()
        choice = choose("auto", cell, setting, Patterns.of(inputs, pairs[1]))
        assert choice.reason.endswith("runs are stacked as columns of one matrix")
