"""Sweeps over auto-encoders agree with the plain loop; halving finds what the grid finds, for less."""

import numpy as np
import pytest

from hebbian_descent import ACTIVATIONS, AUTO_RULES, Autoencoder, train
from hebbian_descent.measures import MEASURES
from hebbian_descent.sweep import halving, initial_weights, sweep, sweep_autoencoders

GRID = {"n_hidden": 4, "learning_rates": (0.2, 0.05), "trials": 2, "epochs": 3, "batch_size": 7}
X = np.random.default_rng(1).random((40, 9))


@pytest.mark.parametrize("output", ["linear", "sigmoid", "rectifier"])
@pytest.mark.parametrize("hidden", ACTIVATIONS)
def test_the_tied_engine_agrees_with_the_plain_loop(hidden, output):
    compared = 0
    for centering in ("mean", None):
        results = [
            sweep_autoencoders(
                X,
                rules=["hebbian_descent", "gradient_descent"],
                hidden_activations=hidden,
                output_activations=output,
                weight_decays=(0.0, 0.01),
                measures=tuple(MEASURES),
                centering=centering,
                engine=engine,
                **GRID,
            )
            for engine in ("tied", "reference")
        ]
        tied, plain = results
        np.testing.assert_array_equal(tied.diverged, plain.diverged)
        tame = np.nan_to_num(plain.values["mae"].mean(axis=-1), nan=np.inf) < 2 * plain.baseline
        compared += tame.sum()
        for name, values in plain.values.items():
            np.testing.assert_allclose(
                tied.values[name][tame], values[tame], rtol=1e-9, atol=1e-11, err_msg=name
            )
    assert compared >= 8


@pytest.mark.parametrize("centering", ["mean", None])
def test_hebbs_rule_agrees_with_the_plain_loop(centering):
    # Its weights grow with every pattern, so its rates are small; one of them diverges for some units.
    grid = {**GRID, "learning_rates": (1e-3, 1e-2, 100.0)}
    tied, plain = (
        sweep_autoencoders(
            X,
            rules="hebb",
            hidden_activations=tuple(ACTIVATIONS),
            output_activations=("linear", "sigmoid", "explin"),
            weight_decays=(0.0, 0.01),
            measures=tuple(MEASURES),
            centering=centering,
            engine=engine,
            **grid,
        )
        for engine in ("tied", "reference")
    )
    np.testing.assert_array_equal(tied.diverged_at, plain.diverged_at)
    assert plain.diverged[..., 2, :, :].any()
    assert not plain.diverged[..., :2, :, :].any()
    for name, values in plain.values.items():
        np.testing.assert_allclose(
            tied.values[name][..., :2, :, :, :],
            values[..., :2, :, :, :],
            rtol=1e-9,
            atol=1e-11,
            err_msg=name,
        )


def test_a_run_can_be_redone_by_hand():
    result = sweep_autoencoders(
        X,
        rules="hebbian_descent",
        hidden_activations="sigmoid",
        output_activations="linear",
        evaluate_on=X[:5],
        seed=4,
        **GRID,
    )
    network = Autoencoder.from_weights(initial_weights(4, 1, 9, 4), offset=X.mean(axis=0))
    train(network, X, learning_rate=0.05, epochs=3, batch_size=7, shuffle=True, seed=4)
    error = np.abs(network.reconstruct(X[:5]) - X[:5]).mean(axis=1)
    np.testing.assert_allclose(result.values["mae"][0, 0, 1, 0, 1], error, rtol=1e-9)
    activity = network.encode(X[:5]).mean(axis=1)
    np.testing.assert_allclose(result.values["hidden_activity"][0, 0, 1, 0, 1], activity, rtol=1e-9)
    assert result.axes["activation"].tolist() == ["sigmoid/linear"]


@pytest.mark.parametrize("rule", ["contrastive", "oja", "sanger"])
def test_other_rules_take_the_plain_loop(rule):
    result = sweep_autoencoders(
        X,
        rules=rule,
        hidden_activations="linear",
        output_activations="linear",
        **{**GRID, "learning_rates": 0.001},
    )
    (choice,) = result.choices.values()
    assert (choice.engine, rule in choice.reason) == ("reference", True)


def test_parameters_of_a_rule_take_the_plain_loop():
    for rule in (
        AUTO_RULES["hebbian_descent"](target_activity=0.2),
        AUTO_RULES["gradient_descent"](part="decoder"),
    ):
        result = sweep_autoencoders(
            X, rules=rule, hidden_activations="sigmoid", output_activations="linear", **GRID
        )
        assert next(iter(result.choices.values())).engine == "reference"


def test_an_engine_that_cannot_run_a_cell_says_why():
    with pytest.raises(
        ValueError, match=r"'tied' cannot run oja, linear/linear: the rule 'oja' has no compiled form"
    ):
        sweep_autoencoders(
            X, rules="oja", hidden_activations="linear", output_activations="linear", engine="tied", **GRID
        )


@pytest.mark.parametrize("error", ["difference", "saturating"])
def test_other_error_terms_agree(error):
    grid = {"rules": ["hebbian_descent", "gradient_descent"], "hidden_activations": "explin"}
    tied, plain = (
        sweep_autoencoders(X, output_activations="sigmoid", error=error, engine=engine, **grid, **GRID)
        for engine in ("tied", "reference")
    )
    np.testing.assert_allclose(tied.values["mae"], plain.values["mae"], rtol=1e-9)


def test_diverged_autoencoders_are_reported_with_their_step():
    result = sweep_autoencoders(
        X,
        rules="hebbian_descent",
        hidden_activations="linear",
        output_activations="linear",
        **{**GRID, "learning_rates": (1e3, 0.01)},
    )
    assert result.diverged[0, 0, :, 0].tolist() == [[True, True], [False, False]]
    assert (result.diverged_at[0, 0, 0] > 0).all()


def test_stores_serve_autoencoders_too(tmp_path):
    grid = {
        "rules": "hebbian_descent",
        "hidden_activations": "sigmoid",
        "output_activations": "linear",
        **GRID,
    }
    first = sweep_autoencoders(X, store=str(tmp_path / "store"), **grid)
    again = sweep_autoencoders(X, store=str(tmp_path / "store"), **grid)
    np.testing.assert_array_equal(first.values["hidden_activity"], again.values["hidden_activity"])


RATES = (30.0, 10.0, 3.0, 1.0, 0.3, 0.1, 0.03, 0.01, 0.003)


def test_halving_finds_what_the_grid_finds_for_less():
    grid = {"hidden_activations": "sigmoid", "output_activations": "linear", "n_hidden": 4, "batch_size": 10}
    found = halving(
        sweep_autoencoders,
        X,
        rules=["hebbian_descent", "gradient_descent"],
        learning_rates=RATES,
        epochs=27,
        trials=3,
        **grid,
    )
    whole = sweep_autoencoders(
        X, rules=["hebbian_descent", "gradient_descent"], learning_rates=RATES, epochs=27, trials=3, **grid
    ).best("all")
    for search, best in zip(found, whole, strict=True):
        assert search.best.rule == best.rule
        assert search.best.value <= 1.05 * best.value
        assert search.epochs_spent < 0.5 * search.epochs_of_grid
        assert search.epochs_of_grid == 27 * 3 * len(RATES)
        assert search.epochs_spent == sum(r.epochs * r.trials * len(r.learning_rates) for r in search.rungs)


def test_rungs_grow_longer_and_hold_fewer_rates():
    (found,) = halving(
        sweep,
        X,
        X[:, :3],
        rules="hebbian_descent",
        activations="sigmoid",
        learning_rates=RATES,
        epochs=9,
        trials=2,
        batch_size=5,
    )
    sizes = [(rung.epochs, rung.trials, len(rung.learning_rates)) for rung in found.rungs]
    assert sizes == [(1, 1, 9), (3, 1, 3), (9, 2, 2)]
    for rung, following in zip(found.rungs, found.rungs[1:], strict=False):
        kept = [rung.costs[rung.learning_rates.index(rate)] for rate in following.learning_rates]
        assert max(kept) <= sorted(rung.costs)[len(kept) - 1]


def test_saving_trials_trains_all_rates_for_all_epochs():
    (found,) = halving(
        sweep,
        X,
        X[:, :3],
        rules="hebbian_descent",
        activations="sigmoid",
        learning_rates=RATES,
        epochs=9,
        trials=2,
        saves="trials",
        finalists=3,
    )
    assert [(rung.epochs, rung.trials, len(rung.learning_rates)) for rung in found.rungs] == [
        (9, 1, 9),
        (9, 2, 3),
    ]
    best = sorted(zip(found.rungs[0].costs, RATES, strict=True))[:3]
    assert sorted(found.rungs[1].learning_rates) == sorted(rate for _, rate in best)


@pytest.mark.parametrize("saves", ["epochs", "trials"])
def test_a_finalist_that_diverges_makes_room_for_the_next_in_line(saves):
    grid = {"rules": "hebbian_descent", "activations": "sigmoid", "epochs": 9, "trials": 3, "batch_size": 5}
    (first,) = halving(sweep, X, X[:, :3], learning_rates=RATES, saves=saves, **grid)
    unlucky = first.best.learning_rate

    def sweep_with_bad_luck(*patterns, trials, **options):
        result = sweep(*patterns, trials=trials, **options)
        if trials > 1:  # the first trial has told nothing
            result.diverged_at[:, :, result.axes["learning_rate"] == unlucky, :, -1] = 7
        return result

    (found,) = halving(sweep_with_bad_luck, X, X[:, :3], learning_rates=RATES, saves=saves, **grid)
    assert found.best.learning_rate != unlucky
    assert found.best.learning_rate in found.result.axes["learning_rate"]
    *before, finalists, next_in_line = found.rungs
    assert finalists == first.rungs[-1]._replace(costs=finalists.costs)
    assert len(next_in_line.learning_rates) == 1
    ranked = [rate for _, rate in sorted(zip(before[-1].costs, before[-1].learning_rates, strict=True))]
    assert next_in_line.learning_rates[0] == ranked[2]
    assert next_in_line.trials == 3
    # A mean of means over the trials, and one mean of all: the same numbers, added in another order.
    assert found.best.value == pytest.approx(min(*finalists.costs, *next_in_line.costs), rel=1e-14)


def test_halving_says_what_it_can_save():
    with pytest.raises(ValueError, match="Did you mean 'trials'"):
        halving(
            sweep, X, X, rules="hebb", activations="sigmoid", learning_rates=RATES, epochs=2, saves="trial"
        )


def test_halving_of_few_rates_is_the_grid():
    (found,) = halving(
        sweep,
        X,
        X[:, :3],
        rules="hebb",
        activations="sigmoid",
        learning_rates=(0.1, 0.01),
        epochs=2,
        trials=2,
    )
    assert found.epochs_spent == found.epochs_of_grid
