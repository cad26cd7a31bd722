"""Threads that work together end together, whatever happens to one of them."""

from collections import Counter

import numpy as np
import pytest

from hebbian_descent.engines import tied_halves
from hebbian_descent.engines.choice import ENGINES
from hebbian_descent.engines.lockstep import in_lockstep
from hebbian_descent.kernels.meeting import wait_for_all
from hebbian_descent.sweep import AutoSetting, Patterns

X = np.random.default_rng(3).random((30, 7))


@pytest.mark.parametrize("n_threads", [1, 2, 5])
def test_results_come_in_order(n_threads):
    def take_part(number, meeting):
        return number, wait_for_all(meeting)

    assert in_lockstep(take_part, n_threads) == [(number, True) for number in range(n_threads)]


@pytest.mark.parametrize("n_threads", [1, 2, 5])
@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_in_one_thread_ends_all_and_is_raised(n_threads, error):
    for unlucky in range(n_threads):
        ended = []

        def take_part(number, meeting):
            for step in range(10):
                if number == unlucky and step == 5:  # noqa: B023  # called within this turn
                    raise error("that was it")
                if not wait_for_all(meeting):
                    ended.append((number, step))  # noqa: B023
                    return

        with pytest.raises(error, match="that was it"):
            in_lockstep(take_part, n_threads)
        assert sorted(number for number, _ in ended) == [n for n in range(n_threads) if n != unlucky]
        # Whoever has not yet seen that all came to the meeting before hears of the end there already.
        assert {step for _, step in ended} <= {4, 5}


def result_of(engine, threads, inputs=X, **options):
    setting = AutoSetting.of(
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
    (cell,) = setting.cells()
    patterns = Patterns.of(inputs, inputs)
    return ENGINES[engine](cell, setting, patterns, threads=threads, memory_budget=2**30)


@pytest.mark.parametrize(
    ("trials", "threads", "expected"),
    [(1, 1, {1: 1}), (1, 2, {2: 1}), (1, 9, {2: 1}), (2, 2, {1: 2}), (2, 4, {2: 2}), (3, 2, {1: 2, 2: 1})],
)
def test_a_run_has_two_threads_where_there_are_enough(trials, threads, expected, monkeypatch):
    used = Counter()

    def spy(function, n_threads):
        used[n_threads] += 1
        return in_lockstep(function, n_threads)

    monkeypatch.setattr("hebbian_descent.engines.lockstep.in_lockstep", spy)
    result_of("fused", threads, trials=trials, epochs=1)
    assert used == expected


SIZES = {
    "one input": (X[:, :1], {}),
    "two inputs": (X[:, :2], {}),
    "one pattern at a time": (X, {"batch_size": 1}),
    "all patterns at once": (X, {"batch_size": 100}),
    "one pattern": (X[:1], {}),
    "one hidden unit": (X, {"n_hidden": 1}),
    "in the given order": (X, {"shuffle": False}),
    "single precision": (X.astype(np.float32), {}),
    "half precision": (X.astype(np.float16), {}),
    "column by column": (np.asfortranarray(X), {}),
    "every other": (X[::2, ::2], {}),
    "wide decay": (X, {"weight_decays": 0.3}),
    "softmax inside": (X, {"hidden_activations": "softmax"}),
}


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("size", SIZES)
def test_halves_agree_with_the_plain_loop_at_all_sizes(size, threads):
    inputs, options = SIZES[size]
    found, plain = (result_of(engine, threads, inputs, **options) for engine in ("fused", "auto_reference"))
    for name, values in plain.values.items():
        np.testing.assert_allclose(found.values[name], values, rtol=1e-9, err_msg=name)


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
    plain = result_of("auto_reference", 1, **options)
    found = result_of("fused", 1, **options)
    np.testing.assert_array_equal(found.diverged_at, plain.diverged_at)
    assert len(np.unique(plain.diverged_at)) > 2
    for i, rate in list(enumerate(rates))[::4]:
        alone = result_of("fused", 2, **{**options, "learning_rates": rate})
        np.testing.assert_array_equal(alone.diverged_at[0], plain.diverged_at[i])


def test_patterns_are_not_changed():
    kept = X.copy()
    result_of("fused", 2)
    np.testing.assert_array_equal(X, kept)
    assert X.flags.writeable


def test_an_error_within_a_run_surfaces(monkeypatch):
    def broken(*arguments):
        raise MemoryError("no room")

    monkeypatch.setattr("hebbian_descent.kernels.tied_steps.learn_in_batches", broken)
    with pytest.raises(MemoryError, match="no room"):
        result_of("fused", 2)


def test_what_is_not_compiled_is_known():
    setting = AutoSetting.of(
        rules="hebbian_descent",
        hidden_activations=["softmax", "linear"],
        output_activations=["softmax", "linear"],
        n_hidden=2,
        learning_rates=0.1,
    )
    known = {str(cell.activation) for cell in setting.cells() if tied_halves.knows(cell, setting)}
    assert known == {"softmax/linear", "linear/linear"}
