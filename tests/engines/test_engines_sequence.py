"""The sequence engine equals a plain loop over explicit weights, compiled and in plain Python."""

from itertools import product

import numpy as np
import pytest
from sequence_oracle import ACTIVATIONS, learn_step_by_step

from hebbian_descent import RULES, get_activation
from hebbian_descent.engines import sequence as engine
from hebbian_descent.engines import sequence_loop, sequence_problem
from hebbian_descent.engines.grid import initial_weights
from hebbian_descent.engines.network_grids import LayerGrid
from hebbian_descent.engines.patterns import Patterns

COMPILED_RULES = [name for name, rule in RULES.items() if rule.compiled_form]
RATES = (0.003, 0.05, 0.4, 3.0)


@pytest.fixture(params=["compiled", "plain"])
def loop(request, monkeypatch):
    """Run a test by the compiled core, and by the plain twin."""
    if request.param == "plain":
        for module in (engine, sequence_loop, sequence_problem):
            monkeypatch.setattr(module, "core", lambda: None)


def problem(n_patterns=11, n_inputs=7, n_outputs=13, seed=3):
    rng = np.random.default_rng(seed)
    return Patterns.of(rng.random((n_patterns, n_inputs)), rng.random((n_patterns, n_outputs)))


def setting_of(rule, activation="sigmoid", **options):
    unit = get_activation(activation, **ACTIVATIONS[activation][0])
    return LayerGrid.of(
        **{"rules": rule, "activations": unit, "learning_rates": RATES, "trials": 2, **options}
    )


MOVING = {"centering": "moving", "offset_start": 0.5}
CENTERINGS = {"none": {"centering": None}, "mean": {}, "moving": {**MOVING, "shift": 0.07}}


def run(setting, patterns, **options):
    (cell,) = setting.cells()
    return engine.sequence(cell, setting, patterns, **options)


def by_hand(setting, patterns, rate, trial):
    (cell,) = setting.cells()
    W = initial_weights(setting.seed, trial, patterns.inputs.shape[1], patterns.targets.shape[1])
    return learn_step_by_step(
        cell.rule.name,
        cell.activation.name,
        patterns.inputs,
        patterns.targets,
        W,
        rate,
        offset=setting.offset(patterns),
        shift=setting.shift,
        decay=cell.weight_decay,
        epochs=setting.epochs,
        evaluated=patterns.evaluated_inputs,
    )


def assert_agrees(setting, patterns, tolerance=1e-9):
    """Compare all runs; of those that learn from their output and end far off, only the verdict counts.

    Such runs are chaotic: rounding grows from step to step. 0.5 is the error of an uninformed guess.
    """
    result = run(setting, patterns)
    may_be_chaotic = setting.rules[0].looks_at_output
    n_compared = 0
    for (i, rate), (j, trial) in product(enumerate(setting.learning_rates), enumerate(setting.trials)):
        outputs, diverged_at = by_hand(setting, patterns, rate, trial)
        assert result.diverged_at[i, j] == diverged_at
        if diverged_at >= 0:
            assert np.isnan(result.values["mae"][i, j]).all()
            continue
        expected = abs(outputs - patterns.evaluated_targets).mean(axis=1)
        if not may_be_chaotic or expected.mean() < 2 * 0.5:
            found = result.values["mae"][i, j]
            np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance / 100)
            n_compared += 1
    return n_compared


@pytest.mark.usefixtures("loop")
@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("rule", COMPILED_RULES)
def test_every_rule_and_activation_equals_the_plain_loop(rule, activation):
    n_compared = sum(
        assert_agrees(setting_of(rule, activation, weight_decays=decay, **centering), problem())
        for centering, decay in product(CENTERINGS.values(), (0.0, 0.1, 1.0, 2.0))
    )
    assert n_compared > 10


@pytest.mark.usefixtures("loop")
@pytest.mark.parametrize("activation", ["sigmoid", "softmax", "explin", "exponential"])
@pytest.mark.parametrize("rule", COMPILED_RULES)
def test_single_precision_stays_close_to_double(rule, activation):
    patterns = problem(n_patterns=30, n_inputs=20)
    n_compared = 0
    for centering, decay in product(CENTERINGS.values(), (0.0, 0.1)):
        double, single = (
            run(
                setting_of(
                    rule,
                    activation,
                    weight_decays=decay,
                    learning_rates=RATES[:2],
                    dtype=dtype,
                    **centering,
                ),
                patterns,
            ).values["mae"]
            for dtype in (np.float64, np.float32)
        )
        assert single.dtype == np.float32
        tame = double.mean(axis=-1) < 2 * 0.5
        n_compared += tame.sum()
        np.testing.assert_allclose(single[tame], double[tame], atol=1e-4)
    assert n_compared > 0


@pytest.mark.usefixtures("loop")
@pytest.mark.parametrize("rule", COMPILED_RULES)
@pytest.mark.parametrize("centering", CENTERINGS)
@pytest.mark.parametrize("decay", [0.0, 0.1])
def test_several_epochs_equal_the_plain_loop(rule, centering, decay):
    for activation in ("sigmoid", "softmax", "rectifier"):
        options = {"weight_decays": decay, "epochs": 4, **CENTERINGS[centering]}
        assert assert_agrees(setting_of(rule, activation, **options), problem())


@pytest.mark.parametrize("rule", ["hebbian_descent", "hebb"])
def test_runs_that_diverge_in_a_later_epoch_are_told_by_their_step(rule):
    setting = setting_of(rule, "linear", epochs=200, learning_rates=(3.0, 1.2, 0.6, 0.4, 3e3), centering=None)
    patterns = problem(n_patterns=5)
    found = run(setting, patterns).diverged_at
    expected = [
        [by_hand(setting, patterns, rate, trial)[1] for trial in (0, 1)] for rate in setting.learning_rates
    ]
    np.testing.assert_array_equal(found, expected)
    assert (found > 5).any()


@pytest.mark.parametrize("sizes", [(1, 5, 4), (9, 5, 1), (6, 1, 1), (7, 3, 8), (23, 4, 70), (40, 150, 33)])
@pytest.mark.parametrize("activation", ["sigmoid", "softmax", "softplus"])
def test_sizes_need_not_fit_vectors_tiles_or_blocks(sizes, activation):
    options = {**MOVING, "shift": 0.1, "weight_decays": 0.05}
    assert assert_agrees(setting_of("gradient_descent", activation, **options), problem(*sizes))


@pytest.mark.usefixtures("loop")
@pytest.mark.parametrize("rule", COMPILED_RULES)
@pytest.mark.parametrize("epochs", [1, 3])
def test_patterns_that_were_not_learned_can_be_evaluated(rule, epochs):
    learned, other = problem(), problem(n_patterns=5, seed=8)
    patterns = Patterns.of(learned.inputs, learned.targets, (other.inputs, other.targets))
    assert assert_agrees(setting_of(rule, epochs=epochs), patterns)


@pytest.mark.usefixtures("loop")
@pytest.mark.parametrize("rule", ["hebbian_descent", "hebb"])
def test_measures_of_outputs(rule):
    patterns = problem(n_outputs=250)
    setting = setting_of(
        rule, "scaled_tanh", measures=("mse", "mae", "correlation"), learning_rates=RATES[:2]
    )
    found = run(setting, patterns)
    for (i, rate), trial in product(enumerate(setting.learning_rates), setting.trials):
        outputs, _ = by_hand(setting, patterns, rate, trial)
        expected = ((outputs - patterns.targets) ** 2).mean(axis=1)
        np.testing.assert_allclose(found.values["mse"][i, trial], expected, rtol=1e-9)
    assert (
        found.values["mae"]
        == run(setting_of(rule, "scaled_tanh", learning_rates=RATES[:2]), patterns).values["mae"]
    ).all()


@pytest.mark.parametrize("error", ["saturating", lambda t, h: 2 * (h - t)])
def test_a_rule_without_an_error_term_ignores_it(error):
    expected = run(setting_of("contrastive"), problem()).values["mae"]
    np.testing.assert_array_equal(
        run(setting_of("contrastive", error=error), problem()).values["mae"], expected
    )


def test_long_runs_are_cut_into_calls_and_have_the_same_bits(monkeypatch):
    setting, patterns = setting_of("gradient_descent", epochs=20), problem()
    whole = run(setting, patterns).values["mae"]
    monkeypatch.setattr("hebbian_descent.engines.sequence_problem.OPERATIONS_OF_A_CALL", 11 * 22 * 13 * 3)
    np.testing.assert_array_equal(run(setting, patterns).values["mae"], whole)


@pytest.mark.parametrize("decay", [0.5, 0.999, 1.5])
def test_powers_of_the_decay_may_underflow(decay):
    options = {**MOVING, "shift": 0.01, "weight_decays": decay}
    assert assert_agrees(setting_of("hebbian_descent", **options), problem(n_patterns=1100, n_outputs=3))


def test_a_sequence_too_long_for_the_memory_is_refused():
    setting = setting_of("hebbian_descent", centering="moving", epochs=1000)
    with pytest.raises(
        ValueError, match="couplings of 11000 steps must fit into the memory budget of 10000000 b"
    ):
        run(setting, problem(), memory_budget=10_000_000)
