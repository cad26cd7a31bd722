"""Sweeps of your own rules under conditions: runs are independent, keys differ, workers agree."""

import numpy as np
import pytest

from hebbian_descent import CONSTRAINTS, Change, Layer, Measure, Noise, Rule, train
from hebbian_descent.engines.grid import initial_weights
from hebbian_descent.engines.network_grids import LayerGrid
from hebbian_descent.engines.patterns import Patterns
from hebbian_descent.storage.results import Store, fingerprint
from hebbian_descent.sweep import sweep, sweep_autoencoders
from hebbian_descent.sweep.grid_sweep import Sweep

RNG = np.random.default_rng(5)
X, T = RNG.random((8, 4)), RNG.random((8, 3))
MASK = RNG.random((4, 3)) < 0.7


def change(activity, state):
    error = activity.output - activity.targets
    state["sum"] += np.abs(error).mean(axis=0)
    return Change((activity.inputs - activity.offset).T @ (error * state["sum"]) / len(error))


def zeros(layer):
    return {"sum": np.zeros(layer.n_outputs)}


def ones(layer):
    return {"sum": np.ones(layer.n_outputs)}


def worst_unit(targets, output):
    return np.abs(output - targets).max(axis=1)


def surprise(activity):
    return np.abs(activity.output - activity.targets).max(axis=1)


OWN = Rule("own", change, state=zeros)
CONDITIONS = {
    "noise": Noise(weights=0.02, activity=0.1),
    "constraints": [CONSTRAINTS["bounds"](-0.5, 0.5), np.abs],
    "connectivity": MASK,
    "strength": np.linspace(-0.5, 1, 8),
}
GRID = {"rules": OWN, "activations": "sigmoid", "measures": ["mae", worst_unit], **CONDITIONS}


def test_a_run_alone_is_the_same_run_among_many_also_in_other_processes():
    grid = {**GRID, "learning_rates": (0.1, "auto", 0.4), "trials": 3, "epochs": 2}
    here = sweep(X, T, **grid)
    assert not here.diverged.any()
    elsewhere = sweep(X, T, **grid, workers=2)
    alone = sweep(X, T, **{**grid, "learning_rates": 0.4, "trials": [1]})
    for name in ("mae", "worst_unit"):
        np.testing.assert_array_equal(here.values[name], elsewhere.values[name])
        np.testing.assert_array_equal(alone.values[name][0, 0, 0, 0, 0], here.values[name][0, 0, 2, 0, 1])

    layer = Layer.from_weights(initial_weights(0, 1, 4, 3), offset=X.mean(axis=0))
    train(layer, X, T, rule=OWN, learning_rate=0.4, epochs=2, trial=1, **CONDITIONS)
    np.testing.assert_array_equal(worst_unit(T, layer.output(X)), alone.values["worst_unit"][0, 0, 0, 0, 0])


@pytest.mark.parametrize(
    ("condition", "reason"),
    [
        ({"noise": Noise(weights=0.1)}, "each update has its own noise"),
        ({"constraints": "non_negative"}, "weights are constrained after each update"),
        ({"connectivity": MASK}, "some synapses are missing"),
        ({"strength": surprise}, "each pattern has its own strength"),
        ({"strength": 2.0}, "each pattern has its own strength"),
    ],
)
def test_the_result_says_why_the_plain_loop_ran(condition, reason):
    options = {"rules": "hebbian_descent", "activations": "sigmoid", "learning_rates": 0.1, "trials": 1}
    result = sweep(X, T, **options, **condition)
    (choice,) = result.choices.values()
    assert choice.engine == "reference"
    assert reason in choice.reason
    with pytest.raises(ValueError, match=f"cannot run.*{reason}"):
        sweep(X, T, **options, **condition, engine="sequence")
    without = sweep(X, T, **options, engine="reference")
    assert not np.array_equal(result.values["mae"], without.values["mae"])


def key(**changes):
    options = {"rules": OWN, "activations": "sigmoid", "learning_rates": 0.1, "trials": 1, **changes}
    prepared = Sweep(LayerGrid.of(**options), Patterns.of(X, T))
    return fingerprint(prepared.works[0].specification(prepared.patterns))


def test_keys_differ_where_anything_differs_and_not_otherwise():
    variants = [
        {},
        {"rules": Rule("own", change, state=ones)},
        {"noise": Noise(weights=0.1)},
        {"noise": Noise(weights=0.2)},
        {"noise": Noise(activity=0.1)},
        {"constraints": "non_negative"},
        {"constraints": CONSTRAINTS["bounds"](0, 1)},
        {"constraints": CONSTRAINTS["bounds"](0, 2)},
        {"constraints": zeros},
        {"constraints": [CONSTRAINTS["bounds"](0, 2), "non_negative"]},
        {"strength": np.ones(8)},
        {"strength": np.arange(8)},
        {"strength": surprise},
        {"connectivity": MASK},
        {"connectivity": ~MASK},
        {"measures": worst_unit},
        {"measures": Measure("worst_unit", "", worst_unit, higher_is_better=True)},
    ]
    keys = [key(**variant) for variant in variants]
    assert len(set(keys)) == len(variants)
    assert keys == [key(**variant) for variant in variants]
    absent = {"noise": Noise(), "constraints": (), "strength": None, "connectivity": None}
    assert key(**absent) == keys[0]


def test_a_store_returns_what_was_computed_with_conditions_and_own_measures(tmp_path):
    grid = {**GRID, "learning_rates": (0.1, 0.2), "trials": 2, "store": str(tmp_path / "store")}
    first, second = sweep(X, T, **grid), sweep(X, T, **grid)
    np.testing.assert_array_equal(first.values["worst_unit"], second.values["worst_unit"])
    assert len(Store(tmp_path / "store")) == 1


@pytest.mark.parametrize("engine", ["sequence", "stacked", "reference"])
def test_own_measures_run_with_every_engine_and_choose_the_best(engine):
    best_unit = Measure("closeness", "Closeness", lambda t, h: -worst_unit(t, h), higher_is_better=True)
    result = sweep(
        X,
        T,
        rules="hebbian_descent",
        activations="sigmoid",
        learning_rates=(0.01, 1.0),
        trials=2,
        measures=[worst_unit, best_unit, "mae"],
        engine=engine,
    )
    lowest, highest = (result.best(by="all", measure=name)[0] for name in (worst_unit, "closeness"))
    assert lowest.learning_rate == highest.learning_rate
    assert lowest.value == pytest.approx(-highest.value)
    layer = Layer.from_weights(initial_weights(0, 1, 4, 3), offset=X.mean(axis=0))
    train(layer, X, T, learning_rate=1.0)
    expected = np.abs(layer.output(X) - T).max(axis=1)
    np.testing.assert_allclose(result.errors("worst_unit")[0, 0, 1, 0, 1], expected, rtol=1e-10)


def test_autoencoders_learn_under_conditions_too():
    options = {"rules": "hebbian_descent", "hidden_activations": "sigmoid", "output_activations": "sigmoid"}
    options |= {"n_hidden": 3, "learning_rates": 0.1, "trials": 1, "batch_size": 4, "measures": worst_unit}
    result = sweep_autoencoders(
        X, **options, constraints="non_negative", connectivity=MASK, strength=np.ones(8), noise=Noise(0.01)
    )
    assert not result.diverged.any()
    assert next(iter(result.choices.values())).engine == "reference"
    with pytest.raises(ValueError, match=r"Got an Autoencoder: use Noise\(weights=…\)"):
        sweep_autoencoders(X, **options, noise=Noise(activity=0.1))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"strength": np.ones(3)}, r"one for each of 8 patterns. Got shape \(3,\)"),
        ({"connectivity": np.ones((3, 3))}, r"shape \(4, 3\). Got shape \(3, 3\)"),
        ({"measures": lambda t, h: t}, r"must return one number per pattern, 8 of them. Got shape \(8, 3\)"),
        ({"measures": [worst_unit, worst_unit]}, r"different names. Got 2, named worst_unit"),
        ({"measures": Measure("mae", "", worst_unit)}, r"must have a name other than .*Got 'mae'"),
        ({"measures": "worst"}, r"measure must be one of"),
    ],
)
def test_bad_input_is_one_clear_sentence(options, message):
    with pytest.raises(ValueError, match=message):
        sweep(X, T, rules=OWN, activations="sigmoid", learning_rates=0.1, trials=1, **options)
