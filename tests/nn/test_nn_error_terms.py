"""The saturating and the hinge error term: losses of the output with these derivatives."""

import numpy as np
import pytest
from nn_cases import tensor, torch

from hebbian_descent import LOSSES, get_error_term
from hebbian_descent.nn import LeakyHingeLoss, SmoothHuberLoss
from hebbian_descent.nn.functional import leaky_hinge_loss, smooth_huber_loss

H = np.array([[-40.0, -1.3, -0.2, 1e-9], [0.4, 0.9, 1.6, 30.0]])
T = np.array([[1.0, -1.0, 1.0, -1.0], [-1.0, 1.0, 1.0, -1.0]])
CASES = [
    (SmoothHuberLoss, "smooth_huber", "saturating", {}),
    (SmoothHuberLoss, "smooth_huber", "saturating", {"saturation": 0.5, "steepness": 3.0}),
    (LeakyHingeLoss, "leaky_hinge", "leaky_hinge", {}),
    (LeakyHingeLoss, "leaky_hinge", "leaky_hinge", {"leak": 0.2}),
]
every_case = pytest.mark.parametrize(("module", "loss", "error", "parameters"), CASES)


@every_case
def test_value_and_derivative_are_those_of_the_core(module, loss, error, parameters):
    h = tensor(H, requires_grad=True)
    each = module(**parameters, reduction="none")(h, tensor(T))
    np.testing.assert_allclose(each.detach(), LOSSES[loss](**parameters)(T, H), rtol=1e-13, atol=1e-13)
    each.sum().backward()
    expected = get_error_term(error, **parameters)(T, H)
    np.testing.assert_allclose(h.grad, expected, rtol=0, atol=1e-14)


@every_case
def test_numerical_derivatives_agree_away_from_kinks(module, loss, error, parameters):
    h = tensor(H[:, 1:3], requires_grad=True)
    t = tensor(T[:, 1:3])
    assert torch.autograd.gradcheck(lambda h: module(**parameters)(h, t), (h,))
    assert torch.autograd.gradgradcheck(lambda h: module(**parameters)(h, t), (h,))


@pytest.mark.parametrize("function", [smooth_huber_loss, leaky_hinge_loss])
def test_reductions_weights_and_half_precision(function):
    h, t, weight = tensor(H), tensor(T), tensor([1.0, 0.0, 2.0, 3.0])
    each = function(h, t, weight=weight, reduction="none")
    assert each.shape == (2,)
    torch.testing.assert_close(function(h, t, weight=weight), each.mean())
    torch.testing.assert_close(function(h, t, weight=weight, reduction="sum"), each.sum())
    torch.testing.assert_close(
        each, sum(function(h[:, j : j + 1], t[:, j : j + 1], reduction="none") * weight[j] for j in range(4))
    )
    assert function(h.half(), t.half()).dtype == torch.float32
