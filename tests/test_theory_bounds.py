"""Bounds of docs/theory.md on mistakes and regret: where they hold, and where a condition is missing."""

from math import inf, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from hebbian_descent import ACTIVATIONS, Layer, get_activation, train
from hebbian_descent.theory.bounds import mistake_bound, regret_bound, regret_rate


def separable(seed=0, n_inputs=8, n=40):
    """Return binary patterns, targets and offset that a random unit separates with a margin."""
    rng = np.random.default_rng(seed)
    w, x = rng.normal(size=n_inputs), np.unique(rng.integers(0, 2, (400, n_inputs)), axis=0).astype(float)
    rng.shuffle(x)
    x = x[np.abs((x - 0.5) @ w) > 0.4 * np.linalg.norm(w)][:n]
    return x, ((x - 0.5) @ w > 0).astype(float), w


def mistakes_of(x, t, offset, w, b, rate, passes=100_000):
    """Count the mistakes of a perceptron until a pass is free of them."""
    total = 0
    for _ in range(passes):
        before = total
        for pattern, target in zip(x - offset, t, strict=True):
            output = float(pattern @ w + b > 0)
            if output != target:
                w, b, total = w - rate * (output - target) * pattern, b - rate * (output - target), total + 1
        if total == before:
            return total
    raise AssertionError("not separated")


@settings(max_examples=25)
@given(seed=st.integers(0, 1000), rate=st.sampled_from([1e-3, 1.0, 50.0]))
def test_novikoffs_bound_holds_from_zero_weights(seed, rate):
    x, t, w = separable(seed)
    bound = mistake_bound(x, t, w, offset=0.5)
    assert mistakes_of(x, t, 0.5, np.zeros(8), 0.0, rate) <= bound < inf


def test_hebbian_descent_with_step_units_makes_these_mistakes():
    x, t, _ = separable(3)
    layer = Layer.from_weights(np.zeros((8, 1)), activation="step", offset=0.5)
    mistakes = 0
    for _ in range(20):
        for pattern, target in zip(x[:, None, :], t, strict=True):
            mistakes += int(layer.output(pattern)[0, 0] != target)
            train(layer, pattern, [[target]], learning_rate=0.7)
    assert mistakes == mistakes_of(x, t, 0.5, np.zeros(8), 0.0, 0.7) > 0


def test_from_zero_weights_the_rate_is_of_no_account():
    x, t, _ = separable(1)
    counts = {mistakes_of(x, t, 0.5, np.zeros(8), 0.0, 2.0**power) for power in (-9, 0, 6)}
    assert len(counts) == 1


def test_with_a_falling_rate_the_bound_fails():
    """The first mistake at rate 1 leaves weights that thousands of mistakes at a small rate must undo."""
    x, t, w = separable(0)
    first = int(np.argmax(t))  # weights of zero answer 0
    bound = mistake_bound(x, t, w, offset=0.5)
    assert mistakes_of(x, t, 0.5, x[first] - 0.5, 1.0, rate=0.001) > 10 * bound


def test_from_random_weights_with_a_small_rate_novikoffs_bound_fails():
    x, t, w = separable(0)
    start = np.random.default_rng(1).normal(size=8)
    bound = mistake_bound(x, t, w, offset=0.5)
    for rate in (0.01, 0.001):
        mistakes = mistakes_of(x, t, 0.5, start, 0.0, rate)
        assert mistakes > 10 * bound
        assert mistakes <= mistake_bound(x, t, w, offset=0.5, start=np.linalg.norm(start) / rate)


def test_a_stream_can_make_nearly_as_many_mistakes_as_the_bound_with_a_start_allows():
    """Every pattern is just misjudged, so that mistakes turn the weights half around at the same length."""
    margin, length = 0.2, 100.0
    w, b, sign, patterns, targets = length * np.array([-1, 0.1]), 0.0, 1.0, [], []
    start = w.copy()
    while True:
        across = np.clip((-margin * w[0] - sign * b - 1e-9) / w[1], -1, 1)
        x = sign * np.array([margin, across])
        if sign * (x @ w + b) > 0:
            break
        patterns, targets = [*patterns, x], [*targets, float(sign > 0)]
        w, b, sign = w + sign * x, b + sign, -sign
    x, t = np.array(patterns), np.array(targets)
    bound = mistake_bound(x, t, [1.0, 0.0], start=np.linalg.norm(start))
    assert 0.95 * bound < len(x) <= mistakes_of(x, t, 0.0, start, 0.0, 1.0) <= bound


def test_with_a_moving_offset_the_bound_of_its_first_value_fails():
    x, t = np.array([[-1.5], [1.5]]), np.array([0.0, 1.0])
    bound = mistake_bound(x, t, [1.0])
    assert bound == pytest.approx((1.5**2 + 1) / 1.5**2)
    mistakes = {}
    for shift in (0.0, 0.9):
        layer = Layer.from_weights(np.zeros((1, 1)), activation="step", offset=0.0)
        mistakes[shift] = 0
        for pattern, target in list(zip(x[:, None, :], t, strict=True)) * 20:
            mistakes[shift] += int(layer.output(pattern)[0, 0] != target)
            train(layer, pattern, [[target]], learning_rate=1.0, shift=shift, running_mean=False)
    assert mistakes[0.0] <= bound < mistakes[0.9]


def test_the_constant_input_of_the_bias_counts_in_the_bound():
    # Patterns near the origin, told apart by their bias alone: ‖x‖² would bound the mistakes by 0.01.
    x, t = np.array([[0.1], [-0.1]]), np.array([1.0, 1.0])
    mistakes = mistakes_of(x, t, 0.0, np.zeros(1), 0.0, 1.0)
    assert 0.01 < mistakes <= mistake_bound(x, t, [0.0], bias=1.0) == pytest.approx(1.01)


def test_the_bound_is_infinite_without_a_margin_and_bad_input_is_refused():
    x, t, w = separable()
    assert mistake_bound(x, 1 - t, w, offset=0.5) == inf
    with pytest.raises(ValueError, match=r"target of 0 or 1 for each of"):
        mistake_bound(x, t - 0.5, w)
    with pytest.raises(ValueError, match=r"There must be 8 weights, one for each input. Got shape \(3,\)"):
        mistake_bound(x, t, w[:3])
    with pytest.raises(ValueError, match="start"):
        mistake_bound(x, t, w, start=-1.0)


def test_the_matching_loss_of_step_units_vanishes_where_nothing_is_learned():
    step, t = get_activation("step"), np.linspace(0, 1, 11)
    assert (step.matching_loss(t, np.zeros(11)) == 0).all()
    # Shrinking all weights shrinks the loss and leaves every output as it is.
    a = np.random.default_rng(0).normal(size=11)
    np.testing.assert_allclose(step.matching_loss(t, a / 100), step.matching_loss(t, a) / 100, rtol=1e-12)
    assert (step(a / 100) == step(a)).all()


@pytest.mark.parametrize("name", ["step", "rectifier"])
def test_on_pairs_that_cannot_be_learned_the_error_follows_the_loss_only_where_the_slope_is_bounded(name):
    rng = np.random.default_rng(0)
    x, t = rng.integers(0, 2, (120, 10)).astype(float), rng.integers(0, 2, (120, 20)).astype(float)
    layer, errors, losses = Layer.create(10, 20, activation=name, offset=0.5, rng=rng), [], []
    for _ in range(200):
        train(layer, x, t, learning_rate=5e-4)
        a, h = layer.forward(x)
        errors.append(np.abs(h - t).mean())
        losses.append(layer.activation.matching_loss(t, a).mean())
    if name == "step":
        assert losses[-1] < 0.05 * losses[0]
        assert errors[-1] > min(errors) + 0.02
    else:  # both fall to a limit above 0
        assert 0.3 * losses[0] < losses[-1] < losses[-2] < losses[-1] * 1.001
        assert 0.8 * errors[0] < errors[-1] < min(errors) * 1.001


def stream(n, seed=0, flipped=0.2):
    """Return inputs with a constant for the bias, and noisy labels, which no unit fits."""
    rng = np.random.default_rng(seed)
    x = np.column_stack([rng.uniform(-1, 1, (n, 3)), np.ones(n)])
    return x, ((x @ [2.0, -1.0, 0.5, 0.3] > 0) ^ (rng.random(n) < flipped)).astype(float)


def summed_loss(w, x, t):
    a = x @ w
    return float((np.logaddexp(0, a) - t * a).sum())


def regret(x, t, rate):
    """Return loss of online descent with sigmoid units less that of the best fixed unit, and its length."""
    w, lost = np.zeros(x.shape[1]), 0.0
    for pattern, target in zip(x, t, strict=True):
        lost += summed_loss(w, pattern[None], target)
        w = w - rate * (1 / (1 + np.exp(-pattern @ w)) - target) * pattern
    best = minimize(summed_loss, np.zeros(x.shape[1]), args=(x, t))
    return lost - best.fun, float(np.linalg.norm(best.x))


@pytest.mark.parametrize("n", [50, 200, 800])
@pytest.mark.parametrize("order", ["as drawn", "sorted"])
def test_regret_grows_no_faster_than_the_root_of_the_stream(n, order):
    x, t = stream(n)
    if order == "sorted":  # the bound is about any order
        x, t = x[np.argsort(t)], np.sort(t)
    gradient = sqrt((x * x).sum(axis=1).max())
    _, radius = regret(x, t, 0.1)
    found, _ = regret(x, t, regret_rate(gradient, radius, n))
    assert found <= regret_bound(gradient, radius, n)


def test_hebbian_descent_takes_these_steps():
    x, t = stream(30)
    layer = Layer.from_weights(np.zeros((3, 1)), activation="sigmoid", bias=0.0)
    train(layer, x[:, :3], t[:, None], learning_rate=0.3)
    w = np.zeros(4)
    for pattern, target in zip(x, t, strict=True):
        w = w - 0.3 * (1 / (1 + np.exp(-pattern @ w)) - target) * pattern
    np.testing.assert_allclose([*layer.weights[:, 0], layer.bias[0]], w, rtol=1e-12)


def test_a_constant_rate_has_regret_that_grows_with_the_stream():
    per_pattern = {}
    for n in (400, 3200):
        x, t = stream(n, flipped=0.3)
        per_pattern[n] = [regret(x, t, rate)[0] / n for rate in (2.0, 2.0 * sqrt(50 / n))]
    constant, falling = np.array(list(per_pattern.values())).T
    assert constant[1] > 0.7 * constant[0]  # the same for every pattern, however many there are
    assert falling[1] < 0.6 * falling[0]


def test_on_separable_patterns_the_best_sigmoid_unit_is_infinite():
    x, t, w = separable()
    x = x - 0.5
    margin = ((2 * t - 1) * (x @ w)).min()
    losses = [summed_loss(c * w, x, t) for c in (1, 4, 16)]
    assert losses[0] > losses[1] > losses[2] > 0  # a longer unit is always better, and none is the best
    for c, found in zip((1, 4, 16), losses, strict=True):
        assert found <= len(x) * np.exp(-c * margin)
    # If every pattern is in both classes, a longer unit is worse.
    losses = [summed_loss(c * w, np.vstack([x, x]), np.append(t, 1 - t)) for c in (1, 4, 16)]
    assert losses[0] < losses[1] < losses[2]


def test_without_bounded_gradients_the_bound_fails():
    # Linear units, whose errors are as large as the targets: the length of the inputs bounds nothing.
    x, t = stream(100)
    t = 100 * (2 * t - 1)
    gradient, w, lost = sqrt((x * x).sum(axis=1).max()), np.zeros(4), 0.0
    best = np.linalg.lstsq(x, t, rcond=None)[0]
    radius = float(np.linalg.norm(best))
    rate = regret_rate(gradient, radius, 100)
    for pattern, target in zip(x, t, strict=True):
        error = pattern @ w - target
        lost += error**2 / 2
        w = w - rate * error * pattern
    assert lost - ((x @ best - t) ** 2).sum() / 2 > regret_bound(gradient, radius, 100)


def test_the_rate_balances_both_terms_of_the_regret():
    g, d, steps = 1.7, 3.0, 50
    for factor in (0.5, 1.0, 2.0):
        rate = factor * regret_rate(g, d, steps)
        terms = d**2 / (2 * rate) + rate * steps * g**2 / 2
        assert terms >= regret_bound(g, d, steps) * (1 - 1e-12)
        assert (terms == pytest.approx(regret_bound(g, d, steps))) == (factor == 1.0)


INCREASING = [
    name for name in ACTIVATIONS if (phi := get_activation(name)).elementwise and phi.strictly_increasing
]


@pytest.mark.parametrize("name", INCREASING)
def test_gradients_grow_in_proportion_to_the_weights_except_for_exponential_units(name):
    sizes = np.array([1.0, 10.0, 100.0, 500.0])
    outputs = np.abs(get_activation(name)(np.stack([sizes, -sizes]))).max(axis=0)
    in_proportion = (outputs <= 3 * (1 + sizes)).all()
    assert in_proportion == (name != "exponential")


@pytest.mark.parametrize(
    ("name", "scale", "converges"),
    [("exponential", 1, True), ("exponential", 5, False), ("sigmoid", 5, True), ("softplus", 5, True)],
)
def test_with_large_inputs_exponential_units_diverge_at_falling_rates(name, scale, converges):
    phi = {
        "exponential": np.exp,
        "sigmoid": lambda a: 1 / (1 + np.exp(-a)),
        "softplus": lambda a: np.logaddexp(0, a),
    }[name]
    rng = np.random.default_rng(0)
    x, t = scale * rng.random((10, 4)), rng.uniform(0.2, 0.8, 10)
    x, w = np.column_stack([x - x.mean(axis=0), np.ones(10)]), np.zeros(5)
    first = np.linalg.norm(x.T @ (phi(x @ w) - t))  # length of the gradient
    with np.errstate(over="ignore", invalid="ignore"):
        for epoch in range(400):
            for row in rng.permutation(10):
                w = w - 0.5 / (1 + epoch / 4) * (phi(x[row] @ w) - t[row]) * x[row]
    assert np.isfinite(w).all() == converges
    assert (np.linalg.norm(x.T @ (phi(x @ w) - t)) < 0.05 * first) == converges
