"""Centering around the optimizer's step equals centered layers, and every way to take a step works."""

import copy
import gc
import pickle

import pytest
from nn_cases import torch
from torch import nn, optim

from hebbian_descent.nn import CenteredLinear, Centering, MatchingLoss, center_, uncenter_, update_offsets_

DOUBLE = {"dtype": torch.float64}
LOSS = MatchingLoss("softmax")


def network():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(6, 5, **DOUBLE), nn.Sigmoid(), nn.Linear(5, 3, **DOUBLE))


def batches(n_steps=12, n_patterns=8):
    generator = torch.Generator().manual_seed(1)
    x = 1 + torch.rand(n_steps, n_patterns, 6, generator=generator, **DOUBLE)
    return zip(x, torch.randint(3, (n_steps, n_patterns), generator=generator), strict=True)


def learn(model, optimizer, after=lambda: None):
    for x, t in batches():
        optimizer.zero_grad()
        LOSS(model(x), t).backward()
        optimizer.step()
        after()


def learned_by_centered_layers(make):
    """The oracle: layers that subtract their offsets, which `update_offsets_` moves."""
    model = center_(network(), shift=0.1)
    learn(model, make(model.parameters()), lambda: update_offsets_(model))
    offsets = [layer.offset.clone() for layer in model if isinstance(layer, CenteredLinear)]
    return uncenter_(model), offsets


def assert_same(model, other, atol=1e-12):
    assert model.state_dict().keys() == other.state_dict().keys()
    for name, value in model.state_dict().items():
        torch.testing.assert_close(value, other.state_dict()[name], rtol=0, atol=atol)


OPTIMIZERS = {
    "sgd": lambda p: optim.SGD(p, lr=0.1),
    "sgd_foreach": lambda p: optim.SGD(p, lr=0.1, momentum=0.9, foreach=True),
    "nesterov": lambda p: optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True),
    "sgd_fused": lambda p: optim.SGD(p, lr=0.1, momentum=0.9, fused=True),
    "adam": lambda p: optim.Adam(p, lr=0.01, foreach=False),
    "adam_foreach": lambda p: optim.Adam(p, lr=0.01, foreach=True),
    "adamw_fused": lambda p: optim.AdamW(p, lr=0.01, weight_decay=0, fused=True),
    "rmsprop": lambda p: optim.RMSprop(p, lr=0.01),
    "adagrad": lambda p: optim.Adagrad(p, lr=0.1),
    "separate_rates": lambda p: optim.SGD([{"params": [q], "lr": 0.1 / q.ndim} for q in p]),
    "decay_of_weights": lambda p: optim.AdamW(
        [{"params": [q], "weight_decay": 0.3 if q.ndim == 2 else 0.0} for q in p], lr=0.01
    ),
}


@pytest.mark.parametrize("make", OPTIMIZERS.values(), ids=OPTIMIZERS)
def test_a_plain_model_learns_as_centered_layers_do(make):
    model = network()
    optimizer = make(model.parameters())
    centering = Centering(model, optimizer, shift=0.1, offset_start=0.0)
    learn(model, optimizer)
    expected, offsets = learned_by_centered_layers(make)
    assert_same(model, expected)
    assert list(centering.offsets) == ["0", "2"]
    for (found,), offset in zip(centering.offsets.values(), offsets, strict=True):
        torch.testing.assert_close(found, offset, rtol=0, atol=1e-12)
    plain = network()
    learn(plain, make(plain.parameters()))
    assert (plain[0].weight - model[0].weight).abs().max() > 1e-3  # without, something else is learned


def test_a_decay_of_the_bias_is_that_of_the_plain_model():
    model, without = network(), network()
    for one, decay in ((model, 0.5), (without, 0.0)):
        optimizer = optim.SGD(
            [{"params": [p], "weight_decay": decay * (p.ndim == 1)} for p in one.parameters()]
        )
        Centering(one, optimizer, offset_start=1.5)
        x, t = next(batches())
        LOSS(one(x), t).backward()
        optimizer.step()
    start = network()
    for i in (0, 2):
        torch.testing.assert_close(model[i].weight, without[i].weight, rtol=0, atol=1e-15)
        expected = without[i].bias - 1e-3 * 0.5 * start[i].bias
        torch.testing.assert_close(model[i].bias, expected, rtol=0, atol=1e-15)


@pytest.mark.parametrize("by_keyword", [False, True])
def test_closures_are_followed_by_centering(by_keyword):
    model = network()
    optimizer = optim.Adam(model.parameters(), lr=0.01)
    Centering(model, optimizer, shift=0.1, offset_start=0.0)
    for x, t in batches():

        def closure(x=x, t=t):
            optimizer.zero_grad()
            loss = LOSS(model(x), t)
            loss.backward()
            return loss

        loss = optimizer.step(closure=closure) if by_keyword else optimizer.step(closure)
        assert loss.requires_grad
    assert_same(model, learned_by_centered_layers(OPTIMIZERS["adam"])[0])


def test_optimizers_that_evaluate_several_gradients_per_step_are_refused():
    class Twice(optim.SGD):
        def step(self, closure):
            closure()
            return super().step(closure)

    model = network()
    with pytest.raises(ValueError, match=r"the gradient once per step\. Got LBFGS, which"):
        Centering(model, optim.LBFGS(model.parameters()))
    optimizer = Twice(model.parameters(), lr=0.1)
    Centering(model, optimizer)
    with pytest.raises(RuntimeError, match=r"its closure once per step\. Got Twice, which does so again"):
        optimizer.step(lambda: LOSS(model(torch.ones(1, 6, **DOUBLE)), torch.tensor([0])).backward())


def test_gradients_can_be_centered_before_they_are_clipped():
    def learn_clipped(model, optimizer, before=lambda: None, after=lambda: None):
        for x, t in batches():
            optimizer.zero_grad()
            LOSS(model(x), t).backward()
            before()
            norm = nn.utils.clip_grad_norm_(model.parameters(), 0.1)
            assert norm > 0.1
            optimizer.step()
            after()

    model, expected = network(), center_(network(), shift=0.1)
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    centering = Centering(model, optimizer, shift=0.1, offset_start=0.0)
    learn_clipped(model, optimizer, before=centering.center_gradients_)
    learn_clipped(expected, OPTIMIZERS["sgd"](expected.parameters()), after=lambda: update_offsets_(expected))
    assert_same(model, uncenter_(expected))


@pytest.mark.parametrize("in_place", [False, True])
def test_gradients_centered_for_a_step_that_was_left_out_do_not_count(in_place):
    model, expected = network(), network()
    for one, leaves_out in ((model, True), (expected, False)):
        optimizer = optim.SGD(one.parameters(), lr=0.1)
        centering = Centering(one, optimizer, shift=0.1, offset_start=0.5)
        for i, (x, t) in enumerate(batches()):
            if i % 2 and not leaves_out:
                continue
            optimizer.zero_grad(set_to_none=not in_place)
            LOSS(one(x), t).backward()
            centering.center_gradients_()
            centering.center_gradients_()  # once is enough
            if not i % 2:
                optimizer.step()
    assert_same(model, expected)


@pytest.mark.parametrize("in_place", [False, True])
def test_gradients_of_a_model_in_evaluation_are_centered_again_after_a_step_left_out(in_place):
    model, expected = network().eval(), network().eval()
    (x, t), (other_x, other_t), *_ = batches()
    for one in (model, expected):
        optimizer = optim.SGD(one.parameters(), lr=0.1)
        centering = Centering(one, optimizer, shift=0.0, offset_start=0.5)
        if one is model:
            LOSS(one(other_x), other_t).backward()
            centering.center_gradients_()
            optimizer.zero_grad(set_to_none=not in_place)
        LOSS(one(x), t).backward()
        centering.center_gradients_()
        optimizer.step()
    assert_same(model, expected, atol=1e-15)


@pytest.mark.parametrize("kind", ["linear", "attention"])
def test_gradients_that_add_up_are_centered_once(kind):
    torch.manual_seed(0)
    model = nn.Linear(6, 3, **DOUBLE) if kind == "linear" else nn.MultiheadAttention(6, 2, **DOUBLE)
    expected = copy.deepcopy(model)
    for one in (model, expected):
        optimizer = optim.SGD(one.parameters(), lr=0.1)
        centering = Centering(one, optimizer, shift=0.1, offset_start=0.5)
        for i, (x, _) in enumerate(batches()):
            out = one(x) if kind == "linear" else one(x, x, x)[0]
            out.square().mean().backward()
            if one is model:
                centering.center_gradients_()
            if i % 3 == 2:
                optimizer.step()
                optimizer.zero_grad()
    assert_same(model, expected)


def test_without_centering_gradients_are_as_they_came():
    model = network()
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    centering = Centering(model, optimizer, offset_start=0.7)
    x, t = next(batches())
    LOSS(model(x), t).backward()
    gradients = [p.grad.clone() for p in model.parameters()]
    centering.center_gradients_()
    assert (model[0].weight.grad - gradients[0]).abs().max() > 0.01
    centering.detach()
    torch.testing.assert_close([p.grad for p in model.parameters()], gradients, rtol=0, atol=1e-15)


def test_gradients_are_put_back_so_that_they_can_add_up_over_steps():
    model, expected = network(), center_(network(), offset=0.7, shift=0.0)
    for one in (model, expected):
        optimizer = optim.SGD(one.parameters(), lr=0.1)
        if one is model:
            Centering(model, optimizer, shift=0.0, offset_start=0.7)
        for x, t in batches():
            LOSS(one(x), t).backward()  # and no zero_grad
            optimizer.step()
    assert_same(model, uncenter_(expected))


def test_gradients_after_a_step_are_those_of_the_backward_pass():
    model = network()
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    Centering(model, optimizer, offset_start=0.7)
    x, t = next(batches())
    LOSS(model(x), t).backward()
    gradients = [p.grad.clone() for p in model.parameters()]
    optimizer.step()
    torch.testing.assert_close([p.grad for p in model.parameters()], gradients, rtol=0, atol=1e-15)


@pytest.mark.parametrize("in_place", [False, True])
@pytest.mark.parametrize("fused", [False, True])
def test_steps_that_a_gradient_scaler_leaves_out_move_nothing(fused, in_place):
    model = network().float()
    optimizer = optim.Adam(model.parameters(), lr=0.01, fused=fused)
    centering = Centering(model, optimizer, shift=0.5, offset_start=0.25)
    scaler = torch.amp.GradScaler("cpu", init_scale=8.0)
    x, t = torch.rand(8, 6), torch.randint(3, (8,))

    def step(factor, x):
        optimizer.zero_grad(set_to_none=not in_place)
        for part in (0, 1):  # gradients that add up
            scaler.scale(LOSS(model(x + part), t) * factor).backward()
        scaler.step(optimizer)
        scaler.update()

    before = copy.deepcopy(model.state_dict())
    step(torch.inf, x + 100)
    assert scaler.get_scale() == 4.0
    torch.testing.assert_close(model.state_dict(), before, rtol=0, atol=0)
    assert all((mu == 0.25).all() for (mu,) in centering.offsets.values())
    step(1.0, x)
    (mu,) = centering.offsets["0"]
    torch.testing.assert_close(mu, 0.125 + 0.5 * (x.mean(dim=0) + 0.5))
    assert all(p.isfinite().all() for p in model.parameters())
    assert (model[0].weight != before["0.weight"]).any()


def test_a_scaled_fused_step_equals_one_without_scaler():
    model, expected = network().float(), network().float()
    x, t = torch.rand(8, 6), torch.randint(3, (8,))
    for one, scale in ((model, 1024.0), (expected, None)):
        optimizer = optim.SGD(one.parameters(), lr=0.1, fused=True)
        Centering(one, optimizer, shift=0.5, offset_start=0.25)
        scaler = torch.amp.GradScaler("cpu", init_scale=scale or 1.0, enabled=scale is not None)
        for _ in range(4):
            optimizer.zero_grad()
            scaler.scale(LOSS(one(x), t)).backward()
            scaler.step(optimizer)
            scaler.update()
    assert_same(model, expected, atol=1e-6)


@pytest.mark.skipif(not hasattr(optim, "Muon"), reason="this PyTorch has no Muon")
@pytest.mark.parametrize("weights_first", [True, False])
def test_several_optimizers_share_a_model(weights_first):
    def learn_by_two(model, after=lambda: None, center=False):
        weights = [p for p in model.parameters() if p.ndim == 2]
        pair = [optim.Muon(weights, lr=0.02, weight_decay=0.1)]
        pair.append(optim.SGD([p for p in model.parameters() if p.ndim == 1], lr=0.1, momentum=0.9))
        pair = pair if weights_first else pair[::-1]
        if center:
            Centering(model, pair, shift=0.1, offset_start=0.0)
        for x, t in batches():
            LOSS(model(x), t).backward()
            for optimizer in pair:
                optimizer.step()
            for optimizer in pair:
                optimizer.zero_grad()
            after()
        return model

    model = learn_by_two(network(), center=True)
    expected = center_(network(), shift=0.1)
    learn_by_two(expected, after=lambda: update_offsets_(expected))
    # Muon rounds to bfloat16 on its way: a last bit of the gradient can become 1 % of a step.
    assert_same(model, uncenter_(expected), atol=1e-3)
    plain = learn_by_two(network())
    assert (model[0].weight - plain[0].weight).abs().max() > 0.02


def test_parts_of_one_layer_may_have_an_optimizer_each():
    torch.manual_seed(0)
    model = nn.MultiheadAttention(6, 2, kdim=3, vdim=4, **DOUBLE)
    expected = copy.deepcopy(model)
    # The output projection first, for its offset is made of the weights of the values.
    parameters = sorted(model.named_parameters(), key=lambda named: "out_proj" not in named[0])
    several = [optim.SGD([p], lr=0.1) for _, p in parameters]
    one = optim.SGD(expected.parameters(), lr=0.1)
    centering, other = Centering(model, several, shift=0.1), Centering(expected, one, shift=0.1)
    for x, _ in batches():
        for its, optimizers in ((model, several), (expected, [one])):
            its.zero_grad()
            its(x, x[:, :3], x[:, :4])[0].square().mean().backward()
            for optimizer in optimizers:
                optimizer.step()
    assert_same(model, expected)
    torch.testing.assert_close(centering.offsets, other.offsets, rtol=0, atol=1e-12)


def test_schedulers_and_later_groups_of_parameters():
    model, expected = network(), center_(network(), shift=0.1)
    for one in (model, expected):
        optimizer = optim.SGD(one.parameters(), lr=0.2, momentum=0.5)
        scheduler = optim.lr_scheduler.StepLR(optimizer, 3, gamma=0.5)
        if one is model:
            Centering(model, optimizer, shift=0.1, offset_start=0.0)
        learn(one, optimizer, lambda one=one, s=scheduler: (s.step(), update_offsets_(one)))
    assert_same(model, uncenter_(expected))


def test_a_saved_run_resumes_where_it_was():
    def run(parts):
        torch.manual_seed(3)
        model = network()
        state = None
        for part in parts:
            optimizer = optim.Adam(model.parameters(), lr=0.01)
            centering = Centering(model, optimizer, shift=0.1)
            if state is not None:
                model.load_state_dict(state["model"])
                optimizer.load_state_dict(state["optimizer"])
                centering.load_state_dict(state["centering"])
            for x, t in part:
                optimizer.zero_grad()
                LOSS(model(x), t).backward()
                optimizer.step()
            state = copy.deepcopy(
                {
                    "model": model.state_dict(),
                    "optimizer": optimizer.state_dict(),
                    "centering": centering.state_dict(),
                }
            )
            centering.detach()
        return model

    everything = list(batches())
    assert_same(run([everything[:5], everything[5:]]), run([everything]), atol=0)


def test_a_loaded_state_starts_without_inputs_of_before():
    layer = nn.Linear(2, 1)
    optimizer = optim.SGD(layer.parameters())
    centering = Centering(layer, optimizer, shift=1.0, offset_start=0.0)
    for x in (100.0, 1.0):
        centering.load_state_dict(centering.state_dict())
        layer(torch.full((1, 2), x)).sum().backward()
    optimizer.step()
    assert centering.offsets["bias"][0].tolist() == [1.0, 1.0]


def test_a_loaded_state_lets_gradients_be_centered_by_its_offsets():
    layer = nn.Linear(2, 1, **DOUBLE)
    centering = Centering(layer, optim.SGD(layer.parameters()), offset_start=0.25)
    state = centering.state_dict()
    centering.start_from(torch.full((1, 2), 3.0, **DOUBLE))
    layer(torch.ones(1, 2, **DOUBLE)).sum().backward()
    centering.center_gradients_()
    assert layer.weight.grad.tolist() == [[-2.0, -2.0]]
    centering.load_state_dict(state)
    centering.center_gradients_()
    assert layer.weight.grad.tolist() == [[0.75, 0.75]]


def test_without_its_hooks_a_model_learns_as_ever():
    model, plain = network(), network()
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    centering = Centering(model, optimizer, offset_start=1.0)
    centering.detach()
    centering.detach()
    assert not model[0]._forward_hooks
    learn(model, optimizer)
    learn(plain, optim.SGD(plain.parameters(), lr=0.1))
    assert_same(model, plain, atol=0)
    assert (centering.offsets["0"][0] == 1).all()


def test_a_centering_that_nobody_keeps_works_until_it_is_found_and_detached():
    kept, dropped = network(), network()
    optimizers = [optim.SGD(model.parameters(), lr=0.1) for model in (kept, dropped)]
    centering = Centering(kept, optimizers[0])
    Centering(dropped, optimizers[1])
    gc.collect()
    for model, optimizer in zip((kept, dropped), optimizers, strict=True):
        learn(model, optimizer)
    assert_same(kept, dropped, atol=0)
    assert Centering.attached_to(kept) == [centering]
    with pytest.raises(ValueError, match=r"detach\(\) first; Centering\.attached_to\(model\) finds it"):
        Centering(dropped, optimizers[1])
    (found,) = Centering.attached_to(dropped)
    found.detach()
    assert Centering.attached_to(dropped) == []
    Centering(dropped, optimizers[1])


def test_two_for_different_layers_of_one_optimizer_learn_as_one():
    together, apart = network(), network()
    optimizers = [optim.Adam(model.parameters(), lr=0.01) for model in (together, apart)]
    Centering(together, optimizers[0])
    for layer in ("0", "2"):
        Centering(apart, optimizers[1], layers=layer)
    for model, optimizer in zip((together, apart), optimizers, strict=True):
        learn(model, optimizer)
    assert_same(together, apart, atol=0)


def test_the_optimizer_of_another_model_is_refused():
    with pytest.raises(
        ValueError,
        match=r"hold parameters of the model\. Got one with 4 others and none of the 4 of",
    ):
        Centering(network(), optim.SGD(network().parameters(), lr=0.1))


def test_in_several_processes_a_pass_puts_gradients_back_and_copies_are_plain(monkeypatch):
    monkeypatch.setattr("hebbian_descent.nn.centering.in_several_processes", lambda: True)
    model = network()
    centering = Centering(model, optim.SGD(model.parameters(), lr=0.1), offset_start=0.5, synchronise=False)
    x, t = next(iter(batches()))
    LOSS(model(x), t).backward()
    plain = [p.grad.clone() for p in model.parameters()]
    centering.center_gradients_()
    assert not torch.allclose(model[0].weight.grad, plain[0])
    for copied in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        torch.testing.assert_close(copied(x), model.eval()(x))
        assert Centering.attached_to(copied) == []
    assert not torch.allclose(model[0].weight.grad, plain[0])  # passes in evaluation leave them alone
    model.train()(x)
    torch.testing.assert_close([p.grad for p in model.parameters()], plain)
