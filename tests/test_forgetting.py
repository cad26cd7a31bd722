"""Fits of forgetting find the curve that made the data, as a general optimiser does."""

import numpy as np
import pytest
from scipy.optimize import curve_fit

from hebbian_descent.forgetting import fit_forgetting

AGE = np.arange(1, 101)
NOISE = np.random.default_rng(0).normal(0, 0.01, 100)
CURVES = {
    "power_law": (lambda age, a, b: a * age**b, [(0.9, -0.3), (0.02, 0.6), (1.0, -2.0)]),
    "exponential": (lambda age, a, b: a * np.exp(b * age), [(0.9, -0.03), (0.05, 0.02), (0.8, -1.0)]),
    "line": (lambda age, a, b: a + b * age, [(0.9, -0.008), (0.05, 0.004)]),
}
CASES = [(name, curve, truth) for name, (curve, truths) in CURVES.items() for truth in truths]


@pytest.mark.parametrize(("name", "curve", "truth"), CASES)
def test_the_curve_that_made_the_data_is_found(name, curve, truth):
    fits = fit_forgetting(AGE, curve(AGE, *truth))
    assert min(fits, key=lambda other: fits[other].aic) == name
    np.testing.assert_allclose(list(fits[name].parameters.values()), truth, rtol=1e-4)
    np.testing.assert_allclose(fits[name].predicted, curve(AGE, *truth), atol=1e-6)


@pytest.mark.parametrize(("name", "curve", "truth"), CASES)
def test_with_noise_it_is_the_least_squares_fit_of_scipy(name, curve, truth):
    values = curve(AGE, *truth) + NOISE
    fits = fit_forgetting(AGE, values)
    for other, (shape, _) in CURVES.items():
        start = list(fits[other].parameters.values())
        best = curve_fit(shape, AGE, values, p0=start, maxfev=20_000)[0]
        rss = ((values - shape(AGE, *best)) ** 2).sum()
        assert fits[other].residual_sum_of_squares <= rss * (1 + 1e-6)
        n, k = 100, 3
        assert fits[other].aic == pytest.approx(n * np.log(fits[other].residual_sum_of_squares / n) + 2 * k)
    if abs(truth[1]) < 1:  # what is gone after three patterns cannot be told apart from noise
        assert min(fits, key=lambda other: fits[other].aic) == name


@pytest.mark.parametrize(
    ("name", "values", "truth"),
    [
        ("exponential", 0.5 - 0.45 * np.exp(-0.05 * AGE), {"scale": -0.45, "rate": -0.05, "asymptote": 0.5}),
        ("power_law", 0.2 + 0.7 * AGE**-0.5, {"scale": 0.7, "exponent": -0.5, "asymptote": 0.2}),
    ],
)
def test_a_level_at_the_end_is_found(name, values, truth):
    fits = fit_forgetting(AGE, values, asymptote=True)
    assert min(fits, key=lambda other: fits[other].aic) == name
    assert fits[name].parameters == pytest.approx(truth, rel=1e-3)
    assert fits[name].aic < fit_forgetting(AGE, values)[name].aic


def test_a_third_parameter_has_its_price():
    fits = fit_forgetting(AGE, 0.3 + 0.004 * AGE + NOISE, asymptote=True)
    for name, k in {"power_law": 4, "exponential": 4, "line": 3}.items():
        assert fits[name].aic == pytest.approx(100 * np.log(fits[name].residual_sum_of_squares / 100) + 2 * k)


def test_the_order_of_the_ages_and_their_scale_do_not_matter():
    values = 0.9 * AGE**-0.3 + NOISE
    order = np.random.default_rng(1).permutation(100)
    for name, fit in fit_forgetting(AGE[order], values[order]).items():
        assert fit.aic == pytest.approx(fit_forgetting(AGE, values)[name].aic)
    in_seconds = fit_forgetting(1000 * AGE, values)
    assert in_seconds["power_law"].parameters["exponent"] == pytest.approx(-0.3, abs=0.02)


@pytest.mark.parametrize("level", [0.0, 0.5])
def test_what_never_changes_is_fitted_by_all(level):
    for fit in fit_forgetting(AGE, np.full(100, level)).values():
        assert np.isfinite(fit.aic)
        np.testing.assert_allclose(fit.predicted, level, atol=1e-9)


@pytest.mark.parametrize(
    ("age", "value", "message"),
    [
        ([0, 1, 2, 3, 4], [1] * 5, r"Ages must be above 0. Got 0: count"),
        ([1, 2, 3], [1] * 3, r"at least 5 different ages. Got 3"),
        ([1, 2, 3, 4, 5], [1] * 4, r"one value for each age"),
        ([1, 2, 3, 4, 5], [1, 2, 3, 4, np.nan], r"must be finite"),
    ],
)
def test_bad_input_is_one_clear_sentence(age, value, message):
    with pytest.raises(ValueError, match=message):
        fit_forgetting(age, value)
