"""CenteredLinear: the core's layer as a drop-in for nn.Linear, with an offset that moves once per step."""

import copy
from functools import partial

import numpy as np
import pytest
from nn_cases import assert_same_parameters, copy_into, core_layer, every_activation, tensor, torch
from torch.utils.checkpoint import checkpoint

from hebbian_descent import train
from hebbian_descent.nn import CenteredLinear, MatchingLoss, center_, hebbian, update_offsets_

DOUBLE = {"dtype": torch.float64}


def step(model, optimizer, loss, x, t):
    optimizer.zero_grad()
    loss(model(x), t).backward()
    optimizer.step()
    update_offsets_(model)


def test_output_is_the_cores():
    layer = core_layer("linear")
    x = np.random.default_rng(0).normal(size=(5, 6))
    module = copy_into(CenteredLinear(6, 4, **DOUBLE), layer)
    np.testing.assert_allclose(module(tensor(x)).detach(), layer.preactivation(x), rtol=0, atol=1e-10)


def test_is_an_nn_linear_with_the_same_start():
    torch.manual_seed(0)
    plain = torch.nn.Linear(6, 4)
    torch.manual_seed(0)
    centered = CenteredLinear(6, 4)
    assert isinstance(centered, torch.nn.Linear)
    x = torch.randn(3, 6)
    torch.testing.assert_close(centered(x), plain(x))
    assert "shift=0" in repr(centered)


@every_activation
@pytest.mark.parametrize("batch_size", [1, 4])
def test_moving_offsets_train_as_in_the_core(activation, batch_size):
    layer = core_layer(activation)
    model = torch.nn.Sequential(
        copy_into(CenteredLinear(6, 4, shift=0.1, **DOUBLE), layer), hebbian(activation)
    )
    rng = np.random.default_rng(1)
    x, t = rng.uniform(size=(20, 6)), rng.uniform(0.1, 0.9, size=(20, 4))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for start in range(0, len(x), batch_size):
        rows = slice(start, start + batch_size)
        loss = lambda h, t: ((h - t) ** 2).sum(dim=-1).mean() / 2  # noqa: E731
        step(model, optimizer, loss, tensor(x[rows]), tensor(t[rows]))
    train(layer, x, t, learning_rate=0.05, shift=0.1, batch_size=batch_size)
    assert_same_parameters(model[0], layer)


def test_online_with_an_offset_that_jumps_to_each_pattern_still_learns():
    # Moved before the update, an offset of shift 1 would sit on the pattern, and nothing would be learned.
    model = CenteredLinear(4, 2, shift=1.0, **DOUBLE)
    before = model.weight.detach().clone()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    step(model, optimizer, MatchingLoss("sigmoid"), tensor([[1.0, 0, 0, 1]]), tensor([[1.0, 0]]))
    assert (model.weight - before).abs().max() > 0.01
    assert model.offset.tolist() == [1.0, 0, 0, 1]


def test_a_move_does_not_change_the_output():
    model = CenteredLinear(6, 4, shift=0.3, **DOUBLE)
    x = torch.rand(7, 6, **DOUBLE)
    before = model(x)
    update_offsets_(model)
    assert model.offset.abs().min() > 0
    torch.testing.assert_close(model(x), before, rtol=0, atol=1e-14)


def test_only_an_update_moves_and_only_what_was_seen_in_training():
    model = CenteredLinear(6, 4, shift=0.3)
    model.eval()(torch.rand(7, 6))
    update_offsets_(model)
    model.train()
    with torch.no_grad():
        model(torch.rand(7, 6))
    update_offsets_(model)
    assert (model.offset == 0).all()
    model(torch.ones(7, 6))
    assert (model.offset == 0).all()
    update_offsets_(model)
    torch.testing.assert_close(model.offset, torch.full((6,), 0.3))
    update_offsets_(model)
    torch.testing.assert_close(model.offset, torch.full((6,), 0.3))


def test_a_fixed_offset_stays():
    model = CenteredLinear(6, 4, offset=0.5)
    model(torch.rand(7, 6))
    update_offsets_(model)
    assert (model.offset == 0.5).all()


def test_accumulated_batches_move_the_offset_as_one_batch_does():
    x, t = torch.rand(12, 6, **DOUBLE), torch.rand(12, 4, **DOUBLE)
    whole = CenteredLinear(6, 4, shift=0.2, **DOUBLE)
    parts = copy.deepcopy(whole)
    loss = MatchingLoss("sigmoid", reduction="sum")
    for model, sizes in ((whole, [12]), (parts, [5, 4, 3])):
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for rows in torch.arange(12).split(sizes):
            loss(model(x[rows]), t[rows]).backward()
        optimizer.step()
        update_offsets_(model)
    for name, value in whole.state_dict().items():
        torch.testing.assert_close(parts.state_dict()[name], value, rtol=0, atol=1e-13)


@pytest.mark.parametrize("use_reentrant", [True, False])
def test_gradient_checkpointing_moves_the_offset_once(use_reentrant):
    plain = torch.nn.Sequential(
        CenteredLinear(6, 5, shift=0.2, **DOUBLE),
        torch.nn.Sigmoid(),
        CenteredLinear(5, 4, shift=0.2, **DOUBLE),
    )
    saving = copy.deepcopy(plain)
    x, t = torch.rand(12, 6, requires_grad=True, **DOUBLE), torch.rand(12, 4, **DOUBLE)
    for model in (plain, saving):
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for rows in torch.arange(12).split([5, 7]):
            run = partial(checkpoint, model, use_reentrant=use_reentrant) if model is saving else model
            a = run(x[rows])
            MatchingLoss("sigmoid")(a, t[rows]).backward()
        optimizer.step()
        update_offsets_(model)
    for name, value in plain.state_dict().items():
        torch.testing.assert_close(saving.state_dict()[name], value, rtol=0, atol=1e-13)


@pytest.mark.parametrize("make", [torch.optim.SGD, torch.optim.Adam])
def test_a_whole_model_learns_with_moving_offsets(make):
    torch.manual_seed(0)
    x = torch.rand(64, 10)
    classes = (x[:, 0] + x[:, 1] > 1).long() + (x[:, 2] > 0.5).long()
    model = center_(
        torch.nn.Sequential(torch.nn.Linear(10, 32), torch.nn.Sigmoid(), torch.nn.Linear(32, 3)), x
    )
    optimizer = make(model.parameters(), lr={torch.optim.SGD: 3.0, torch.optim.Adam: 0.02}[make])
    for _ in range(400):
        step(model, optimizer, MatchingLoss("softmax"), x, classes)
    assert (model(x).argmax(dim=-1) == classes).float().mean() > 0.95
    torch.testing.assert_close(model[2].offset, model[1](model[0](x)).mean(dim=0), rtol=0, atol=0.05)


def test_state_dict_round_trip():
    model = CenteredLinear(6, 4, shift=0.2)
    model(torch.rand(3, 6))
    update_offsets_(model)
    assert list(model.state_dict()) == ["weight", "bias", "offset"]
    again = CenteredLinear(6, 4, shift=0.2)
    again.load_state_dict(model.state_dict())
    x = torch.rand(5, 6)
    torch.testing.assert_close(again(x), model(x), rtol=0, atol=0)
    assert copy.deepcopy(model).offset.equal(model.offset)


def test_whole_models_can_be_saved(tmp_path):
    model = torch.nn.Sequential(CenteredLinear(6, 4, shift=0.2), hebbian("leaky_rectifier", slope=0.2))
    torch.save(model, tmp_path / "model.pt")
    again = torch.load(tmp_path / "model.pt", weights_only=False)
    x = torch.rand(5, 6)
    torch.testing.assert_close(again(x), model(x))
    update_offsets_(again)
    assert (again[0].offset > 0).all()


def test_sequences_count_every_row():
    model = CenteredLinear(6, 4, shift=1.0)
    x = torch.rand(2, 3, 6)
    assert model(x).shape == (2, 3, 4)
    update_offsets_(model)
    torch.testing.assert_close(model.offset, x.mean(dim=(0, 1)))


def test_numbers_below_full_precision_become_zero():
    model = CenteredLinear(2, 2, offset=torch.tensor([1e-37, 0.5]), shift=0.99)
    model(torch.zeros(1, 2))
    update_offsets_(model)
    assert model.offset[0] == 0
    assert model.offset[1] > 0
