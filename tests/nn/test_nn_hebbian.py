"""hebbian(φ) in front of any loss is Hebbian-descent in the output layer, as the core computes it."""

import numpy as np
import pytest
from nn_cases import (
    AWAY_FROM_KINKS,
    assert_same_parameters,
    copy_into,
    core_layer,
    every_activation,
    tensor,
    torch,
)

from hebbian_descent import train
from hebbian_descent.nn import (
    CenteredLinear,
    LeakyHingeLoss,
    MatchingLoss,
    SmoothHuberLoss,
    functional,
    hebbian,
)


def half_squared_error(h, t):
    return ((h - t) ** 2).sum(dim=-1).mean() / 2


def pairs(activation, n=12):
    rng = np.random.default_rng(3)
    x = rng.normal(size=(n, 6))
    t = rng.dirichlet(np.ones(4), n) if not activation.elementwise else rng.uniform(0.1, 0.9, size=(n, 4))
    return x, t


def train_both(layer, module, loss, x, t, *, error, batch_size=3, learning_rate=0.05):
    optimizer = torch.optim.SGD(module.parameters(), lr=learning_rate)
    for start in range(0, len(x), batch_size):
        rows = slice(start, start + batch_size)
        optimizer.zero_grad()
        loss(module(tensor(x[rows])), tensor(t[rows])).backward()
        optimizer.step()
    train(
        layer, x, t, rule="hebbian_descent", error=error, learning_rate=learning_rate, batch_size=batch_size
    )


@every_activation
def test_forward_is_the_activation_and_backward_the_error_unchanged(activation):
    a = tensor(AWAY_FROM_KINKS, requires_grad=True)
    h = hebbian(activation)(a)
    np.testing.assert_allclose(h.detach(), activation(AWAY_FROM_KINKS), rtol=1e-13)
    error = torch.randn_like(a)
    h.backward(error)
    torch.testing.assert_close(a.grad, error, rtol=0, atol=0)
    torch.testing.assert_close(functional.hebbian(a, activation), h)


@every_activation
@pytest.mark.parametrize(
    ("loss", "error"),
    [
        (half_squared_error, "difference"),
        (SmoothHuberLoss(), "saturating"),
        (LeakyHingeLoss(), "leaky_hinge"),
    ],
    ids=["squared", "saturating", "hinge"],
)
def test_trains_as_the_core_does(activation, loss, error):
    layer = core_layer(activation)
    module = torch.nn.Sequential(
        copy_into(CenteredLinear(6, 4, dtype=torch.float64), layer), hebbian(activation)
    )
    x, t = pairs(activation)
    if error == "leaky_hinge":
        t = np.where(t > 0.5, 1.0, -1.0)
    train_both(layer, module, loss, x, t, error=error)
    assert_same_parameters(module[0], layer)


@every_activation
def test_the_matching_loss_trains_as_the_core_does(activation):
    layer = core_layer(activation)
    module = copy_into(CenteredLinear(6, 4, dtype=torch.float64), layer)
    train_both(layer, module, MatchingLoss(activation), *pairs(activation), error="difference")
    assert_same_parameters(module, layer)


@every_activation
def test_without_it_autograd_is_the_cores_gradient_descent(activation):
    layer, (x, t) = core_layer(activation), pairs(activation)
    module = copy_into(CenteredLinear(6, 4, dtype=torch.float64), layer)
    phi = hebbian(activation).activation
    half_squared_error(phi(module(tensor(x))), tensor(t)).backward()
    expected = layer.copy()
    train(expected, x, t, rule="gradient_descent", learning_rate=1.0, batch_size=len(x))
    np.testing.assert_allclose(
        -module.weight.grad.T, expected.weights - layer.weights, rtol=1e-12, atol=1e-10
    )
    np.testing.assert_allclose(-module.bias.grad, expected.bias - layer.bias, rtol=1e-12, atol=1e-10)


def test_a_function_of_ones_own_and_the_layers_below_get_the_error_without_derivative():
    below = torch.nn.Linear(3, 5, dtype=torch.float64)
    top = torch.nn.Linear(5, 2, dtype=torch.float64)
    x, t = torch.randn(4, 3, dtype=torch.float64), torch.rand(4, 2, dtype=torch.float64)
    y = torch.tanh(below(x))
    h = hebbian(torch.nn.functional.gelu)(top(y))
    half_squared_error(h, t).backward()
    error = (h - t).detach() / 4
    torch.testing.assert_close(top.weight.grad, error.T @ y.detach())
    delta = (error @ top.weight.detach()) * (1 - y.detach() ** 2)
    torch.testing.assert_close(below.weight.grad, delta.T @ x)


@pytest.mark.parametrize("make", [torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW])
def test_even_step_units_learn_with_any_optimizer(make):
    torch.manual_seed(0)
    x = torch.randint(0, 2, (20, 30)).float()
    t = torch.randint(0, 2, (20, 5)).float()
    model = torch.nn.Sequential(CenteredLinear(30, 5, offset=0.5), hebbian("step"))
    optimizer = make(model.parameters(), lr=0.1)
    for _ in range(200):
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), t).backward()
        optimizer.step()
    assert (model(x) == t).all()


def test_infinite_preactivations_pass():
    a = torch.tensor([np.inf, -np.inf], requires_grad=True)
    h = hebbian("sigmoid")(a)
    assert h.tolist() == [1.0, 0.0]
    h.sum().backward()
    assert a.grad.tolist() == [1.0, 1.0]


def test_the_module_says_what_it_is():
    assert repr(hebbian("scaled_tanh", scale=2)) == "HebbianActivation(scaled_tanh(scale=2))"
