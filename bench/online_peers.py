"""Softmax regression one example at a time, in other libraries: functions that make one pass."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.linear_model import SGDClassifier

Pass = Callable[[], Any]
CLASSES = np.arange(10)


def scikit_learn(X: Any, y: Any, eta: float) -> Pass:
    """Return SGDClassifier with as little work as ours: no penalty, a constant rate, the given order."""

    def run() -> Any:
        classifier = SGDClassifier(
            loss="log_loss", penalty=None, alpha=0.0, learning_rate="constant", eta0=eta, shuffle=False
        )
        return classifier.partial_fit(X, y, classes=CLASSES)

    return run


def scikit_learn_defaults(X: Any, y: Any, eta: float) -> Pass:
    """Return SGDClassifier with its defaults and the logistic loss; its penalty costs time."""

    def run() -> Any:
        classifier = SGDClassifier(loss="log_loss")
        return classifier.partial_fit(X, y, classes=CLASSES)

    return run


def jax_scan(X: Any, y: Any, eta: float) -> Pass:
    """Return one compiled loop over all examples."""
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    inputs, targets = jnp.asarray(X), jnp.asarray(np.eye(10)[y])

    def step(state: Any, pair: Any) -> Any:
        W, b = state
        x, t = pair
        p = -eta * (jax.nn.softmax(x @ W + b) - t)
        return (W + jnp.outer(x, p), b + p), None

    @jax.jit
    def learn(W: Any, b: Any) -> Any:
        return jax.lax.scan(step, (W, b), (inputs, targets))[0]

    start = jnp.zeros((X.shape[1], 10)), jnp.zeros(10)
    return lambda: jax.block_until_ready(learn(*start))


def torch_eager(X: Any, y: Any, eta: float) -> Pass:
    """Return a Python loop of operations in place, without automatic differentiation."""
    import torch

    inputs, targets = torch.from_numpy(X).unbind(), torch.eye(10, dtype=torch.float64)[y].unbind()

    @torch.inference_mode()
    def run() -> Any:
        W, b = torch.zeros(X.shape[1], 10, dtype=torch.float64), torch.zeros(10, dtype=torch.float64)
        transposed = W.t()
        for x, t in zip(inputs, targets, strict=True):
            p = torch.softmax(torch.addmv(b, transposed, x), 0).sub_(t).mul_(-eta)
            W.addcmul_(x[:, None], p)
            b.add_(p)
        return W

    return run


def installed() -> dict[str, Callable[[Any, Any, float], Pass]]:
    """Return the peers that can be imported, by name."""
    others = (("JAX scan", "jax", jax_scan), ("PyTorch eager", "torch", torch_eager))
    found = {name: make for name, module, make in others if find_spec(module)}
    ours_alike = {"scikit-learn SGDClassifier": scikit_learn}
    return ours_alike | {"scikit-learn SGDClassifier, defaults": scikit_learn_defaults} | found
