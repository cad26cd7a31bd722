"""The sequence loop of the compiled core: the naive loop at every level, the same bits at v3 and v4."""

import numpy as np
import pytest

from hebbian_descent.network import ACTIVATIONS, get_activation
from hebbian_descent.rules import get_error_term

RATES = (0.3, 0.01)
N_UNITS = 13


def given(unit, dtype=np.float64, n=25, n_inputs=12):
    rng = np.random.default_rng(0)
    x, t = rng.random((n, n_inputs)), rng.random((n, N_UNITS))
    centered, W = x - x.mean(axis=0), 0.1 * rng.standard_normal((n_inputs, N_UNITS))
    at_rest = get_activation(unit)(np.zeros((1, 1)))[0, 0]
    return centered.astype(dtype), t.astype(dtype), W.astype(dtype), at_rest


def learned(
    core, unit, dtype=np.float64, *, n_epochs=1, continues=False, pulls_back=False, error="difference"
):
    c, t, W, at_rest = given(unit, dtype)
    term = get_error_term(error)
    full = c @ c.T + 1  # the bias learns
    filled = ((0, 0), (0, 32 - N_UNITS))
    start, targets = np.pad(c @ W, filled), np.pad(t, filled, constant_values=at_rest)
    couplings = np.tril(full, -1) if n_epochs == 1 else full
    errors, diverged_at = np.empty((2, len(c))), np.full(2, -1)
    outputs = np.empty((2, len(c), N_UNITS), dtype)
    core.learn_sequences(
        np.array(RATES, dtype), couplings, start, targets,
        np.triu(full) if continues else full, start, targets,
        np.empty((core.sequence_room(len(c)), 32), dtype), errors, diverged_at, outputs, n_units=N_UNITS,
        settings=core.SequenceSettings(
            first_epoch=0, n_epochs=n_epochs, evaluates=True, continues=continues, pulls_back=pulls_back,
            error=term.compiled_form, error_parameters=dict(term.parameters),
        ),
        unit=unit, parameters=dict(get_activation(unit).parameters),
    )  # fmt: skip
    assert (diverged_at == -1).all()
    return errors, outputs


@pytest.mark.parametrize("unit", ["sigmoid", "linear", "softmax", "rectifier", "softplus"])
@pytest.mark.parametrize("pulls_back", [False, True])
@pytest.mark.parametrize("error", ["difference", "saturating"])
@pytest.mark.parametrize(
    "passes", [{"n_epochs": 1}, {"n_epochs": 3}, {"n_epochs": 1, "continues": True}], ids=str
)
def test_sequences_are_the_naive_loop(core, unit, pulls_back, error, passes):
    c, t, W, _ = given(unit)
    phi, term = get_activation(unit), get_error_term(error)
    found = learned(core, unit, pulls_back=pulls_back, error=error, **passes)
    for eta, errors, outputs in zip(RATES, *found, strict=True):
        weights, b = W.copy(), np.zeros(N_UNITS)
        for _ in range(passes["n_epochs"]):
            for row in range(len(c)):
                a = (c[row] @ weights + b)[None]
                post = term(t[row], phi(a))
                post = phi.pull_back(post, a, phi(a)) if pulls_back else post
                weights, b = weights - eta * np.outer(c[row], post), b - eta * post[0]
        np.testing.assert_allclose(outputs, phi(c @ weights + b), rtol=1e-10)
        np.testing.assert_allclose(errors, np.abs(outputs - t).sum(axis=1), rtol=1e-13)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("unit", ACTIVATIONS)
def test_v3_and_v4_give_the_same_bits(two_levels, unit, dtype):
    for options in ({}, {"pulls_back": True, "n_epochs": 2}, {"error": "saturating"}, {"continues": True}):
        first, second = (learned(core, unit, dtype, **options) for core in two_levels)
        for array, other in zip(first, second, strict=True):
            np.testing.assert_array_equal(array, other)


def test_arrays_that_are_written_to_are_not_copied(core):
    rows, square = np.zeros((3, 16)), np.eye(3)
    with pytest.raises(TypeError):
        core.add_product(np.zeros((3, 32))[:, ::2], rows, 1.0, square, rows)


def test_columns_of_a_longer_matrix_can_be_multiplied(core):
    rng = np.random.default_rng(0)
    coefficients, terms, out = rng.random((7, 5)), rng.random((5, 48)), np.zeros((7, 32))
    core.add_product(out, out, 1.0, coefficients, terms[:, 16:32])
    np.testing.assert_allclose(out[:, :16], coefficients @ terms[:, 16:32], rtol=1e-14)
    assert not out[:, 16:].any()
