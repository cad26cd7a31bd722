"""Everything works in compiled graphs, exported programs, mapped functions and mixed precision."""

import copy
import shutil

import pytest
from nn_cases import EVERY, every_activation, targets_inside, tensor, torch
from torch import nn

from hebbian_descent.nn import (
    CenteredLinear,
    HebbianLayer,
    MatchingLoss,
    SmoothHuberLoss,
    TiedAutoencoder,
    functional,
    hebbian,
    update_offsets_,
)

pytestmark = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning:torch"
)  # PyTorch's own, while it compiles
DOUBLE = {"dtype": torch.float64}


@pytest.fixture(autouse=True)
def _fresh_compiler():
    torch.compiler.reset()


def small_model(activation="sigmoid"):
    torch.manual_seed(0)
    return nn.Sequential(
        HebbianLayer(6, 5, "explin", offset=0.2, shift=0.1, **DOUBLE),
        CenteredLinear(5, 4, shift=0.1, **DOUBLE),
        hebbian(activation),
    )


def squared(h, t):
    return ((h - t) ** 2).sum(dim=-1).mean() / 2


def train_two_steps(model, run, loss):
    torch.manual_seed(1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(2):
        for _ in range(2):  # two batches a step
            x, t = torch.rand(3, 6, **DOUBLE), torch.rand(3, 4, **DOUBLE)
            loss(run(x), t).backward()
        optimizer.step()
        optimizer.zero_grad()
        update_offsets_(model)
    return model.state_dict()


def test_a_compiled_model_trains_as_the_plain_one():
    model = small_model()
    compiled = copy.deepcopy(model)
    expected = train_two_steps(model, model, squared)
    found = train_two_steps(compiled, torch.compile(compiled, backend="aot_eager", fullgraph=True), squared)
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-12)
    assert (found["1.offset"] != 0).all()


@pytest.mark.skipif(
    shutil.which("g++") is None, reason="torch.compile generates C++, and there is no compiler"
)
def test_generated_code_computes_the_same():
    model, loss = small_model()[:2], MatchingLoss("sigmoid")
    x, t = torch.rand(3, 6, **DOUBLE), torch.rand(3, 4, **DOUBLE)
    parameters = list(model.parameters())
    expected = torch.autograd.grad(loss(model(x), t), parameters)
    whole = torch.compile(lambda x, t: loss(model(x), t), backend="inductor", fullgraph=True)
    torch.testing.assert_close(torch.autograd.grad(whole(x, t), parameters), expected, rtol=0, atol=1e-12)


@every_activation
def test_every_loss_and_activation_compiles_into_one_graph(activation):
    a = torch.randn(3, 5, requires_grad=True, **DOUBLE)
    t = tensor(targets_inside(activation, (3, 5)))

    def both(a):
        return functional.matching_loss(a, t, activation) + squared(functional.hebbian(a, activation), t)

    compiled = torch.compile(both, backend="aot_eager", fullgraph=True)
    torch.testing.assert_close(compiled(a), both(a))
    torch.testing.assert_close(torch.autograd.grad(compiled(a), a), torch.autograd.grad(both(a), a))


def test_compiled_losses_do_not_ask_but_are_infinite_for_unreachable_targets():
    a, t = torch.zeros(1, 2, requires_grad=True), torch.tensor([[0.5, 1.5]])
    loss = torch.compile(MatchingLoss("sigmoid"), backend="aot_eager", fullgraph=True)(a, t)
    assert loss.item() == float("inf")
    (gradient,) = torch.autograd.grad(loss, a)
    torch.testing.assert_close(gradient, torch.tensor([[0.0, -1.0]]))


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("training", [True, False])
def test_exported_programs_compute_the_same(strict, training):
    model = nn.Sequential(small_model(), TiedAutoencoder([4, 3], **DOUBLE)).train(training)
    x = torch.rand(3, 6, **DOUBLE)
    rows = torch.export.Dim("rows", min=2)
    program = torch.export.export(model, (x,), dynamic_shapes=({0: rows},), strict=strict)
    more = torch.rand(7, 6, **DOUBLE)
    torch.testing.assert_close(program.module()(more), model(more))


@every_activation
def test_every_loss_can_be_exported(activation):
    a, t = torch.randn(3, 5, **DOUBLE), tensor(targets_inside(activation, (3, 5)))
    loss = MatchingLoss(activation)
    torch.testing.assert_close(torch.export.export(loss, (a, t)).module()(a, t), loss(a, t))


@every_activation
def test_gradients_of_single_patterns_by_vmap(activation):
    model = small_model(activation)
    loss = MatchingLoss(activation)
    parameters = dict(model.named_parameters())
    x, t = torch.rand(3, 6, **DOUBLE), tensor(targets_inside(activation, (3, 4)))

    def of_one(parameters, x, t):
        h = torch.func.functional_call(model, parameters, (x[None],))
        a = torch.func.functional_call(model[:2], dict(list(parameters.items())), (x[None],))
        return squared(h, t[None]) + loss(a, t[None])

    each = torch.func.vmap(torch.func.grad(of_one), in_dims=(None, 0, 0))(parameters, x, t)
    for i in range(3):
        value = squared(model(x[i : i + 1]), t[i : i + 1]) + loss(model[:2](x[i : i + 1]), t[i : i + 1])
        expected = torch.autograd.grad(value, list(parameters.values()))
        torch.testing.assert_close([g[i] for g in each.values()], list(expected))


def test_passes_within_torch_func_are_no_training():
    model = CenteredLinear(6, 4, shift=0.5)
    parameters, x = dict(model.named_parameters()), torch.rand(3, 6)

    def run(parameters, x):
        return torch.func.functional_call(model, parameters, (x,)).sum()

    many = {name: torch.stack([value, value]) for name, value in parameters.items()}
    for pass_within in (
        lambda: torch.func.vmap(lambda x: model(x))(x),
        lambda: torch.func.grad(run)(parameters, x),
        lambda: torch.func.vmap(run, in_dims=(0, None))(many, x),  # only the weights are mapped
        lambda: torch.func.jacfwd(run)(parameters, x),
    ):
        pass_within()
        update_offsets_(model)
        assert (model.offset == 0).all()


def test_bad_targets_are_found_under_vmap():
    a, t = torch.zeros(3, 2), torch.tensor([[0.5, 0.5], [0.5, 1.5], [0.5, 0.5]])
    with pytest.raises(ValueError, match=r"must lie in \[0, 1\]\. Got 1\.5"):
        torch.func.vmap(MatchingLoss("sigmoid"))(a, t)
    with pytest.raises(ValueError, match=r"must lie in the simplex.*sums to 2"):
        torch.func.vmap(torch.func.grad(MatchingLoss("softmax")), in_dims=(0, 0))(a, t)
    with pytest.raises(ValueError, match=r"must be -1 or 1\. Got 0\.5"):
        torch.func.vmap(functional.leaky_hinge_loss, in_dims=(0, None))(a, t[0])


def test_class_indices_and_hessians_work_with_torch_func():
    a, classes = torch.randn(3, 5, **DOUBLE), torch.tensor([0, 4, 2])
    loss = MatchingLoss("softmax", reduction="sum")
    each = torch.func.vmap(torch.func.grad(loss))(a, classes)
    torch.testing.assert_close(each, a.softmax(-1) - nn.functional.one_hot(classes, 5))
    h = a[0].softmax(-1)
    vector = torch.tensor([0.2, 0.2, 0.2, 0.2, 0.2], **DOUBLE)
    hessian = torch.func.jacrev(torch.func.grad(loss))(a[0], vector)
    torch.testing.assert_close(hessian, torch.diag(h) - torch.outer(h, h))


@pytest.mark.parametrize("activation", EVERY, ids=str)
def test_autocast_computes_products_in_bfloat16_and_losses_in_float32(activation):
    torch.manual_seed(0)
    model = nn.Sequential(
        HebbianLayer(6, 5, "sigmoid", offset=0.5, shift=0.1), CenteredLinear(5, 4, shift=0.1)
    )
    top = hebbian(activation)
    x, t = torch.rand(8, 6), torch.tensor(targets_inside(activation, (8, 4)), dtype=torch.float32)

    def losses():
        a = model(x)
        return a, MatchingLoss(activation)(a, t), SmoothHuberLoss()(top(a), t)

    _, *expected = losses()
    parameters = list(model.parameters())
    exact = torch.autograd.grad(sum(expected), parameters)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        a, *found = losses()
    assert a.dtype == torch.bfloat16
    assert all(loss.dtype == torch.float32 for loss in found)
    rounded = torch.autograd.grad(sum(found), parameters)
    if activation.name not in ("step", "approximate_step"):  # a jump may fall to the other side by rounding
        for g, e in zip(rounded, exact, strict=True):
            assert g.dtype == torch.float32
            assert (g - e).abs().max() <= 0.05 * max(1.0, e.abs().max().item())
    update_offsets_(model)
    assert model[0].offset.dtype == torch.float32
    torch.testing.assert_close(model[0].offset, 0.45 + 0.1 * x.mean(dim=0))


def test_models_in_half_precision():
    model = nn.Sequential(CenteredLinear(6, 4, shift=0.1), hebbian("sigmoid")).to(torch.bfloat16)
    x, t = torch.rand(300, 6).bfloat16(), torch.rand(300, 4).bfloat16()
    SmoothHuberLoss()(model(x), t).backward()
    assert model[0].weight.grad.dtype == torch.bfloat16
    update_offsets_(model)
    assert model[0].offset.dtype == torch.bfloat16
    torch.testing.assert_close(model[0].offset, (0.1 * x.mean(dim=0)), rtol=0.02, atol=1e-3)
