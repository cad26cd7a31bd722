"""Deferred initialisation and foreign checkpoints: nothing is left that was never set."""

import pytest
from nn_cases import torch
from torch import nn

from hebbian_descent.nn import CenteredLinear, HebbianLayer, TiedAutoencoder, center_, update_offsets_

MEAN = torch.linspace(0.1, 0.6, 6)
MODULES = {
    "centered": lambda: CenteredLinear(6, 4, offset=MEAN, shift=0.1),
    "hebbian": lambda: HebbianLayer(6, 4, "sigmoid", offset=0.3),
    "autoencoder": lambda: TiedAutoencoder([6, 4, 2], offset=MEAN, target_activity=[0.1, 0.2], shift=0.1),
    "converted": lambda: center_(nn.Sequential(nn.Linear(6, 4), nn.ReLU(), nn.Linear(4, 2))),
}


def reset_all(model):
    for module in model.modules():
        if hasattr(module, "reset_parameters"):
            module.reset_parameters()


@pytest.mark.parametrize("make", MODULES.values(), ids=MODULES)
def test_modules_made_on_the_meta_device_start_as_all_others(make):
    with torch.device("meta"):
        model = make()
    model.to_empty(device="cpu")
    for tensor in (*model.parameters(), *model.buffers()):
        tensor.data.fill_(torch.nan)  # what uninitialised memory may hold
    torch.manual_seed(3)
    reset_all(model)
    expected = make()
    torch.manual_seed(3)
    reset_all(expected)
    for name, tensor in (*expected.named_parameters(), *expected.named_buffers()):
        found = (
            model.get_parameter(name) if name in dict(model.named_parameters()) else model.get_buffer(name)
        )
        torch.testing.assert_close(found, tensor, rtol=0, atol=0)


def test_a_reset_forgets_what_was_learned_and_seen():
    layer = CenteredLinear(6, 4, offset=MEAN, shift=0.5)
    layer(torch.rand(3, 6))
    update_offsets_(layer)
    layer(torch.rand(3, 6))
    layer.reset_parameters()
    torch.testing.assert_close(layer.offset, MEAN)
    assert layer.seen.sums is None
    autoencoder = TiedAutoencoder([6, 4], shift=0.5, hidden_shift=0.5)
    autoencoder(torch.rand(3, 6))
    update_offsets_(autoencoder)
    autoencoder.reset_parameters()
    assert (autoencoder.layers[0].offset == 0).all()
    assert (autoencoder.layers[0].hidden_offset == 0.5).all()


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("assign", [True, False])
def test_the_checkpoint_of_a_plain_layer_computes_the_same_in_a_centered_one(strict, assign):
    plain = nn.Sequential(nn.Linear(6, 4), nn.ReLU(), nn.Linear(4, 2))
    centered = nn.Sequential(
        CenteredLinear(6, 4, offset=MEAN, shift=0.1), nn.ReLU(), CenteredLinear(4, 2, offset=3.0)
    )
    found = centered.load_state_dict(plain.state_dict(), strict=strict, assign=assign)
    assert not found.missing_keys
    x = torch.rand(5, 6)
    torch.testing.assert_close(centered(x), plain(x))
    with torch.device("meta"):
        later = CenteredLinear(6, 4, offset=MEAN)
    later.load_state_dict(plain[0].state_dict(), assign=True)
    torch.testing.assert_close(later(x), plain[0](x))


def test_a_checkpoint_without_the_layer_leaves_its_offset():
    layer = CenteredLinear(6, 4, offset=0.5)
    found = layer.load_state_dict({}, strict=False)
    assert set(found.missing_keys) == {"weight", "bias", "offset"}
    assert (layer.offset == 0.5).all()


@pytest.mark.parametrize(
    "make", [CenteredLinear, HebbianLayer, lambda *sizes, **settings: TiedAutoencoder(sizes, **settings)]
)
def test_the_momentum_of_batch_normalisation_is_called_shift(make):
    with pytest.raises(TypeError, match=r"must be given as shift.*Got momentum=0\.1: pass shift=0\.1\."):
        make(6, 4, momentum=0.1)
