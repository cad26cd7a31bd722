"""Online learning as a plain loop over explicit weights; it imports nothing of the package."""

import numpy as np


def _softmax(a):
    e = np.exp(a - a.max())
    return e / e.sum()


def _softmax_pull_back(error, a, h):
    return h * (error - error @ h)


def _exponential(a):
    with np.errstate(over="ignore"):
        return np.exp(a)


def _logistic(a):
    return 1 / (1 + _exponential(-a))


SCALE, SATURATION = 1.0507009873554805, 1.6732632423543772

# name: (parameters, φ(a), derivative as a function of a and h)
ACTIVATIONS = {
    "linear": ({}, lambda a: a, lambda a, h: np.ones_like(a)),
    "sigmoid": ({}, _logistic, lambda a, h: h * (1 - h)),
    "step": ({}, lambda a: (a > 0) * 1.0, lambda a, h: 0 * a),
    "softmax": ({}, _softmax, None),
    "rectifier": ({}, lambda a: np.maximum(a, 0), lambda a, h: (a > 0) * 1.0),
    "explin": (
        {},
        lambda a: np.where(a >= 0, a, np.expm1(np.minimum(a, 0))),
        lambda a, h: np.where(a >= 0, 1.0, np.exp(np.minimum(a, 0))),
    ),
    "scaled_tanh": (
        {"scale": 1.7},
        lambda a: 1.7 * np.tanh(a),
        lambda a, h: 1.7 / np.cosh(np.clip(a, -300, 300)) ** 2,
    ),
    "approximate_step": (
        {"slope": 0.02, "height": 0.9},
        lambda a: 0.02 * a + 0.9 * (a >= 0),
        lambda a, h: np.full_like(a, 0.02),
    ),
    "leaky_rectifier": (
        {"slope": 0.1},
        lambda a: np.where(a >= 0, a, 0.1 * a),
        lambda a, h: np.where(a >= 0, 1, 0.1),
    ),
    "scaled_explin": (
        {"scale": SCALE, "saturation": SATURATION},
        lambda a: SCALE * np.where(a >= 0, a, SATURATION * np.expm1(np.minimum(a, 0))),
        lambda a, h: SCALE * np.where(a >= 0, 1, SATURATION * np.exp(np.minimum(a, 0))),
    ),
    "inverse_sqrt_linear": (
        {"steepness": 2.0},
        lambda a: np.where(a >= 0, a, a / np.sqrt(1 + 2 * a * a)),
        lambda a, h: np.where(a >= 0, 1, (1 + 2 * a * a) ** -1.5),
    ),
    "softsign": ({}, lambda a: a / (1 + abs(a)), lambda a, h: (1 + abs(a)) ** -2),
    "softplus": ({}, lambda a: np.logaddexp(0, a), lambda a, h: _logistic(a)),
    "inverse_sqrt": (
        {"steepness": 0.5},
        lambda a: a / np.sqrt(1 + 0.5 * a * a),
        lambda a, h: (1 + 0.5 * a * a) ** -1.5,
    ),
    "exponential": ({}, _exponential, lambda a, h: h),
}


def learn_step_by_step(
    rule,
    activation,
    inputs,
    targets,
    weights,
    learning_rate,
    *,
    offset=0.0,
    shift=0.0,
    decay=0.0,
    epochs=1,
    evaluated=None,
):
    """Return the outputs after the last step and −1, or None and the first diverged step."""
    _, phi, derivative = ACTIVATIONS[activation]
    W, b, eta, nu, omega = weights.copy(), np.zeros(targets.shape[1]), learning_rate, shift, decay
    mu = np.full(inputs.shape[1], offset, dtype=float) if np.ndim(offset) == 0 else offset.copy()
    for step in range(epochs * len(inputs)):
        x, t = inputs[step % len(inputs)], targets[step % len(inputs)]
        a = (x - mu) @ W + b
        if not (abs(a) <= 1e6).all():
            return None, step
        h = phi(a)
        pre, post = x - mu, h - t
        if rule == "gradient_descent":
            post = _softmax_pull_back(post, a, h) if activation == "softmax" else post * derivative(a, h)
        elif rule == "hebb":
            post = -t
        elif rule == "covariance":
            pre, post = x - inputs.mean(axis=0), targets.mean(axis=0) - t
        W = (1 - omega) * W - eta * np.outer(pre, post)
        if rule in ("hebbian_descent", "contrastive", "gradient_descent"):
            b = b - eta * post
        if nu:
            mu, old = (1 - nu) * mu + nu * x, mu
            b = b + (mu - old) @ W
    return np.array([phi((x - mu) @ W + b) for x in (inputs if evaluated is None else evaluated)]), -1
