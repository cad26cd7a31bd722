"""The automatic rate: its formula, its promise, and the same rate for the same pattern in every interface."""

import numpy as np
import pytest

from hebbian_descent import (
    ACTIVATIONS,
    AssociativeMemory,
    HebbianDescentAutoencoder,
    HebbianDescentClassifier,
    HebbianDescentRegressor,
    Layer,
    matching_loss,
    train,
)
from hebbian_descent.learning import rates
from hebbian_descent.learning.rates import (
    KAPPAS,
    Automatic,
    as_rate,
    as_saved,
    extent,
    extents_of_units,
    slope_at,
)
from hebbian_descent.network import Activation, get_activation
from hebbian_descent.rules import get_rule
from tests.plain import PLAIN

RNG = np.random.default_rng(8)
X = RNG.random((12, 6))
T = RNG.dirichlet(np.ones(3), 12)
MASK = RNG.random((6, 3)) > 0.5


@pytest.fixture
def seen(monkeypatch):
    """The rates that updates compute, in order."""
    found, original = [], Automatic.of_layer

    def of_layer(*arguments, **settings):
        found.append(original(*arguments, **settings))
        return found[-1]

    monkeypatch.setattr(rates.Automatic, "of_layer", of_layer)
    return found


@pytest.mark.parametrize("activation", ["softmax", "sigmoid", "linear", "scaled_tanh", "step"])
def test_every_face_gives_a_pattern_the_same_rate_for_the_same_purpose(activation, seen):
    own = {"centering": None, "activation": activation}
    plain = {**own, **PLAIN, "error": lambda t, h: h - t}  # not compiled, so that its rates can be seen
    AssociativeMemory(6, 3, **own, seed=0).store(X[0], T[0])
    HebbianDescentRegressor(**plain).partial_fit(X[:1], T[:1])
    layer = Layer.from_weights(np.zeros((6, 3)), activation=activation)
    train(layer, X[:1], T[:1], learning_rate="auto")
    HebbianDescentClassifier(**plain).partial_fit(X[:1], [1], classes=[0, 1, 2])
    train(layer, X[:1], T[:1], learning_rate=Automatic("classify"))
    train(layer, X[:1], T[:1], learning_rate=Automatic("regress"))
    memory, regressor, training, classifier, classify, regress = seen
    assert memory == pytest.approx(training, rel=1e-14)
    assert classifier == classify
    assert regressor == regress
    units = get_activation(activation)
    ratio = Automatic("remember").kappa(units) / Automatic("classify").kappa(units)
    assert memory == pytest.approx(ratio * classifier)


@pytest.mark.parametrize("purpose", KAPPAS)
@pytest.mark.parametrize("activation", [name for name in ACTIVATIONS if name != "exponential"])
def test_compiled_steps_have_the_same_rate(activation, purpose):
    """One step of weights 0 adds η(t − h)x to them: the rate can be read off."""
    own = {"activation": activation, "centering": None, **PLAIN}
    own |= {} if purpose != "remember" else {"learning_rate": Automatic()}
    units, x = get_activation(activation), X[:1]
    if purpose == "classify":
        learner = HebbianDescentClassifier(**own)
        learner.partial_fit(x, [1], classes=[0, 1, 2])
        t = np.array([0.0, 1.0, 0.0])
    else:
        learner = HebbianDescentRegressor(**own).partial_fit(x, T[:1])
        t = T[0]
    h = units(np.zeros((1, 3)))[0]
    slope = units.largest_slope if np.isfinite(units.largest_slope) else 1.0
    eta = Automatic(purpose).kappa(units) / (slope * ((x * x).sum() + 1))
    np.testing.assert_allclose(learner.weights_, eta * np.outer(t - h, x[0]), rtol=1e-12)


def rate(activation, rule="hebbian_descent", **settings):
    settings = {"pre": np.array([[1.0, 2.0]]), "output": np.array([[0.1, 3.0]]), **settings}
    units = get_activation(activation) if isinstance(activation, str) else activation
    return Automatic().of_layer(get_rule(rule), units, targets=np.array([[0.5, -4.0]]), **settings)


def test_the_rate_is_the_formula():
    assert rate("sigmoid") == pytest.approx(2 / (0.25 * 6))
    assert rate("sigmoid", "gradient_descent") == pytest.approx(2 / (0.25**2 * 6))
    assert rate("linear") == pytest.approx(1 / 6)
    assert rate("softmax") == pytest.approx(1 / (0.5 * 6))
    assert rate("exponential") == pytest.approx(2 / (4 * 6))
    assert rate("exponential", "gradient_descent") == pytest.approx(2 / (16 * 6))
    mine = Activation("exponential", np.exp)  # your own, whatever its name
    assert rate(mine) == pytest.approx(1 / 6)
    assert slope_at(mine, get_rule("hebb"), np.ones(2), np.ones(2)) == 1


def test_each_unit_has_the_rate_of_the_inputs_it_is_connected_to():
    mask = np.array([[True, False, False], [True, True, False]])
    np.testing.assert_allclose(rate("linear", connectivity=mask), [1 / 6, 1 / 5, 1])


@pytest.mark.parametrize("n", [1, 2, 12])
def test_the_extent_of_a_batch_is_the_norm_of_all_pairs(n):
    x = X[:n]
    pairs = [[p @ q + 1 for q in x] for p in x]
    assert extent(x) == pytest.approx(np.sqrt(np.square(pairs).sum()) / n)
    assert extent(x[:, :2], x[:, 2:]) == pytest.approx(extent(x))
    expected = [extent(x[:, seen]) if seen.any() else 1.0 for seen in MASK.T]
    np.testing.assert_allclose(extents_of_units(x, MASK), expected)


@pytest.mark.parametrize("activation", ["linear", "sigmoid", "rectifier", "softplus"])
@pytest.mark.parametrize("batch_size", [1, 4])
@pytest.mark.parametrize("connectivity", [None, MASK], ids=["all", "some"])
def test_no_step_makes_the_loss_of_its_batch_larger(activation, batch_size, connectivity, monkeypatch):
    from hebbian_descent.learning.step import Update
    from hebbian_descent.rules import get_error_term

    monkeypatch.setitem(KAPPAS["remember"], activation, 1.99)
    layer = Layer.create(6, 3, activation=activation, rng=np.random.default_rng(1))
    if connectivity is not None:
        layer.weights *= connectivity
    rule, error = get_rule("hebbian_descent"), get_error_term("difference")
    update = Update(rule, error, Automatic(), connectivity=connectivity)
    for start in range(0, 12, batch_size):
        x, t = X[start : start + batch_size], T[start : start + batch_size]
        before = matching_loss(activation, t, layer.preactivation(x)).sum()
        update.layer(layer, x, t)
        assert matching_loss(activation, t, layer.preactivation(x)).sum() < before


def test_half_the_synapses_recall_as_well_as_the_best_fixed_rate_lets_them():
    from hebbian_descent.datasets import draw_pair

    x, t = draw_pair("rand", "rand", 100, seed=0)
    mask = np.random.default_rng(0).random((x.shape[1], t.shape[1])) < 0.5

    def error(learning_rate):
        memory = AssociativeMemory(*mask.shape, connectivity=mask, learning_rate=learning_rate)
        memory.store(x, t)
        return np.abs(memory.recall(x) - t)[-20:].mean()

    best = min(error(eta) for eta in (0.2, 0.3, 0.5, 0.7, 1.0))
    assert error("auto") < 1.3 * best


def test_words_and_numbers():
    assert as_rate("auto", "classify") == Automatic("classify")
    assert as_rate(Automatic(), "classify") == Automatic("remember")
    assert as_rate(0.5) == 0.5
    assert [str(Automatic(purpose)) for purpose in KAPPAS] == ["auto", "auto (classify)", "auto (regress)"]
    for purpose in KAPPAS:
        for largest in (0, 1, 0.1 + 0.2, 2.0**40, np.float64(8)):
            rate = Automatic(purpose, largest)
            assert as_rate(as_saved(rate)) == rate
    assert as_saved(0.5) == 0.5
    for wrong in ("fast", "auto (fast)", "auto (classify", "auto (classify, targets up to nan)"):
        with pytest.raises(ValueError, match=r"learning_rate|learning rate|largest target"):
            as_rate(wrong)
    with pytest.raises(ValueError, match="Did you mean 'remember'"):
        Automatic("remembr")


def test_autoencoders_share_the_rate(monkeypatch):
    found, original = [], Automatic.of_autoencoder

    def of_autoencoder(*arguments, **settings):
        found.append(original(*arguments, **settings))
        return found[-1]

    monkeypatch.setattr(rates.Automatic, "of_autoencoder", of_autoencoder)
    estimator = HebbianDescentAutoencoder(4, random_state=0, activation="sigmoid").partial_fit(X[:1])
    memory = AssociativeMemory(6, auto="autoencoder", n_hidden=4, seed=0)
    memory.store(X[0])
    assert estimator.n_samples_seen_ == memory.n_stored == 1
    np.testing.assert_allclose(found[0], found[1], rtol=1e-14)  # a BLAS may round differently elsewhere
