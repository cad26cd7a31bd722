"""Verdicts on printed numbers: each bound, each word, and what the intervals promise."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from hebbian_descent import Autoencoder
from hebbian_descent.datasets import DatasetUnavailableError, load
from hebbian_descent.sweep.grids import LEARNING_RATES
from reproduction.compare import agreement, deviations_and_rates, estimate, is_wide, judged, verdicts
from reproduction.context import COMMITTED, Context
from reproduction.experiments.auto_association import n_hidden
from reproduction.printed import notes
from reproduction.rows import committed, write
from reproduction.running import part_of


def verdict(printed, values, *, drawn=True, printed_sd=np.nan):
    """Judge a printed number by the means of our draws, or by our trials where nothing was drawn."""
    by_draw = [np.array([value]) for value in values] if drawn else [np.array(values)]
    ours = estimate(by_draw, drawn) if len(values) else {"ours": np.nan, "sd": np.nan, "n": 0}
    table = pd.DataFrame([{"printed": printed, "drawn": drawn, "printed_sd": printed_sd, **ours}])
    return judged(table).iloc[0]


def test_a_number_agrees_within_the_99_percent_interval_of_one_more_draw():
    values = np.array([0.60, 0.64, 0.62, 0.66, 0.63])
    half = stats.t.ppf(0.995, 4) * values.std(ddof=1) * np.sqrt(1 + 1 / 5)
    for distance, agrees in ((0.99 * half, True), (1.01 * half, False)):
        found = verdict(values.mean() + distance, values)
        assert found["half"] == pytest.approx(half)
        assert found["rests_on"] == ("interval" if agrees else "")
        assert found["z"] == pytest.approx(distance / (values.std(ddof=1) * np.sqrt(1.2)), rel=1e-4)
        assert found["word"] == ("agrees" if agrees else "differs")


def test_a_number_agrees_within_0_005_however_small_the_spread():
    for distance, word, reason in ((0.0049, "agrees", "absolute"), (0.0051, "differs", "")):
        found = verdict(0.2 + distance, [0.2] * 5)
        assert (found["word"], found["rests_on"]) == (word, reason)


def test_few_draws_decide_nothing_however_far_the_number_is():
    for n in range(1, 5):
        assert verdict(0.2, [0.2] * n)["word"] == verdict(0.9, [0.2] * n)["word"] == "undecided"
    assert verdict(0.2, [])["word"] == "not run"


def test_in_a_wide_interval_nothing_agrees_and_outside_of_it_a_number_differs():
    values = np.array([0.10, 0.20, 0.15, 0.17, 0.13])
    half = stats.t.ppf(0.995, 4) * values.std(ddof=1) * np.sqrt(1.2)
    assert half > 0.25 * values.mean()
    assert verdict(values.mean(), values)["word"] == "undecided"
    assert verdict(values.mean() + 1.01 * half, values)["word"] == "differs"
    # The same spread about a number four times as large is narrow enough.
    assert verdict(values.mean() + 0.7, values + 0.7)["word"] == "agrees"


def test_a_draw_that_diverged_differs():
    found = verdict(0.2, [0.2, 0.2, 0.2, 0.2, np.nan])
    assert found["word"] == "differs"
    assert np.isnan(found["ours"])
    assert np.isnan(found["z"])


def test_prediction_intervals_hold_what_they_promise():
    """Of printed numbers that are draws like ours, 99 in 100 agree, and z has root mean square about 1."""
    rng = np.random.default_rng(0)
    values = rng.normal(0.5, 0.02, (2000, 10))
    table = pd.DataFrame(
        {"printed": rng.normal(0.5, 0.02, 2000), "drawn": True, "printed_sd": np.nan, "n": 10}
    )
    found = judged(table.assign(ours=values.mean(axis=1), sd=values.std(axis=1, ddof=1)))
    assert 0.983 < (found["word"] == "agrees").mean() < 0.996
    assert 1.0 < np.sqrt((found["z"] ** 2).mean()) < 1.3  # √(9/7) for Student's t with 9


@pytest.mark.parametrize("sd_of_trials", [0.0, 0.02, 0.1])
def test_prediction_intervals_hold_at_least_that_where_the_print_has_more_trials(sd_of_trials):
    """The printed draw has ten trials; of our ten draws the first has ten, the others two."""
    rng = np.random.default_rng(0)

    def draw(n_trials):
        return rng.normal(0.5, 0.02) + rng.normal(0, sd_of_trials, n_trials).mean()

    words = [verdict(draw(10), [draw(10), *(draw(2) for _ in range(9))])["word"] for _ in range(600)]
    assert words.count("differs") / 600 < 0.02


def whole(printed, ours, *, printed_sd=0.0, sd=0.0, n=10):
    """Judge a number of a whole dataset by the mean and the deviation over our trials."""
    numbers = {"printed": printed, "drawn": False, "printed_sd": printed_sd, "ours": ours, "sd": sd, "n": n}
    return judged(pd.DataFrame([numbers])).iloc[0]


def test_whole_datasets_agree_within_0_005_or_5_percent():
    assert whole(0.05, 0.0549)["rests_on"] == "absolute"
    assert whole(0.05, 0.0551)["word"] == "differs"
    assert whole(0.80, 0.8399)["rests_on"] == "relative"
    assert whole(0.80, 0.8401)["word"] == "differs"
    assert [whole(0.8, 0.8, n=n)["word"] for n in (1, 2, 3)] == ["undecided", "undecided", "agrees"]


@pytest.mark.parametrize(("printed_sd", "n"), [(0.04, 5), (np.nan, 10), (np.nan, 20)])
def test_whole_datasets_agree_where_the_means_of_the_trials_differ_by_chance(printed_sd, n):
    """Welch's test of two means, as SciPy does it; a spread that is not printed is as large as ours."""
    sd = 0.05
    theirs, ours = (np.sqrt(m / (m - 1)) * s for m, s in ((10, printed_sd), (n, sd)))
    theirs = ours if np.isnan(printed_sd) else theirs
    for distance in np.arange(0.01, 0.1, 0.005):
        found = whole(0.9, 0.9 + distance, printed_sd=printed_sd, sd=sd, n=n)
        p = stats.ttest_ind_from_stats(0.9, theirs, 10, 0.9 + distance, ours, n, equal_var=False).pvalue
        assert (found["rests_on"] == "interval") == (p >= 0.01)


def test_another_number_in_place_of_the_printed_one_would_agree_just_where_it_is_judged_so():
    rng = np.random.default_rng(0)
    for _ in range(50):
        values = rng.normal(0.3, rng.choice([0.001, 0.01, 0.03]), size=6)
        found, number = verdict(0.3, values), rng.uniform(0.2, 0.4)
        half, drawn = np.array([found["half"]]), np.array([True])
        agrees = agreement([abs(number - found["ours"])], [number], half, drawn) != ""
        assert bool(agrees & ~is_wide(half, [number])) == (verdict(number, values)["word"] == "agrees")


def test_a_run_of_your_own_is_judged_instead_of_the_committed_rows(tmp_path):
    label, context = "tab:Hetero_online_centered_2", Context(tmp_path)
    rows = committed()[committed()["experiment"] == label].copy()
    rows.loc[rows["measure"] == "mae_all", "value"] += 1
    write(part_of(label, "job", context), rows, {"seconds": 1})
    words = verdicts(context, [label]).groupby("measure")["word"].value_counts()
    assert words["mae_all"].to_dict() == {"differs": 128}
    assert "differs" not in words["mae_last20"]


def test_printed_deviations_agree_where_the_ratio_of_variances_may_be_chance():
    found = deviations_and_rates(COMMITTED, ["tab:label_learning_centered"])
    for line in found[found["ours"] > 1e-3].itertuples():
        ratio = (line.printed / line.ours) ** 2 * (10 / 9) / (line.n / (line.n - 1))
        low, high = stats.f.ppf([0.005, 0.995], 9, line.n - 1)
        if not (0.9 < ratio / low < 1.1 or 0.9 < ratio / high < 1.1):  # rounding may decide there
            assert (line.word == "agrees") == (low <= ratio <= high)


def test_a_learning_rate_agrees_if_it_is_the_same_of_35():
    found = deviations_and_rates(COMMITTED, ["tab:auto_associative"])
    rates = found[found["measure"] == "best_learning_rate"]
    place = {rate: number for number, rate in enumerate(LEARNING_RATES)}
    for line in rates.itertuples():
        steps = abs(place[line.printed] - place[line.ours])
        assert line.word == {0: "agrees", 1: "a step apart"}.get(steps, "differs")


def test_weights_near_zero_give_the_errors_that_the_notes_name():
    known = next(note["reason"] for note in notes("reasons") if note["table"] == "text:auto_associative_hebb")
    errors = []
    for name in ("adult", "connect", "mnist", "cifar"):
        try:
            data = load(name, dtype=np.float32)
        except DatasetUnavailableError as error:
            pytest.skip(str(error))
        shape = data.n_features, n_hidden(data.n_features)
        weights = np.random.default_rng(0).normal(0, 0.01, shape).astype(np.float32)
        network = Autoencoder.from_weights(weights, offset=data.train.inputs.mean(axis=0))
        errors.append(np.abs(data.test.inputs - network.reconstruct(data.test.inputs)).mean())
    assert " ".join(f"{error:.4f}" for error in errors) in known
