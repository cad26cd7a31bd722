"""Every kind of layer is learned in centered coordinates: b = b_c − R(θ, μ), written down once more here."""

import copy

import pytest
from nn_cases import torch
from torch import nn
from torch.func import functional_call
from torch.nn import functional as F
from torch.nn.utils import parametrizations, prune

from hebbian_descent.nn import CenteredLinear, Centering, add_biases_, register_affine

DOUBLE = {"dtype": torch.float64}
RATE, SHIFT, START = 0.05, 0.3, 0.2


def rand(*shape, seed=0):
    return 0.5 + torch.rand(shape, generator=torch.Generator().manual_seed(seed), **DOUBLE)


def constant(offset, *sizes):
    """An image that has the offset of its channel everywhere."""
    return offset.view(1, -1, *[1] * len(sizes)).expand(1, -1, *sizes)


def convolution_response(layer):
    convolve = {1: F.conv1d, 2: F.conv2d, 3: F.conv3d}[len(layer.kernel_size)]
    reach = [1 + d * (k - 1) for d, k in zip(layer.dilation, layer.kernel_size, strict=True)]
    return lambda p, mu: {
        "bias": convolve(
            constant(mu, *reach), p["weight"], groups=layer.groups, dilation=layer.dilation
        ).flatten()
    }


def transposed_response(layer):
    """The mean output in the middle of a large constant image."""
    convolve = {1: F.conv_transpose1d, 2: F.conv_transpose2d, 3: F.conv_transpose3d}[len(layer.kernel_size)]

    def response(p, mu):
        out = convolve(
            constant(mu, *[7] * len(layer.stride)), p["weight"], stride=layer.stride, groups=layer.groups
        )[0]
        for axis, stride in enumerate(layer.stride, start=1):
            out = out.narrow(axis, 3 * stride, stride)
        return {"bias": out.flatten(1).mean(1)}

    return response


def attention_response(layer):
    def response(p, query, key, value):
        if layer.in_proj_weight is not None:
            weights = p["in_proj_weight"].chunk(3)
        else:
            weights = p["q_proj_weight"], p["k_proj_weight"], p["v_proj_weight"]
        values = F.linear(value, layer_at_start["v"][0], layer_at_start["v"][1])
        parts = [F.linear(mu, W) for mu, W in zip((query, key, value), weights, strict=True)]
        return {"in_proj_bias": torch.cat(parts), "out_proj.bias": F.linear(values, p["out_proj.weight"])}

    layer_at_start = {}

    def freeze(p):
        W = p["in_proj_weight"].chunk(3)[2] if layer.in_proj_weight is not None else p["v_proj_weight"]
        layer_at_start["v"] = W.detach().clone(), p["in_proj_bias"].chunk(3)[2].detach().clone()

    response.freeze = freeze
    return response


CASES = {
    "linear": (lambda: nn.Linear(4, 3, **DOUBLE), [(5, 4)]),
    "linear_many_axes": (lambda: nn.Linear(4, 3, **DOUBLE), [(2, 3, 5, 4)]),
    "linear_one_pattern": (lambda: nn.Linear(4, 3, **DOUBLE), [(4,)]),
    "plain_subclass": (lambda: type("Own", (nn.Linear,), {})(4, 3, **DOUBLE), [(5, 4)]),
    "conv1d": (lambda: nn.Conv1d(4, 6, 3, padding=1, **DOUBLE), [(2, 4, 7)]),
    "conv2d_groups": (lambda: nn.Conv2d(4, 6, (3, 2), stride=2, groups=2, **DOUBLE), [(2, 4, 8, 7)]),
    "conv2d_dilated": (
        lambda: nn.Conv2d(2, 3, 3, dilation=2, padding="same", padding_mode="reflect", **DOUBLE),
        [(2, 2, 8, 7)],
    ),
    "conv2d_unbatched": (lambda: nn.Conv2d(2, 3, 3, **DOUBLE), [(2, 5, 6)]),
    "conv3d_depthwise": (lambda: nn.Conv3d(3, 6, 2, groups=3, **DOUBLE), [(2, 3, 4, 3, 5)]),
    "transposed1d": (lambda: nn.ConvTranspose1d(4, 6, 3, stride=2, **DOUBLE), [(2, 4, 5)]),
    "transposed2d": (lambda: nn.ConvTranspose2d(4, 6, 4, stride=(2, 1), groups=2, **DOUBLE), [(2, 4, 5, 6)]),
    "transposed3d": (lambda: nn.ConvTranspose3d(2, 3, 2, stride=2, padding=1, **DOUBLE), [(2, 2, 3, 4, 3)]),
    "bilinear": (lambda: nn.Bilinear(4, 3, 5, **DOUBLE), [(6, 4), (6, 3)]),
    "attention": (lambda: nn.MultiheadAttention(4, 2, **DOUBLE), [(5, 3, 4), (6, 3, 4), (6, 3, 4)]),
    "attention_separate": (
        lambda: nn.MultiheadAttention(4, 2, kdim=3, vdim=5, batch_first=True, **DOUBLE),
        [(3, 5, 4), (3, 6, 3), (3, 6, 5)],
    ),
    "weight_norm": (lambda: parametrizations.weight_norm(nn.Linear(4, 3, **DOUBLE)), [(5, 4)]),
    "orthogonal": (lambda: parametrizations.orthogonal(nn.Linear(4, 3, **DOUBLE)), [(5, 4)]),
    "complex": (lambda: nn.Linear(4, 3, dtype=torch.complex128), [(5, 4)]),
}


def response_of(layer):
    if isinstance(layer, nn.MultiheadAttention):
        return attention_response(layer)
    if isinstance(layer, nn.ConvTranspose1d | nn.ConvTranspose2d | nn.ConvTranspose3d):
        return transposed_response(layer)
    if isinstance(layer, nn.Conv1d | nn.Conv2d | nn.Conv3d):
        return convolution_response(layer)
    if isinstance(layer, nn.Bilinear):
        return lambda p, first, second: {"bias": F.bilinear(first, second, p["weight"])}
    if nn.utils.parametrize.is_parametrized(layer):
        without = lambda p: {**p, "bias": torch.zeros_like(p["bias"])}  # noqa: E731
        return lambda p, mu: {"bias": functional_call(layer, without(p), mu)}
    return lambda p, mu: {"bias": F.linear(mu, p["weight"])}


def learned_in_centered_coordinates(layer, steps):
    """The oracle: parameters θ and b_c, a forward pass with b = b_c − R(θ, μ), autograd, gradient descent."""
    response = response_of(layer)
    kernel = getattr(layer, "kernel_size", ())
    p = {name: value.detach().clone() for name, value in layer.named_parameters()}
    offsets = [torch.full_like(_rows(x, kernel)[0], START) for x in steps[0]]

    def shifted(p, sign):
        answers = response(p, *offsets)
        return {name: value + sign * answers[name] if name in answers else value for name, value in p.items()}

    for inputs in steps:
        getattr(response, "freeze", lambda p: None)(p)
        with torch.no_grad():
            p = shifted(p, 1)
        p = {name: value.requires_grad_() for name, value in p.items()}
        out = functional_call(layer, shifted(p, -1), tuple(inputs))
        loss = (out[0] if isinstance(out, tuple) else out).abs().square().mean()
        gradients = torch.autograd.grad(loss, list(p.values()))
        with torch.no_grad():
            p = {n: v - RATE * g for (n, v), g in zip(p.items(), gradients, strict=True)}
            p = shifted(p, -1)
            offsets = [
                (1 - SHIFT) * mu + SHIFT * _rows(x, kernel).mean(0)
                for mu, x in zip(offsets, inputs, strict=True)
            ]
    return p, offsets


def _rows(x, kernel):
    return (x.movedim(-1 - len(kernel), -1) if kernel else x).reshape(-1, x.shape[-1 - len(kernel)])


@pytest.mark.parametrize(("make", "shapes"), CASES.values(), ids=CASES)
def test_a_layer_is_learned_in_centered_coordinates(make, shapes):
    torch.manual_seed(0)
    layer = make()
    dtype = next(layer.parameters()).dtype
    steps = [[rand(*s, seed=10 * i + j).to(dtype) for j, s in enumerate(shapes)] for i in range(4)]
    expected, offsets = learned_in_centered_coordinates(copy.deepcopy(layer), steps)
    optimizer = torch.optim.SGD(layer.parameters(), lr=RATE)
    centering = Centering(layer, optimizer, shift=SHIFT, offset_start=START)
    for inputs in steps:
        optimizer.zero_grad()
        out = layer(*inputs)
        (out[0] if isinstance(out, tuple) else out).abs().square().mean().backward()
        optimizer.step()
    for name, value in layer.named_parameters():
        torch.testing.assert_close(value.detach(), expected[name], rtol=0, atol=1e-12, msg=name)
    found = next(iter(centering.offsets.values()))
    torch.testing.assert_close(found, offsets, rtol=0, atol=1e-12)


def test_a_convolution_learns_as_a_centered_layer_on_its_patches():
    torch.manual_seed(0)
    convolution, patches = nn.Conv2d(2, 3, 3, padding=1, stride=2, **DOUBLE), CenteredLinear(18, 3, **DOUBLE)
    mean = torch.tensor([0.4, 1.1], **DOUBLE)
    with torch.no_grad():
        patches.weight.copy_(convolution.weight.flatten(1))
        patches.bias.copy_(convolution.bias)
        patches.move_offset_(mean.repeat_interleave(9))
    optimizers = [torch.optim.Adam(m.parameters(), lr=0.02) for m in (convolution, patches)]
    Centering(convolution, optimizers[0], shift=0, offset_start={"bias": mean})
    for i in range(5):
        x = rand(4, 2, 6, 6, seed=i)
        convolution(x).square().mean().backward()
        patches(F.unfold(x, 3, padding=1, stride=2).transpose(1, 2)).square().mean().backward()
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad()
    patches.move_offset_(0.0)
    torch.testing.assert_close(convolution.weight.flatten(1), patches.weight, rtol=0, atol=1e-12)
    torch.testing.assert_close(convolution.bias, patches.bias, rtol=0, atol=1e-12)


class TiedHead(nn.Module):
    """An embedding whose weights are those of the output layer."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(10, 6, **DOUBLE)
        self.output = nn.Linear(6, 10, **DOUBLE)
        self.output.weight = self.embedding.weight

    def forward(self, words):
        return self.output(torch.sigmoid(self.embedding(words)))


def test_a_head_tied_to_an_embedding():
    torch.manual_seed(0)
    model = TiedHead()
    W, b, mu = model.output.weight.detach().clone(), model.output.bias.detach().clone(), 0.3
    words = torch.tensor([1, 4, 4, 7])
    optimizer = torch.optim.SGD(model.parameters(), lr=RATE)
    Centering(model, optimizer, shift=0, offset_start=mu)
    model(words).square().sum().backward()
    optimizer.step()
    W.requires_grad_()
    centered_bias = (b + mu * W.detach().sum(1)).requires_grad_()
    out = F.linear(torch.sigmoid(F.embedding(words, W)) - mu, W, centered_bias)
    for_weights, for_bias = torch.autograd.grad(out.square().sum(), [W, centered_bias])
    new = W - RATE * for_weights
    assert model.output.weight is model.embedding.weight
    torch.testing.assert_close(model.output.weight, new, rtol=0, atol=1e-13)
    torch.testing.assert_close(model.output.bias, centered_bias - RATE * for_bias - mu * new.sum(1))


def test_lazy_layers_after_their_first_pass():
    model = nn.Sequential(nn.LazyConv1d(3, 2), nn.Flatten(), nn.LazyLinear(2))
    with pytest.raises(ValueError, match=r"must know their sizes\. Got '0', a LazyConv1d: run the model"):
        Centering(model, torch.optim.SGD(model.parameters()))
    model(torch.rand(3, 4, 5))
    centering = Centering(model, torch.optim.SGD(model.parameters()))
    assert [len(mu) for (mu,) in centering.offsets.values()] == [4, 12]


class Dense(nn.Module):
    """A custom layer, with a low-rank weight matrix."""

    def __init__(self):
        super().__init__()
        self.left = nn.Parameter(torch.rand(4, 2, **DOUBLE))
        self.right = nn.Parameter(torch.rand(2, 3, **DOUBLE))
        self.shift = nn.Parameter(torch.zeros(3, **DOUBLE))

    def forward(self, features):
        return features @ self.left @ self.right + self.shift


def test_a_registered_kind_needs_no_derivatives():
    register_affine(
        Dense,
        inputs=lambda layer, features: features,
        units=lambda layer: layer.left.shape[0],
        response=lambda layer, offset: offset @ layer.left @ layer.right,
        bias="shift",
    )
    torch.manual_seed(0)
    layer, x, mu = Dense(), rand(5, 4), 0.7
    left, right = layer.left.detach().clone(), layer.right.detach().clone()
    bias = (mu * (left @ right).sum(0)).requires_grad_()
    loss = ((x - mu) @ left.requires_grad_() @ right.requires_grad_() + bias).square().sum()
    new_left, new_right, new_bias = (
        p - RATE * g
        for p, g in zip((left, right, bias), torch.autograd.grad(loss, [left, right, bias]), strict=True)
    )
    optimizer = torch.optim.SGD(layer.parameters(), lr=RATE)
    centering = Centering(nn.Sequential(layer), optimizer, shift=0, offset_start=mu)
    layer(features=x).square().sum().backward()
    optimizer.step()
    torch.testing.assert_close(layer.left.detach(), new_left.detach(), rtol=0, atol=1e-13)
    torch.testing.assert_close(layer.right.detach(), new_right.detach(), rtol=0, atol=1e-13)
    expected = new_bias - mu * (new_left @ new_right).sum(0)
    torch.testing.assert_close(layer.shift.detach(), expected.detach(), rtol=0, atol=1e-12)
    assert list(centering.offsets) == ["0.shift"]


def test_a_response_with_its_bias_is_refused():
    class Shifted(Dense):
        pass

    register_affine(
        Shifted,
        inputs=lambda layer, features: features,
        units=lambda layer: 4,
        response=lambda layer, offset: layer(offset),
        bias="shift",
    )
    model = Shifted()
    with pytest.raises(ValueError, match=r"response of Shifted must be linear.*depends on 'shift': leave it"):
        Centering(model, torch.optim.SGD(model.parameters()))


def test_hugging_faces_layer_is_known_by_its_name():
    def forward(self, x):
        return x @ self.weight + self.bias

    kind = type("Conv1D", (nn.Module,), {"forward": forward, "__module__": "transformers.pytorch_utils"})
    torch.manual_seed(0)
    layer, linear = kind(), nn.Linear(4, 3, **DOUBLE)
    layer.weight = nn.Parameter(linear.weight.detach().T.clone())
    layer.bias = nn.Parameter(linear.bias.detach().clone())
    for one in (layer, linear):
        optimizer = torch.optim.SGD(one.parameters(), lr=RATE)
        Centering(one, optimizer, shift=SHIFT)
        for i in range(3):
            one(rand(5, 4, seed=i)).square().mean().backward()
            optimizer.step()
    torch.testing.assert_close(layer.weight.T, linear.weight, rtol=0, atol=1e-14)
    torch.testing.assert_close(layer.bias, linear.bias, rtol=0, atol=1e-14)


def test_layers_without_bias_are_refused_or_get_one():
    model = nn.Sequential(
        nn.Conv1d(2, 3, 1, bias=False), nn.Linear(5, 4, bias=False), nn.MultiheadAttention(4, 2, bias=False)
    )
    with pytest.raises(
        ValueError,
        match=r"a bias that the optimizer changes\. Got '0', '1', '2' without: call add_biases_",
    ):
        Centering(model, torch.optim.SGD(model.parameters()))
    x, z = torch.rand(3, 2, 5), torch.rand(2, 3, 4)
    before = model[:2](x), model[2](z, z, z)[0]
    model[1].requires_grad_(False)
    assert add_biases_(model) is model
    torch.testing.assert_close((model[:2](x), model[2](z, z, z)[0]), before)
    assert [tuple(p.shape) for n, p in model.named_parameters() if "bias" in n] == [(3,), (4,), (12,), (4,)]
    assert not model[1].bias.requires_grad
    assert list(Centering(model, torch.optim.SGD(model.parameters())).offsets) == [
        "0",
        "2.in_proj_bias",
        "2.out_proj",
    ]


def test_frozen_and_foreign_layers_stay_as_they_are():
    model = nn.Sequential(*(nn.Linear(3, 3) for _ in range(4)))
    model[0].requires_grad_(False)
    prune.l1_unstructured(model[2], "weight", amount=0.5)
    before = copy.deepcopy(model.state_dict())
    optimizer = torch.optim.SGD([*model[0].parameters(), *model[3].parameters()], lr=0.1)
    centering = Centering(model, optimizer)
    assert list(centering.offsets) == ["3"]
    for _ in range(2):
        model(torch.rand(5, 3)).square().sum().backward()
        optimizer.step()
    changed = [name for name, value in model.state_dict().items() if not value.equal(before[name])]
    assert changed == ["3.weight", "3.bias"]
    with pytest.raises(ValueError, match=r"'1' without: call add_biases_"):
        Centering(model[:2], torch.optim.SGD([model[1].weight]), layers=["1"])


@pytest.mark.parametrize("in_place", [False, True])
def test_a_bias_frozen_later_stays_while_the_weights_learn_as_without_centering(in_place):
    torch.manual_seed(0)
    layer = nn.Linear(4, 3, **DOUBLE)
    optimizer = torch.optim.SGD(layer.parameters(), lr=RATE)
    Centering(layer, optimizer, offset_start=START)
    x = rand(5, 4)
    layer(x).square().sum().backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=not in_place)
    layer.bias.requires_grad_(False)
    before, plain = layer.bias.clone(), copy.deepcopy(layer)
    for one in (layer, plain):
        one(x).square().sum().backward()
    optimizer.step()
    assert layer.bias.equal(before)
    torch.testing.assert_close(layer.weight, plain.weight - RATE * plain.weight.grad, rtol=0, atol=1e-15)


def test_layers_are_chosen_by_name_class_or_themselves():
    model = nn.Sequential(
        nn.Conv1d(2, 3, 1), nn.Sequential(nn.Linear(5, 4), nn.ReLU(), nn.Linear(4, 4)), nn.Linear(4, 2)
    )
    optimizer = torch.optim.SGD(model.parameters())

    def chosen(*layers):
        centering = Centering(model, optimizer, layers=layers)
        centering.detach()
        return list(centering.offsets)

    assert chosen("1") == ["1.0", "1.2"]
    assert chosen("2", "1.0") == ["1.0", "2"]
    assert chosen(nn.Conv1d, model[1][2]) == ["0", "1.2"]
    for one in ("1", model[1]):  # one need not be in a list
        centering = Centering(model, optimizer, layers=one)
        centering.detach()
        assert list(centering.offsets) == ["1.0", "1.2"]
    with pytest.raises(TypeError, match=r"chosen by its name, its class or itself\. Got 1\."):
        chosen(1)
    with pytest.raises(ValueError, match=r"layer to be centered must be one of 0, 1\.0.*Got '1\.3'\. Did"):
        chosen("1.3")
    with pytest.raises(ValueError, match=r"of a known kind, or contain one\. Got '1\.1' with none"):
        chosen("1.1")
    with pytest.raises(ValueError, match=r"or contain one\. Got BatchNorm1d with none"):
        chosen(nn.BatchNorm1d)


def test_the_names_of_a_model_that_is_one_layer():
    model = nn.MultiheadAttention(4, 2)
    assert list(Centering(model, torch.optim.SGD(model.parameters())).offsets) == ["in_proj_bias", "out_proj"]


def test_layers_that_share_a_bias_or_a_centering_are_refused():
    model = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3))
    optimizer = torch.optim.SGD(model.parameters())
    centering = Centering(model, optimizer, layers=["0"])
    with pytest.raises(ValueError, match=r"can be centered once\. Got '0', which another Centering centers"):
        Centering(model, optimizer)
    assert len(optimizer._optimizer_step_pre_hooks) == 1
    centering.detach()
    model[1].bias = model[0].bias
    with pytest.raises(ValueError, match=r"a bias of its own.*Got one for both '0' and '1'"):
        Centering(model, torch.optim.SGD(model.parameters()))


def test_subclasses_that_compute_something_else_are_no_layers_to_center():
    class Squared(nn.Linear):
        def forward(self, input):
            return super().forward(input) ** 2

    for model in (Squared(3, 3), CenteredLinear(3, 3), nn.ReLU()):
        optimizer = torch.optim.SGD(nn.Linear(2, 2).parameters())
        with pytest.raises(ValueError, match=rf"a layer that it can center.*Got {type(model).__name__}"):
            Centering(model, optimizer)
