"""A memory learns pattern by pattern as a naive loop does, and keeps none of them."""

import numpy as np
import pytest

from hebbian_descent import (
    AUTO_RULES,
    AssociativeMemory,
    Autoencoder,
    Layer,
    matching_loss,
    train,
)
from hebbian_descent.network import ACTIVATIONS
from hebbian_descent.storage.models import pack

RNG = np.random.default_rng(0)
X, T = RNG.random((30, 8)), RNG.random((30, 5))
WITHOUT_BOUND = ("softmax", "step", "approximate_step")  # jumps, and units that depend on each other
MASK = RNG.random((8, 5)) > 0.4


def naive(W, X, T, *, kappa, slope, shift, decay=0.0, mask=None):
    """Sigmoid units, online, with moving offsets: imports nothing of the package."""
    mask = np.ones_like(W) if mask is None else mask
    W, b, mu = W * mask, np.zeros(W.shape[1]), np.zeros(W.shape[0])
    for n, (x, t) in enumerate(zip(X, T, strict=True), start=1):
        pre = x - mu
        h = 1 / (1 + np.exp(-(pre @ W + b)))
        eta = kappa / (slope * (pre**2 @ mask + 1))  # one rate per unit, of the inputs that it sees
        W = (W - decay * W - eta * np.outer(pre, h - t)) * mask
        b = b - eta * (h - t)
        new = mu + max(shift, 1 / n) * (x - mu)
        b, mu = b + (new - mu) @ W, new
    return 1 / (1 + np.exp(-((X - mu) @ W + b)))


@pytest.mark.parametrize("mask", [None, MASK], ids=["all", "some"])
@pytest.mark.parametrize("decay", [0.0, 0.05])
def test_a_memory_of_pairs_is_the_naive_loop(mask, decay):
    memory = AssociativeMemory(8, 5, shift=0.1, weight_decay=decay, connectivity=mask, seed=3)
    start = AssociativeMemory(8, 5, seed=3).network.weights.copy()
    memory.store(X, T)
    expected = naive(start, X, T, kappa=2, slope=0.25, shift=0.1, decay=decay, mask=mask)
    np.testing.assert_allclose(memory.recall(X), expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(
    "settings",
    [{"n_outputs": 8}, {"auto": "layer"}, {"auto": "autoencoder", "n_hidden": 4}],
    ids=["pairs", "layer", "autoencoder"],
)
def test_many_at_once_are_one_after_another_bit_for_bit(settings):
    together, one_by_one = AssociativeMemory(8, **settings), AssociativeMemory(8, **settings)
    pairs = (X, X[::-1]) if "n_outputs" in settings else (X,)
    together.store(*pairs)
    for row in range(len(X)):
        one_by_one.store(*(patterns[row] for patterns in pairs))
    assert together.n_stored == one_by_one.n_stored == 30
    np.testing.assert_array_equal(together.recall(X), one_by_one.recall(X))


@pytest.mark.parametrize(
    ("settings", "offset", "training"),
    [
        ({"centering": X.mean(axis=0)}, X.mean(axis=0), {}),
        ({"centering": None}, 0.0, {}),
        ({"offset_start": 0.5, "shift": 0.02}, 0.5, {"shift": 0.02}),
        ({"centering": 0.5, "rule": "hebb"}, 0.5, {"rule": "hebb"}),
    ],
    ids=["fixed", "none", "the paper's start", "hebb"],
)
def test_with_a_fixed_rate_it_is_training(settings, offset, training):
    memory = AssociativeMemory(8, 5, learning_rate=0.3, seed=1, **settings)
    layer = Layer.create(8, 5, offset=offset, rng=np.random.default_rng(1))
    memory.store(X, T)
    train(layer, X, T, learning_rate=0.3, **training)
    np.testing.assert_allclose(memory.recall(X), layer.output(X), rtol=1e-12)


def naive_autoencoder(W, X, *, shift, hidden_shift, mask):
    """Sigmoid units on both sides, Hebbian-descent with automatic steps: imports nothing of the package."""

    def sigmoid(a):
        return 1 / (1 + np.exp(-a))

    W = W * mask
    b, c, mu, lam = np.zeros(W.shape[1]), np.zeros(W.shape[0]), np.zeros(W.shape[0]), np.full(W.shape[1], 0.5)
    for n, x in enumerate(X, start=1):
        h = sigmoid((x - mu) @ W + b)
        error = sigmoid(W @ (h - lam) + c) - x
        most_input = max((x - mu) ** 2 @ mask)
        eta = 2 / (0.25 * (most_input + mask @ (h - lam) ** 2 + 1))  # one rate per output unit
        W, c = (W - np.outer(eta * error, h - lam)) * mask, c - eta * error
        new = mu + max(shift, 1 / n) * (x - mu)
        new_hidden = lam + max(hidden_shift, 1 / (n + 1)) * (h - lam)
        b, c = b + (new - mu) @ W, c + W @ (new_hidden - lam)
        mu, lam = new, new_hidden
    return sigmoid((sigmoid((X - mu) @ W + b) - lam) @ W.T + c)


@pytest.mark.parametrize("mask", [np.ones((8, 5), bool), MASK], ids=["all", "some"])
def test_an_autoencoder_is_the_naive_loop(mask):
    shifts = {"shift": 0.1, "hidden_shift": 0.15}
    memory = AssociativeMemory(8, auto="autoencoder", n_hidden=5, connectivity=mask, seed=3, **shifts)
    start = AssociativeMemory(8, 5, seed=3).network.weights.copy()
    memory.store(X)
    np.testing.assert_allclose(memory.recall(X), naive_autoencoder(start, X, mask=mask, **shifts), rtol=1e-11)


@pytest.mark.parametrize(
    ("settings", "offset", "training"),
    [
        ({"centering": None}, {"offset": 0.0, "hidden_offset": 0.0}, {"hidden_shift": 0.0}),
        ({"offset_start": 0.5}, {"offset": 0.5}, {"hidden_shift": 0.01, "shift": 0.01}),
        ({}, {"offset": 0.0}, {"shift": 0.01, "running_mean": True}),
    ],
    ids=["none", "the paper's start", "running means"],
)
def test_an_autoencoder_with_a_fixed_rate_is_training(settings, offset, training):
    memory = AssociativeMemory(8, auto="autoencoder", n_hidden=5, learning_rate=0.3, seed=1, **settings)
    network = Autoencoder.create(8, 5, output_activation="sigmoid", rng=np.random.default_rng(1), **offset)
    memory.store(X)
    train(network, X, learning_rate=0.3, **training)
    np.testing.assert_allclose(memory.recall(X), network.reconstruct(X), rtol=1e-12)


def test_it_keeps_no_patterns():
    memory = AssociativeMemory(8, 5)
    memory.store(X[:10], T[:10])
    size = len(pack("AssociativeMemory", *memory._contents()))
    for _ in range(2):
        memory.store(X, T)
    assert memory.n_stored == 70
    assert len(pack("AssociativeMemory", *memory._contents())) == size


def test_synapses_that_are_not_there_stay_away():
    for settings in ({"n_outputs": 5}, {"auto": "autoencoder", "n_hidden": 5}):
        memory = AssociativeMemory(8, connectivity=MASK, **settings)
        memory.store(X, *([T] if "n_outputs" in settings else []))
        assert (memory.network.weights[~MASK] == 0).all()
        assert (memory.network.weights[MASK] != 0).all()


@pytest.mark.parametrize("connectivity", [None, MASK], ids=["all", "some"])
def test_linear_units_recall_the_last_pattern_exactly(connectivity):
    """With κ = 1 the step is the whole way: the normalised least mean squares rule, unit by unit."""
    memory = AssociativeMemory(8, 5, activation="linear", connectivity=connectivity)
    for x, t in zip(X, T, strict=True):
        memory.store(x, t)
        np.testing.assert_allclose(memory.recall(x), t, atol=1e-12)


@pytest.mark.parametrize("name", [name for name in ACTIVATIONS if name not in WITHOUT_BOUND])
def test_storing_a_pattern_never_makes_its_own_loss_larger(name):
    """A step of at most 2/L cannot, since the loss is convex and curved by L at most."""
    memory = AssociativeMemory(8, 5, activation=name)
    for x, t in zip(3 * X, T, strict=True):
        before = matching_loss(name, t[None], memory.network.preactivation(x[None]))
        memory.store(x, t)
        after = matching_loss(name, t[None], memory.network.preactivation(x[None]))
        assert after <= before + 1e-12


BAD = [
    (lambda: AssociativeMemory(8), r"needs the number of outputs. Got none"),
    (
        lambda: AssociativeMemory(8, auto="layers"),
        r"must be one of autoencoder, layer. Got 'layers'. Did you",
    ),
    (lambda: AssociativeMemory(8, 5, auto="layer"), r"as many outputs as inputs, 8. Got 5"),
    (lambda: AssociativeMemory(8, auto="autoencoder"), r"n_hidden go together"),
    (lambda: AssociativeMemory(8, 5, n_hidden=3), r"n_hidden go together"),
    (
        lambda: AssociativeMemory(8, 5, rule="covariance", centering=0.5),
        r'needs the means of all of them: use centering="moving"',
    ),
    (lambda: AssociativeMemory(8, 5, rule=AUTO_RULES["oja"]()), r"'oja' as given trains an Autoencoder"),
    (lambda: AssociativeMemory(8, 5, learning_rate="fast"), r'must be a number or "auto". Got \'fast\''),
    (lambda: AssociativeMemory(8, 5, learning_rate=-1), r"learning rate must be at least 0"),
    (lambda: AssociativeMemory(8, 5, centering="mean"), r"which a memory does not have. .*pass the mean"),
    (lambda: AssociativeMemory(8, 5, centering="movin"), r"must be one of moving. Got 'movin'. Did you mean"),
    (lambda: AssociativeMemory(8, 5, centering=0.5, offset_start=0.5), r"Only a moving offset has a start"),
    (lambda: AssociativeMemory(8, 5, shift=2), r"shift must be at least 0 and at most 1"),
    (lambda: AssociativeMemory(8, 5, connectivity=np.ones((5, 8))), r"shape \(8, 5\). Got shape \(5, 8\)"),
    (lambda: AssociativeMemory(8, 5, connectivity=np.full((8, 5), 0.5)), r"must be True or False"),
    (lambda: AssociativeMemory(8, 5).store(X), r"stores cues and targets. Got no targets"),
    (lambda: AssociativeMemory(8, 5).store(X, T[:3]), r"must be pairs. Got 30 cues and 3 targets"),
    (lambda: AssociativeMemory(8, auto="layer").store(X, X), r"stores patterns alone"),
    (lambda: AssociativeMemory(8, 5).store(X, 2 * T - np.nan), r"targets must be finite"),
    (lambda: AssociativeMemory(8, 5, error="leaky_hinge").store(X, T), r"must be -1 or 1"),
    (lambda: AssociativeMemory(8, 5).recall(X, steps=2), r"outputs must be as many as inputs, 8. Got 5"),
    (lambda: AssociativeMemory(8, 5).store_sequence(X), r"outputs must be as many as inputs"),
    (lambda: AssociativeMemory(8, auto="layer").store_sequence(X), r"use AssociativeMemory\(8, 8\)"),
    (lambda: AssociativeMemory(8, 8).store_sequence(X[:1]), r"at least two patterns"),
    (lambda: AssociativeMemory(8, 5).replay(X[0], 3), r"outputs must be as many as inputs"),
    (lambda: AssociativeMemory(8, 5).forgetting_curve(X, T, cue=X[:2]), r"a cue for each target"),
    (lambda: AssociativeMemory(8, 5).forgetting_curve(X, T, measure="maee"), r"Did you mean 'mae'\?"),
    (lambda: AssociativeMemory(8, 5).forgetting_curve(X, T, measure=np.subtract), r"one number per pattern"),
]


@pytest.mark.parametrize(("call", "message"), BAD, ids=[message for _, message in BAD])
def test_bad_input_is_one_clear_sentence(call, message):
    with pytest.raises(ValueError, match=message):
        call()
