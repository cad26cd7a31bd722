"""An automatic learning rate and running means in sweeps: what `train` and memories do, recorded by name."""

import numpy as np
import pytest

from hebbian_descent import AssociativeMemory, Layer, train
from hebbian_descent.engines.grid import initial_weights
from hebbian_descent.learning.rates import Automatic
from hebbian_descent.storage.results import Store
from hebbian_descent.sweep import LayerGrid, Patterns, Sweep, sweep, sweep_autoencoders

RNG = np.random.default_rng(0)
X, T = RNG.random((30, 8)), RNG.random((30, 4))
GRID = {"rules": "hebbian_descent", "activations": "sigmoid", "trials": 2}


@pytest.mark.parametrize("centering", ["mean", "moving", None, 0.5])
def test_an_automatic_rate_is_one_more_value_of_the_axis(centering):
    result = sweep(X, T, learning_rates=("auto", Automatic("classify"), 0.1), centering=centering, **GRID)
    assert result.axes["learning_rate"].tolist() == ["auto", "auto (classify)", "0.1"]
    (choice,) = result.choices.values()
    assert choice.engine == "reference"
    assert "an automatic learning rate" in choice.reason
    fixed = sweep(X, T, learning_rates=0.1, centering=centering, **GRID)
    np.testing.assert_allclose(result.errors()[:, :, 2], fixed.errors()[:, :, 0], rtol=1e-9)
    best = result.best(by="all")[0]
    assert str(best.learning_rate) == result.axes["learning_rate"][result.costs("all").argmin()]
    assert result.trials_of(best).mean() == pytest.approx(best.value)
    by_hand = Layer.from_weights(
        initial_weights(0, 1, 8, 4, dtype=np.float64),
        offset={"mean": X.mean(axis=0), "moving": 0.0, None: 0.0}.get(centering, centering),
    )
    moves = {"shift": 0.01, "running_mean": True} if centering == "moving" else {}
    train(by_hand, X, T, learning_rate="auto", **moves)
    np.testing.assert_allclose(result.errors()[0, 0, 0, 0, 1], np.abs(by_hand.output(X) - T).mean(axis=1))


def test_what_is_stored_is_found_again(tmp_path):
    pytest.importorskip("pyarrow")
    stored = sweep(X, T, learning_rates="auto", store=str(tmp_path), **GRID)
    again = sweep(X, T, learning_rates=["auto"], store=str(tmp_path), **GRID)
    np.testing.assert_array_equal(stored.errors(), again.errors())
    assert again.axes["learning_rate"].tolist() == ["auto"]
    assert len(list(tmp_path.rglob("*.parquet"))) == 1


@pytest.mark.parametrize("other", [Automatic("classify"), Automatic(largest_target=8.0)])
def test_another_automatic_rate_is_not_found(tmp_path, other):
    pytest.importorskip("pyarrow")
    grid = GRID | {"activations": "exponential"}
    stored = sweep(X, T, learning_rates="auto", store=str(tmp_path), **grid)
    found = sweep(X, T, learning_rates=other, store=str(tmp_path), **grid)
    assert (found.errors() != stored.errors()).any()
    np.testing.assert_array_equal(found.errors(), sweep(X, T, learning_rates=other, **grid).errors())
    label = found.axes["learning_rate"][0]
    np.testing.assert_array_equal(found.errors(), sweep(X, T, learning_rates=label, **grid).errors())


def test_it_can_be_shown(tmp_path):
    result = sweep(X, T, learning_rates=("auto", 0.1, 1.0), **GRID)
    pytest.importorskip("matplotlib")
    pytest.importorskip("xarray")
    assert len(result.plot_learning_rates("all").axes[0].lines) >= 1
    assert result.to_xarray().coords["learning_rate"].to_numpy().tolist() == ["auto", "0.1", "1.0"]
    assert set(result.to_pandas()["learning_rate"]) == {"auto", "0.1", "1.0"}


def test_autoencoders():
    result = sweep_autoencoders(
        X,
        rules="hebbian_descent",
        hidden_activations="sigmoid",
        output_activations="linear",
        n_hidden=3,
        learning_rates=("auto", 0.01),
        trials=1,
        batch_size=10,
    )
    assert not result.diverged.any()
    assert {choice.engine for choice in result.choices.values()} == {"reference"}


@pytest.mark.parametrize("batch_size", [1, 7])
@pytest.mark.parametrize("rule", ["hebbian_descent", "gradient_descent", "hebb", "covariance"])
@pytest.mark.parametrize("start", [None, 0.5])
def test_moving_offsets_agree_with_the_plain_loop(rule, batch_size, start):
    settings = {**GRID, "rules": rule, "centering": "moving", "offset_start": start, "batch_size": batch_size}
    fast = sweep(X, T, learning_rates=(0.1, 0.5), epochs=2, weight_decays=(0.0, 0.1), **settings)
    plain = sweep(
        X, T, learning_rates=(0.1, 0.5), epochs=2, weight_decays=(0.0, 0.1), engine="reference", **settings
    )
    np.testing.assert_allclose(fast.errors(), plain.errors(), rtol=1e-9)
    engines = {choice.engine for choice in fast.choices.values()}
    assert ("reference" in engines) == (start is None and rule in ("hebb", "covariance"))


def test_a_sweep_of_one_run_is_a_memory():
    found = sweep(
        X, T, learning_rates="auto", centering="moving", rules="hebb", activations="sigmoid", trials=1
    )
    memory = AssociativeMemory(8, 4, rule="hebb")
    memory.network.weights[:] = initial_weights(0, 0, 8, 4, dtype=np.float64)
    memory.store(X, T)
    np.testing.assert_allclose(found.errors().ravel(), np.abs(memory.recall(X) - T).mean(axis=1))


def test_its_cells_have_keys_of_their_own(tmp_path):
    store, patterns = Store(tmp_path / "store"), Patterns.of(X, T)
    rates = ["auto", Automatic("classify"), 0.1, ("auto", 0.1), (0.1, "auto")]
    keys = {Sweep(LayerGrid.of(learning_rates=rate, **GRID), patterns).key(store, 0) for rate in rates}
    assert len(keys) == len(rates)


def test_fast_engines_refuse_it():
    with pytest.raises(ValueError, match=r"'stacked' cannot run .* automatic learning rate"):
        sweep(X, T, learning_rates="auto", engine="stacked", **GRID)


def test_other_words_are_no_rate():
    with pytest.raises(ValueError, match="must be a number or"):
        sweep(X, T, learning_rates="automatic", **GRID)
