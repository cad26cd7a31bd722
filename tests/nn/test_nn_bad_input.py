"""Wrong inputs are reported in one sentence, before anything is broadcast."""

import pytest
from nn_cases import torch
from torch import nn

from hebbian_descent.nn import (
    CenteredLinear,
    Centering,
    HebbianLayer,
    HebbianMemory,
    LeakyHingeLoss,
    MatchingLoss,
    SmoothHuberLoss,
    TiedAutoencoder,
    TiedLayer,
    center_,
    check_local_rule,
    functional,
    hebbian,
    update_offsets_,
)

A = torch.zeros(3, 4)


def says(kind, pattern):
    return pytest.raises(kind, match=pattern)


@pytest.mark.parametrize(
    ("name", "domain", "target"),
    [
        ("sigmoid", r"\[0, 1\]", 1.5),
        ("step", r"\[0, 1\]", -0.25),
        ("rectifier", r"\[0, ∞\)", -0.5),
        ("softplus", r"\[0, ∞\)", -0.5),
        ("exponential", r"\[0, ∞\)", -0.5),
        ("explin", r"\[-1, ∞\)", -1.5),
        ("scaled_tanh\\(scale=1\\)", r"\[-1, 1\]", -1.5),
        ("softsign", r"\(-1, 1\)", 1.0),
    ],
)
def test_targets_outside_the_domain(name, domain, target):
    t = torch.full((3, 4), 0.5)
    t[1, 2] = target
    with says(
        ValueError, rf"of '{name}' must lie in {domain}\. Got {target:g}: rescale.*check_targets=False"
    ):
        functional.matching_loss(A, t, name.split("\\")[0])


@pytest.mark.parametrize("name", ["linear", "sigmoid", "softmax", "softsign"])
@pytest.mark.parametrize("error", ["difference", "saturating", "leaky_hinge"])
def test_targets_that_are_no_finite_numbers(name, error):
    if name == "softmax" and error != "difference":
        pytest.skip("softmax units are coupled")
    t = torch.full((3, 4), 0.25)
    t[1, 2:] = torch.nan
    with says(ValueError, r"must be numbers\. Got nan in 2 of 12 places: leave them out\.$"):
        MatchingLoss(name, error=error)(A, t)
    t[1, 2:] = torch.inf
    if error == "difference":
        with says(ValueError, r"must be finite\. Got infinity in 2 of 12 places\.$"):
            MatchingLoss(name)(A, t)


def test_targets_off_the_simplex():
    t = torch.full((3, 4), 0.25)
    t[1] = torch.tensor([0.5, 0.5, 0.5, 0.0])
    with says(
        ValueError,
        r"must lie in the simplex \(non-negative, summing to one\)\. Got a pattern that sums to 1\.5",
    ):
        MatchingLoss("softmax")(A, t)
    t[1] = torch.tensor([1.5, 0.0, 0.0, -0.5])
    with says(ValueError, r"sums to 1, its smallest entry -0\.5"):
        MatchingLoss("softmax")(A, t)


def test_class_indices_where_vectors_are_needed():
    with says(
        TypeError, r"of 'sigmoid' must be vectors.*torch\.nn\.functional\.one_hot\(targets, 4\)\.to\(pre"
    ):
        MatchingLoss("sigmoid")(A, torch.tensor([0, 3, 1]))


def test_whole_numbers_where_floating_ones_are_needed():
    with says(TypeError, r"must be a floating tensor of shape \(3, 4\)\. Got torch\.int64.*targets\.to\(pre"):
        MatchingLoss("sigmoid")(A, torch.zeros(3, 4, dtype=torch.long))
    with says(TypeError, r"or class indices of shape \(3,\)\. Got torch\.int64 of shape \(3, 4\)"):
        MatchingLoss("softmax")(A, torch.zeros(3, 4, dtype=torch.long))
    for call in (
        lambda: MatchingLoss("linear")(A.long(), A),
        lambda: hebbian("linear")(A.long()),
        lambda: functional.hebbian(A.long(), "linear"),
        lambda: SmoothHuberLoss()(A.long(), A),
        lambda: SmoothHuberLoss()(A, A.long()),
        lambda: CenteredLinear(4, 2)(A.long()),
        lambda: HebbianLayer(4, 2)(A.bool()),
        lambda: TiedAutoencoder([4, 2])(A.long()),
    ):
        with says(TypeError, r"must be a floating tensor\. Got torch\.(int64|bool): convert it with \.to\("):
            call()


@pytest.mark.parametrize("loss", [MatchingLoss("sigmoid"), SmoothHuberLoss(), LeakyHingeLoss()])
@pytest.mark.parametrize("shape", [(3, 1), (1, 4), (4,), (3,), (), (2, 3, 4)])
def test_shapes_that_would_be_broadcast(loss, shape):
    with says(ValueError, r"must have the shape of what they are compared with, \(3, 4\)\. Got \("):
        loss(A, torch.ones(shape))


def test_inputs_that_would_be_broadcast():
    for call in (
        lambda x: CenteredLinear(4, 2)(x),
        lambda x: HebbianLayer(4, 2)(x),
        lambda x: TiedAutoencoder([4, 2])(x),
    ):
        with says(ValueError, r"must have 4 units on the last axis\. Got shape \(3, 1\)"):
            call(torch.zeros(3, 1))
    with says(ValueError, r"hidden activity must have 2 units on the last axis\. Got shape \(\)"):
        TiedAutoencoder([4, 2]).decode(torch.tensor(0.0))


def test_what_is_no_tensor():
    for call in (
        lambda: MatchingLoss("sigmoid")(A, A.numpy()),
        lambda: MatchingLoss("softmax")(A, [0, 1, 2]),
        lambda: MatchingLoss("sigmoid")(A.numpy(), A),
        lambda: SmoothHuberLoss()(A, A.numpy()),
        lambda: CenteredLinear(4, 2)(A.numpy()),
        lambda: TiedAutoencoder([4, 2])(A.numpy()),
        lambda: check_local_rule(nn.Linear(4, 2), A, A[:, :2].numpy()),
    ):
        with says(TypeError, r"must be a tensor\. Got (ndarray|list): convert it with torch\.as_tensor\("):
            call()


def test_class_indices_that_are_none():
    loss = MatchingLoss("softmax", ignore_index=-1)
    with says(ValueError, r"must lie in 0 … 3, or be -1, which is ignored\. Got 7\."):
        loss(A, torch.tensor([0, 7, -1]))
    with says(TypeError, r"Class indices must be whole numbers\. Got torch\.float32 of shape \(3,\): pass"):
        loss(A, torch.tensor([0.0, 1.0, 2.0]))


def test_one_number_without_an_axis_of_units():
    for name, target in (("sigmoid", torch.tensor(0.5)), ("softmax", torch.tensor(0))):
        with says(
            ValueError,
            r"must have an axis of units\. Got one number: pass preactivation\[None\], or dim=None",
        ):
            functional.matching_loss(torch.tensor(0.5), target, name)


def test_targets_that_are_missing():
    t = torch.zeros(3, 4)
    t[0, :2] = torch.nan
    with says(ValueError, r"must be numbers\. Got nan in 2 of 12 places"):
        SmoothHuberLoss()(A, t)


def test_empty_batches_count_for_nothing():
    none, layer = torch.zeros(0, 4), CenteredLinear(4, 2, offset=0.5, shift=0.1)
    layer(none).sum().backward()
    update_offsets_(layer)
    assert (layer.offset == 0.5).all()
    assert (layer.weight.grad == 0).all()
    for loss in (MatchingLoss, lambda name, **settings: SmoothHuberLoss(**settings)):
        assert loss("sigmoid", reduction="sum")(none, none) == 0
        assert loss("sigmoid", reduction="none")(none, none).shape == (0,)
        assert loss("sigmoid")(none, none).isnan()  # the mean of nothing, as in PyTorch's own losses


def test_an_activation_without_antiderivative():
    with says(
        ValueError,
        r"of 'gelu' needs its antiderivative and conjugate\. Got none: pass TorchActivation\('gelu'",
    ):
        MatchingLoss(nn.functional.gelu)
    with says(ValueError, r"of 'gelu' needs its antiderivative"):
        functional.matching_loss(A, A, nn.functional.gelu)


def test_targets_that_require_a_gradient():
    t = torch.full((3, 4), 0.5, requires_grad=True)
    for loss in (MatchingLoss("sigmoid"), SmoothHuberLoss()):
        with says(ValueError, r"must not require a gradient.*targets\.detach\(\)"):
            loss(A, t)


def test_signs_of_the_hinge():
    with says(ValueError, r"must be -1 or 1\. Got 0: recode 0 and 1 as 2t − 1"):
        LeakyHingeLoss()(A, A)


def test_settings():
    with says(ValueError, r"reduction must be one of mean, none, sum\. Got 'maen'\. Did you mean 'mean'\?"):
        MatchingLoss("linear", reduction="maen")
    with says(ValueError, r"one number for each of 4 units, or for each element\. Got shape \(3,\)"):
        MatchingLoss("linear", weight=torch.ones(3))(A, A)
    with says(ValueError, r"one number for each of 4 classes\. Got shape \(3,\)"):
        MatchingLoss("softmax", weight=torch.ones(3))(A, torch.tensor([0, 1, 2]))
    with says(ValueError, r"saturation of the error term must be above 0"):
        SmoothHuberLoss(saturation=0)
    with says(ValueError, r"shift must be at least 0 and at most 1\. Got 1\.5"):
        CenteredLinear(4, 2, shift=1.5)
    with says(ValueError, r"A moving offset needs a bias"):
        CenteredLinear(4, 2, bias=False, shift=0.1)
    with says(ValueError, r"A moving offset needs a bias"):
        CenteredLinear(4, 2, bias=False).move_offset_(0.5)
    with says(ValueError, r"offset must be one number or 4, one for each unit\. Got shape \(3,\)"):
        CenteredLinear(4, 2, offset=torch.zeros(3))
    with says(ValueError, r"must hold an nn\.Linear\. Got Conv2d"):
        center_(nn.Conv2d(1, 1, 1))
    with says(ValueError, r"shift must be at least 0"):
        center_(nn.Linear(2, 2), shift=-1)
    with says(ValueError, r"gradient of a tied auto-encoder must be one of decoder, full\. Got 'fulll'"):
        TiedAutoencoder([4, 2], gradient="fulll")
    with says(ValueError, r"of the inputs and of at least one hidden layer\. Got \[4\]"):
        TiedAutoencoder([4])
    with says(TypeError, r"size of a layer must be a whole number\. Got 2\.5"):
        TiedAutoencoder([4, 2.5])
    with says(ValueError, r"one number, or one for each of 1 layers\. Got 2"):
        TiedAutoencoder([4, 2], target_activity=[0.1, 0.2])


def test_what_batch_normalisation_calls_momentum():
    sizes = {"offset": 0.0, "shift": 0.1, "hidden_offset": 0.0, "hidden_shift": 0.1, "target_activity": None}
    for call in (
        lambda: CenteredLinear(4, 2, momentum=0.1),
        lambda: HebbianLayer(4, 2, momentum=0.1),
        lambda: TiedAutoencoder([4, 2], momentum=0.1),
        lambda: TiedLayer(4, 2, **sizes, device=None, dtype=None, momentum=0.1),
        lambda: center_(nn.Linear(4, 2), momentum=0.1),
        lambda: Centering(model := nn.Linear(4, 2), torch.optim.SGD(model.parameters()), momentum=0.1),
        lambda: HebbianMemory(4, momentum=0.1),
        lambda: functional.hebbian_memory(A, A, A, 0.1, momentum=0.1),
    ):
        with says(TypeError, r"must be given as shift.*Got momentum=0\.1: pass shift=0\.1"):
            call()


def test_a_model_that_is_none():
    model = nn.Linear(4, 2)
    optimizer = torch.optim.SGD(model.parameters())
    with says(TypeError, r"must be an nn\.Module\. Got generator: pass the model itself, not its parameters"):
        Centering(model.parameters(), optimizer)
    with says(TypeError, r"must be an nn\.Module\. Got SGD: pass the model first"):
        Centering(optimizer, model)
    with says(TypeError, r"must be an nn\.Module\. Got list"):
        center_([model])


def test_axes_and_targets_of_cross_entropies():
    pixels = torch.zeros(2, 5, 3, 4)
    with says(
        TypeError, r"or class indices of shape \(2, 5, 3\)\. Got torch.int64 of shape \(2, 3, 4\): pass dim=1"
    ):
        MatchingLoss("softmax")(pixels, torch.zeros(2, 3, 4, dtype=torch.long))
    with says(ValueError, r"The dim must be an axis of the preactivation, shape \(3, 4\)\. Got 2\."):
        MatchingLoss("sigmoid", dim=2)(A, A)
    with says(ValueError, r"label smoothing must be at least 0 and at most 1\. Got 1\.5"):
        MatchingLoss("sigmoid", label_smoothing=1.5)
    with says(
        ValueError, r"Label smoothing needs the cross entropy of sigmoid or softmax units\. Got 'linear'"
    ):
        MatchingLoss("linear", label_smoothing=0.1)
    with says(ValueError, r"A pos_weight needs the cross entropy.*Got 'softmax': use weight"):
        MatchingLoss("softmax", pos_weight=torch.ones(4))
    with says(ValueError, r"A pos_weight needs .*Got the error term 'saturating'"):
        MatchingLoss("sigmoid", error="saturating", pos_weight=torch.ones(4))
    with says(ValueError, r"pos_weight must be one number, or one for each of 4 units\. Got shape \(3,\)"):
        MatchingLoss("sigmoid", pos_weight=torch.ones(3))(A, A)
