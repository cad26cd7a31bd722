"""check_local_rule tells output layers that learn by the local rule from those that do not."""

from types import SimpleNamespace

import pytest
from nn_cases import AWAY_FROM_KINKS, every_activation, targets_inside, torch
from torch import nn

from hebbian_descent.nn import (
    CenteredLinear,
    HebbianLayer,
    LeakyHingeLoss,
    MatchingLoss,
    SmoothHuberLoss,
    TorchErrorTerm,
    center_,
    check_local_rule,
    hebbian,
)

DOUBLE = {"dtype": torch.float64}


def hidden_layers():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(6, 7, **DOUBLE), nn.Tanh(), nn.Dropout(0.5), nn.LayerNorm(7, **DOUBLE))


@every_activation
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_matching_losses_agree(activation, reduction):
    model = nn.Sequential(hidden_layers(), nn.Linear(7, 5, **DOUBLE))
    x = torch.randn(3, 6, **DOUBLE)
    t = torch.tensor(targets_inside(activation, AWAY_FROM_KINKS.shape))
    found = check_local_rule(model, x, t, loss=MatchingLoss(activation, reduction=reduction))
    assert found
    assert found.layer == "1"
    assert found.weight_difference < 1e-12


@every_activation
@pytest.mark.parametrize("loss", [None, SmoothHuberLoss(0.5, 2.0), LeakyHingeLoss()], ids=str)
def test_hebbian_activations_agree_with_every_error_term(activation, loss):
    x, t = torch.randn(8, 6, **DOUBLE), torch.randn(8, 5, **DOUBLE).sign()
    for top in (
        nn.Sequential(CenteredLinear(7, 5, offset=0.3, **DOUBLE), hebbian(activation)),
        HebbianLayer(7, 5, activation, offset=0.3, **DOUBLE),
    ):
        assert check_local_rule(nn.Sequential(hidden_layers(), top), x, t, loss=loss).agrees


def test_class_indices_and_float32_and_more_axes():
    model = center_(nn.Sequential(nn.Linear(6, 9), nn.ReLU(), nn.Linear(9, 4, bias=False)), offset=0.3)
    x, classes = torch.randn(2, 5, 6), torch.randint(0, 4, (2, 5))
    found = check_local_rule(model, x, classes, loss=MatchingLoss("softmax"))
    assert found, found
    assert "is the local rule" in str(found)


@pytest.mark.parametrize("phi", [nn.Sigmoid(), nn.ReLU()])
def test_gradient_descent_through_the_derivative_does_not(phi):
    model = nn.Sequential(hidden_layers(), nn.Linear(7, 5, **DOUBLE), phi)
    found = check_local_rule(model, torch.randn(3, 6, **DOUBLE), torch.rand(3, 5, **DOUBLE))
    assert not found
    assert found.weight_difference > 1e-3
    assert "is not the local rule" in str(found)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32, torch.float64])
def test_small_changes_and_low_precision_are_told_apart_too(dtype):
    torch.manual_seed(0)
    x, t = torch.rand(40, 6), torch.rand(40, 1).round() * 0.5 + 0.25
    linear = nn.Linear(6, 1)
    with torch.no_grad():
        linear.bias.fill_(1.5)
    if dtype != torch.bfloat16:  # a hundredth of rounding in half precision
        x = x / 1000
    local, gradient = nn.Sequential(linear, hebbian("sigmoid")), nn.Sequential(linear, nn.Sigmoid())
    assert check_local_rule(local.to(dtype), x.to(dtype), t.to(dtype))
    assert not check_local_rule(gradient.to(dtype), x.to(dtype), t.to(dtype))


def test_a_bias_that_does_not_learn_is_not_compared():
    layer = nn.Linear(3, 3)
    layer.bias.requires_grad_(False)
    assert check_local_rule(layer, torch.rand(2, 3), torch.rand(2, 3)).bias_difference == 0


def test_an_output_that_knows_no_derivative_does_not():
    class Step(nn.Module):
        def forward(self, a):
            return (a > 0).to(a.dtype)

    model = nn.Sequential(nn.Linear(6, 5, **DOUBLE), Step())
    assert not check_local_rule(model, torch.randn(9, 6, **DOUBLE), torch.rand(9, 5, **DOUBLE))


def test_leaves_the_model_as_it_was():
    model = nn.Sequential(CenteredLinear(6, 5, shift=0.5), nn.Dropout(0.5), nn.Linear(5, 3))
    model[1].eval()
    with torch.no_grad():
        check_local_rule(model, torch.rand(4, 6), torch.rand(4, 3), loss=MatchingLoss("sigmoid"))
    assert model.training
    assert not model[1].training
    assert all(parameter.grad is None for parameter in model.parameters())
    assert model[0].seen.sums is None
    assert not model[2]._forward_pre_hooks


def test_refuses_what_it_cannot_compare():
    with pytest.raises(ValueError, match=r"must call a linear layer\. Got Tanh"):
        check_local_rule(nn.Tanh(), torch.rand(2, 3), torch.rand(2, 3))
    with pytest.raises(ValueError, match=r"without weights, as the rule is"):
        check_local_rule(
            nn.Linear(3, 3),
            torch.rand(2, 3),
            torch.rand(2, 3),
            loss=MatchingLoss("linear", weight=torch.ones(3)),
        )
    with pytest.raises(ValueError, match=r"shape of what they are compared with, \(2, 3\)\. Got \(2,\)"):
        check_local_rule(nn.Linear(3, 3), torch.rand(2, 3), torch.rand(2))
    with pytest.raises(TypeError, match=r"must be a MatchingLoss.*Got MSELoss"):
        check_local_rule(nn.Linear(3, 3), torch.rand(2, 3), torch.rand(2, 3), loss=nn.MSELoss())
    with pytest.raises(ValueError, match=r"All targets must count.*Got some to be ignored \(-100\)"):
        check_local_rule(
            nn.Linear(3, 3), torch.rand(2, 3), torch.tensor([0, -100]), loss=MatchingLoss("softmax")
        )
    normed = nn.utils.parametrizations.weight_norm(nn.Linear(3, 3))
    for layer, why in ((nn.Linear(3, 3).requires_grad_(False), "needs no gradient"), (normed, "is computed")):
        with pytest.raises(ValueError, match=rf"a weight that learns\. Got '\w+': its weight {why}\."):
            check_local_rule(layer, torch.rand(2, 3), torch.rand(2, 3))
    loss = MatchingLoss("sigmoid", label_smoothing=0.1)
    with pytest.raises(ValueError, match=r"targets of the rule\. Got label_smoothing or pos_weight"):
        check_local_rule(nn.Linear(3, 3), torch.rand(2, 3), torch.rand(2, 3), loss=loss)


class Returning(nn.Module):
    """A model that returns what a function makes of a linear layer's output and of another head's."""

    def __init__(self, pack, top=None):
        super().__init__()
        torch.manual_seed(0)
        self.linear, self.value = nn.Linear(6, 5, **DOUBLE), nn.Linear(6, 1, **DOUBLE)
        self.pack, self.top = pack, top or nn.Identity()

    def forward(self, x):
        value = self.value(x)
        return self.pack(self.top(self.linear(x)), value)


class Packed(dict):
    """A mapping with attributes, as Hugging Face's models return them."""

    __getattr__ = dict.__getitem__


@pytest.mark.parametrize(
    ("pack", "output"),
    [
        (lambda a, value: (a, value), None),
        (lambda a, value: {"hidden": [value], "logits": a}, None),
        (lambda a, value: (a, value), 0),
        (lambda a, value: (value, a), -1),
        (lambda a, value: Packed(loss=value, logits=a), "logits"),
        (lambda a, value: Packed(logits=a, loss=value), 0),
        (lambda a, value: SimpleNamespace(logits=a, value=value), "logits"),
        (lambda a, value: [{"a": a}, value], lambda returned: returned[0]["a"]),
    ],
)
def test_models_that_return_more_than_a_tensor(pack, output):
    x, t = torch.randn(8, 6, **DOUBLE), torch.rand(8, 5, **DOUBLE)
    found = check_local_rule(Returning(pack), x, t, loss=MatchingLoss("sigmoid"), output=output)
    assert found
    assert found.layer == "linear"


def test_of_several_tensors_the_one_that_is_meant_must_be_clear():
    x, t = torch.randn(8, 6, **DOUBLE), torch.rand(8, 5, **DOUBLE)
    both = Returning(lambda h, value: (h, value), nn.Sigmoid())
    with pytest.raises(ValueError, match=r"must be one tensor\. Got tuple with 2: choose one by output=0"):
        check_local_rule(both, x, t)
    with pytest.raises(ValueError, match=r"Got 'logits' for tuple, where there is none"):
        check_local_rule(both, x, t, output="logits")
    assert not check_local_rule(both, x, t, output=0)
    assert check_local_rule(Returning(lambda h, value: (h, h.argmax()), hebbian("sigmoid")), x, t)


def test_another_layer_called_after_the_output_layer_is_not_taken_for_it():
    class Critic(Returning):
        def forward(self, x):
            a = self.linear(x)
            return a, self.value(x)

    x, t = torch.randn(8, 6, **DOUBLE), torch.rand(8, 5, **DOUBLE)
    found = check_local_rule(Critic(None), x, t, loss=MatchingLoss("sigmoid"), output=0)
    assert found
    assert found.layer == "linear"


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("size", [1.0, 1e-3])
def test_half_precision_hides_no_derivative(dtype, size):
    torch.manual_seed(1)
    x, t = size * torch.randn(400, 6), torch.full((400, 3), 0.5) + 0.1 * torch.randn(400, 3)
    layer = nn.Linear(6, 3)
    for top, local in (
        (hebbian("sigmoid"), True),
        (nn.Sigmoid(), False),
        (hebbian("tanh"), True),
        (nn.Tanh(), False),
    ):
        model = nn.Sequential(layer, top).to(dtype)
        assert bool(check_local_rule(model, x.to(dtype), t.to(dtype))) == local
        assert model[0].weight.dtype == dtype


def test_autocast_around_the_check_does_not_matter():
    model = nn.Sequential(nn.Linear(6, 5), hebbian("sigmoid"))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert check_local_rule(model, torch.randn(8, 6), torch.rand(8, 5))
        assert not check_local_rule(
            nn.Sequential(model[0], nn.Sigmoid()), torch.randn(8, 6), torch.rand(8, 5)
        )


def test_other_axes_and_error_terms():
    class OfPixels(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(6, 5, **DOUBLE)

        def forward(self, x):
            return self.linear(x).movedim(-1, 1)

    x = torch.randn(2, 3, 4, 6, **DOUBLE)
    for targets in (torch.randint(0, 5, (2, 3, 4)), torch.rand(2, 5, 3, 4, **DOUBLE).softmax(dim=1)):
        for reduction in ("mean", "sum", "none"):
            loss = MatchingLoss("softmax", dim=1, reduction=reduction)
            assert check_local_rule(OfPixels(), x, targets, loss=loss)
    cubic = TorchErrorTerm(
        "cubic", lambda t, h: (h - t) ** 3, inverse=lambda t, e: t + e.sign() * e.abs() ** (1 / 3)
    )
    t = torch.rand(2, 5, 3, 4, **DOUBLE)
    for error in ("saturating", cubic):
        assert check_local_rule(OfPixels(), x, t, loss=MatchingLoss("sigmoid", error=error, dim=1))
    flat = nn.Sequential(nn.Linear(6, 1, **DOUBLE), nn.Flatten(0))
    assert check_local_rule(flat, x[0, 0], t[0, 0, 0], loss=MatchingLoss("sigmoid", dim=None))
