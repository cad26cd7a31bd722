"""The matching loss on tensors: the core's value, the gradient h − t, reductions, weights, class indices."""

from functools import partial

import numpy as np
import pytest
from nn_cases import AWAY_FROM_KINKS, every_activation, targets_inside, tensor, torch
from torch.nn import functional as F

from hebbian_descent import get_activation
from hebbian_descent import matching_loss as core_matching_loss
from hebbian_descent.network.domain import Interval
from hebbian_descent.nn import LeakyHingeLoss, MatchingLoss, SmoothHuberLoss, TorchActivation
from hebbian_descent.nn.functional import leaky_hinge_loss, matching_loss, smooth_huber_loss


@every_activation
def test_equals_the_core(activation):
    t = targets_inside(activation, AWAY_FROM_KINKS.shape)
    found = matching_loss(tensor(AWAY_FROM_KINKS), tensor(t), activation, reduction="none")
    np.testing.assert_allclose(found, core_matching_loss(activation, t, AWAY_FROM_KINKS), rtol=0, atol=1e-10)


@every_activation
def test_equals_the_core_at_random_and_far_out(activation):
    rng = np.random.default_rng(1)
    a = rng.normal(size=(200, 5)) * rng.choice([0.01, 1.0, 20.0], size=(200, 1))
    t = targets_inside(activation, a.shape, seed=2)
    found = matching_loss(tensor(a), tensor(t), activation, reduction="none")
    np.testing.assert_allclose(found, core_matching_loss(activation, t, a), rtol=1e-12, atol=1e-10)


@every_activation
def test_gradient_is_the_output_less_the_target(activation):
    a = tensor(AWAY_FROM_KINKS, requires_grad=True)
    t = targets_inside(activation, AWAY_FROM_KINKS.shape)
    matching_loss(a, tensor(t), activation).backward()
    expected = (activation(AWAY_FROM_KINKS) - t) / len(t)
    np.testing.assert_allclose(a.grad, expected, rtol=0, atol=1e-14)


@every_activation
def test_numerical_derivatives_agree_away_from_kinks(activation):
    a = tensor(AWAY_FROM_KINKS, requires_grad=True)
    t = tensor(targets_inside(activation, AWAY_FROM_KINKS.shape))
    assert torch.autograd.gradcheck(lambda a: matching_loss(a, t, activation, reduction="none"), (a,))
    assert torch.autograd.gradgradcheck(lambda a: matching_loss(a, t, activation), (a,))


@every_activation
def test_zero_at_the_networks_own_output(activation):
    a = tensor(AWAY_FROM_KINKS)
    h = tensor(activation(AWAY_FROM_KINKS))
    assert matching_loss(a, h, activation).item() == pytest.approx(0, abs=1e-9)


@every_activation
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_computed_in_float32(activation, dtype):
    a = torch.tensor(AWAY_FROM_KINKS, dtype=dtype, requires_grad=True)
    t = torch.tensor(targets_inside(activation, AWAY_FROM_KINKS.shape), dtype=dtype)
    loss = matching_loss(a, t, activation)
    loss.backward()
    single = a.detach().float().requires_grad_()
    expected = matching_loss(single, t.float(), activation, check_targets=False)
    if activation.elementwise:  # the rounded rows of a simplex sum to one only in the precision they came in
        torch.testing.assert_close(loss, expected)
        expected.backward()
        torch.testing.assert_close(a.grad, single.grad.to(dtype), rtol=0, atol=0)
    assert loss.dtype == torch.float32
    assert loss.isfinite()
    assert a.grad.dtype == dtype


def test_large_numbers_do_not_cancel():
    a, t = torch.tensor([1e4]), torch.tensor([9999.0])
    for name in ("linear", "rectifier", "explin", "leaky_rectifier", "inverse_sqrt_linear", "softplus"):
        assert matching_loss(a, t, name).item() == pytest.approx(0.5, rel=1e-3), name


def test_softmax_is_pytorchs_cross_entropy_with_class_indices():
    a, classes = tensor(AWAY_FROM_KINKS, requires_grad=True), torch.tensor([4, 0, 2])
    vectors = F.one_hot(classes, 5).double()
    by_index, by_vector = matching_loss(a, classes, "softmax"), matching_loss(a, vectors, "softmax")
    torch.testing.assert_close(by_index, F.cross_entropy(a, classes))
    torch.testing.assert_close(by_vector, by_index)
    (gradient,) = torch.autograd.grad(by_index, a)
    torch.testing.assert_close(gradient, (a.softmax(dim=-1) - vectors) / 3)


def test_class_indices_that_are_ignored_do_not_count():
    a, classes = tensor(AWAY_FROM_KINKS), torch.tensor([4, -1, 2])
    loss = MatchingLoss("softmax", ignore_index=-1)
    torch.testing.assert_close(loss(a, classes), loss(a[[0, 2]], classes[[0, 2]]))
    each = MatchingLoss("softmax", ignore_index=-1, reduction="none")(a, classes)
    assert each.shape == (3,)
    assert each[1] == 0


def test_class_indices_have_the_leading_axes_of_the_preactivation():
    a = tensor(np.random.default_rng(0).normal(size=(2, 3, 4)))
    classes = torch.tensor([[0, 1, 2], [3, 0, 1]])
    each = matching_loss(a, classes, "softmax", reduction="none")
    assert each.shape == (2, 3)
    torch.testing.assert_close(each.mean(), matching_loss(a, classes, "softmax"))
    torch.testing.assert_close(each[1, 0], F.cross_entropy(a[1, 0], classes[1, 0]))
    torch.testing.assert_close(matching_loss(a[0, 0], classes[0, 0], "softmax"), each[0, 0])


def test_masked_classes_are_no_trouble():
    a = tensor([[1.0, -np.inf, 2.0]], requires_grad=True)
    loss = matching_loss(a, tensor([[0.25, 0.0, 0.75]]), "softmax")
    loss.backward()
    assert loss.isfinite()
    assert a.grad.isfinite().all()


def test_weights_of_classes_work_alike_for_indices_and_vectors():
    a, classes, weight = tensor(AWAY_FROM_KINKS), torch.tensor([4, 0, 2]), tensor([1.0, 2.0, 0.5, 3.0, 4.0])
    vectors = F.one_hot(classes, 5).double()
    for reduction in ("mean", "sum", "none"):
        loss = MatchingLoss("softmax", weight=weight, reduction=reduction)
        torch.testing.assert_close(loss(a, classes), F.cross_entropy(a, classes, weight, reduction=reduction))
        torch.testing.assert_close(loss(a, vectors), loss(a, classes))


def test_weights_of_units_scale_their_errors():
    a, weight = tensor(AWAY_FROM_KINKS, requires_grad=True), tensor([1.0, 2.0, 0.0, 3.0, 4.0])
    t = tensor(targets_inside(get_activation("sigmoid"), AWAY_FROM_KINKS.shape))
    matching_loss(a, t, "sigmoid", weight=weight, reduction="sum").backward()
    torch.testing.assert_close(a.grad, weight * (a.detach().sigmoid() - t))
    elements = weight.expand(3, 5).clone()
    elements[1] = 0
    each = matching_loss(a, t, "sigmoid", weight=elements, reduction="none")
    assert each[1] == 0
    torch.testing.assert_close(each[0], matching_loss(a, t, "sigmoid", weight=weight, reduction="none")[0])


def test_the_mean_is_over_patterns_so_that_sgd_is_the_rule():
    a, t = tensor(AWAY_FROM_KINKS), torch.zeros(3, 5, dtype=torch.float64)
    each = matching_loss(a, t, "linear", reduction="none")
    torch.testing.assert_close(each, (a**2).sum(dim=-1) / 2)
    torch.testing.assert_close(matching_loss(a, t, "linear"), each.mean())
    torch.testing.assert_close(matching_loss(a, t, "linear", reduction="sum"), each.sum())


def test_unreachable_targets_have_an_infinite_loss_and_the_same_gradient_if_asked_for():
    a, t = tensor([[0.5, -1.0]], requires_grad=True), tensor([[1.5, 0.5]])
    loss = MatchingLoss("sigmoid", check_targets=False)(a, t)
    loss.backward()
    assert loss.item() == np.inf
    torch.testing.assert_close(a.grad, a.detach().sigmoid() - t)


def test_an_activation_of_ones_own_from_its_antiderivative_and_conjugate():
    cube_root = TorchActivation(
        "cube_root",
        value=lambda a: a.sign() * a.abs() ** (1 / 3),
        antiderivative=lambda a: 0.75 * a.abs() ** (4 / 3),
        conjugate=lambda t: t**4 / 4,
    )
    a, t = tensor([[2.0, -1.0]], requires_grad=True), tensor([[0.5, -1.0]])
    loss = MatchingLoss(cube_root, reduction="sum")(a, t)
    assert loss.item() == pytest.approx(0.75 * 2 ** (4 / 3) - 1.0 + 0.5**4 / 4)
    loss.backward()
    torch.testing.assert_close(a.grad, cube_root(a.detach()) - t)


def test_an_activation_of_ones_own_that_couples_the_units():
    softened = TorchActivation(
        "softmax_of_half",
        value=lambda a: torch.softmax(a / 2, dim=-1),
        antiderivative=lambda a: 2 * torch.logsumexp(a / 2, dim=-1, keepdim=True),
        conjugate=lambda t: 2 * torch.xlogy(t, t).sum(dim=-1, keepdim=True),
        domain=get_activation("softmax").domain,
        elementwise=False,
    )
    a = tensor(AWAY_FROM_KINKS, requires_grad=True)
    t = tensor(targets_inside(get_activation("softmax"), AWAY_FROM_KINKS.shape))
    assert torch.autograd.gradcheck(lambda a: matching_loss(a, t, softened), (a,))
    assert matching_loss(a, softened(a).detach(), softened).item() == pytest.approx(0, abs=1e-12)
    with pytest.raises(TypeError, match=r"must be vectors.*one_hot"):  # the cross entropy is not its loss
        matching_loss(a, torch.tensor([0, 1, 2]), softened)


def test_a_domain_of_ones_own_is_checked():
    capped = TorchActivation(
        "capped", torch.tanh, antiderivative=torch.cosh, conjugate=torch.abs, domain=Interval(-0.5, 0.5)
    )
    with pytest.raises(ValueError, match=r"'capped' must lie in \[-0\.5, 0\.5\]\. Got 0\.7"):
        matching_loss(tensor([[0.0]]), tensor([[0.7]]), capped)


def test_the_module_says_what_it_is():
    assert repr(MatchingLoss("leaky_rectifier", slope=0.5, reduction="sum")) == (
        "MatchingLoss(leaky_rectifier(slope=0.5), reduction='sum')"
    )


def test_units_on_another_axis():
    a = tensor(
        np.random.default_rng(0).normal(size=(4, 4, 4, 4))
    )  # equal sizes, so that no shape gives it away
    classes = torch.randint(0, 4, (4, 4, 4))
    torch.testing.assert_close(matching_loss(a, classes, "softmax", dim=1), F.cross_entropy(a, classes))
    last, weight = a.movedim(1, -1), tensor([1.0, 2.0, 0.5, 3.0])
    for name in ("softmax", "sigmoid", "rectifier"):
        t = tensor(targets_inside(get_activation(name), a.shape))
        for reduction in ("mean", "sum", "none"):
            settings = {"weight": weight, "reduction": reduction}
            found = MatchingLoss(name, dim=1, **settings)(a, t.movedim(-1, 1))
            torch.testing.assert_close(found, matching_loss(last, t, name, **settings))
    each = torch.rand(4, 4, 4, 4, dtype=torch.float64)
    for function in (partial(matching_loss, activation="linear"), smooth_huber_loss, leaky_hinge_loss):
        found = function(a, a.sign(), dim=-3, weight=each)
        torch.testing.assert_close(found, function(last, last.sign(), weight=each.movedim(1, -1)))


@pytest.mark.parametrize(
    "function", [partial(matching_loss, activation="linear"), smooth_huber_loss, leaky_hinge_loss]
)
def test_without_an_axis_of_units_every_element_is_a_pattern(function):
    a = tensor(AWAY_FROM_KINKS)
    t = a.flip(0).sign()
    each = function(a, t, dim=None, reduction="none")
    assert each.shape == a.shape
    torch.testing.assert_close(each.sum(dim=-1), function(a, t, reduction="none"))
    torch.testing.assert_close(function(a[0], t[0], dim=None), each[0].mean())
    torch.testing.assert_close(function(a[0], t[0]), each[0].sum())  # one pattern of five units
    torch.testing.assert_close(function(a, t, dim=None, weight=a.abs(), reduction="none"), a.abs() * each)


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 1.0])
@pytest.mark.parametrize("weight", [None, tensor([1.0, 2.0, 0.5, 3.0, 0.0])], ids=["alike", "weighted"])
def test_label_smoothing_and_weights_are_pytorchs(smoothing, weight):
    a = tensor(AWAY_FROM_KINKS, requires_grad=True)
    classes = torch.tensor([3, -100, 2])
    settings = {"weight": weight, "label_smoothing": smoothing}
    for targets in (classes, tensor(targets_inside(get_activation("softmax"), a.shape))):
        found = MatchingLoss("softmax", reduction="sum", **settings)(a, targets)
        theirs = F.cross_entropy(a, targets, reduction="sum", **settings)
        gradients = [torch.autograd.grad(loss, a)[0] for loss in (found, theirs)]
        torch.testing.assert_close(*gradients)
        assert 0 <= found.item() <= theirs.item() + 1e-12
    ours = MatchingLoss("softmax", **settings)(a, classes)
    theirs = F.cross_entropy(a, classes, **settings)
    torch.testing.assert_close(torch.autograd.grad(ours, a), torch.autograd.grad(theirs, a))
    rows = [0, 2]
    vectors = F.one_hot(classes[rows], 5).double()
    torch.testing.assert_close(MatchingLoss("softmax", **settings)(a[rows], vectors), ours)


def test_a_smoothed_loss_is_zero_where_the_output_is_the_smoothed_target():
    smoothed = 0.8 * F.one_hot(torch.tensor([1, 4]), 5).double() + 0.2 / 5
    loss = MatchingLoss("softmax", label_smoothing=0.2)
    assert loss(smoothed.log(), torch.tensor([1, 4])).item() == pytest.approx(0, abs=1e-12)
    binary = MatchingLoss("sigmoid", label_smoothing=0.2)
    assert binary(tensor([[0.9, 0.1]]).logit(), tensor([[1.0, 0.0]])).item() == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("pos_weight", [tensor(3.0), tensor([1.0, 2.0, 0.5, 3.0, 0.0])], ids=["one", "each"])
@pytest.mark.parametrize("hard", [True, False])
def test_weights_of_positive_targets_are_pytorchs(pos_weight, hard):
    a = tensor(AWAY_FROM_KINKS, requires_grad=True)
    t = tensor(targets_inside(get_activation("sigmoid"), a.shape))
    t = t.round() if hard else t
    found = MatchingLoss("sigmoid", pos_weight=pos_weight, reduction="sum")(a, t)
    theirs = F.binary_cross_entropy_with_logits(a, t, pos_weight=pos_weight, reduction="sum")
    torch.testing.assert_close(torch.autograd.grad(found, a), torch.autograd.grad(theirs, a))
    if hard:
        torch.testing.assert_close(found, theirs)
    assert found <= theirs


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_targets_off_by_rounding_are_those_meant(dtype):
    off = 2 * torch.finfo(torch.float32).eps
    a, t = torch.tensor([[0.5, -2.0]], dtype=dtype), torch.tensor([[1.0, 0.0]], dtype=dtype)
    shifted = t + off * (2 * t - 1)
    for name in ("sigmoid", "step", "tanh", "rectifier"):
        torch.testing.assert_close(
            matching_loss(a, shifted, name), matching_loss(a, t, name), rtol=1e-5, atol=1e-6
        )
    torch.testing.assert_close(
        matching_loss(a, shifted, "softmax"), matching_loss(a, t, "softmax"), rtol=1e-5, atol=0
    )
    torch.testing.assert_close(
        leaky_hinge_loss(a, 2 * shifted - 1), leaky_hinge_loss(a, 2 * t - 1), rtol=0, atol=0
    )
    with pytest.raises(ValueError, match=r"must lie in \[0, 1\]"):
        matching_loss(a, shifted + 1e-5, "sigmoid")


def test_targets_need_not_be_checked():
    a, t = torch.zeros(2, 3), torch.full((2, 3), 0.5)
    assert leaky_hinge_loss(a, t, check_targets=False).isfinite()
    assert LeakyHingeLoss(check_targets=False)(a, t).isfinite()
    t[0, 0] = torch.nan
    assert SmoothHuberLoss(check_targets=False, reduction="none")(a, t).isfinite().tolist() == [False, True]


def test_what_has_no_weight_does_not_count_even_where_its_loss_is_infinite():
    a, t = tensor([[1.0, -2.0]], requires_grad=True), tensor([[0.5, 7.0]])  # no sigmoid unit reaches 7
    loss = MatchingLoss("sigmoid", weight=tensor([1.0, 0.0]), check_targets=False)(a, t)
    torch.testing.assert_close(loss, MatchingLoss("sigmoid")(a[:, :1], t[:, :1]))
    assert torch.autograd.grad(loss, a)[0].isfinite().all()
