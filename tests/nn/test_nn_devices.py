"""No part makes a tensor on a different device: on the meta device, mixing in another would be an error."""

import pytest
from nn_cases import every_activation, torch
from torch import nn

from hebbian_descent.nn import (
    CenteredLinear,
    HebbianLayer,
    LeakyHingeLoss,
    MatchingLoss,
    SmoothHuberLoss,
    TiedAutoencoder,
    center_,
    hebbian,
    uncenter_,
    update_offsets_,
)

META = {"device": "meta"}


def test_devices_do_not_mix():
    with pytest.raises(RuntimeError):
        torch.zeros(2, **META) + torch.zeros(2)


@every_activation
def test_models_and_losses_stay_on_their_device(activation):
    model = nn.Sequential(
        HebbianLayer(6, 5, activation, offset=0.5, shift=0.1, **META),
        CenteredLinear(5, 4, offset=torch.zeros(5), shift=0.1, **META),
    )
    x, t = torch.rand(3, 6, **META), torch.rand(3, 4, **META)
    for loss in (MatchingLoss(activation), SmoothHuberLoss(weight=torch.ones(4, **META)), LeakyHingeLoss()):
        value = loss(model(x), t)
        value.backward()
        assert value.is_meta
    hebbian(activation)(model(x)).sum().backward()
    update_offsets_(model)
    assert all(tensor.is_meta for tensor in (*model.parameters(), *model.buffers()))


def test_auto_encoders_and_conversions_stay_on_their_device():
    model = nn.Sequential(nn.Linear(6, 5, **META), nn.Linear(5, 6, bias=False, **META))
    x = torch.rand(3, 6, **META)
    uncenter_(center_(model, x))
    autoencoder = TiedAutoencoder([6, 4, 2], target_activity=[0.2, torch.ones(2)], shift=0.1, **META)
    autoencoder.loss(model(x)).backward()
    update_offsets_(autoencoder)
    tensors = (*model.parameters(), *autoencoder.parameters(), *autoencoder.buffers())
    assert all(tensor.is_meta for tensor in tensors)


def test_noted_inputs_follow_a_model_to_another_device():
    layer = CenteredLinear(6, 4, shift=0.5)
    layer(torch.rand(3, 6))
    layer.to(torch.float64)
    layer(torch.rand(3, 6, dtype=torch.float64))
    update_offsets_(layer)
    assert layer.offset.dtype == torch.float64
    assert (layer.offset > 0).all()
