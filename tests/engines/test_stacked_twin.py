"""The compiled loop over stacked runs is its plain twin, for every rule, unit and error term."""

import numpy as np
import pytest

from hebbian_descent import ACTIVATIONS, ERROR_TERMS, RULES
from hebbian_descent.engines import stack, stacked, stacked_inputs
from hebbian_descent.measures import MEASURES
from hebbian_descent.native import core
from hebbian_descent.sweep import LayerGrid, Patterns

pytestmark = pytest.mark.skipif(core() is None, reason="the compiled core is not there")

RNG = np.random.default_rng(5)
INPUTS = np.where(RNG.random((40, 13)) < 0.4, RNG.random((40, 13)), 0)
SIGNS = np.where(RNG.random((40, 5)) < 0.5, 1.0, -1.0)


def by_both(setting, patterns, monkeypatch):
    (cell,) = setting.cells()
    compiled = stacked.stacked(cell, setting, patterns, threads=2)
    with monkeypatch.context() as patched:
        for module in (stack, stacked, stacked_inputs):
            patched.setattr(module, "core", lambda: None)
        plain = stacked.stacked(cell, setting, patterns, threads=2)
    return compiled, plain


@pytest.mark.parametrize("centering", ["mean", "moving"])
@pytest.mark.parametrize("error", ERROR_TERMS)
@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("rule", RULES)
def test_the_twins_agree(rule, activation, error, centering, monkeypatch):
    for batch_size, decay in ((9, 0.01), (1, 0.0)):
        setting = LayerGrid.of(
            rules=rule,
            activations=activation,
            error=error,
            centering=centering,
            learning_rates=(1e9, 0.05, 0.002),
            weight_decays=decay,
            trials=3,
            batch_size=batch_size,
            measures=tuple(MEASURES) if decay else ("mae",),
        )
        compiled, plain = by_both(setting, Patterns.of(INPUTS, SIGNS), monkeypatch)
        np.testing.assert_array_equal(compiled.diverged_at, plain.diverged_at)
        assert (plain.diverged_at[-1] == -1).all()
        for name, values in plain.values.items():
            np.testing.assert_allclose(
                compiled.values[name][1:], values[1:], rtol=1e-8, atol=1e-11, err_msg=name
            )


def test_a_measure_of_all_patterns_sees_all_of_them(monkeypatch):
    whole = [name for name, measure in MEASURES.items() if not measure.sees_one_pattern]
    n = stacked_inputs.EVALUATED_AT_ONCE + 10
    patterns = Patterns.of(RNG.random((n, 6)), RNG.random((n, 4)))
    setting = LayerGrid.of(
        rules="hebbian_descent",
        activations="sigmoid",
        learning_rates=(0.5, 0.05),
        trials=2,
        batch_size=20,
        measures=("mae", *whole),
    )
    (cell,) = setting.cells()
    found = stacked.stacked(cell, setting, patterns, threads=2)
    expected = stacked.stacked(cell, setting, patterns, threads=1, memory_budget=2**16)
    reference = by_both(setting, patterns, monkeypatch)[1]
    for name, values in found.values.items():
        np.testing.assert_array_equal(values, expected.values[name])
        np.testing.assert_allclose(values, reference.values[name], rtol=1e-9, atol=1e-12)
