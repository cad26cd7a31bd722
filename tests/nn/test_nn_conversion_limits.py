"""What center_ leaves alone, what it refuses, and layers that are used in unusual ways."""

import copy
import pickle

import pytest
from nn_cases import torch
from torch import nn
from torch.nn.utils import parametrizations, parametrize, prune

from hebbian_descent.nn import CenteredLinear, center_, check_local_rule, uncenter_, update_offsets_

DOUBLE = {"dtype": torch.float64}
X = torch.rand(9, 6, generator=torch.Generator().manual_seed(0), **DOUBLE)


class Doubled(nn.Module):
    def forward(self, value):
        return 2 * value


class ByKeyword(nn.Module):
    """Calls its layer as `layer(input=x)`."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(6, 4, **DOUBLE)

    def forward(self, x):
        return self.layer(input=x)


class ReadsWeights(nn.Module):
    """Uses the weights of its layer directly, as `nn.MultiheadAttention` does."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(6, 4, **DOUBLE)
        self.top = nn.Linear(4, 2, **DOUBLE)

    def forward(self, x):
        return self.top(nn.functional.linear(x, self.layer.weight, self.layer.bias))


class OneBias(nn.Module):
    """Two layers with one bias, and perhaps one weight."""

    def __init__(self, *, one_weight=False):
        super().__init__()
        self.first, self.second = nn.Linear(6, 6, **DOUBLE), nn.Linear(6, 6, **DOUBLE)
        self.second.bias = self.first.bias
        if one_weight:
            self.second.weight = self.first.weight

    def forward(self, x):
        return self.second(self.first(x))


class TiedEmbedding(nn.Module):
    """An embedding whose weights are those of the output layer, as in language models."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(10, 6, **DOUBLE)
        self.output = nn.Linear(6, 10, bias=False, **DOUBLE)
        self.output.weight = self.embedding.weight

    def forward(self, words):
        return self.output(torch.tanh(self.embedding(words)))


def assert_nothing_changes(model, *inputs, more_inputs):
    """Center a model, move its offsets and go back: the output is the same at every stage."""
    expected = model(*inputs)
    center_(model, *inputs, shift=0.5)
    torch.testing.assert_close(model(*inputs), expected, rtol=0, atol=1e-13)
    model(more_inputs)
    update_offsets_(model)
    torch.testing.assert_close(model(*inputs), expected, rtol=0, atol=1e-13)
    uncenter_(model)
    torch.testing.assert_close(model(*inputs), expected, rtol=0, atol=1e-13)


def test_layers_called_by_keyword():
    model = ByKeyword()
    assert_nothing_changes(model, X, more_inputs=X + 1)
    center_(model, X, shift=0.5)
    torch.testing.assert_close(model.layer.offset, X.mean(dim=0))
    model(X + 1)
    update_offsets_(model)
    torch.testing.assert_close(model.layer.offset, X.mean(dim=0) + 0.5)
    assert check_local_rule(model, X, torch.rand(9, 4, **DOUBLE))


def test_models_that_read_the_weights_of_a_layer():
    model = ReadsWeights()
    assert_nothing_changes(model, X, more_inputs=X + 1)
    center_(model, X, offset=0.7, shift=0.5)
    model(X + 1)
    update_offsets_(model)
    assert (model.layer.offset == 0).all()
    assert (model.top.offset != 0).all()


def test_weights_tied_to_an_embedding():
    model, words = TiedEmbedding(), torch.tensor([1, 4, 4, 7])
    assert_nothing_changes(model, words, more_inputs=torch.tensor([2, 3]))
    assert model.output.weight is model.embedding.weight


@pytest.mark.parametrize("one_weight", [False, True])
def test_two_layers_with_one_bias_are_refused_before_anything_is_changed(one_weight):
    model = OneBias(one_weight=one_weight)
    with pytest.raises(
        ValueError, match=r"a bias of its own.*Got one for both 'first' and 'second': give each"
    ):
        center_(model, X)
    assert type(model.first) is type(model.second) is nn.Linear
    assert not model.first._forward_pre_hooks


def test_layers_with_parametrizations_or_hooks_are_left_alone():
    normed = parametrizations.weight_norm(nn.Linear(6, 6, **DOUBLE))
    pruned = prune.l1_unstructured(nn.Linear(6, 6, **DOUBLE), "weight", amount=0.5)
    model = nn.Sequential(normed, pruned, nn.Linear(6, 2, **DOUBLE))
    assert_nothing_changes(model, X, more_inputs=X + 1)
    center_(model, X)
    assert [isinstance(layer, CenteredLinear) for layer in model] == [False, False, True]


def test_subclasses_are_left_alone_and_named_where_there_is_nothing_else():
    class Own(nn.Linear):
        pass

    model = center_(nn.Sequential(Own(6, 4), nn.Linear(4, 2)))
    assert [type(layer) for layer in model] == [Own, CenteredLinear]
    with pytest.raises(
        ValueError, match=r"hold an nn\.Linear\. Got Sequential without, only CenteredLinear, Own"
    ):
        center_(model)
    with pytest.raises(
        ValueError, match=r"Got MultiheadAttention without, only NonDynamicallyQuantizableLinear"
    ):
        center_(nn.MultiheadAttention(8, 2))


def test_layers_without_sizes_are_refused():
    model = nn.Sequential(nn.LazyLinear(4), nn.Linear(4, 2))
    with pytest.raises(
        ValueError, match=r"must know their sizes\. Got '0', a LazyLinear: run the model once"
    ):
        center_(model)
    model(torch.rand(3, 6))
    assert type(center_(model)[0]) is CenteredLinear


def test_inputs_and_offsets_that_are_no_numbers_are_refused_before_anything_is_changed():
    model = nn.Sequential(nn.Linear(6, 4, **DOUBLE), nn.Linear(4, 2, **DOUBLE))
    for call in (lambda: center_(model, X * torch.nan), lambda: center_(model, offset=float("inf"))):
        with pytest.raises(ValueError, match=r"The offset must be finite\. Got (nan|inf)\."):
            call()
    assert type(model[0]) is type(model[1]) is nn.Linear
    with pytest.raises(TypeError, match=r"must be one number or 6, one for each unit\. Got 'mean'"):
        CenteredLinear(6, 4, offset="mean")


def test_a_frozen_layer_stays_frozen():
    model = nn.Sequential(nn.Linear(6, 4, bias=False)).requires_grad_(False)
    center_(model)
    assert not any(parameter.requires_grad for parameter in model.parameters())
    assert center_(nn.Linear(6, 4, bias=False)).bias.requires_grad


def test_parametrized_weights_of_a_centered_layer_are_followed():
    layer = parametrizations.weight_norm(CenteredLinear(6, 4, offset=0.5, shift=0.5, **DOUBLE))
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    (layer(X) ** 2).sum().backward()
    optimizer.step()
    with torch.no_grad():
        expected = layer(X)
    update_offsets_(layer)
    assert (layer.offset != 0.5).all()
    torch.testing.assert_close(layer(X), expected, rtol=0, atol=1e-13)
    uncenter_(layer)
    assert (layer.offset == 0).all()
    torch.testing.assert_close(layer(X), expected, rtol=0, atol=1e-13)


def test_moves_that_cannot_be_made_up_for_are_refused():
    pruned = prune.l1_unstructured(CenteredLinear(6, 4, shift=0.5), "weight", amount=0.5)
    parametrized = CenteredLinear(6, 4, shift=0.5)
    parametrize.register_parametrization(parametrized, "bias", Doubled())
    for layer in (pruned, parametrized):
        layer(torch.rand(3, 6))
        with pytest.raises(
            ValueError, match=r"a bias that is a parameter, and a weight that no hook computes"
        ):
            update_offsets_(layer)
        assert (layer.offset == 0).all()


def test_an_overflow_does_not_stay_in_the_offset():
    layer = CenteredLinear(2, 2, offset=0.25, shift=0.5)
    layer(torch.tensor([[torch.inf, 1.0]]))
    update_offsets_(layer)
    assert layer.offset.tolist() == [0.25, 0.625]
    assert layer.bias.isfinite().all()


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
def test_copies_note_for_themselves_and_can_be_uncentered(copied):
    model = center_(nn.Sequential(nn.Linear(6, 4, **DOUBLE)), shift=1.0)
    model(X)
    again = copied(model)
    again(X + 1)
    update_offsets_(model)
    update_offsets_(again)
    torch.testing.assert_close(model[0].offset, X.mean(dim=0))
    torch.testing.assert_close(again[0].offset, X.mean(dim=0) + 0.5)
    expected = again(X)
    uncenter_(again)
    assert type(again[0]) is nn.Linear
    assert not again[0]._forward_pre_hooks
    torch.testing.assert_close(again(X), expected, rtol=0, atol=1e-13)
    assert type(model[0]) is CenteredLinear
