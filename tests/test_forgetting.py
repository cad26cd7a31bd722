"""Fits of forgetting find the curve that made the data, as a general optimiser does."""

import pickle

import numpy as np
import pytest
from scipy.optimize import curve_fit

from hebbian_descent.forgetting import (
    LAWS,
    UNDECIDED,
    ForgettingCurve,
    Law,
    compare_laws,
    fit_forgetting,
    parameter_intervals,
)
from hebbian_descent.forgetting.intervals import _with_new_signs

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


SIMULATED = {
    "power_law": {"plain": 0.9 * AGE**-0.3, "with asymptote": 0.2 + 0.7 * AGE**-0.8},
    "exponential": {"plain": 0.9 * np.exp(-0.03 * AGE), "with asymptote": 0.5 - 0.45 * np.exp(-0.05 * AGE)},
    "line": {"plain": 0.9 - 0.008 * AGE},
    "wickelgren": {"plain": 0.9 * (1 + 0.2 * AGE) ** -0.8},
    "stretched_exponential": {
        "plain": 0.9 * np.exp(-((AGE / 40) ** 0.5)),
        "with asymptote": 0.2 + 0.6 * np.exp(-((AGE / 40) ** 2)),
    },
}


def noisy(values, deviation, seed=0, n_curves=None):
    shape = values.shape if n_curves is None else (n_curves, *values.shape)
    return values + np.random.default_rng(seed).normal(0, deviation, shape)


def test_every_law_is_simulated():
    assert set(SIMULATED) == set(LAWS)


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize(
    ("name", "values"),
    [(name, values) for name, kinds in SIMULATED.items() for values in kinds.values()],
)
def test_each_law_is_recovered_from_its_own_data(name, values, seed):
    comparison = compare_laws(AGE, noisy(values, 0.004, seed))
    assert comparison.law == name
    np.testing.assert_allclose(comparison.best.predicted, values, atol=0.01)


def test_a_saturating_error_is_no_power_law():
    age = np.arange(1, 1001)
    curve = ForgettingCurve(age, noisy(0.5 - 0.45 * np.exp(-0.01 * age), 0.02), "mae")
    assert min(curve.fits.values(), key=lambda fit: fit.aic).name == "power_law"
    assert curve.best_fit.label == "exponential with asymptote"
    assert curve.comparison.law == "exponential"


def test_what_cannot_be_told_apart_is_undecided():
    short = np.arange(1, 11)
    one = compare_laws(short, noisy(0.9 * short**-0.3, 0.1))
    assert one.law == UNDECIDED
    assert one.support < 0.9
    several = compare_laws(short, noisy(0.9 * short**-0.3, 0.1, n_curves=5), resamples=10)
    assert several.law == UNDECIDED
    assert UNDECIDED in str(several)


def test_several_curves_decide_by_how_often_a_law_is_chosen():
    curves = noisy(SIMULATED["exponential"]["with asymptote"], 0.02, seed=1, n_curves=8)
    comparison = compare_laws(AGE, curves, laws=("power_law", "exponential", "line"), resamples=20)
    assert comparison.chosen_in_resamples == {"exponential": 20}
    assert (comparison.law, comparison.support, comparison.n_curves) == ("exponential", 1.0, 8)


def test_curves_that_disagree_leave_it_undecided_however_large_the_differences_are():
    power, straight = 0.9 * AGE**-0.3, 0.8 - 0.007 * AGE
    curves = [noisy(values, 0.005, seed) for seed in range(3) for values in (power, straight)]
    laws = ("power_law", "exponential", "line")
    comparison = compare_laws(AGE, curves, laws=laws, resamples=40)
    assert comparison.law == UNDECIDED


def test_pooled_curves_of_different_length_are_fitted_as_all_their_points():
    curves = [noisy(0.9 * AGE[:n] ** -0.3, 0.02, seed) for seed, n in enumerate((100, 60, 30))]
    pooled = compare_laws(AGE, curves, laws=("power_law",), resamples=0).fits["power_law"]
    age, value = np.concatenate([AGE[: len(curve)] for curve in curves]), np.concatenate(curves)
    a, b = curve_fit(lambda t, a, b: a * t**b, age, value, p0=(1, -0.5))[0]
    assert pooled.parameters == pytest.approx({"scale": a, "exponent": b}, rel=1e-5)
    rss = ((value - a * age**b) ** 2).sum()
    assert pooled.residual_sum_of_squares == pytest.approx(rss)
    assert pooled.aicc == pytest.approx(190 * np.log(rss / 190) + 6 + 2 * 3 * 4 / (190 - 4))
    also = compare_laws([AGE[: len(c)] for c in curves], curves, laws=("power_law",), resamples=0)
    assert also.fits["power_law"].parameters == pooled.parameters


def test_akaike_weights_and_differences_follow_from_the_fits():
    comparison = compare_laws(AGE, noisy(0.9 * AGE**-0.3, 0.05))
    scores = np.array([fit.aicc for fit in comparison.fits.values()])
    assert list(scores) == sorted(scores)
    assert len(scores) == 2 * len(LAWS) - 1
    np.testing.assert_allclose(list(comparison.differences.values()), scores - scores.min())
    weights = np.exp(-(scores - scores.min()) / 2)
    np.testing.assert_allclose(list(comparison.weights.values()), weights / weights.sum())


def test_a_level_stays_in_the_range_of_the_measure():
    values = np.clip(noisy(0.6 - 0.055 * np.log(AGE), 0.01), 0, 1)  # falls ever on, as slow power laws do
    free = fit_forgetting(AGE, values, asymptote=True, bounds=None)["power_law"]
    bound = fit_forgetting(AGE, values, asymptote=True)["power_law"]
    assert free.parameters["asymptote"] < 0
    assert bound.parameters["asymptote"] == 0
    assert bound.residual_sum_of_squares >= free.residual_sum_of_squares
    of_correlations = fit_forgetting(AGE, 2 * values - 1, asymptote=True)["power_law"]
    assert -1 <= of_correlations.parameters["asymptote"] <= 1


@pytest.mark.parametrize(("n_curves", "resampled"), [(None, "residuals"), (8, "curves")])
def test_intervals_cover_the_truth_about_as_often_as_they_say(n_curves, resampled):
    truth, age, n_runs = -0.05, np.arange(1, 41), 30
    hits = 0
    for seed in range(n_runs):
        values = noisy(0.9 * np.exp(truth * age), 0.03, seed, n_curves)
        found = parameter_intervals(age, values, "exponential", level=0.9, resamples=30, seed=seed)
        low, high = found.intervals["rate"]
        hits += low <= truth <= high
        assert low <= found.fit.parameters["rate"] <= high
    assert found.resampled == resampled
    assert hits / n_runs >= 0.7


def test_intervals_see_that_neighbouring_ages_are_alike():
    rng, age = np.random.default_rng(0), np.arange(1, 201)
    noise = np.zeros(200)
    for i in range(1, 200):
        noise[i] = 0.8 * noise[i - 1] + rng.normal(0, 0.006)
    widths = []
    for residuals in (noise, rng.permutation(noise)):
        values = 0.9 * np.exp(-0.01 * age) + residuals
        low, high = parameter_intervals(age, values, "exponential", resamples=60).intervals["rate"]
        widths.append(high - low)
    assert widths[0] > 1.3 * widths[1]


def test_resampled_residuals_are_as_large_as_the_errors():
    """The fit has followed the errors, by as many degrees of freedom as it has parameters."""
    age = np.arange(1.0, 9.0)
    values = noisy(0.5 - 0.03 * age, 0.05)
    fit = fit_forgetting(age, values, laws=["line"])["line"]
    ((_, again),) = _with_new_signs([(age, values)], fit, np.random.default_rng(0))
    assert not np.allclose(again, values)
    assert ((again - fit.predicted) ** 2).mean() == pytest.approx(fit.residual_sum_of_squares / (8 - 2))


def test_your_own_law_is_fitted_and_compared_as_the_others_are():
    logarithm = Law(
        "logarithm", "a·ln(1 + age/τ)", ("time",), lambda t, tau: np.log1p(t / tau),
        lambda t: [np.geomspace(0.1, 100, 50)],
    )  # fmt: skip
    values = noisy(0.1 * np.log1p(AGE / 3), 0.002)
    comparison = compare_laws(AGE, values, laws=(*LAWS, logarithm))
    assert comparison.law == "logarithm"
    found = parameter_intervals(AGE, values, logarithm, resamples=20)
    assert found.fit.parameters == pytest.approx({"scale": 0.1, "time": 3}, rel=0.1)
    assert fit_forgetting(AGE, values, laws=[logarithm])["logarithm"].predict([3.0]) == pytest.approx(
        0.1 * np.log(2), abs=0.01
    )


def test_fits_travel_between_processes():
    fit = fit_forgetting(AGE, NOISE, laws=tuple(LAWS))["wickelgren"]
    assert pickle.loads(pickle.dumps(fit)).parameters == fit.parameters


def test_a_curve_gives_its_best_fit_with_intervals():
    curve = ForgettingCurve(AGE, noisy(0.5 - 0.45 * np.exp(-0.05 * AGE), 0.01), "mae")
    found = curve.intervals(resamples=20)
    assert found.fit.parameters == curve.best_fit.parameters
    low, high = found.intervals["asymptote"]
    assert low < 0.5 < high
    assert "resampled residuals" in str(found)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fit_forgetting(AGE, NOISE, laws=("powerlaw",)), r"Got 'powerlaw'. Did you mean 'power_law'"),
        (lambda: fit_forgetting(AGE, NOISE, bounds=(1, 0)), r"low < high. Got \(1, 0\)"),
        (lambda: fit_forgetting(AGE, NOISE, bounds="no"), r"'auto' or None. Got 'no'"),
        (lambda: compare_laws([AGE], [NOISE, NOISE]), r"ages for each curve.* Got 1 and 2 curves"),
        (lambda: parameter_intervals(AGE, NOISE, "line", level=2), r"level of the intervals must be above 0"),
    ],
)
def test_bad_options_are_one_clear_sentence(call, message):
    with pytest.raises(ValueError, match=message):
        call()


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
