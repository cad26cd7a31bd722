"""The theory of forgetting is what naive loops give, exactly where it says so."""

import doctest
import re
import runpy
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from hebbian_descent.theory import forgetting as theory

ROOT = Path(__file__).parent.parent


def influence(x, rate):
    """Return how much of each target (column) each input (row) recalls, after all were learned in order."""
    n = len(x)
    recalled = np.zeros((n, n))
    for q in range(n):
        w = np.zeros(x.shape[1])  # the weights of a unit whose target is 1 for pattern q and 0 for others
        for p in range(n):
            w = w + rate * x[p] * ((p == q) - x[p] @ w)
        for p in range(n):
            recalled[p, q] = x[p] @ w
    return recalled


def every_input(n_patterns, n_inputs, sigma):
    """Yield all sequences of inputs of ±σ."""
    for signs in product([-sigma, sigma], repeat=n_patterns * n_inputs):
        yield np.array(signs).reshape(n_patterns, n_inputs)


@pytest.mark.parametrize("rate", [0.3, 1.1])
def test_overlap_and_squared_error_are_exact_for_inputs_of_two_values(rate):
    sigma, n_inputs, n = 0.7, 3, 3
    m, error = np.zeros(n), np.zeros(n)
    count = 2 ** (n * n_inputs)
    for x in every_input(n, n_inputs, sigma):
        c = influence(x, rate)
        m += np.diag(c)
        error += ((np.eye(n) - c) ** 2).sum(axis=1)  # targets are independent, of variance 1
    predicted = theory.overlap(np.arange(n), rate, np.full(n_inputs, sigma**2))
    np.testing.assert_allclose(m[::-1] / count, predicted, rtol=1e-12)
    squared = theory.squared_error(n, rate, n_inputs, sigma**2, target_variance=2.5)
    np.testing.assert_allclose(2.5 * error[::-1] / count, squared, rtol=1e-12)


def test_overlap_of_correlated_inputs_is_a_mixture_of_exponentials():
    rng, eigenvalues, rate, n = np.random.default_rng(0), np.array([3.0, 0.5, 0.1]), 0.1, 12
    rotation = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    draws = 20_000
    x = rng.normal(size=(n, draws, 3)) * np.sqrt(eigenvalues) @ rotation.T
    first, m = x[0], []
    carried = rate * first  # η·x, on its way through later patterns
    for later in x[1:]:
        m.append((first * carried).sum(axis=1))
        carried = carried - rate * later * (later * carried).sum(axis=1, keepdims=True)
    standard_error = np.std(m, axis=1) / draws**0.5
    deviation = np.mean(m, axis=1) - theory.overlap(np.arange(n - 1), rate, eigenvalues)
    assert (np.abs(deviation) < 4 * standard_error).all()


def test_independent_inputs_are_forgotten_by_1_over_e_in_the_time_constant():
    constant = theory.time_constant(0.02, 0.25)
    start, later = theory.overlap([0, constant], 0.02, np.full(200, 0.25))
    assert later / start == pytest.approx(np.exp(-1))
    assert constant == pytest.approx(200, rel=0.01)


def test_absolute_and_squared_errors_are_those_of_simulated_layers():
    n_inputs, n, rate, rng = 60, 60, 0.8 / 15, np.random.default_rng(0)
    absolute, squared = np.zeros(n), np.zeros(n)
    for _ in range(20):
        x, t = rng.choice([-0.5, 0.5], (n, n_inputs)), rng.choice([-0.5, 0.5], (n, 100))
        w = np.zeros((n_inputs, 100))
        for row in range(n):
            w += rate * np.outer(x[row], t[row] - x[row] @ w)
        deviation = (t - x @ w)[::-1]
        absolute += np.abs(deviation).mean(axis=1) / 20
        squared += (deviation**2).mean(axis=1) / 20
    settings = (n, rate, n_inputs, 0.25)
    for found, predict in ((absolute, theory.absolute_error), (squared, theory.squared_error)):
        predicted = predict(*settings, target_variance=0.25)
        for part in (slice(0, 20), slice(20, 40), slice(40, 60)):
            assert found[part].mean() == pytest.approx(predicted[part].mean(), rel=0.05)


@pytest.mark.parametrize("error", theory.ERRORS)
def test_the_best_rate_falls_with_the_number_of_pairs_but_not_for_recent_ones(error):
    n_inputs, variance = 50, 0.25
    exact = 1 / (n_inputs * variance)
    shares = [theory.best_rate(n, n_inputs, variance, error=error) / exact for n in (10, 50, 100)]
    assert 1.05 > shares[0] > shares[1] > shares[2] > 0
    assert theory.best_rate(100, n_inputs, variance, recent=1, error=error) == pytest.approx(exact, rel=0.01)
    rates = np.linspace(0.05, 1.5, 60) * exact
    costs = [theory.ERRORS[error](50, rate, n_inputs, variance).mean() for rate in rates]
    assert shares[1] * exact == pytest.approx(rates[np.argmin(costs)], rel=0.05)


@pytest.mark.parametrize("alpha", [1.5, 2.0])
def test_a_power_law_spectrum_gives_a_power_law_of_forgetting(alpha):
    eigenvalues = theory.power_law_spectrum(50_000, alpha)
    assert eigenvalues.mean() == pytest.approx(1)
    ages = np.array([30, 300])
    early, late = theory.overlap(ages, 0.3 / eigenvalues.sum(), eigenvalues)
    assert np.log10(late / early) == pytest.approx(-(1 - 1 / alpha), abs=0.02)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: theory.overlap([-1], 0.1, [1.0]), r"Ages must be finite and at least 0.* Got -1"),
        (lambda: theory.overlap([1], 0.1, [[1.0]]), r"eigenvalues must be a list"),
        (lambda: theory.overlap([1], 0, [1.0]), r"learning rate must be above 0"),
        (lambda: theory.time_constant(4, 0.5), r"must be below 1. Got 2"),
        (lambda: theory.best_rate(10, 5, 1.0, recent=20), r"Got 10 and 20"),
        (lambda: theory.best_rate(10, 5, 1.0, error="sqared"), r"Did you mean 'squared'"),
    ],
)
def test_bad_input_is_one_clear_sentence(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_the_examples_of_the_page_and_of_the_docstrings_run():
    text = (ROOT / "docs" / "forgetting.md").read_text(encoding="utf-8")
    names = {}
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(compile(block, "forgetting.md", "exec"), names)
    assert np.log10(names["late"] / names["early"]) == pytest.approx(-0.5, abs=0.01)
    outcome = doctest.testmod(theory)
    assert outcome.attempted > 0
    assert outcome.failed == 0


def test_the_table_of_overlaps_is_what_the_script_computes():
    script = runpy.run_path(str(ROOT / "examples" / "memory" / "forgetting_theory.py"))
    page = (ROOT / "docs" / "forgetting.md").read_text(encoding="utf-8")
    share, measured, predicted = next(script["overlaps"]())
    cells = [f"{found:.3f} / {expected:.3f}" for found, expected in zip(measured, predicted, strict=True)]
    (line,) = re.findall(rf"^\| {share:g} \| \d+ \| (.*) \|$", page, flags=re.MULTILINE)
    for printed, ours in zip(line.split(" | "), cells, strict=True):
        shown, computed = (list(map(float, cell.split(" / "))) for cell in (printed, ours))
        assert shown == pytest.approx(computed, abs=0.002)
