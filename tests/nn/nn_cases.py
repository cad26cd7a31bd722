"""What the tests of PyTorch layers run over: every activation, targets that it can reach, a core layer."""

import numpy as np
import pytest

from hebbian_descent import ACTIVATIONS, Layer, get_activation

torch = pytest.importorskip("torch", reason="hebbian_descent.nn needs PyTorch, which is not installed")

SETTINGS = {
    "scaled_tanh": [{"scale": 1.7}],
    "approximate_step": [{"slope": 0.2, "height": 0.5}],
    "leaky_rectifier": [{"slope": 0.3}, {"slope": 2.0}],
    "scaled_explin": [{"scale": 0.7, "saturation": 1.4}],
    "inverse_sqrt_linear": [{"steepness": 2.5}],
    "inverse_sqrt": [{"steepness": 0.4}],
}
EVERY = [get_activation(name, **p) for name in ACTIVATIONS for p in [{}, *SETTINGS.get(name, [])]]
every_activation = pytest.mark.parametrize("activation", EVERY, ids=str)

AWAY_FROM_KINKS = np.array(
    [[-6.0, -2.5, -1.1, -0.4, -0.05], [0.07, 0.3, 0.9, 2.2, 5.0], [-0.7, 0.6, -1.9, 1.4, 0.02]]
)


def targets_inside(activation, shape, seed=0):
    """Random targets well inside the domain of the conjugate."""
    rng = np.random.default_rng(seed)
    if not activation.elementwise:
        return rng.dirichlet(np.ones(shape[-1]), size=shape[:-1])
    low, high = max(activation.domain.low, -3.0), min(activation.domain.high, 3.0)
    return low + (high - low) * rng.uniform(0.05, 0.95, size=shape)


def tensor(array, **settings):
    return torch.tensor(np.asarray(array), dtype=torch.float64, **settings)


def core_layer(activation, n_inputs=6, n_outputs=4, offset=0.3, seed=0):
    """A layer of the core with weights large enough to reach every branch of an activation."""
    rng = np.random.default_rng(seed)
    return Layer.from_weights(
        rng.normal(size=(n_inputs, n_outputs)),
        activation=activation,
        offset=np.full(n_inputs, offset) + 0.1 * rng.normal(size=n_inputs),
        bias=0.2 * rng.normal(size=n_outputs),
    )


def copy_into(linear, layer):
    """Give a CenteredLinear (or a HebbianLayer) the parameters of a core layer."""
    with torch.no_grad():
        linear.weight.copy_(tensor(layer.weights.T))
        linear.bias.copy_(tensor(layer.bias))
        linear.offset.copy_(tensor(layer.offset))
    return linear


def assert_same_parameters(linear, layer, atol=1e-10):
    np.testing.assert_allclose(linear.weight.detach().numpy().T, layer.weights, rtol=0, atol=atol)
    np.testing.assert_allclose(linear.bias.detach().numpy(), layer.bias, rtol=0, atol=atol)
    np.testing.assert_allclose(linear.offset.numpy(), layer.offset, rtol=0, atol=atol)
