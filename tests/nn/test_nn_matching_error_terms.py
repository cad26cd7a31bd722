"""Matching losses with other error terms: L(t, a) = ∫ E(t, φ(s)) ds, whose gradient in a is E(t, h)."""

import copy
import pickle
from itertools import pairwise

import numpy as np
import pytest
from nn_cases import AWAY_FROM_KINKS, EVERY, targets_inside, tensor, torch
from scipy.integrate import quad
from torch.nn import functional as F

from hebbian_descent import get_activation, get_error_term
from hebbian_descent.nn import MatchingLoss, TorchActivation, TorchErrorTerm
from hebbian_descent.nn.error_terms import PARTS
from hebbian_descent.nn.functional import leaky_hinge_loss, matching_loss, smooth_huber_loss
from hebbian_descent.nn.quadrature import LARGE
from hebbian_descent.rules.error_terms import ERROR_TERMS, ErrorTerm
from hebbian_descent.theory.loss_table import sigmoid_hinge_row

ELEMENTWISE = [activation for activation in EVERY if activation.elementwise]
every_unit = pytest.mark.parametrize("activation", ELEMENTWISE, ids=str)
SATURATING = [{}, {"saturation": 0.5, "steepness": 4.0}]
A = np.array([-40.0, -6.0, -1.1, 0.0, 0.07, 2.2, 30.0])


def elements(loss, t, a):
    """The loss of each element."""
    return loss(tensor(a), tensor(t)).numpy()


def integral(activation, error, t, start, end):
    """∫ E(t, φ(s)) ds by scipy, in parts that meet at the kink and where φ changes most."""

    def integrand(s):
        return float(error(np.array([t]), activation(np.array([s])))[0])

    points = sorted(
        {start, end, *(p for p in (-8.0, -2.0, 0.0, 2.0, 8.0) if min(start, end) < p < max(start, end))}
    )
    total = sum(quad(integrand, p, q, epsabs=1e-13)[0] for p, q in pairwise(points))
    return total if end >= start else -total


@every_unit
@pytest.mark.parametrize("parameters", SATURATING)
def test_saturating_losses_differ_by_the_integral_of_the_error(activation, parameters):
    error = get_error_term("saturating", **parameters)
    loss = MatchingLoss(activation, error=error, dim=None, reduction="none")
    for t in targets_inside(activation, (3,), seed=4):
        found = elements(loss, np.full(A.shape, t), A)
        parts = [integral(activation, error, t, p, q) for p, q in pairwise(A)]
        np.testing.assert_allclose(np.diff(found), parts, rtol=1e-10, atol=1e-8)


@every_unit
@pytest.mark.parametrize("steepness", [1.0, 20.0])
def test_saturating_losses_are_zero_at_the_target_and_nowhere_below(activation, steepness):
    error = get_error_term("saturating", steepness=steepness)
    loss = MatchingLoss(activation, error=error, dim=None, reduction="none")
    a = np.linspace(-6, 6, 41)
    assert np.abs(elements(loss, activation(a), a)).max() < 1e-9
    t = np.repeat(targets_inside(activation, (5, 1)), 41, axis=1)
    found = elements(loss, t, np.broadcast_to(a, t.shape).copy())
    assert (found >= 0).all()
    assert (np.diff(found, n=2, axis=1) >= -1e-9).all()  # convex in a


@every_unit
@pytest.mark.parametrize("error", [*ERROR_TERMS])
def test_the_gradient_is_the_error_term_of_the_core(activation, error):
    t = targets_inside(activation, AWAY_FROM_KINKS.shape)
    if error == "leaky_hinge":
        t = np.where(np.random.default_rng(0).random(t.shape) < 0.5, -1.0, 1.0)
    a = tensor(AWAY_FROM_KINKS, requires_grad=True)
    matching_loss(a, tensor(t), activation, error=error, reduction="sum").backward()
    expected = get_error_term(error)(t, activation(AWAY_FROM_KINKS))
    np.testing.assert_allclose(a.grad, expected, rtol=0, atol=1e-14)


@every_unit
def test_numerical_derivatives_agree_away_from_kinks(activation):
    a = tensor(AWAY_FROM_KINKS[2:, :3], requires_grad=True)
    t = tensor(targets_inside(activation, a.shape))
    assert torch.autograd.gradcheck(lambda a: matching_loss(a, t, activation, error="saturating"), (a,))
    assert torch.autograd.gradgradcheck(lambda a: matching_loss(a, t, activation, error="saturating"), (a,))


@pytest.mark.parametrize(
    ("name", "target", "limit"),
    [
        ("sigmoid", 0.0, -40),
        ("sigmoid", 1.0, 40),
        ("scaled_tanh", -1.0, -20),
        ("explin", -1.0, -40),
        ("softplus", 0.0, -40),
    ],
)
def test_targets_at_the_end_of_the_range_have_the_improper_integral(name, target, limit):
    activation, error = get_activation(name), get_error_term("saturating", steepness=2.0)
    loss = MatchingLoss(activation, error=error, dim=None)
    for a in (-3.0, 0.5, 3.0):
        found = elements(loss, [target], [a])
        assert found == pytest.approx(integral(activation, error, target, limit, a), abs=1e-8)


def test_the_integral_that_the_paper_misses_for_sigmoid_units_exists():
    sigmoid, error = get_activation("sigmoid"), get_error_term("saturating")
    a = np.array([-30.0, -2.0, 0.0, 0.4, 3.0, 30.0])
    for t in (0.1, 0.5, 0.93):
        start = float(np.log(t / (1 - t)))
        expected = [integral(sigmoid, error, t, start, end) for end in a]
        found = elements(
            MatchingLoss("sigmoid", error="saturating", dim=None, reduction="none"), np.full(6, t), a
        )
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8)


def test_closed_forms_of_linear_units_are_the_losses_of_outputs():
    a, t = tensor(AWAY_FROM_KINKS), tensor(targets_inside(get_activation("linear"), AWAY_FROM_KINKS.shape))
    torch.testing.assert_close(matching_loss(a, t, "linear", error="saturating"), smooth_huber_loss(a, t))
    hinge = matching_loss(a, t.sign(), "linear", error="leaky_hinge")
    torch.testing.assert_close(hinge, leaky_hinge_loss(a, t.sign()))


def test_quadrature_agrees_with_the_closed_form_of_linear_units():
    hidden = TorchActivation("hidden", value=lambda a: a, inverse=lambda u: u)
    a = tensor([[-1e4, -30.0, -0.1, 0.2, 7.0, 1e4]])
    for steepness in (0.1, 1.0, 100.0):
        error = get_error_term("saturating", steepness=steepness)
        found, expected = (
            matching_loss(a, torch.full_like(a, 0.3), phi, error=error, dim=None, reduction="none")
            for phi in (hidden, "linear")
        )
        torch.testing.assert_close(found, expected, rtol=1e-11, atol=1e-11)


def margin_by_bisection(activation, t):
    """Where t·φ(a) reaches 1, or 0 if it does not."""
    low, high = activation.output_range
    if not (low < t < high or (activation.name, t) == ("step", 1.0)):
        return 0.0
    far, near = 1e3 * t, -1e3 * t
    for _ in range(200):
        middle = (near + far) / 2
        near, far = (near, middle) if t * activation(np.array([middle]))[0] >= 1 else (middle, far)
    return far


@every_unit
@pytest.mark.parametrize("t", [-1.0, 1.0])
def test_hinge_losses_are_straight_lines_that_meet_at_the_margin(activation, t):
    error = get_error_term("leaky_hinge", leak=0.2)
    loss = MatchingLoss(activation, error=error, dim=None, reduction="none")
    a = np.array([-6.0, -1.1, 0.07, 2.2, 5.0])
    errors = error(np.full(5, t), activation(a))
    expected = errors * (a - margin_by_bisection(activation, t))
    np.testing.assert_allclose(elements(loss, np.full(5, t), a), expected, rtol=1e-12, atol=1e-10)


def test_hinge_of_sigmoid_units_is_that_of_the_papers_table():
    a, t = np.array([-3.0, 0.5, 4.0]), np.array([-1.0, 1.0, 1.0])
    row = sigmoid_hinge_row()
    expected = row.loss(t, row.activation(a), a)
    np.testing.assert_allclose(
        elements(MatchingLoss("sigmoid", error="leaky_hinge", dim=None, reduction="none"), t, a), expected
    )


@every_unit
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_losses_are_finite_far_out_and_float32_is_good_enough(activation, dtype):
    a = np.array([-1e4, -300.0, -30.0, -1.0, 0.0, 0.5, 30.0, 80.0, 300.0])
    t = np.repeat(targets_inside(activation, (4, 1)), len(a), axis=1)
    loss = MatchingLoss(activation, error="saturating", dim=None, reduction="none")
    rows = np.broadcast_to(a, t.shape)
    found = loss(torch.tensor(rows, dtype=dtype), torch.tensor(t, dtype=dtype))
    assert found.isfinite().all()
    torch.testing.assert_close(found.double(), loss(tensor(rows), tensor(t)), rtol=2e-5, atol=2e-5)


def test_many_elements_are_integrated_in_parts():
    a, t = torch.linspace(-9, 9, LARGE), torch.rand(LARGE)
    loss = MatchingLoss("sigmoid", error="saturating", dim=None, reduction="none")
    torch.testing.assert_close(loss(a, t)[:1000], loss(a[:1000], t[:1000]))


def test_an_error_term_of_ones_own():
    cubic = TorchErrorTerm(
        "cubic", value=lambda t, h: (h - t) ** 3, inverse=lambda t, e: t + e.sign() * e.abs() ** (1 / 3)
    )
    a, t = tensor([[-2.0, 0.3, 5.0]], requires_grad=True), tensor([[1.0, 0.2, 0.5]])
    loss = MatchingLoss("linear", error=cubic)(a, t)
    assert loss.item() == pytest.approx(((a - t) ** 4 / 4).sum().item(), abs=1e-8)
    loss.backward()
    torch.testing.assert_close(a.grad, (a.detach() - t) ** 3)


def test_unreachable_targets_have_an_infinite_loss_and_the_same_gradient_if_asked_for():
    a, t = tensor([[0.5, -1.0]], requires_grad=True), tensor([[1.5, 0.5]])
    loss = MatchingLoss("sigmoid", error="saturating", check_targets=False)(a, t)
    loss.backward()
    assert loss.item() == np.inf
    torch.testing.assert_close(a.grad, torch.tanh(a.detach().sigmoid() - t))
    with pytest.raises(ValueError, match=r"of 'sigmoid' must be -1 or 1\. Got 0\.5: recode"):
        matching_loss(a, torch.full_like(a, 0.5).detach(), "sigmoid", error="leaky_hinge")


@pytest.mark.filterwarnings("ignore::DeprecationWarning:torch")  # PyTorch's own, while it compiles
def test_survives_copies_compilation_export_float32_and_vmap():
    loss = MatchingLoss("sigmoid", error=get_error_term("saturating", steepness=3.0))
    a, t = torch.randn(4, 5, requires_grad=True), torch.rand(4, 5)
    expected = loss(a, t)
    double = loss(a.detach().double(), t.double())
    torch.testing.assert_close(expected.double(), double, rtol=1e-5, atol=1e-6)
    torch.compiler.reset()
    compiled = torch.compile(loss, backend="aot_eager", fullgraph=True)
    for other in (copy.deepcopy(loss), pickle.loads(pickle.dumps(loss)), compiled):
        torch.testing.assert_close(other(a, t), expected)
    rows = {0: torch.export.Dim("rows", min=2)}
    program = torch.export.export(loss, (a, t), dynamic_shapes=(rows, rows)).module()
    torch.testing.assert_close(program(a[:3], t[:3]), loss(a[:3], t[:3]))
    each = torch.func.vmap(torch.func.grad(loss))(a.detach(), t)
    torch.testing.assert_close(each / 4, torch.autograd.grad(expected, a)[0])
    assert loss(a.bfloat16(), t.bfloat16()).dtype == torch.float32
    assert repr(loss) == (
        "MatchingLoss(sigmoid, error=saturating(saturation=1, steepness=3), reduction='mean')"
    )


def test_every_error_term_of_the_core_is_here():
    assert set(PARTS) == set(ERROR_TERMS)


def test_refuses_what_has_no_loss():
    def pull(t, h):
        return h - t

    with pytest.raises(ValueError, match=r"'saturating' must be .* do not couple.*Got 'softmax': .*hebbian"):
        MatchingLoss("softmax", error="saturating")
    with pytest.raises(
        ValueError, match=r"come with the inverse of the activation.*Got 'gelu' without: pass"
    ):
        MatchingLoss(F.gelu, error="saturating")
    with pytest.raises(ValueError, match=r"'pull' must come with its inverse.*Got none: pass TorchErrorTerm"):
        MatchingLoss("linear", error=pull)
    with pytest.raises(TypeError, match=r"'own' must be written with PyTorch's functions"):
        MatchingLoss("linear", error=ErrorTerm("own", lambda t, h: h - t))
    with pytest.raises(ValueError, match=r"error term must be one of .*Got 'saturatign'\. Did you mean"):
        MatchingLoss("linear", error="saturatign")
