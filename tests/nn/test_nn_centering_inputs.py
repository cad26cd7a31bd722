"""What counts as the mean input of a layer, and where the offsets start."""

import pytest
from nn_cases import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from hebbian_descent.nn import Centering, center_

X = torch.rand(6, 4, generator=torch.Generator().manual_seed(0))


def centered(model, shift=1.0, **settings):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    settings.setdefault("offset_start", 0.0)
    return Centering(model, optimizer, shift=shift, **settings), optimizer


def offset_after(run, layer=None, **settings):
    layer = nn.Linear(4, 2) if layer is None else layer
    centering, optimizer = centered(layer, **settings)
    run(layer)
    optimizer.step()
    return centering.offsets["bias"][0]


def learn(layer, x, **keywords):
    layer(x, **keywords).sum().backward()


def test_accumulated_gradients_count_together():
    def run(layer):
        learn(layer, X[:5])
        learn(layer, X[5:])

    torch.testing.assert_close(offset_after(run), X.mean(0))


def test_gradients_taken_one_after_the_other_count_the_inputs_once():
    def run(layer):
        loss = layer(X)
        for i in range(2):  # each replaced, as methods for several tasks do
            layer.zero_grad()
            loss[:, i].sum().backward(retain_graph=True)

    torch.testing.assert_close(offset_after(run), X.mean(0))


def test_inputs_whose_gradients_were_dropped_do_not_count():
    def run(layer):
        learn(layer, X + 100)
        loss = layer(X).sum()
        layer.zero_grad()  # also after the pass
        loss.backward()

    torch.testing.assert_close(offset_after(run), X.mean(0))


@pytest.mark.parametrize("use_reentrant", [True, False])
def test_checkpointed_passes_have_the_same_mean(use_reentrant):
    def run(layer):
        x = X.clone().requires_grad_()
        checkpoint(layer, x, use_reentrant=use_reentrant).sum().backward()

    torch.testing.assert_close(offset_after(run), X.mean(0))


def test_evaluation_and_passes_without_gradients_do_not_count():
    def run(layer):
        learn(layer, X)
        with torch.no_grad():
            layer(X + 100)
        layer.eval()(X + 100)
        layer.train()
        torch.func.vmap(layer)(X + 100)

    torch.testing.assert_close(offset_after(run), X.mean(0))


def test_inputs_by_keyword_count():
    torch.testing.assert_close(offset_after(lambda layer: layer(input=X).sum().backward()), X.mean(0))


@pytest.mark.parametrize("before", [True, False])
def test_the_input_counts_as_other_hooks_left_it(before):
    layer = nn.Linear(4, 2)
    if before:
        layer.register_forward_pre_hook(lambda module, args: (args[0] + 1,))
    centering, optimizer = centered(layer)
    if not before:
        layer.register_forward_pre_hook(lambda module, args: (args[0] + 1,))
    learn(layer, X)
    optimizer.step()
    torch.testing.assert_close(centering.offsets["bias"][0], X.mean(0) + 1)


@pytest.mark.filterwarnings("ignore:Sparse CSR tensor support is in beta state:UserWarning")
@pytest.mark.parametrize("sparse", [torch.Tensor.to_sparse, torch.Tensor.to_sparse_csr])
def test_sparse_inputs(sparse):
    x = torch.where(X > 0.5, X, 0)
    torch.testing.assert_close(offset_after(lambda layer: learn(layer, sparse(x))), x.mean(0))


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors is in prototype stage:UserWarning")
@pytest.mark.parametrize("layout", [torch.jagged, torch.strided])
def test_nested_inputs_have_no_padding(layout):
    def run(layer):
        nested = torch.nested.nested_tensor([X[:4], X[4:]], layout=layout)
        torch.cat([part.flatten() for part in layer(nested).unbind()]).sum().backward()

    torch.testing.assert_close(offset_after(run), X.mean(0))


def test_models_can_be_traced_by_fx():
    class Own(nn.Linear):
        pass

    model = nn.Sequential(nn.Linear(4, 3), Own(3, 2))
    centered(model)
    traced = torch.fx.symbolic_trace(model)
    torch.testing.assert_close(traced(X), model(X))


class Pooled(nn.Module):
    """Words of several lengths, an attention layer, and a head for their mean."""

    def __init__(self, batch_first=True):
        super().__init__()
        self.attention = nn.MultiheadAttention(4, 2, batch_first=batch_first)
        self.inner, self.head = nn.Linear(4, 4), nn.Linear(4, 2)

    def forward(self, x, padding=None):
        x = x + self.attention(x, x, x, key_padding_mask=padding)[0]
        return self.head(torch.sigmoid(self.inner(x)).mean(1))


@pytest.mark.parametrize("dtype", [torch.bool, torch.int64])
def test_padding_does_not_count(dtype):
    keep = torch.tensor([[1, 1, 1], [1, 0, 0]], dtype=dtype)
    x = X.view(2, 3, 4) + 100 * ~keep.bool()[..., None]
    model = Pooled()
    centering, optimizer = centered(model)
    seen = {}
    for name in ("inner", "head"):
        layer = model.get_submodule(name)
        layer.register_forward_hook(lambda _, args, out, name=name: seen.update({name: args[0]}))
    with centering.counting(keep):
        learn(model, x)
        inputs = dict(seen)
        model.eval()(x[:1])  # nothing counts, whatever its shape
    optimizer.step()
    for mu in centering.offsets["attention.in_proj_bias"]:
        torch.testing.assert_close(mu, x[keep.bool()].mean(0))
    torch.testing.assert_close(centering.offsets["inner"][0], inputs["inner"][keep.bool()].mean(0))
    torch.testing.assert_close(centering.offsets["head"][0], inputs["head"].mean(0))
    model.train()
    with (
        pytest.raises(ValueError, match=r"some layer's inputs without their units\. Got \(3, 2\), which"),
        centering.counting(keep.T),
    ):
        learn(model, x)


def test_masks_within_masks():
    layer = nn.Linear(4, 2)
    centering, optimizer = centered(layer)
    keep = torch.arange(6) < 4
    with centering.counting(keep):
        with centering.counting(~keep):
            learn(layer, X + 1)
        learn(layer, X)
    optimizer.step()
    expected = torch.cat([X[keep], X[~keep] + 1]).mean(0)
    torch.testing.assert_close(centering.offsets["bias"][0], expected)


@pytest.mark.parametrize("batch_first", [True, False])
@pytest.mark.parametrize("is_flag", [True, False])
def test_attention_layers_know_their_padding(is_flag, batch_first):
    padding = torch.tensor([[False, False, False], [False, True, True]])
    x = X.view(2, 3, 4)
    model = Pooled(batch_first)
    centering, optimizer = centered(model)
    mask = padding if is_flag else torch.zeros(2, 3).masked_fill(padding, -torch.inf)
    learn(model, x if batch_first else x.transpose(0, 1), padding=mask)
    optimizer.step()
    for mu in centering.offsets["attention.in_proj_bias"]:
        torch.testing.assert_close(mu, x[~padding].mean(0))


def test_padding_of_the_keys_is_not_that_of_other_queries():
    padding = torch.tensor([[False, False, False], [False, True, True]])
    x = X.view(2, 3, 4)
    layer = nn.MultiheadAttention(4, 2, batch_first=True)
    centering, optimizer = centered(layer)
    layer(x + 1, x, x, key_padding_mask=padding)[0].sum().backward()
    optimizer.step()
    query, key, value = centering.offsets["in_proj_bias"]
    torch.testing.assert_close(query, X.mean(0) + 1)
    torch.testing.assert_close((key, value), (x[~padding].mean(0), x[~padding].mean(0)))


def test_an_offset_starts_as_the_running_mean():
    layer = nn.Linear(4, 2)
    centering, optimizer = centered(layer, shift=0.2, offset_start=None)
    expected, n = torch.zeros(4), 0
    for i in range(8):
        x = X[: 1 + i % 3] + i
        n += len(x)
        nu = max(0.2, len(x) / n)
        expected = (1 - nu) * expected + nu * x.mean(0)
        learn(layer, x)
        optimizer.step()
        torch.testing.assert_close(centering.offsets["bias"][0], expected)
        if i == 1:
            torch.testing.assert_close(expected, (X[0] + X[0] + 1 + X[1] + 1) / 3)


def test_an_offset_can_start_at_a_batch_or_be_given():
    model = nn.Sequential(nn.Linear(4, 3), nn.Dropout(0.5), nn.Linear(3, 2))
    centering, _ = centered(model, shift=0.0, offset_start={"0": torch.arange(4), "2": 0.5})
    assert centering.offsets["0"][0].tolist() == [0, 1, 2, 3]
    assert centering.offsets["2"][0].tolist() == [0.5] * 3
    model[1].eval()
    with torch.no_grad():
        learn_nothing = model(X)
        hidden = model[0](X).mean(0)
    centering.start_from(X)
    assert model[0].training
    assert not model[1].training
    torch.testing.assert_close([mu for (mu,) in centering.offsets.values()], [X.mean(0), hidden])
    torch.testing.assert_close(model(X), learn_nothing, rtol=0, atol=0)


def test_a_start_that_fails_leaves_nothing_behind():
    model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 2))
    centering, optimizer = centered(model)
    model[1].register_forward_pre_hook(lambda module, args: 1 / int(model.training))
    with pytest.raises(ZeroDivisionError):
        centering.start_from(X + 100)
    assert model.training
    model[1]._forward_pre_hooks.clear()
    learn(model, X)
    optimizer.step()
    torch.testing.assert_close(centering.offsets["0"][0], X.mean(0))


def test_fixed_offsets_stay_and_need_no_inputs():
    layer = nn.Linear(4, 2).eval()
    assert (offset_after(lambda layer: learn(layer, X), layer, shift=0.0, offset_start=0.3) == 0.3).all()


def test_a_model_that_is_not_in_training_is_reported_once():
    layer = nn.Linear(4, 2).eval()
    centering, optimizer = centered(layer)
    learn(layer, X)
    with pytest.warns(UserWarning, match="No layer to be centered has seen an input in training.*evaluation"):
        optimizer.step()
    optimizer.step()
    assert (centering.offsets["bias"][0] == 0).all()


def test_an_overflow_does_not_stay_in_the_offset():
    layer = nn.Linear(2, 2)
    found = offset_after(
        lambda layer: layer(torch.tensor([[torch.inf, 1.0]])), layer, shift=0.5, offset_start=0.25
    )
    assert found.tolist() == [0.25, 0.625]


def test_an_overflow_does_not_count_in_the_running_mean():
    layer = nn.Linear(2, 2)
    centering, optimizer = centered(layer, shift=0.01, offset_start=None)
    for x in ([[torch.inf, 3.0]], [[1.0, 1.0]]):
        learn(layer, torch.tensor(x))
        optimizer.step()
    assert centering.offsets["bias"][0].tolist() == [1.0, 2.0]
    again, _ = centered(nn.Linear(2, 2))
    again.load_state_dict(centering.state_dict())
    assert [n.tolist() for n in again.coordinates["bias"].n_seen] == [[1.0, 2.0]]


@pytest.mark.filterwarnings("ignore:Initializing zero-element tensors is a no-op:UserWarning")
def test_a_layer_without_inputs():
    assert offset_after(lambda layer: learn(layer, X[:, :0]), nn.Linear(0, 2)).shape == (0,)


def test_bad_settings_are_refused_in_one_sentence():
    model = nn.Sequential(nn.Linear(4, 3), nn.Linear(3, 2))
    optimizer = torch.optim.SGD(model.parameters())
    for error, settings, match in [
        (ValueError, {"shift": 1.5}, r"shift must be at least 0 and at most 1\. Got 1\.5"),
        (TypeError, {"optimizer": model}, r"must be one of torch\.optim, or a list.*Got Sequential"),
        (ValueError, {"offset_start": {"2": 0.0}}, r"layer of an offset must be one of 0, 1\. Got '2'"),
        (ValueError, {"offset_start": {"0": torch.zeros(3)}}, r"one number or 4.*Got shape \(3,\)"),
        (ValueError, {"offset_start": torch.nan}, r"The offset must be finite\. Got nan"),
        (TypeError, {"offset_start": "mean"}, r"must be one number or 4.*Got 'mean'"),
        (ValueError, {"offset_start": {"0": [0.0, 0.0]}}, r"offsets of '0' must be 1, one for each.*Got 2"),
    ]:
        with pytest.raises(error, match=match):
            Centering(**{"model": model, "optimizer": optimizer} | settings)
    assert not optimizer._optimizer_step_pre_hooks
    assert not model[0]._forward_hooks


def test_states_of_other_models_are_refused_and_change_nothing():
    model = nn.Sequential(nn.Linear(4, 3), nn.Linear(3, 2))
    centering, _ = centered(model, offset_start=0.5)
    state = centering.state_dict()
    with pytest.raises(ValueError, match=r"of the layers that are centered\. Got.* differs in '0', '2'"):
        centering.load_state_dict({"1": state["1"], "2": state["0"]})
    with pytest.raises(ValueError, match=r"one number or 3.*Got shape \(4,\)"):
        centering.load_state_dict({"0": state["0"], "1": state["0"]})
    assert all((mu == 0.5).all() for (mu,) in centering.offsets.values())


@pytest.mark.parametrize(
    ("inputs", "sentence"),
    [
        (
            [torch.zeros(3, 7)],
            r"a batch as Sequential takes it\. Got torch\.float32 of shape \(3, 7\), w",
        ),
        ([X.long()], r"Got torch\.int64 of shape .*says: "),
        ([X, X], r"Got torch\.float32 of shape .*, torch\.float32 of shape .*positional argument"),
        ([X.numpy()], r"Got ndarray, with which it says"),
        ([], r"Got nothing, with which it says"),
        ([X * torch.nan], r"must be finite\. Got a mean input of '0' that is not"),
        ([X[:0]], r"must hold a pattern that reaches a centered layer\. Got none"),
    ],
)
def test_a_batch_that_no_offset_can_start_from_is_refused_and_changes_nothing(inputs, sentence):
    model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 2))
    centering, _ = centered(model, offset_start=0.25)
    with pytest.raises(ValueError, match=sentence):
        centering.start_from(*inputs)
    assert model.training
    assert all((mu == 0.25).all() and not seen.is_filled for mu, seen in what_is_kept(centering))
    if inputs and not isinstance(inputs[0], torch.Tensor):
        with pytest.raises(ValueError, match=sentence):
            center_(model, *inputs)


def what_is_kept(centering):
    return [(its.offsets[0], its.seen[0]) for its in centering.coordinates.values()]
