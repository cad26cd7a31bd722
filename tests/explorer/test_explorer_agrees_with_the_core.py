"""What the explorer's modules compute in JavaScript is what the package computes in Python."""

from itertools import product

import numpy as np
import pytest

from hebbian_descent import ACTIVATIONS, RULES, DivergenceError, Layer, train
from hebbian_descent.explorer import draw_pairs, initial_weights
from hebbian_descent.explorer.generator import uniform
from hebbian_descent.explorer.settings import SETTINGS
from tests.javascript import javascript, needs_node

pytestmark = needs_node

CENTERINGS = next(setting for setting in SETTINGS["Centering"] if setting.name == "centering").options
PATTERNS = {"patterns": 12, "activity": 0.4, "correlation": 0.3, "seed": 3}
SETS = {"cues": ("random", "digits"), "stored": ("random", "digits")}
SHIFT = 0.05

RUN = """
const { drawPairs, readDigits } = await load("pairs");
const { Run } = await load("run");
return given.cases.map((settings) => {
  const pairs = drawPairs(settings, readDigits(digits));
  const run = new Run(settings.rules, settings, pairs, facts);
  run.learnUntil(settings.patterns);
  run.recallEverything();
  return run.tracks.map(({ memory: { diverged, offset }, ...track }) => ({ ...track, diverged, offset }));
});
"""


def pairs_of(settings):
    names = ("cues", "stored", "activity", "correlation", "seed")
    return draw_pairs(settings["patterns"], **{name: settings[name] for name in names})


def learned_in_python(rule, settings, weights=None):
    """Return the layer that `train` makes of the explorer's settings, or None if learning diverged."""
    cues, targets = pairs_of(settings)
    centering, shift = settings["centering"], settings["shift"]
    start = initial_weights(cues.shape[1], seed=settings["seed"]) if weights is None else weights
    offset = {"none": 0.0, "mean": cues.mean(axis=0), "moving": 0.0, "half": 0.5}[centering]
    layer = Layer.from_weights(start, activation=settings["activation"], offset=offset)
    try:
        train(
            layer,
            cues,
            targets,
            rule=rule,
            learning_rate=settings["learning_rate"],
            weight_decay=settings["weight_decay"],
            shift=shift if centering in ("moving", "half") else 0.0,
            running_mean=centering == "moving",
            means=(cues.mean(axis=0), targets.mean(axis=0)),
        )
    except DivergenceError:
        return None
    return layer


def cases(activations, learning_rates):
    names = ("activation", "centering", "learning_rate", "weight_decay", "cues", "stored")
    kinds = [("random", "random"), ("digits", "digits")]
    for values in product(activations, CENTERINGS, learning_rates, (0.0, 0.02), kinds):
        given = dict(zip(names, (*values[:-1], *values[-1]), strict=True))
        yield {**PATTERNS, **given, "shift": SHIFT, "rules": list(RULES)}


@pytest.mark.parametrize("seed", [0, 1, 9999, 2**40 + 1])
def test_the_generator_gives_the_same_bits(seed):
    numbers = javascript(
        """
        const { uniform } = await load("generator");
        return [0, 3, 6].map((stream) => uniform(given.seed, stream, 5000));
        """,
        seed=seed,
    )
    assert np.array_equal(numbers, [uniform(seed, stream, (5000,)) for stream in (0, 3, 6)])


def test_the_generator_is_uniform_and_its_streams_are_independent():
    numbers = np.array([uniform(seed, stream, (20_000,)) for seed in range(3) for stream in range(7)])
    assert np.abs(numbers.mean(axis=1) - 0.5).max() < 4 * np.sqrt(1 / 12 / 20_000)
    counts = np.array([np.histogram(row, bins=50, range=(0, 1))[0] for row in numbers])
    assert (((counts - 400) ** 2 / 400).sum(axis=1) < 49 + 5 * np.sqrt(2 * 49)).all()
    between = np.corrcoef(numbers)
    np.fill_diagonal(between, 0)
    assert np.abs(between).max() < 5 / np.sqrt(20_000)
    neighbours = [np.corrcoef(row[1:], row[:-1])[0, 1] for row in numbers]
    assert np.abs(neighbours).max() < 5 / np.sqrt(20_000)


@pytest.mark.parametrize("cues", SETS["cues"])
@pytest.mark.parametrize("stored", SETS["stored"])
def test_pairs_and_initial_weights_have_the_same_bits(cues, stored):
    settings = {
        **PATTERNS,
        "patterns": 400,
        "cues": cues,
        "stored": stored,
        "activity": 0.35,
        "correlation": 0.6,
    }
    drawn = javascript(
        """
        const { drawPairs, readDigits } = await load("pairs");
        return drawPairs(given.settings, readDigits(digits));
        """,
        settings=settings,
    )
    pairs = pairs_of(settings)
    assert np.array_equal(drawn["cues"], pairs.cues)
    assert np.array_equal(drawn["targets"], pairs.targets)
    weights = initial_weights(pairs.cues.shape[1], seed=settings["seed"])
    assert np.array_equal(np.reshape(drawn["weights"], weights.shape), weights)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_every_rule_and_centering_agrees_with_training(activation):
    """Two kinds of pairs, automatic and small fixed rates, with and without decay: 160 settings each."""
    settings = list(cases([activation], ["auto", 0.005]))
    found = javascript(RUN, cases=settings)
    n_compared = 0
    for case, tracks in zip(settings, found, strict=True):
        cues, targets = pairs_of(case)
        for rule, track in zip(case["rules"], tracks, strict=True):
            layer = learned_in_python(rule, case)
            assert layer is not None
            assert not track["diverged"], (case, rule)
            output = layer.output(cues)
            tolerance = 1e-9 * np.maximum(1, np.abs(output))
            assert (np.abs(np.reshape(track["outputs"], output.shape) - output) < tolerance).all(), (
                case,
                rule,
            )
            errors = np.abs(output - targets).mean(axis=1)
            assert np.allclose(track["errors"], errors, rtol=1e-9, atol=1e-9), (case, rule)
            assert np.allclose(track["offset"], layer.offset, rtol=0, atol=1e-12), (case, rule)
            n_compared += 1
    assert n_compared == 160


def test_at_rates_far_too_large_it_diverges_where_training_does_and_is_as_close_as_rounding_allows():
    """Unstable learning multiplies rounding errors, by as much as one in the last bit of the start."""
    settings = list(cases(["linear", "sigmoid", "scaled_tanh", "explin", "exponential"], [3.0]))
    found = javascript(RUN, cases=settings)
    n_diverged = 0
    for case, tracks in zip(settings, found, strict=True):
        cues, _ = pairs_of(case)
        start = initial_weights(cues.shape[1], seed=case["seed"])
        for rule, track in zip(case["rules"], tracks, strict=True):
            layer = learned_in_python(rule, case)
            assert track["diverged"] == (layer is None), (case, rule)
            if layer is None:
                n_diverged += 1
                continue
            output = layer.output(cues)
            is_infinite = [value is None for value in track["outputs"]]
            assert np.array_equal(is_infinite, ~np.isfinite(output.ravel())), (case, rule)
            if any(is_infinite):
                continue
            other = learned_in_python(rule, case, np.nextafter(start, 1)).output(cues)
            difference = np.abs(np.reshape(track["outputs"], output.shape) - output).max()
            assert difference <= 1e-9 * max(1, np.abs(output).max()) + 100 * np.abs(other - output).max()
    assert n_diverged > 20
