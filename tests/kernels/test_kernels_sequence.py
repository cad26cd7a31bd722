"""The sequence kernel computes what a plain loop over explicit weights computes."""

from itertools import product

import numpy as np
import pytest
from kernels_oracle import ACTIVATIONS, learn_step_by_step

from hebbian_descent.kernels.sequence import run_sequence
from hebbian_descent.kernels.specification import RULES, OnlineLearning

N_PATTERNS, N_INPUTS, N_OUTPUTS = 11, 7, 13
RATES = np.array([0.003, 0.05, 0.4, 3.0])


def problem(n_patterns=N_PATTERNS, n_inputs=N_INPUTS, n_outputs=N_OUTPUTS, n_trials=2, seed=3):
    rng = np.random.default_rng(seed)
    inputs, targets = rng.random((n_patterns, n_inputs)), rng.random((n_patterns, n_outputs))
    bound = np.sqrt(6 / (n_inputs + n_outputs))
    return inputs, targets, rng.uniform(-bound, bound, (n_trials, n_inputs, n_outputs))


def offsets_of(inputs):
    return {
        "none": {"offset": 0.0},
        "mean": {"offset": inputs.mean(axis=0)},
        "moving": {"offset": 0.5, "shift": 0.07},
    }


def assert_agrees(result, learning, inputs, targets, weights, rates=RATES, evaluated=None, tolerance=1e-9):
    """Compare all runs; of those that learn from their output and end far off, only the verdict counts.

    Such runs are chaotic: rounding grows from step to step. 0.5 is the error of an uninformed guess.
    """
    evaluated_inputs, evaluated_targets = evaluated or (inputs, targets)
    may_be_chaotic = learning.rule in ("hebbian_descent", "gradient_descent")
    n_compared = 0
    for (i, rate), (j, W) in product(enumerate(rates), enumerate(weights)):
        outputs, diverged_at = learn_step_by_step(
            learning.rule,
            learning.activation,
            inputs,
            targets,
            W,
            rate,
            offset=learning.offset,
            shift=learning.shift,
            decay=learning.weight_decay,
            epochs=learning.n_epochs,
            evaluated=evaluated_inputs,
        )
        assert result.diverged_at[i, j] == diverged_at
        assert result.diverged[i, j] == (diverged_at >= 0)
        if diverged_at >= 0:
            assert np.isnan(result.errors[i, j]).all()
            continue
        expected = abs(outputs - evaluated_targets).mean(axis=1)
        if not may_be_chaotic or expected.mean() < 2 * 0.5:
            np.testing.assert_allclose(result.errors[i, j], expected, rtol=tolerance, atol=tolerance / 100)
            n_compared += 1
    return n_compared


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("rule", RULES)
def test_every_rule_and_activation_equals_the_plain_loop(rule, activation):
    inputs, targets, weights = problem()
    parameters = ACTIVATIONS[activation][0]
    n_compared = 0
    for offset, decay in product(offsets_of(inputs).values(), (0.0, 0.1, 1.0, 2.0)):
        learning = OnlineLearning(rule, activation, parameters, weight_decay=decay, **offset)
        result = run_sequence(learning, inputs, targets, initial_weights=weights, learning_rates=RATES)
        n_compared += assert_agrees(result, learning, inputs, targets, weights)
    assert n_compared > 10


@pytest.mark.parametrize("activation", ["sigmoid", "softmax", "explin", "exponential"])
@pytest.mark.parametrize("rule", RULES)
def test_single_precision_stays_close_to_double(rule, activation):
    inputs, targets, weights = problem(n_patterns=30, n_inputs=20)
    n_compared = 0
    for offset, decay in product(offsets_of(inputs).values(), (0.0, 0.1)):
        double, single = (
            run_sequence(
                OnlineLearning(rule, activation, weight_decay=decay, dtype=dtype, **offset),
                inputs,
                targets,
                initial_weights=weights,
                learning_rates=RATES[:2],
            )
            for dtype in (np.float64, np.float32)
        )
        tame = double.errors.mean(axis=-1) < 2 * 0.5
        n_compared += tame.sum()
        np.testing.assert_allclose(single.errors[tame], double.errors[tame], atol=1e-4)
    assert n_compared > 0


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("offset", ["none", "mean", "moving"])
@pytest.mark.parametrize("decay", [0.0, 0.1])
def test_several_epochs_equal_the_plain_loop(rule, offset, decay):
    inputs, targets, weights = problem()
    for activation in ("sigmoid", "softmax", "rectifier"):
        learning = OnlineLearning(
            rule, activation, weight_decay=decay, n_epochs=4, **offsets_of(inputs)[offset]
        )
        result = run_sequence(learning, inputs, targets, initial_weights=weights, learning_rates=RATES)
        assert_agrees(result, learning, inputs, targets, weights)


@pytest.mark.parametrize("sizes", [(1, 5, 4), (9, 5, 1), (6, 1, 1), (7, 3, 8), (23, 4, 70), (40, 150, 33)])
@pytest.mark.parametrize("activation", ["sigmoid", "softmax"])
def test_sizes_need_not_fit_blocks_panels_or_strips(sizes, activation):
    inputs, targets, weights = problem(*sizes)
    learning = OnlineLearning("gradient_descent", activation, offset=0.5, shift=0.1, weight_decay=0.05)
    result = run_sequence(learning, inputs, targets, initial_weights=weights, learning_rates=RATES)
    assert assert_agrees(result, learning, inputs, targets, weights)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("n_epochs", [1, 3])
def test_patterns_that_were_not_learned_can_be_evaluated(rule, n_epochs):
    inputs, targets, weights = problem()
    evaluated = problem(n_patterns=5, seed=8)[:2]
    learning = OnlineLearning(rule, offset=inputs.mean(axis=0), n_epochs=n_epochs)
    result = run_sequence(
        learning, inputs, targets, initial_weights=weights, learning_rates=RATES, evaluated=evaluated
    )
    assert result.errors.shape == (4, 2, 5)
    assert assert_agrees(result, learning, inputs, targets, weights, evaluated=evaluated)


@pytest.mark.parametrize("rule", ["hebbian_descent", "hebb"])
def test_outputs_of_chosen_runs_are_returned(rule):
    inputs, targets, weights = problem(n_outputs=150)
    learning = OnlineLearning(rule, "scaled_tanh", {"scale": 1.7})
    result = run_sequence(
        learning, inputs, targets, initial_weights=weights, learning_rates=RATES, outputs_of=[(0, 1), (1, 1)]
    )
    assert set(result.outputs) == {(0, 1), (1, 1)}
    for rate in (0, 1):
        expected, _ = learn_step_by_step(rule, "scaled_tanh", inputs, targets, weights[1], RATES[rate])
        np.testing.assert_allclose(result.outputs[rate, 1], expected, rtol=1e-9)


def test_golden_trial_of_the_authors_setting():
    rng = np.random.RandomState(42)
    inputs, targets = rng.randint(0, 2, (100, 200)) * 1.0, rng.randint(0, 2, (100, 200)) * 1.0
    weights = (2 * rng.rand(200, 200) - 1) * np.sqrt(6 / 400)
    learning = OnlineLearning(offset=inputs.mean(axis=0))
    result = run_sequence(learning, inputs, targets, initial_weights=[weights], learning_rates=[0.2])
    errors = result.errors[0, 0]
    observed = [errors.mean(), errors[-20:].mean(), errors[-1], errors[0]]
    np.testing.assert_allclose(observed, [0.130347, 0.034058, 0.018676, 0.205378], atol=1e-6)


@pytest.mark.parametrize("decay", [0.5, 0.999, 1.5])
def test_powers_of_the_decay_may_underflow(decay):
    inputs, targets, weights = problem(n_patterns=1100, n_outputs=3)
    learning = OnlineLearning(offset=0.5, shift=0.01, weight_decay=decay)
    result = run_sequence(learning, inputs, targets, initial_weights=weights, learning_rates=RATES)
    assert assert_agrees(result, learning, inputs, targets, weights)
