"""Activations on tensors are those of the core: values, derivatives and the conventions at kinks."""

import pickle
from functools import partial

import numpy as np
import pytest
from nn_cases import AWAY_FROM_KINKS, every_activation, tensor, torch
from torch import nn

from hebbian_descent import ACTIVATIONS, Activation, get_activation
from hebbian_descent.network.activations.other_names import NAMES
from hebbian_descent.nn import TorchActivation, get_torch_activation
from hebbian_descent.nn.activations.inverses import INVERSES
from hebbian_descent.nn.activations.pytorch_names import FUNCTIONS, MODULES

ALSO_AT_ZERO = np.concatenate([AWAY_FROM_KINKS, np.array([[0.0, 25.0, -25.0, 1e-9, -1e-9]])])


@every_activation
def test_values_are_those_of_the_core(activation):
    phi = get_torch_activation(activation)
    np.testing.assert_allclose(phi(tensor(ALSO_AT_ZERO)), activation(ALSO_AT_ZERO), rtol=1e-13, atol=1e-14)


@every_activation
def test_autograd_pulls_back_as_the_core_does_also_at_kinks(activation):
    a = tensor(ALSO_AT_ZERO, requires_grad=True)
    error = np.random.default_rng(0).normal(size=ALSO_AT_ZERO.shape)
    get_torch_activation(activation)(a).backward(tensor(error))
    expected = activation.pull_back(error, ALSO_AT_ZERO, activation(ALSO_AT_ZERO))
    np.testing.assert_allclose(a.grad, expected, rtol=1e-10, atol=1e-12)


@every_activation
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_keeps_the_dtype_and_is_finite_far_out(activation, dtype):
    a = torch.tensor([[-300.0, -30.0, 0.0, 30.0, 60.0]], dtype=dtype, requires_grad=True)
    h = get_torch_activation(activation)(a)
    assert h.dtype == dtype
    assert h.isfinite().all()
    h.sum().backward()
    assert a.grad.isfinite().all()


@every_activation
def test_survives_pickling(activation):
    phi = pickle.loads(pickle.dumps(get_torch_activation(activation)))
    assert str(phi) == str(activation)
    torch.testing.assert_close(
        phi(tensor(AWAY_FROM_KINKS)), get_torch_activation(activation)(tensor(AWAY_FROM_KINKS))
    )


def test_by_name_with_parameters():
    assert str(get_torch_activation("leaky_rectifier", slope=0.5)) == "leaky_rectifier(slope=0.5)"
    assert get_torch_activation("leaky_rectifier", slope=0.5)(tensor([-2.0])).item() == -1.0


def test_functions_and_modules_of_ones_own_are_activations():
    gelu = get_torch_activation(torch.nn.functional.gelu)
    assert gelu.name == "gelu"
    assert get_torch_activation(torch.nn.Hardtanh()).name == "Hardtanh"
    assert get_torch_activation(gelu) is gelu
    own = TorchActivation("cube", value=lambda a: a**3)
    assert own(tensor([2.0])).item() == 8.0


OF_PYTORCH = [
    nn.Identity(),
    nn.Sigmoid(),
    nn.Tanh(),
    nn.ReLU(inplace=True),
    nn.SELU(),
    nn.ELU(),
    nn.ELU(alpha=0.4),
    nn.LeakyReLU(),
    nn.LeakyReLU(0.2),
    nn.Softplus(),
    nn.Softsign(),
    nn.Softmax(dim=-1),
]


def name_of(theirs):
    return getattr(theirs, "__name__", type(theirs).__name__)


@pytest.mark.parametrize("theirs", [*FUNCTIONS, *OF_PYTORCH, partial(torch.softmax, dim=-1)], ids=name_of)
@pytest.mark.filterwarnings("ignore:nn.functional:DeprecationWarning")
def test_pytorchs_functions_and_modules_are_those_of_the_list_where_they_compute_the_same(theirs):
    here = get_torch_activation(theirs)
    assert here.name in ACTIVATIONS
    assert here.stable_matching_loss is not None
    a = tensor(ALSO_AT_ZERO)
    torch.testing.assert_close(
        here(a), theirs(a.clone()), rtol=1e-14, atol=3e-9
    )  # 3e-9: PyTorch's softplus is linear above 20
    assert {type(module) for module in OF_PYTORCH} == set(MODULES)


@pytest.mark.parametrize(
    "other",
    [nn.Softplus(beta=2), nn.Softmax(dim=0), nn.GELU(), nn.ReLU6(), nn.LeakyReLU(0.0), nn.ELU(-0.5)],
    ids=str,
)
def test_modules_that_compute_something_else_stay_themselves(other):
    here = get_torch_activation(other)
    assert here.value is other
    assert here.stable_matching_loss is None


def test_pytorchs_names_are_understood():
    assert set(NAMES.values()) <= set(ACTIVATIONS)
    assert not set(NAMES) & set(ACTIVATIONS)
    assert str(get_torch_activation("ReLU")) == "rectifier"
    assert str(get_torch_activation("leaky_relu", negative_slope=0.2)) == "leaky_rectifier(slope=0.2)"
    assert str(get_torch_activation("tanh", scale=2)) == "scaled_tanh(scale=2)"


@every_activation
def test_inverses_undo_the_values(activation):
    phi = get_torch_activation(activation)
    assert (phi.inverse is None) == (not activation.elementwise) == (activation.name not in INVERSES)
    if phi.inverse is not None:
        a = tensor(AWAY_FROM_KINKS)
        flat = {"step": 0 * a, "rectifier": a.clamp(min=0)}.get(activation.name, a)
        torch.testing.assert_close(phi.inverse(phi(a)), flat, rtol=1e-10, atol=1e-12)


def test_refuses_what_is_no_activation_on_tensors():
    with pytest.raises(ValueError, match=r"Got 'sigmiod'\. Did you mean 'sigmoid'\?"):
        get_torch_activation("sigmiod")
    with pytest.raises(TypeError, match=r"must be a name, an activation or a function of tensors\. Got 3"):
        get_torch_activation(3)
    with pytest.raises(TypeError, match=r"'own' must be written with PyTorch's functions.*TorchActivation"):
        get_torch_activation(Activation("own", value=np.tanh))
    with pytest.raises(TypeError, match=r"must be a name.*Got <class .*Sigmoid'>: try .* nn\.Sigmoid\(\)"):
        get_torch_activation(torch.nn.Sigmoid)
    for made in (torch.tanh, get_torch_activation("leaky_rectifier"), get_activation("leaky_rectifier")):
        with pytest.raises(TypeError, match=r"must come with its name\. Got slope with .*functools\.partial"):
            get_torch_activation(made, slope=0.5)
    with pytest.raises(ValueError, match=r"no parameters of its own, since none would learn\. Got PReLU"):
        get_torch_activation(torch.nn.PReLU())
