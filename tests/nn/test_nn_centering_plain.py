"""The model stays plain: whatever handles its parameters alone is right, with Centering attached or not."""

import copy
import io
import pickle
import warnings

import pytest
from nn_cases import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel

from hebbian_descent.nn import Centering

DOUBLE = {"dtype": torch.float64}
X = 1 + torch.rand(8, 6, generator=torch.Generator().manual_seed(0), **DOUBLE)


def network(**settings):
    torch.manual_seed(0)
    return nn.Sequential(
        nn.Linear(6, 5, **(DOUBLE | settings)), nn.Sigmoid(), nn.Linear(5, 3, **(DOUBLE | settings))
    )


def learning(model, make=torch.optim.SGD, run=None, step=None, **settings):
    """Center a model and return a function that takes one step with it."""
    optimizer = make(model.parameters(), **({"lr": 0.1} | settings))
    centering = Centering(model, optimizer, shift=0.1)
    run, step = run or model, step or optimizer.step

    def take_step(x=X):
        optimizer.zero_grad()
        run(x.to(next(model.parameters()).dtype)).square().mean().backward()
        step()

    take_step.centering, take_step.optimizer = centering, optimizer
    return take_step


def test_the_state_is_that_of_the_plain_model():
    model = network()
    learning(model)()
    assert list(model.state_dict()) == list(network().state_dict())
    assert [type(module) for module in model] == [nn.Linear, nn.Sigmoid, nn.Linear]
    other = network()
    assert not any(other.load_state_dict(model.state_dict(), strict=True))
    torch.testing.assert_close(other(X), model(X), rtol=0, atol=0)


def test_offsets_that_move_change_nothing_without_learning():
    model = network()
    before, step = model(X), learning(model, lr=0.0)
    for i in range(50):
        step(X + i)
    assert (step.centering.offsets["0"][0] > 10).all()
    torch.testing.assert_close(model(X), before, rtol=0, atol=0)


@pytest.mark.parametrize("tau", [1.0, 0.1])
def test_target_networks_made_of_parameters_follow(tau):
    model = network()
    target = copy.deepcopy(model)
    step = learning(model, lr=0.0)
    for _ in range(50):
        step()
        with torch.no_grad():
            for old, new in zip(target.parameters(), model.parameters(), strict=True):
                old.lerp_(new, tau)
    torch.testing.assert_close(target(X), model(X), rtol=0, atol=1e-14)


def test_averaged_models_are_copies_that_note_nothing():
    model = network()
    step = learning(model, lr=0.0)
    step()
    averaged = AveragedModel(model)  # a deep copy, hooks and all
    for _ in range(20):
        step()
        averaged.update_parameters(model)
    torch.testing.assert_close(averaged(X), model(X), rtol=0, atol=1e-14)
    before = step.centering.offsets["0"][0]
    averaged(X + 100)
    step.optimizer.step()
    assert (step.centering.offsets["0"][0] <= before).all()


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
def test_copies_hold_nothing_of_the_training(copied):
    model = network()
    step = learning(model)
    step()
    again = copied(model)
    torch.testing.assert_close(again(X), model(X), rtol=0, atol=0)
    assert b"Coordinates" not in pickle.dumps(again)
    assert learning(again).centering.offsets.keys() == {"0", "2"}  # and can be centered by themselves


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps])
def test_centering_itself_is_not_copied(copied):
    model = network()
    step = learning(model)
    with pytest.raises(TypeError, match=r"with its model and optimizer.*make a new Centering for the copies"):
        copied((model, step.optimizer, step.centering)[2 if copied is copy.copy else slice(None)])


def test_quantised_models():
    model = network().float()
    step = learning(model)
    for _ in range(3):
        step()
    x = X.float()
    expected = model(x)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch's own, that this place for it grows old
        quantised = torch.ao.quantization.quantize_dynamic(copy.deepcopy(model).eval(), {nn.Linear})
        in_place = torch.ao.quantization.quantize_dynamic(model.eval(), {nn.Linear}, inplace=True)
    torch.testing.assert_close(in_place(x), quantised(x))
    torch.testing.assert_close(quantised(x), expected, rtol=0, atol=0.02)


@pytest.mark.parametrize("strict", [True, False])
def test_exported_programs_compute_the_same(strict):
    model = network()
    step = learning(model)
    step()
    program = torch.export.export(model, (X,), strict=strict)
    torch.testing.assert_close(program.module()(X), model(X))
    step()
    assert step.centering.offsets["0"][0].isfinite().all()


def test_traced_models_compute_the_same():
    model = network()
    step = learning(model)
    step()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        traced = torch.jit.trace(model, X)
        saved = io.BytesIO()
        torch.jit.save(traced, saved)
        saved.seek(0)
        torch.testing.assert_close(torch.jit.load(saved)(X), model(X))


def test_half_precision_keeps_offsets_in_float32():
    model, exact = network().bfloat16(), network().float()
    step, exact_step = learning(model), learning(exact)
    for i in range(30):
        step(X + 10 + i % 2)
        exact_step((X + 10 + i % 2).bfloat16())
    for (mu,), (expected,) in zip(
        step.centering.offsets.values(), exact_step.centering.offsets.values(), strict=True
    ):
        assert mu.dtype == torch.float32
        torch.testing.assert_close(mu, expected, rtol=0.02, atol=0.02)
    torch.testing.assert_close(step.centering.offsets["0"], exact_step.centering.offsets["0"])
    torch.testing.assert_close(model(X.bfloat16()).float(), exact(X.float()), rtol=0.1, atol=0.05)


def test_autocast_during_the_pass_and_the_step():
    model, exact = network().float(), network().float()
    step, exact_step = learning(model), learning(exact)
    for _ in range(5):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            step()
        exact_step()
    assert step.centering.offsets["0"][0].dtype == torch.float32
    for a, b in zip(model.parameters(), exact.parameters(), strict=True):
        torch.testing.assert_close(a, b, rtol=0.02, atol=0.005)


def test_a_model_moved_after_it_was_centered():
    model = network().float()
    step = learning(model)
    step()
    model.double()
    step()
    assert all(p.dtype == torch.float64 and p.isfinite().all() for p in model.parameters())


def test_models_on_another_device_stay_there():
    model = nn.Sequential(nn.Linear(6, 5, device="meta"), nn.MultiheadAttention(5, 1, device="meta"))
    optimizer = torch.optim.SGD(model.parameters())
    centering = Centering(model, optimizer)
    h = model[0](torch.rand(3, 6, device="meta"))
    model[1](h, h, h)[0].sum().backward()
    centering.center_gradients_()
    optimizer.step()
    assert all(mu.is_meta for offsets in centering.offsets.values() for mu in offsets)


COMPILED = pytest.mark.filterwarnings("ignore::DeprecationWarning:torch")


@COMPILED
def test_a_compiled_model_and_a_compiled_step():
    torch.compiler.reset()
    plain, compiled = network(), network()
    expected = learning(plain, momentum=0.9)
    optimizer = torch.optim.SGD(compiled.parameters(), lr=0.1, momentum=0.9)
    whole = torch.compile(compiled, backend="aot_eager", fullgraph=True)
    centering = Centering(whole, optimizer, shift=0.1)
    step = torch.compile(optimizer.step, backend="aot_eager")
    for i in range(4):
        expected(X + i)
        optimizer.zero_grad()
        whole(X + i).square().mean().backward()
        step()
    torch.testing.assert_close(dict(compiled.state_dict()), dict(plain.state_dict()), rtol=0, atol=1e-12)
    torch.testing.assert_close(centering.offsets, expected.centering.offsets, rtol=0, atol=1e-12)


@COMPILED
def test_a_model_that_ran_compiled_before_is_reported():
    torch.compiler.reset()
    model = network()
    compiled = torch.compile(model, backend="eager")
    compiled(X)  # the graph is kept, and knows nothing of hooks that come later
    step = learning(model, run=compiled)
    with pytest.warns(UserWarning, match="was it compiled before Centering was made"):
        step()
