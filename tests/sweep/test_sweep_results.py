"""Named results: measures, selection of the best, conversion to tables, figures."""

import numpy as np
import pytest
from scipy.stats import pearsonr

from hebbian_descent.sweep import MEASURES, sweep
from hebbian_descent.sweep.selection import costs, patterns_of, select

GRID = {
    "rules": ["hebbian_descent", "hebb"],
    "activations": ["sigmoid", "linear"],
    "learning_rates": (1e4, 0.5, 0.05),
    "weight_decays": (0.0, 0.1),
    "trials": 3,
}


@pytest.fixture(scope="module")
def result(pairs):
    return sweep(*pairs, measures=("mae", "correlation"), **GRID)


@pytest.fixture(scope="module")
def arrays():
    rng = np.random.default_rng(0)
    return rng.integers(0, 2, (9, 7)).astype(float), rng.random((9, 7))


def test_mean_absolute_and_squared_error(arrays):
    t, h = arrays
    expected = [[abs(a - b) for a, b in zip(*rows, strict=True)] for rows in zip(t, h, strict=True)]
    np.testing.assert_allclose(MEASURES["mae"](t, h), np.mean(expected, axis=1))
    np.testing.assert_allclose(MEASURES["mse"](t, h), np.mean(np.square(expected), axis=1))


def test_correlation_is_pearsons_and_zero_for_a_constant_output(arrays):
    t, h = arrays
    expected = [pearsonr(a, b)[0] for a, b in zip(t, h, strict=True)]
    np.testing.assert_allclose(MEASURES["correlation"](t, h), expected)
    np.testing.assert_array_equal(MEASURES["correlation"](t, np.full_like(h, 0.3)), 0)
    for n_units in range(1, 40):  # whose means are rounded in one way or another
        constants = np.full((1, n_units), 0.7), np.full((1, n_units), 0.1)
        assert MEASURES["correlation"](*constants) == 0
    np.testing.assert_allclose(MEASURES["correlation"](t, 0.1 * t), 1)  # blind to scale


def test_identification_asks_for_the_nearest_target(arrays):
    t, h = arrays
    for i, hit in enumerate(MEASURES["identification"](t, h)):
        distances = [np.linalg.norm(h[i] - other) for other in t]
        assert hit == (np.argmin(distances) == i)
    np.testing.assert_array_equal(MEASURES["identification"](t, t), 1)
    doubled = np.concatenate([t, t])
    np.testing.assert_array_equal(MEASURES["identification"](doubled, doubled), 1)


def test_misclassification_takes_the_first_of_equal_outputs():
    t = np.eye(3)
    h = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 1.0, 1.0]])
    np.testing.assert_array_equal(MEASURES["misclassification"](t, h), [0, 1, 1])


def test_axes_are_named_and_arrays_have_their_lengths(result):
    assert list(result.axes) == ["rule", "activation", "learning_rate", "weight_decay", "trial", "pattern"]
    shape = tuple(len(labels) for labels in result.axes.values())
    assert shape == (2, 2, 3, 2, 3, 24)
    assert {values.shape for values in result.values.values()} == {shape}
    assert result.diverged.shape == shape[:-1]


def test_diverged_runs_are_reported_and_never_best(result):
    linear = result.diverged[0, 1]
    assert linear[0].all()
    assert not linear[1:].any()
    assert np.isnan(result.values["mae"][0, 1, 0]).all()
    best = {(found.rule, found.activation): found for found in result.best("all")}
    assert best["hebbian_descent", "linear"].learning_rate < 1e4
    assert best["hebbian_descent", "linear"].n_diverged == linear.sum()
    assert "diverged" in str(result)


def test_best_averages_over_the_trials_first(result):
    for by, chosen in (("last20", slice(-20, None)), ("all", slice(None)), ("last", slice(-1, None))):
        for found in result.best(by):
            r = list(result.axes["rule"]).index(found.rule)
            a = list(result.axes["activation"]).index(found.activation)
            scores = result.values["mae"][r, a][..., chosen].mean(axis=(-2, -1))
            assert found.value == pytest.approx(np.nanmin(scores))
            i, d = np.unravel_index(np.nanargmin(scores), scores.shape)
            assert (found.learning_rate, found.weight_decay) == (
                GRID["learning_rates"][i],
                GRID["weight_decays"][d],
            )
            per_trial = result.values["mae"][r, a, i, d][:, chosen].mean(axis=-1)
            assert found.std == pytest.approx(per_trial.std())


def test_best_by_a_measure_of_which_more_is_better(result):
    for found in result.best("all", measure="correlation"):
        r = list(result.axes["rule"]).index(found.rule)
        a = list(result.axes["activation"]).index(found.activation)
        assert found.value == pytest.approx(np.nanmax(result.values["correlation"][r, a].mean(axis=(-2, -1))))


def test_a_setting_with_one_diverged_trial_is_not_best_however_good_the_others_are():
    axes = {"rule": ["r"], "activation": ["a"], "learning_rate": [1.0, 0.1], "weight_decay": [0.0]}
    values = np.array([0.01, np.nan, 0.3, 0.3]).reshape(1, 1, 2, 1, 2, 1)
    diverged = np.isnan(values[..., 0])
    (found,) = select({k: np.array(v) for k, v in axes.items()}, values, diverged, "mae", "all")
    assert (found.learning_rate, found.n_diverged) == (0.1, 1)


def test_where_everything_diverged_the_value_is_not_a_number():
    axes = {"rule": ["r"], "activation": ["a"], "learning_rate": [1.0], "weight_decay": [0.0]}
    values = np.full((1, 1, 1, 1, 2, 3), np.nan)
    (found,) = select(
        {k: np.array(v) for k, v in axes.items()}, values, np.isnan(values[..., 0]), "mae", "all"
    )
    assert np.isnan(found.value)
    assert np.isinf(costs(values, np.isnan(values[..., 0]), "mae", "all")).all()


def test_criteria_must_be_known_and_fit():
    assert patterns_of("last20", 24) == slice(4, None)
    for by in ("first20", "last0", "last-1", "", "20"):
        with pytest.raises(ValueError, match=r"must be 'all', 'last', or 'last' with a number"):
            patterns_of(by, 24)
    with pytest.raises(ValueError, match=r"must not exceed the 24 patterns. Got 'last25': use 'all'"):
        patterns_of("last25", 24)


def test_pandas_table_has_a_row_for_each_run_and_pattern(result):
    table = result.to_pandas()
    assert len(table) == result.values["mae"].size
    row = table.query(
        "rule == 'hebb' and activation == 'sigmoid' and learning_rate == 0.5 and weight_decay == 0.1"
    )
    row = row.query("trial == 2 and pattern == 5")
    assert row["mae"].item() == result.values["mae"][1, 0, 1, 1, 2, 5]
    assert table["diverged"].sum() == result.diverged.sum() * 24


def test_xarray_has_labelled_dimensions(result):
    data = result.to_xarray()
    chosen = data["mae"].sel(rule="hebb", activation="linear", learning_rate=0.05, weight_decay=0.1, trial=1)
    np.testing.assert_array_equal(chosen.values, result.values["mae"][1, 1, 2, 1, 1])
    assert data.attrs["baseline_mae"] == result.baseline


def test_figures_have_a_line_for_each_rule_and_activation(result):
    for figure in (result.plot_learning_rates("all"), result.plot_forgetting("all")):
        assert len(figure.axes[0].get_lines()) == 5  # two rules, two activations, the baseline
    lines = result.plot_learning_rates("all", measure="correlation").axes[0].get_lines()
    assert len(lines) == 4
    assert max(line.get_ydata()[np.isfinite(line.get_ydata())].max() for line in lines) <= 1


def test_unknown_measures_of_a_result_are_refused(result):
    with pytest.raises(ValueError, match=r"measure of this sweep must be one of correlation, mae. Got 'mse'"):
        result.errors("mse")


EDGES = [
    # learning rates, the error of each of them (NaN if it diverged), and where the best lies
    ((0.1, 0.2, 0.4), (3, 1, 2), None),
    ((0.1, 0.2, 0.4), (1, 2, 3), "smallest"),
    ((0.1, 0.2, 0.4), (3, 2, 1), "largest"),
    ((0.4, 0.1, 0.2), (1, 2, 3), "largest"),  # whatever the order
    ((0.1, 0.2, 0.4), (1, 1, 2), None),  # another is as good
    ((0.1, 0.2, 0.4), (1, np.nan, np.nan), "smallest"),
    ((0.1, 0.2, 0.4), (2, 1, np.nan), None),  # larger ones diverge, which is known
    ((0.1,), (1,), None),  # nothing was searched
    (("auto", "0.1", "0.2"), (1, 2, 3), None),
    (("auto", "0.1", "0.2"), (3, 2, 1), "largest"),
]


@pytest.mark.parametrize(("rates", "errors", "edge"), EDGES)
def test_a_best_rate_at_the_edge_of_those_tried_is_reported(rates, errors, edge):
    axes = {
        "rule": np.array(["hebb"]),
        "activation": np.array(["linear"]),
        "learning_rate": np.array(rates),
        "weight_decay": np.array([0.0]),
    }
    values = np.array(errors, float).reshape(1, 1, -1, 1, 1, 1)
    (best,) = select(axes, values, np.isnan(values[..., 0]), "mae", "all")
    assert best.edge == edge
    assert bool(best.doubt) == (edge is not None)
    assert edge is None or f"is the {edge} tried" in best.doubt


def test_doubts_name_the_rule_and_the_activation(pairs):
    options = {"activations": ["linear", "sigmoid"], "trials": 1}
    found = sweep(*pairs, rules="hebbian_descent", learning_rates=(1e6, 1e5), **options).doubts("all")
    assert found["hebbian_descent, linear"] == "every learning rate diverged: try smaller ones"
    assert sweep(*pairs, rules="hebbian_descent", learning_rates=0.1, **options).doubts("all") == {}
