"""HebbianLayer: φ′ is dropped from the layer's own update and kept in what is propagated back."""

import numpy as np
import pytest
from nn_cases import assert_same_parameters, copy_into, core_layer, every_activation, tensor, torch

from hebbian_descent import train
from hebbian_descent.nn import CenteredLinear, HebbianLayer, MatchingLoss, hebbian, update_offsets_

DOUBLE = {"dtype": torch.float64}


@every_activation
def test_the_layers_update_has_no_derivative_and_what_it_propagates_has(activation):
    layer = core_layer(activation)
    module = copy_into(HebbianLayer(6, 4, activation, **DOUBLE), layer)
    rng = np.random.default_rng(2)
    x, delta = rng.normal(size=(5, 6)), rng.normal(size=(5, 4))
    inputs = tensor(x, requires_grad=True)
    h = module(inputs)
    a, expected = layer.forward(x)
    np.testing.assert_allclose(h.detach(), expected, rtol=1e-12)
    h.backward(tensor(delta))
    np.testing.assert_allclose(module.weight.grad, delta.T @ (x - layer.offset), rtol=0, atol=1e-10)
    np.testing.assert_allclose(module.bias.grad, delta.sum(axis=0), rtol=0, atol=1e-10)
    pulled = activation.pull_back(delta, a, expected)
    np.testing.assert_allclose(inputs.grad, pulled @ layer.weights.T, rtol=1e-12, atol=1e-10)


@every_activation
def test_as_an_output_layer_it_is_the_cores_hebbian_descent(activation):
    layer = core_layer(activation)
    module = copy_into(HebbianLayer(6, 4, activation, shift=0.1, **DOUBLE), layer)
    rng = np.random.default_rng(1)
    x, t = rng.uniform(size=(12, 6)), rng.uniform(0.1, 0.9, size=(12, 4))
    optimizer = torch.optim.SGD(module.parameters(), lr=0.05)
    for rows in np.split(np.arange(12), 4):
        optimizer.zero_grad()
        (((module(tensor(x[rows])) - tensor(t[rows])) ** 2).sum(dim=-1).mean() / 2).backward()
        optimizer.step()
        update_offsets_(module)
    train(layer, x, t, learning_rate=0.05, shift=0.1, batch_size=3)
    assert_same_parameters(module, layer)


def test_is_gradient_descent_with_a_learning_rate_for_each_unit_and_pattern():
    module = HebbianLayer(6, 4, "sigmoid", **DOUBLE)
    x, w = torch.randn(1, 6, **DOUBLE), torch.randn(4, **DOUBLE)
    (module(x) * w).sum().backward()
    a = torch.nn.functional.linear(x, module.weight, module.bias)
    gradients = torch.autograd.grad((a.sigmoid() * w).sum(), [module.weight, module.bias])
    slope = (a.sigmoid() * (1 - a.sigmoid())).detach()[0]
    torch.testing.assert_close(module.weight.grad, gradients[0] / slope[:, None])
    torch.testing.assert_close(module.bias.grad, gradients[1] / slope)


def test_with_a_matching_loss_above_one_hidden_layer_learns_without_any_derivative():
    hidden, top = HebbianLayer(6, 5, "sigmoid", offset=0.5, **DOUBLE), torch.nn.Linear(5, 3, **DOUBLE)
    x, t = torch.rand(7, 6, **DOUBLE), torch.rand(7, 3, **DOUBLE)
    h = hidden(x)
    a = top(h)
    MatchingLoss("sigmoid")(a, t).backward()
    error = (a.sigmoid() - t).detach() / 7
    torch.testing.assert_close(top.weight.grad, error.T @ h.detach())
    torch.testing.assert_close(hidden.weight.grad, (error @ top.weight.detach()).T @ (x - 0.5))


def test_equals_a_centered_layer_with_a_hebbian_activation_but_for_what_it_propagates():
    module = HebbianLayer(6, 4, torch.nn.functional.gelu, offset=0.2, **DOUBLE)
    plain = CenteredLinear(6, 4, offset=0.2, **DOUBLE)
    plain.load_state_dict(module.state_dict())
    x = torch.randn(2, 3, 6, **DOUBLE)  # with more than one leading axis
    for model in (module, torch.nn.Sequential(plain, hebbian(torch.nn.functional.gelu))):
        (model(x) ** 2).sum().backward()
    torch.testing.assert_close(module.weight.grad, plain.weight.grad)
    torch.testing.assert_close(module.bias.grad, plain.bias.grad)


@pytest.mark.parametrize("name", ["sigmoid", "step"])
def test_a_deep_network_of_them_learns_even_where_derivatives_vanish(name):
    torch.manual_seed(0)
    x = torch.rand(64, 8)
    t = torch.stack([x[:, 0] > x[:, 1], x[:, 2] > 0.5], dim=-1).float()
    model = torch.nn.Sequential(HebbianLayer(8, 64, name, offset=0.5), torch.nn.Linear(64, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(500):
        optimizer.zero_grad()
        MatchingLoss("sigmoid")(model(x), t).backward()
        optimizer.step()
    assert ((model(x) > 0) == (t > 0.5)).float().mean() > 0.97


def test_without_bias_and_without_gradients():
    module = HebbianLayer(6, 4, bias=False)
    with torch.no_grad():
        assert not module(torch.rand(2, 6)).requires_grad
    module(torch.rand(2, 6)).sum().backward()
    assert module.weight.grad.shape == (4, 6)


def test_state_dict_round_trip_and_representation():
    module = HebbianLayer(6, 4, "leaky_rectifier", slope=0.5, offset=0.3)
    again = HebbianLayer(6, 4, "leaky_rectifier", slope=0.5)
    again.load_state_dict(module.state_dict())
    x = torch.randn(3, 6)
    torch.testing.assert_close(again(x), module(x))
    assert "activation=leaky_rectifier(slope=0.5)" in repr(module)
