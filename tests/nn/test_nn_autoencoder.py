"""Tied auto-encoders: the core's for one layer, and several layers of the same kind."""

import numpy as np
import pytest
from nn_cases import tensor, torch

from hebbian_descent import AUTO_RULES, Autoencoder, train
from hebbian_descent.nn import TiedAutoencoder, update_offsets_

DOUBLE = {"dtype": torch.float64}
X = np.random.default_rng(0).uniform(0.05, 0.95, size=(20, 6))
UNITS = [
    ("sigmoid", "linear"),
    ("sigmoid", "sigmoid"),
    ("linear", "sigmoid"),
    ("explin", "rectifier"),
    ("linear", "linear"),
]


def half_squared_error(model, x):
    return ((model(x) - x) ** 2).sum(dim=-1).mean() / 2


def matching(model, x):
    return model.loss(x)


def both_networks(hidden, output, **settings):
    core = Autoencoder.from_weights(
        np.random.default_rng(1).normal(size=(6, 3)) * 0.5,
        hidden_activation=hidden,
        output_activation=output,
        offset=X.mean(axis=0),
        bias=[0.1, -0.2, 0.3],
        decoder_bias=np.linspace(-0.3, 0.3, 6),
    )
    model = TiedAutoencoder([6, 3], hidden, output, offset=tensor(X.mean(axis=0)), **settings, **DOUBLE)
    with torch.no_grad():
        model.layers[0].weight.copy_(tensor(core.weights.T))
        model.layers[0].bias.copy_(tensor(core.bias))
        model.layers[0].decoder_bias.copy_(tensor(core.decoder_bias))
    return core, model


def train_model(model, loss, learning_rate, batch_size):
    optimizer = torch.optim.SGD(model.parameters(), lr=learning_rate)
    for start in range(0, len(X), batch_size):
        optimizer.zero_grad()
        loss(model, tensor(X[start : start + batch_size])).backward()
        optimizer.step()
        update_offsets_(model)


def assert_same(core, model):
    layer = model.layers[0]
    for found, expected in [
        (layer.weight.T, core.weights),
        (layer.bias, core.bias),
        (layer.decoder_bias, core.decoder_bias),
        (layer.offset, core.offset),
        (layer.hidden_offset, core.hidden_offset),
    ]:
        np.testing.assert_allclose(found.detach(), expected, rtol=0, atol=1e-10)


CASES = {
    "hebbian_descent": (AUTO_RULES["hebbian_descent"](), matching, {"gradient": "decoder"}),
    "target_activity": (
        AUTO_RULES["hebbian_descent"](0.2),
        matching,
        {"gradient": "decoder", "target_activity": 0.2},
    ),
    "full_gradient": (AUTO_RULES["gradient_descent"](), half_squared_error, {"gradient": "full"}),
    "decoder_gradient": (
        AUTO_RULES["gradient_descent"]("decoder"),
        half_squared_error,
        {"gradient": "decoder"},
    ),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize(("hidden", "output"), UNITS)
@pytest.mark.parametrize("batch_size", [1, 5])
def test_one_layer_trains_as_in_the_core(case, hidden, output, batch_size):
    rule, loss, settings = CASES[case]
    core, model = both_networks(hidden, output, shift=0.05, hidden_shift=0.1, **settings)
    train_model(model, loss, 0.05, batch_size)
    train(core, X, rule=rule, learning_rate=0.05, batch_size=batch_size, shift=0.05, hidden_shift=0.1)
    assert_same(core, model)
    np.testing.assert_allclose(model(tensor(X)).detach(), core.reconstruct(X), rtol=0, atol=1e-10)
    np.testing.assert_allclose(model.encode(tensor(X)).detach(), core.encode(X), rtol=0, atol=1e-10)


def test_several_layers_are_the_equations_level_by_level():
    torch.manual_seed(0)
    model = TiedAutoencoder([6, 4, 3], "sigmoid", "linear", offset=0.4, **DOUBLE)
    first, second = model.layers
    x = tensor(X)
    h1 = torch.sigmoid((x - first.offset) @ first.weight.T + first.bias)
    h2 = torch.sigmoid((h1 - second.offset) @ second.weight.T + second.bias)
    z1 = torch.sigmoid((h2 - second.hidden_offset) @ second.weight + second.decoder_bias)
    z0 = (z1 - first.hidden_offset) @ first.weight + first.decoder_bias
    torch.testing.assert_close(model.encode(x), h2)
    torch.testing.assert_close(model(x), z0)
    torch.testing.assert_close(model.decode(h2), z0)
    assert (second.offset == 0.5).all()


def test_the_decoder_part_of_several_layers_is_the_gradient_with_the_code_given():
    torch.manual_seed(0)
    model = TiedAutoencoder([6, 4, 3], "sigmoid", "sigmoid", gradient="decoder", **DOUBLE)
    x = tensor(X, requires_grad=True)
    code = model.encode(x).detach()
    first, second = model.layers
    given = torch.sigmoid((code - second.hidden_offset) @ second.weight + second.decoder_bias)
    a = (given - first.hidden_offset) @ first.weight + first.decoder_bias
    loss = torch.nn.functional.binary_cross_entropy_with_logits(a, x.detach(), reduction="sum") / len(X)
    expected = torch.autograd.grad(loss, [first.weight, second.weight])
    found = torch.autograd.grad(model.loss(x), [first.weight, second.weight, x], allow_unused=True)
    torch.testing.assert_close(found[:2], expected)
    assert found[2] is None
    assert not first.bias.requires_grad


def test_moving_offsets_do_not_change_the_reconstruction():
    torch.manual_seed(0)
    model = TiedAutoencoder([6, 4, 3], "sigmoid", "linear", shift=0.5, hidden_shift=0.5, **DOUBLE)
    before = model(tensor(X))
    update_offsets_(model)
    torch.testing.assert_close(model(tensor(X)), before, rtol=0, atol=1e-13)
    assert (model.layers[1].hidden_offset != 0.5).all()
    model.eval()(tensor(X))


def test_a_target_activity_for_each_layer_is_reached():
    torch.manual_seed(0)
    levels = [0.3, torch.tensor([0.1, 0.5, 0.9], **DOUBLE)]
    model = TiedAutoencoder(
        [6, 4, 3], "sigmoid", "linear", gradient="decoder", target_activity=levels, **DOUBLE
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.2)
    for _ in range(600):
        optimizer.zero_grad()
        model.loss(tensor(X)).backward()
        optimizer.step()
        update_offsets_(model)
    torch.testing.assert_close(model.encode(tensor(X)).mean(dim=0), levels[1], rtol=0, atol=0.02)
    assert not [name for name in model.state_dict() if "target" in name]


@pytest.mark.parametrize("level", [0.1, np.float32(0.1), torch.tensor(0.1)], ids=lambda v: type(v).__name__)
def test_one_target_activity_is_that_of_all_layers(level):
    model = TiedAutoencoder([6, 4, 3], target_activity=level)
    assert all((layer.target_activity == 0.1).all() for layer in model.layers)


@pytest.mark.parametrize("gradient", ["full", "decoder"])
def test_several_layers_learn(gradient):
    torch.manual_seed(0)
    codes = torch.rand(50, 2, **DOUBLE)
    x = torch.sigmoid(4 * codes @ torch.randn(2, 12, **DOUBLE))
    model = TiedAutoencoder(
        [12, 8, 4], "sigmoid", "sigmoid", gradient=gradient, offset=x.mean(dim=0), **DOUBLE
    )
    before = model.loss(x).item()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    for _ in range(300):
        optimizer.zero_grad()
        model.loss(x).backward()
        optimizer.step()
        update_offsets_(model)
    assert model.loss(x).item() < before / 3


def test_state_dict_round_trip():
    model = TiedAutoencoder([6, 4, 3], hidden_shift=0.5)
    model(torch.rand(3, 6))
    update_offsets_(model)
    again = TiedAutoencoder([6, 4, 3])
    again.load_state_dict(model.state_dict())
    x = torch.rand(2, 6)
    torch.testing.assert_close(again(x), model(x))
    assert "6, 4" in repr(model)
