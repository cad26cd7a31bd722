"""A member that is listed in a registry works everywhere from that moment, compiled form or not."""

import numpy as np
import pytest
from scipy.special import expit

from hebbian_descent import (
    ACTIVATIONS,
    AUTO_RULES,
    ERROR_TERMS,
    RULES,
    Activation,
    AssociativeMemory,
    Autoencoder,
    AutoRule,
    Factors,
    HebbianDescentAutoencoder,
    HebbianDescentClassifier,
    HebbianDescentRegressor,
    Layer,
    Rule,
    train,
)
from hebbian_descent.registry import made_once
from hebbian_descent.rules import Change, ErrorTerm
from hebbian_descent.rules.base import mean_outer
from hebbian_descent.sweep import sweep, sweep_autoencoders

X = np.random.default_rng(1).integers(0, 2, (30, 7)).astype(float)
T = X[:, :3] * 0.8 + 0.1
LABELS = (X[:, 0] + X[:, 1]).astype(int)


def swish() -> Activation:
    return Activation(
        "swish",
        lambda a: a * expit(a),
        pull_back=lambda error, a, h: error * (expit(a) + a * expit(a) * expit(-a)),
        largest_slope=1.1,
    )


def cubic_error() -> ErrorTerm:
    return ErrorTerm("cubic", lambda t, h: (h - t) ** 3 + 0.5 * (h - t))


def sign_rule() -> Rule:
    def factors(activity):
        # Rows are patterns and there is no other axis, as a rule's author may expect.
        (n, n_inputs), (n_again, _) = activity.inputs.shape, activity.output.shape
        assert n == n_again
        assert activity.offset.shape == (n_inputs,)
        return Factors(activity.inputs - activity.offset, 0.3 * np.sign(activity.output - activity.targets))

    return Rule("sign_rule", factors)


def sign_auto_rule() -> AutoRule:
    def change(activity):
        network, units = activity.network, activity.units
        error = 0.3 * np.sign(units.reconstruction - activity.inputs)
        return Change(
            mean_outer(error, units.hidden - network.hidden_offset), decoder_bias=error.mean(axis=0)
        )

    return AutoRule("sign_auto_rule", change)


@pytest.fixture(params=[lambda make: make, made_once], ids=["by hand", "made once"])
def new_members(request, monkeypatch):
    """One more member in each registry, made as a user or as a contributor would."""
    make = request.param
    monkeypatch.setitem(ACTIVATIONS, "swish", make(swish))
    monkeypatch.setitem(ERROR_TERMS, "cubic", make(cubic_error))
    monkeypatch.setitem(RULES, "sign_rule", make(sign_rule)())
    monkeypatch.setitem(AUTO_RULES, "sign_auto_rule", make(sign_auto_rule))


LAYER_SETTINGS = [
    {"activation": "swish"},
    {"activation": "swish", "rule": "gradient_descent"},
    {"error": "cubic"},
    {"rule": "sign_rule"},
    {"rule": "sign_rule", "activation": "swish", "error": "cubic"},
]
AUTO_SETTINGS = [
    {"activation": "swish"},
    {"hidden_activation": "swish"},
    {"hidden_activation": "swish", "activation": "swish", "rule": "gradient_descent"},
    {"error": "cubic"},
    {"rule": "sign_auto_rule"},
]
pytestmark = pytest.mark.usefixtures("new_members")


def trained(activation="sigmoid", **settings):
    layer = Layer.create(7, 3, activation=activation, rng=np.random.default_rng(0))
    before = layer.weights.copy()
    train(layer, X, T, learning_rate=0.05, **settings)
    assert np.isfinite(layer.weights).all()
    assert not np.allclose(layer.weights, before)
    return layer


@pytest.mark.parametrize("settings", LAYER_SETTINGS)
@pytest.mark.parametrize("batch_size", [1, 10])
def test_training(settings, batch_size):
    trained(**settings, batch_size=batch_size)


@pytest.mark.parametrize("settings", LAYER_SETTINGS)
@pytest.mark.parametrize("learning_rate", ["auto", 0.05])
def test_memory(settings, learning_rate):
    memory = AssociativeMemory(7, 3, learning_rate=learning_rate, **settings)
    memory.store(X, T)
    assert np.isfinite(memory.recall(X)).all()


@pytest.mark.parametrize("settings", AUTO_SETTINGS)
def test_memory_of_patterns(settings):
    memory = AssociativeMemory(7, auto="autoencoder", n_hidden=4, **settings)
    memory.store(X)
    assert np.isfinite(memory.recall(X)).all()


@pytest.mark.parametrize("settings", LAYER_SETTINGS)
@pytest.mark.parametrize("estimator", [HebbianDescentClassifier, HebbianDescentRegressor])
@pytest.mark.parametrize("batch_size", [1, 10])
def test_estimators(estimator, settings, batch_size):
    y = LABELS if estimator is HebbianDescentClassifier else T
    whole = estimator(**settings, batch_size=batch_size).fit(X, y)
    stream = estimator(**settings, batch_size=batch_size)
    options = {"classes": [0, 1, 2]} if estimator is HebbianDescentClassifier else {}
    for x, target in zip(X, y, strict=True):
        stream.partial_fit(x[None], target[None], **options)
    for fitted in (whole, stream):
        assert np.isfinite(fitted.coef_).all()
        assert fitted.coef_.any()
        assert len(fitted.predict(X)) == len(X)


@pytest.mark.parametrize("settings", AUTO_SETTINGS)
def test_estimator_of_patterns(settings):
    fitted = HebbianDescentAutoencoder(4, **settings).fit(X)
    assert np.isfinite(fitted.inverse_transform(fitted.transform(X))).all()


@pytest.mark.parametrize("settings", LAYER_SETTINGS)
@pytest.mark.parametrize("batch_size", [1, 10])
def test_sweeps_take_the_plain_loop_and_say_so(settings, batch_size):
    activation = settings.get("activation", "sigmoid")
    result = sweep(
        X,
        T,
        rules=settings.get("rule", "hebbian_descent"),
        activations=activation,
        error=settings.get("error", "difference"),
        learning_rates=(0.05, 0.1),
        trials=2,
        batch_size=batch_size,
        centering=None,
    )
    assert not result.diverged.any()
    (choice,) = result.choices.values()
    assert choice.engine == "reference"
    assert "has no compiled form" in choice.reason


@pytest.mark.parametrize("settings", AUTO_SETTINGS)
def test_sweeps_of_autoencoders(settings):
    result = sweep_autoencoders(
        X,
        rules=settings.get("rule", "hebbian_descent"),
        hidden_activations=settings.get("hidden_activation", "sigmoid"),
        output_activations=settings.get("activation", "sigmoid"),
        error=settings.get("error", "difference"),
        n_hidden=4,
        learning_rates=(0.05,),
        trials=2,
        batch_size=10,
    )
    assert not result.diverged.any()


def test_an_autoencoder_is_trained():
    network = Autoencoder.create(
        7, 4, hidden_activation="swish", output_activation="swish", rng=np.random.default_rng(0)
    )
    before = network.weights.copy()
    train(network, X, rule="sign_auto_rule", error="cubic", learning_rate=0.05)
    assert not np.allclose(network.weights, before)


def test_a_changed_copy_of_the_packages_own_is_not_taken_for_it():
    """`dataclasses.replace` keeps the name of the compiled form, which would compute something else."""
    from dataclasses import replace

    doubled = replace(ACTIVATIONS["linear"](), value=lambda a: 2 * a)
    assert doubled.compiled is not None
    assert doubled.compiled_form is None
    changed = sweep(X, T, rules="hebbian_descent", activations=doubled, learning_rates=0.05, trials=1)
    plain = sweep(X, T, rules="hebbian_descent", activations="linear", learning_rates=0.05, trials=1)
    assert changed.best(by="all")[0].value != pytest.approx(plain.best(by="all")[0].value)
