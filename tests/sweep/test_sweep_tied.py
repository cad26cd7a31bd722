"""Compiled auto-encoders agree with the plain loop, on one thread or two."""

from collections import Counter
from copy import copy
from threading import Event

import numpy as np
import pytest

from hebbian_descent.engines import choice
from hebbian_descent.engines import tied as engine
from hebbian_descent.engines.choice import ENGINES
from hebbian_descent.native import core
from hebbian_descent.sweep import AutoencoderGrid, Patterns, sweep_autoencoders

X = np.random.default_rng(3).random((30, 7))
SPARSE = np.where(X < 0.3, X, 0)
SMALL = {
    "rules": "hebbian_descent",
    "hidden_activations": "sigmoid",
    "output_activations": "linear",
    "n_hidden": 3,
    "learning_rates": 0.1,
    "trials": 1,
}
pytestmark = pytest.mark.skipif(core() is None, reason="`make native` builds the core")


def result_of(engine, threads, inputs=X, evaluate_on=None, **options):
    grid = AutoencoderGrid.of(
        **{
            "rules": "gradient_descent",
            "hidden_activations": "sigmoid",
            "output_activations": "sigmoid",
            "n_hidden": 3,
            "learning_rates": 0.3,
            "trials": 1,
            "epochs": 3,
            "batch_size": 8,
            **options,
        }
    )
    (cell,) = grid.cells()
    other = None if evaluate_on is None else (evaluate_on, evaluate_on)
    patterns = Patterns.of(inputs, inputs, other)
    return ENGINES[engine](cell, grid, patterns, threads=threads, memory_budget=2**30)


@pytest.mark.parametrize(
    ("trials", "threads", "expected"),
    [(1, 1, {1: 1}), (1, 2, {2: 1}), (1, 9, {2: 1}), (2, 2, {1: 2}), (2, 4, {2: 2}), (3, 2, {1: 2, 2: 1})],
)
def test_a_run_has_two_threads_where_there_are_enough(trials, threads, expected, monkeypatch):
    used, learn = Counter(), engine.TiedRun.learn

    def spy(run, n_threads):
        used[n_threads] += 1
        return learn(run, n_threads)

    monkeypatch.setattr(engine.TiedRun, "learn", spy)
    result_of("tied", threads, trials=trials, epochs=1)
    assert used == expected


SIZES = {
    "one input": (X[:, :1], {}),
    "two inputs": (X[:, :2], {}),
    "one pattern at a time": (X, {"batch_size": 1}),
    "all patterns at once": (X, {"batch_size": 100}),
    "one pattern": (X[:1], {}),
    "more patterns than are evaluated at once": (np.tile(X, (20, 1)), {"batch_size": 50}),
    "one hidden unit": (X, {"n_hidden": 1}),
    "in the given order": (X, {"shuffle": False}),
    "single precision": (X.astype(np.float32), {}),
    "half precision": (X.astype(np.float16), {}),
    "column by column": (np.asfortranarray(X), {}),
    "every other": (X[::2, ::2], {}),
    "wide decay": (X, {"weight_decays": 0.3}),
    "softmax inside": (X, {"hidden_activations": "softmax"}),
    "Hebb's rule": (X, {"rules": "hebb", "learning_rates": 0.01}),
    "Hebbian-descent": (X, {"rules": "hebbian_descent"}),
}


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("size", SIZES)
def test_all_sizes_agree_with_the_plain_loop(size, threads):
    inputs, options = SIZES[size]
    found, plain = (result_of(engine, threads, inputs, **options) for engine in ("tied", "reference"))
    for name, values in plain.values.items():
        np.testing.assert_allclose(found.values[name], values, rtol=1e-9, err_msg=name)


def test_without_the_compiled_core_the_plain_loop_serves(monkeypatch):
    monkeypatch.setattr(engine, "core", lambda: None)
    monkeypatch.setattr(choice, "core", lambda: None)
    result = sweep_autoencoders(SPARSE, **SMALL)
    assert "leaves each run to the plain loop" in next(iter(result.choices.values())).reason
    found, plain = (result_of(name, 2) for name in ("tied", "reference"))
    for name, values in plain.values.items():
        np.testing.assert_array_equal(found.values[name], values)


@pytest.mark.parametrize(
    ("options", "obstacle"),
    [
        ({"output_activations": "softmax"}, "output units of the activation 'softmax' depend on each other"),
        ({"rules": "contrastive"}, "the rule 'contrastive'"),
        ({"error": lambda t, h: h - t}, "has no compiled form"),
    ],
)
def test_what_is_not_compiled_is_trained_by_the_plain_loop(options, obstacle):
    result = sweep_autoencoders(X, **{**SMALL, **options})
    ((engine_name, reason),) = result.choices.values()
    assert engine_name == "reference"
    assert obstacle in reason


@pytest.mark.parametrize("rule", ["hebbian_descent", "gradient_descent", "hebb"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_bits_do_not_depend_on_threads(rule, dtype):
    inputs = np.random.default_rng(4).random((50, 133))
    options = {"rules": rule, "dtype": dtype, "n_hidden": 37, "learning_rates": 0.02, "weight_decays": 0.01}
    one, two = (result_of("tied", threads, inputs, **options) for threads in (1, 2))
    for name, values in one.values.items():
        np.testing.assert_array_equal(values, two.values[name])


@pytest.mark.parametrize("rule", ["hebbian_descent", "gradient_descent"])
@pytest.mark.parametrize("hidden", ["linear", "sigmoid", "exponential"])
def test_the_step_of_divergence_is_that_of_the_plain_loop(rule, hidden):
    rates = tuple(np.geomspace(1, 1e5, 23))
    options = {
        "rules": rule,
        "hidden_activations": hidden,
        "output_activations": "linear",
        "learning_rates": rates,
        "batch_size": 10,
    }
    plain = result_of("reference", 1, **options)
    found = result_of("tied", 1, **options)
    np.testing.assert_array_equal(found.diverged_at, plain.diverged_at)
    assert len(np.unique(plain.diverged_at)) > 2
    for i, rate in list(enumerate(rates))[::4]:
        alone = result_of("tied", 2, **{**options, "learning_rates": rate})
        np.testing.assert_array_equal(alone.diverged_at[0], plain.diverged_at[i])


def test_patterns_are_not_changed():
    kept = X.copy()
    result_of("tied", 2)
    np.testing.assert_array_equal(X, kept)
    assert X.flags.writeable


class Counted:
    """A compiled run that counts how often each part learns."""

    def __init__(self, compiled):
        self.compiled, self.calls = compiled, Counter()

    def __getattr__(self, name):
        return getattr(self.compiled, name)

    def learn(self, first_part, *arguments):
        self.calls[first_part] += 1
        return self.compiled.learn(first_part, *arguments)


@pytest.mark.parametrize("unlucky", [0, 1])
def test_an_error_in_one_thread_ends_both_and_is_raised(unlucky, monkeypatch):
    learn, learn_some, counted = engine.TiedRun.learn, engine.TiedRun._learn_some, []

    def counting(run, threads):
        run.compiled = Counted(run.compiled)
        counted.append(run.compiled)
        return learn(run, threads)

    def broken(run, parts):
        if parts[0] != unlucky:
            return learn_some(run, parts)
        steps = run._steps

        def failing():
            yield next(steps())
            raise MemoryError("no room")

        run = copy(run)
        run._steps = failing
        return learn_some(run, parts)

    monkeypatch.setattr(engine.TiedRun, "learn", counting)
    monkeypatch.setattr(engine.TiedRun, "_learn_some", broken)
    with pytest.raises(MemoryError, match="no room"):
        result_of("tied", 2, epochs=10**6)
    assert counted[0].calls[unlucky] == 1
    assert counted[0].calls[1 - unlucky] <= 2


def test_a_run_that_was_stopped_is_not_evaluated(monkeypatch):
    stopped = Event()

    def fail(run, threads):
        run.stop.set()
        stopped.set()

    monkeypatch.setattr(engine.TiedRun, "learn", fail)
    monkeypatch.setattr(engine, "evaluate_into", lambda *arguments: pytest.fail("was evaluated"))
    result_of("tied", 1)
    assert stopped.is_set()


def test_a_pattern_is_reconstructed_alike_alone_and_among_many():
    rng = np.random.default_rng(5)
    inputs = rng.random((150, 40))
    options = {"n_hidden": 21, "batch_size": 30, "evaluate_on": inputs}
    among = result_of("tied", 1, inputs[:60], **options).values["mae"]
    for k in (0, 129, 149):
        alone = result_of("tied", 1, inputs[:60], **{**options, "evaluate_on": inputs[k : k + 1]})
        np.testing.assert_array_equal(alone.values["mae"][..., 0], among[..., k])


def test_runs_that_nobody_needs_any_more_stop(monkeypatch):
    """An error in one run ends the others at their next step, however long they would take."""
    started, learn = Event(), engine.TiedRun.learn

    def spy(run, *arguments):
        if run.learning_rate == 0.1:
            assert started.wait(60)
            raise MemoryError("no room")
        started.set()
        return learn(run, *arguments)

    monkeypatch.setattr(engine.TiedRun, "learn", spy)
    with pytest.raises(MemoryError, match="no room"):
        result_of("tied", 2, learning_rates=(0.1, 0.2), epochs=10**9)
