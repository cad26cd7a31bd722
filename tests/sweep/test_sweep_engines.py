"""Every engine agrees with the plain loop, for every rule x activation x centering x decay."""

import numpy as np
import pytest

from hebbian_descent import ACTIVATIONS, ERROR_TERMS, RULES, Activation, Layer, Rule, get_activation, train
from hebbian_descent.engines.choice import LAYER_ENGINES, choose
from hebbian_descent.measures import MEASURES
from hebbian_descent.sweep import LayerGrid, Patterns, initial_weights, sweep

GRID = {"learning_rates": (10.0, 0.5, 0.05), "weight_decays": (0.0, 0.1, 1.0, 2.0), "trials": (0, 3)}
FAST = [name for name in LAYER_ENGINES if name != "reference"]
every_activation = pytest.mark.parametrize("activation", ACTIVATIONS)
every_rule = pytest.mark.parametrize("rule", RULES)


def start_of(centering):
    """The paper's start, which all engines know; a running mean has a test of its own."""
    return 0.5 if centering == "moving" else None


def run(engine, cell, setting, patterns):
    return LAYER_ENGINES[engine](cell, setting, patterns, threads=2, memory_budget=2**30)


def tame_runs(result, baseline, rule):
    """Which runs end below twice the baseline; the others are chaotic, unless the rule ignores the output."""
    mae = np.where(result.diverged_at >= 0, np.inf, result.values["mae"].mean(axis=-1))
    return np.isfinite(mae) if rule in ("hebb", "covariance") else mae < 2 * baseline


def assert_agreement(found, expected, baseline, rule, *, rtol, atol=0.0):
    np.testing.assert_array_equal(found.diverged_at >= 0, expected.diverged_at >= 0)
    tame = tame_runs(expected, baseline, rule)
    for name, values in expected.values.items():
        np.testing.assert_allclose(found.values[name][tame], values[tame], rtol=rtol, atol=atol, err_msg=name)
    return tame.sum()


@every_activation
@every_rule
def test_fast_engines_agree_with_the_plain_loop(rule, activation, patterns):
    compared = 0
    for centering in ("mean", "moving", None):
        setting = LayerGrid.of(
            rules=rule,
            activations=activation,
            centering=centering,
            offset_start=start_of(centering),
            **GRID,
        )
        for cell in setting.cells():
            expected = run("reference", cell, setting, patterns)
            for engine in FAST:
                found = run(engine, cell, setting, patterns)
                compared += assert_agreement(found, expected, patterns.baseline, rule, rtol=1e-9, atol=1e-13)
    assert compared >= 8


@every_activation
@every_rule
def test_fast_engines_agree_in_float32(rule, activation, patterns):
    setting = LayerGrid.of(
        rules=rule,
        activations=activation,
        dtype=np.float32,
        learning_rates=(0.5, 0.05),
        weight_decays=(0.0, 0.1),
    )
    for cell in setting.cells():
        expected = run("reference", cell, setting, patterns)
        for engine in FAST:
            found = run(engine, cell, setting, patterns)
            assert found.values["mae"].dtype == np.float32
            tame = tame_runs(expected, patterns.baseline, rule)
            for chosen in (slice(-20, None), slice(None)):
                means = [
                    result.values["mae"][tame][..., chosen].mean(axis=-1) for result in (found, expected)
                ]
                np.testing.assert_allclose(*means, atol=1e-4)


@every_rule
def test_several_epochs_agree(rule, patterns):
    for centering, decay in (("mean", 0.0), (None, 0.0), ("moving", 0.0), ("mean", 0.05)):
        setting = LayerGrid.of(
            rules=rule,
            activations=["sigmoid", "linear", "softmax"],
            learning_rates=(0.2, 0.02),
            weight_decays=decay,
            trials=2,
            epochs=7,
            centering=centering,
            offset_start=start_of(centering),
        )
        for cell in setting.cells():
            expected = run("reference", cell, setting, patterns)
            for engine in FAST:
                assert_agreement(
                    run(engine, cell, setting, patterns),
                    expected,
                    patterns.baseline,
                    rule,
                    rtol=1e-9,
                    atol=1e-13,
                )


@every_activation
@every_rule
@pytest.mark.parametrize("batch_size", [7, 9], ids=["dense", "sparse if zeros are many"])
def test_batches_agree(batch_size, rule, activation, pairs):
    rng = np.random.default_rng(0)
    test = rng.integers(0, 2, (31, 10)).astype(float), rng.dirichlet(np.ones(6), size=31)
    patterns = Patterns.of(*pairs, evaluate_on=test)
    for centering in ("mean", "moving", None):
        setting = LayerGrid.of(
            rules=rule,
            activations=activation,
            learning_rates=(1.0, 0.1),
            weight_decays=(0.0, 0.1),
            trials=2,
            epochs=3,
            batch_size=batch_size,
            centering=centering,
            offset_start=start_of(centering),
            measures=tuple(MEASURES),
        )
        assert setting.shuffle
        for cell in setting.cells():
            expected = run("reference", cell, setting, patterns)
            found = run("stacked", cell, setting, patterns)
            assert_agreement(found, expected, patterns.baseline, rule, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("error", ERROR_TERMS)
@pytest.mark.parametrize("activation", ["linear", "softmax", "scaled_tanh"])
def test_other_error_terms_agree(error, activation, pairs):
    inputs, targets = pairs
    patterns = Patterns.of(inputs, np.sign(targets - targets.mean(axis=0)))
    setting = LayerGrid.of(
        rules=["hebbian_descent", "gradient_descent"],
        activations=activation,
        error=error,
        learning_rates=0.05,
        trials=2,
    )
    for cell in setting.cells():
        expected = run("reference", cell, setting, patterns)
        for engine in FAST:
            found = run(engine, cell, setting, patterns)
            assert_agreement(found, expected, patterns.baseline, cell.rule.name, rtol=1e-9, atol=1e-12)


def test_all_measures_agree_in_the_sequence_engine(patterns):
    setting = LayerGrid.of(
        rules=["hebbian_descent", "hebb"],
        activations=["sigmoid", "rectifier"],
        learning_rates=(0.5, 0.05),
        trials=2,
        measures=tuple(MEASURES),
    )
    for cell in setting.cells():
        expected = run("reference", cell, setting, patterns)
        assert_agreement(
            run("sequence", cell, setting, patterns),
            expected,
            patterns.baseline,
            cell.rule.name,
            rtol=1e-9,
            atol=1e-12,
        )


def test_a_run_can_be_redone_by_hand(pairs):
    inputs, targets = pairs
    result = sweep(
        inputs, targets, rules="gradient_descent", activations="sigmoid", learning_rates=0.5, seed=9
    )
    layer = Layer.from_weights(initial_weights(9, 7, 10, 6), activation="sigmoid", offset=inputs.mean(axis=0))
    train(layer, inputs, targets, rule="gradient_descent", learning_rate=0.5)
    by_hand = np.abs(layer.output(inputs) - targets).mean(axis=1)
    np.testing.assert_allclose(result.values["mae"][0, 0, 0, 0, 7], by_hand, rtol=1e-10)


def test_auto_picks_and_says_what_it_picked_and_why(pairs):
    own = Activation("cube_root", value=np.cbrt)
    own_rule = Rule("still", factors=lambda activity: (activity.inputs, 0 * activity.targets))
    cases = [
        ({}, "sequence", "one at a time"),
        ({"batch_size": 5}, "stacked", "stacked as columns"),
        ({"shuffle": True}, "stacked", "stacked as columns"),
        ({"error": "saturating"}, "sequence", "one at a time"),
        ({"activations": own}, "reference", "'cube_root' has no compiled form"),
        ({"rules": own_rule}, "reference", "'still' has no compiled form"),
        ({"error": lambda t, h: h - t}, "reference", "has no compiled form"),
    ]
    for options, engine, reason in cases:
        grid = {
            "rules": "hebbian_descent",
            "activations": "sigmoid",
            "learning_rates": 0.1,
            "trials": 1,
            **options,
        }
        (choice,) = sweep(*pairs, **grid).choices.values()
        assert choice.engine == engine
        assert reason in choice.reason


def test_long_sequences_are_stacked():
    x = np.random.default_rng(0).random((600, 4))
    setting = LayerGrid.of(rules="hebb", activations="linear", learning_rates=0.1)
    patterns = Patterns.of(x, x)
    (cell,) = setting.cells()
    assert choose("auto", cell, setting, patterns).engine == "stacked"
    assert choose("sequence", cell, setting, Patterns.of(x[:20], x[:20])).engine == "sequence"


def test_a_namesake_of_a_built_in_activation_is_not_mistaken_for_it(pairs):
    impostor = Activation("sigmoid", value=lambda a: np.zeros_like(a))
    result = sweep(*pairs, rules="hebb", activations=impostor, learning_rates=0.1, trials=1)
    assert next(iter(result.choices.values())).engine == "reference"
    np.testing.assert_allclose(result.values["mae"][0, 0, 0, 0, 0], np.abs(pairs[1]).mean(axis=1))


def test_parameters_of_an_activation_reach_the_compiled_loop(pairs):
    steep = get_activation("leaky_rectifier", slope=0.7)
    grid = {"rules": "hebbian_descent", "learning_rates": 0.1, "trials": 1, "activations": steep}
    fast, plain = (sweep(*pairs, engine=engine, **grid) for engine in ("sequence", "reference"))
    np.testing.assert_allclose(fast.values["mae"], plain.values["mae"], rtol=1e-9)
    assert fast.axes["activation"].tolist() == ["leaky_rectifier(slope=0.7)"]
