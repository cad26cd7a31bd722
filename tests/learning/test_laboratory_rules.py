"""The rules of the literature do what their equations say, in naive loops that import nothing of ours."""

import math

import numpy as np
import pytest

from hebbian_descent import (
    LOCAL_RULES,
    RULES,
    AssociativeMemory,
    HebbianDescentClassifier,
    Layer,
    get_rule,
    state_of,
    train,
)
from hebbian_descent.sweep import sweep

N, M, D = 4, 3, 9
RNG = np.random.default_rng(7)
X = RNG.integers(0, 2, (D, N)).astype(float)
T = RNG.integers(0, 2, (D, M)).astype(float)
W = RNG.uniform(-0.5, 0.5, (N, M))
MU = X.mean(axis=0)
REWARD = RNG.uniform(-1, 1, D)


def trained(rule, activation="linear", offset=MU, **settings):
    layer = Layer.from_weights(W, activation=activation, offset=offset)
    train(layer, X, T, rule=rule, **settings)
    return layer


def forward(x, mu, W, b):
    return [sum((x[i] - mu[i]) * W[i][j] for i in range(N)) + b[j] for j in range(M)]


def logistic(a):
    return 1 / (1 + math.exp(-a))


def test_oja_and_sanger_agree_with_the_naive_loop():
    for rule, before in (("oja", lambda k, j: True), ("sanger", lambda k, j: k <= j)):
        w = W.tolist()
        for x in X:
            y = forward(x, MU, w, [0] * M)
            new = [row[:] for row in w]
            for i in range(N):
                for j in range(M):
                    predicted = sum(y[k] * w[i][k] for k in range(M) if before(k, j))
                    new[i][j] += 0.1 * y[j] * (x[i] - MU[i] - predicted)
            w = new
        layer = trained(rule, learning_rate=0.1)
        np.testing.assert_allclose(layer.weights, w, rtol=1e-12)
        assert not layer.bias.any()


def test_oja_needs_no_targets_and_finds_the_first_principal_component():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(400, 3)) * (3.0, 1.0, 0.5)
    layer = Layer.create(3, 1, activation="linear", rng=rng)
    train(layer, x, rule="oja", learning_rate=0.01, epochs=3)
    np.testing.assert_allclose(np.abs(layer.weights[:, 0]), [1, 0, 0], atol=0.1)
    memory = AssociativeMemory(3, 1, rule="oja", activation="linear", learning_rate=0.01)
    memory.store(x)
    assert memory.n_stored == 400


def test_bcm_agrees_with_the_naive_loop():
    w, theta = W.tolist(), [1.0] * M
    for x in X:
        y = [logistic(a) for a in forward(x, MU, w, [0] * M)]
        for j in range(M):
            for i in range(N):
                w[i][j] += 0.3 * (x[i] - MU[i]) * y[j] * (y[j] - theta[j])
            theta[j] += 0.2 * (y[j] ** 2 - theta[j])
    layer = trained(get_rule("bcm", rate=0.2), "sigmoid", learning_rate=0.3)
    np.testing.assert_allclose(layer.weights, w, rtol=1e-12)
    np.testing.assert_allclose(state_of(layer)["threshold"], theta, rtol=1e-12)


def test_the_perceptron_agrees_with_the_naive_loop_and_learns_from_mistakes_alone():
    w, b = W.tolist(), [0.0] * M
    for _ in range(2):
        for x, t in zip(X, T, strict=True):
            a = forward(x, MU, w, b)
            for j in range(M):
                s = 1 if t[j] > 0 else -1
                if s * a[j] <= 0:
                    b[j] += 0.5 * s
                    for i in range(N):
                        w[i][j] += 0.5 * s * (x[i] - MU[i])
    layer = trained("perceptron", "step", learning_rate=0.5, epochs=2)
    np.testing.assert_allclose(layer.weights, w, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(layer.bias, b, rtol=1e-12, atol=1e-15)


def test_willshaw_is_the_or_of_all_coincidences_and_exactly_binary():
    expected = [
        [float(any(x[i] and t[j] for x, t in zip(X, T, strict=True))) for j in range(M)] for i in range(N)
    ]
    layer = trained("willshaw", offset=0.0, learning_rate="auto")
    np.testing.assert_array_equal(layer.weights, expected)
    memory = AssociativeMemory(N, M, rule="willshaw", activation="linear", centering=None)
    assert not memory.network.weights.any()  # constrained at the start
    memory.store(X, T)
    np.testing.assert_array_equal(memory.network.weights, expected)


def test_the_palimpsest_agrees_with_the_naive_loop_and_stays_within_its_bounds():
    w = np.clip(W, -0.3, 0.3).tolist()
    for x, t in zip(X, 2 * T - 1, strict=True):
        for i in range(N):
            for j in range(M):
                w[i][j] = min(0.3, max(-0.3, w[i][j] + 0.2 * (x[i] - MU[i]) * t[j]))
    layer = Layer.from_weights(W, activation="linear", offset=MU)
    train(layer, X, 2 * T - 1, rule=get_rule("palimpsest", bound=0.3), learning_rate=0.2)
    np.testing.assert_allclose(layer.weights, w, rtol=1e-12)


def test_three_factors_agree_with_the_naive_loop():
    w, b, r_mean, h_mean = W.tolist(), [0.0] * M, 0.0, [0.0] * M
    for n, (x, r) in enumerate(zip(X, REWARD, strict=True), start=1):
        h = [logistic(a) for a in forward(x, MU, w, b)]
        nu = max(0.25, 1 / n)
        for j in range(M):
            step = 0.4 * (r - r_mean) * (h[j] - h_mean[j])
            b[j] += step
            for i in range(N):
                w[i][j] += step * (x[i] - MU[i])
            h_mean[j] += nu * (h[j] - h_mean[j])
        r_mean += nu * (r - r_mean)
    layer = trained(get_rule("three_factor", rate=0.25), "sigmoid", learning_rate=0.4, strength=REWARD)
    np.testing.assert_allclose(layer.weights, w, rtol=1e-12)
    np.testing.assert_allclose(layer.bias, b, rtol=1e-12)
    with pytest.raises(ValueError, match=r"needs a reward for each pattern. Got none: pass strength=…"):
        trained("three_factor")


@pytest.mark.parametrize("shift", [0.0, 0.2])
@pytest.mark.parametrize("batch_size", [1, 4])
def test_the_pseudo_inverse_is_ridge_regression_in_any_order(batch_size, shift):
    ridge = 0.01
    start = np.vstack([W, -MU @ W])  # of inputs without offset
    u = np.column_stack([X, np.ones(D)])
    fitted = start + np.linalg.solve(u.T @ u + ridge * np.eye(N + 1), u.T @ (T - u @ start))
    for order in (np.arange(D), np.arange(D)[::-1]):
        layer = Layer.from_weights(W, activation="linear", offset=MU)
        settings = {"learning_rate": "auto", "batch_size": batch_size, "shift": shift}
        train(layer, X[order], T[order], rule=get_rule("pseudo_inverse", ridge=ridge), **settings)
        np.testing.assert_allclose(layer.weights, fitted[:-1], rtol=1e-8, atol=1e-10)
        np.testing.assert_allclose(layer.bias - layer.offset @ layer.weights, fitted[-1], atol=1e-9)


@pytest.mark.parametrize("eta", [0.01, 3.0, 1e9])
def test_a_proximal_step_solves_its_equation_at_every_learning_rate(eta):
    x, t = X[:1], np.array([[0.9, 0.2, 0.5]])
    layer = Layer.from_weights(W, activation="sigmoid", offset=MU)
    before = layer.preactivation(x)[0]
    train(layer, x, t, rule="proximal", learning_rate=eta)
    after = layer.preactivation(x)[0]
    growth = sum((x[0, i] - MU[i]) ** 2 for i in range(N)) + 1
    for j in range(M):
        low, high = sorted((before[j], math.log(t[0, j] / (1 - t[0, j]))))
        assert low - 1e-9 <= after[j] <= high + 1e-9  # toward the target and never past it
        for _ in range(200):
            middle = (low + high) / 2
            if middle - before[j] + eta * growth * (logistic(middle) - t[0, j]) > 0:
                high = middle
            else:
                low = middle
        assert after[j] == pytest.approx(low, abs=1e-8)


def test_a_linear_proximal_step_is_a_shorter_delta_rule():
    eta, x = 5.0, X[0] - MU
    layer = Layer.from_weights(W, activation="linear", offset=MU)
    train(layer, X[:1], T[:1], rule="proximal", learning_rate=eta)
    shorter = eta / (1 + eta * (x @ x + 1))
    np.testing.assert_allclose(layer.weights, W - shorter * np.outer(x, x @ W - T[0]), rtol=1e-10)


def test_a_proximal_step_refuses_batches_and_coupled_units():
    with pytest.raises(ValueError, match=r"Got a batch of 3: use batch_size=1"):
        trained("proximal", batch_size=3)
    with pytest.raises(ValueError, match=r"Got 'softmax': use hebbian_descent"):
        trained("proximal", "softmax")


NEEDED = {"three_factor": {"strength": REWARD}}


@pytest.mark.parametrize("rule", LOCAL_RULES)
def test_every_rule_runs_in_training_memories_and_sweeps(rule, tmp_path):
    needed = NEEDED.get(rule, {})
    train(Layer.from_weights(W, offset=MU), X, T, rule=rule, learning_rate="auto", **needed)
    memory = AssociativeMemory(N, M, rule=rule)
    memory.store(X, T, **needed)
    assert np.isfinite(memory.recall(X)).all()
    memory.save(tmp_path / "memory")
    again = AssociativeMemory.load(tmp_path / "memory")
    assert again.learning.rule is memory.learning.rule
    for part in (memory, again):
        part.store(X[:2], T[:2], **({"strength": REWARD[:2]} if needed else {}))
    np.testing.assert_array_equal(memory.network.weights, again.network.weights)
    assert {name: array.tolist() for name, array in memory.state.items()} == {
        name: array.tolist() for name, array in again.state.items()
    }
    result = sweep(X, T, rules=rule, activations="sigmoid", learning_rates=("auto", 0.01), trials=1, **needed)
    assert not result.diverged.any()
    assert {choice.engine for choice in result.choices.values()} == {"reference"}


@pytest.mark.parametrize("rule", [name for name in LOCAL_RULES if name != "perceptron"])
def test_estimators_refuse_what_they_cannot_follow(rule):
    for learn in ("fit", "partial_fit"):
        with pytest.raises(
            ValueError, match=rf"learns from targets, by two factors only. Got the rule '{rule}'"
        ):
            getattr(HebbianDescentClassifier(rule=rule), learn)(X, T[:, 0].astype(int))


def test_the_lists_of_rules_share_no_name():
    assert not RULES.keys() & LOCAL_RULES.keys()
    assert all(get_rule(name).name == name for name in LOCAL_RULES)
    assert all(get_rule(name) is get_rule(name) for name in LOCAL_RULES)
