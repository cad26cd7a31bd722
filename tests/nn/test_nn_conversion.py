"""center_ and uncenter_ change how a model learns and not what it computes."""

import pytest
from nn_cases import torch
from torch import nn

from hebbian_descent.nn import CenteredLinear, HebbianLayer, center_, uncenter_, update_offsets_

DOUBLE = {"dtype": torch.float64}


class Branches(nn.Module):
    """A model with a layer used twice, one without bias, one in a list, and one that is never called."""

    def __init__(self):
        super().__init__()
        self.shared = nn.Linear(6, 6, **DOUBLE)
        self.also_shared = self.shared
        self.blocks = nn.ModuleList([nn.Sequential(nn.Linear(6, 5, bias=False, **DOUBLE), nn.Tanh())])
        self.idle = nn.Linear(3, 3, **DOUBLE)

    def forward(self, x):
        return self.blocks[0](self.also_shared(torch.sigmoid(self.shared(x))))


@pytest.mark.parametrize("with_inputs", [True, False])
def test_there_and_back_without_a_change_of_the_output(with_inputs):
    model, x = Branches(), torch.rand(9, 6, **DOUBLE)
    expected = model(x)
    assert center_(model, *([x] if with_inputs else []), offset=0.5, shift=0.1) is model
    assert type(model.shared) is type(model.blocks[0][0]) is type(model.idle) is CenteredLinear
    assert model.shared is model.also_shared
    assert (model.idle.offset == (0 if with_inputs else 0.5)).all()
    torch.testing.assert_close(model(x), expected, rtol=0, atol=1e-14)
    update_offsets_(model)
    torch.testing.assert_close(model(x), expected, rtol=0, atol=1e-14)
    assert uncenter_(model) is model
    assert type(model.shared) is type(model.blocks[0][0]) is nn.Linear
    torch.testing.assert_close(model(x), expected, rtol=0, atol=1e-14)
    assert "offset" not in "".join(model.state_dict())
    assert not model.shared._forward_pre_hooks


def test_offsets_start_at_the_mean_input_of_each_layer():
    model, x = (
        nn.Sequential(nn.Linear(6, 5, **DOUBLE), nn.Tanh(), nn.Linear(5, 2, **DOUBLE)),
        torch.rand(9, 6, **DOUBLE),
    )
    hidden = model[:2](x).mean(dim=0)
    model.train()
    model[1].eval()
    center_(model, x)
    torch.testing.assert_close(model[0].offset, x.mean(dim=0))
    torch.testing.assert_close(model[2].offset, hidden)
    assert model.training
    assert not model[1].training


def test_a_shared_layer_starts_at_the_mean_over_all_its_calls():
    model, x = Branches(), torch.rand(9, 6, **DOUBLE)
    expected = torch.cat([x, torch.sigmoid(model.shared(x))]).mean(dim=0)
    torch.testing.assert_close(center_(model, x).shared.offset, expected)


def test_the_parameters_stay_the_same_objects():
    model = nn.Sequential(nn.Linear(6, 5), nn.Linear(5, 2))
    before = list(model.parameters())
    center_(model, offset=0.5)
    assert all(a is b for a, b in zip(before, model.parameters(), strict=True))


def test_a_single_layer_is_a_model_too():
    model, x = nn.Linear(6, 5), torch.rand(3, 6)
    expected = model(x)
    assert type(center_(model, offset=0.5)) is CenteredLinear
    torch.testing.assert_close(model(x), expected)
    assert type(uncenter_(model)) is nn.Linear


def test_the_state_of_an_uncentered_model_loads_into_the_original():
    original = nn.Sequential(nn.Linear(6, 5), nn.Linear(5, 2))
    x = torch.rand(3, 6)
    expected = original(x)
    trained = center_(nn.Sequential(nn.Linear(6, 5), nn.Linear(5, 2)), x)
    trained.load_state_dict({**trained.state_dict(), **center_(original, x).state_dict()})
    uncenter_(original)
    original.load_state_dict(uncenter_(trained).state_dict())
    torch.testing.assert_close(original(x), expected)


def test_layers_that_are_more_than_centered_keep_their_activation():
    model, x = (
        nn.Sequential(HebbianLayer(6, 5, "sigmoid", offset=0.5, shift=0.1, **DOUBLE)),
        torch.rand(3, 6, **DOUBLE),
    )
    expected = model(x)
    uncenter_(model)
    assert type(model[0]) is HebbianLayer
    assert (model[0].offset == 0).all()
    torch.testing.assert_close(model(x), expected, rtol=0, atol=1e-14)
    update_offsets_(model)
    assert (model[0].offset == 0).all()


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors:UserWarning")  # of the uncentered model
@pytest.mark.parametrize("padded", [False, True])
def test_transformers_compute_the_same_also_where_pytorch_has_a_fused_inference(padded):
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, dropout=0.0)
    model = nn.TransformerEncoder(layer, 2).eval()
    x = torch.randn(3, 4, 8)
    mask = torch.arange(4).expand(3, 4) >= torch.tensor([[4], [2], [3]]) if padded else None
    with torch.no_grad():
        expected = model(x, src_key_padding_mask=mask)
        center_(model, x)
        found = model(x, src_key_padding_mask=mask)
        if padded:
            expected, found = expected.masked_fill(mask[..., None], 0), found.masked_fill(mask[..., None], 0)
        torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-5)
    assert type(model.layers[0].linear1) is CenteredLinear
    assert type(model.layers[0].self_attn.out_proj) is not CenteredLinear
