"""The memory layer: shapes, streams, causality, precision, compiled graphs, and that it learns to recall."""

import copy

import pytest
from memory_cases import DOUBLE, sequence
from nn_cases import torch
from torch import nn
from torch.fx.experimental.proxy_tensor import make_fx

from hebbian_descent.nn import Centering, HebbianMemory, add_biases_
from hebbian_descent.nn.functional import hebbian_memory

GATED = {"rate": "input", "decay": "input", "activation": "sigmoid"}


def layer(**settings):
    torch.manual_seed(0)
    return HebbianMemory(12, 3, **{"chunk": 4} | settings)


@pytest.mark.parametrize("settings", [{}, GATED, {"rate": 0.5, "offset": None, "d_key": 5, "d_value": 7}])
def test_a_layer_is_causal_and_streams(settings):
    memory = layer(**settings, **DOUBLE)
    x = torch.randn(2, 11, 12, **DOUBLE)
    whole, last = memory(x)
    assert whole.shape == x.shape
    later = x.clone()
    later[:, 6:] = 0
    torch.testing.assert_close(memory(later)[0][:, :6], whole[:, :6])
    state, outputs = None, []
    for step in x.split(1, dim=1):
        output, state = memory(step, state)
        outputs.append(output)
    torch.testing.assert_close(torch.cat(outputs, dim=1), whole)
    torch.testing.assert_close(state, last)
    torch.testing.assert_close(memory(x[1])[0], whole[1])


def test_every_parameter_learns_and_padding_does_not_matter():
    memory = layer(**GATED)
    x = torch.randn(2, 11, 12)
    mask = torch.arange(11) < torch.tensor([[11], [7]])
    output, _ = memory(x, mask=mask)
    output[mask].square().sum().backward()
    assert all((parameter.grad != 0).any() for parameter in memory.parameters())
    torch.testing.assert_close(output[1, :7], memory(x[1, :7])[0])


@pytest.mark.parametrize("settings", [{}, GATED, {"rate": 0.5, "offset": None, "chunk": None}])
@pytest.mark.parametrize("hidden", [torch.nan, torch.inf, 1e30])
def test_padding_has_no_gradient_whatever_it_holds(settings, hidden):
    memory, found = layer(**settings), []
    mask = torch.arange(11) < torch.tensor([[11], [7]])
    for value in (0, hidden):
        x = torch.randn(2, 11, 12, generator=torch.Generator().manual_seed(0))
        x = x.masked_fill(~mask[..., None], value).requires_grad_()
        memory.zero_grad()
        output, _ = memory(x, mask=mask)
        output.square().sum().backward()
        found.append([output, x.grad, *(parameter.grad.clone() for parameter in memory.parameters())])
    torch.testing.assert_close(found[1], found[0])
    assert all(tensor.isfinite().all() for tensor in found[1])
    assert (found[1][1][~mask] == 0).all()


def test_every_value_can_be_recalled():
    memory = HebbianMemory(6, activation="sigmoid", rate=1.0)
    x = 5 * torch.randn(40, 6)
    _, state = memory(x)
    assert state.weights.isfinite().all()
    values = memory.activation(memory.value(x))
    assert ((values > 0) & (values < 1)).all()


def test_the_layer_without_centering_is_deltanet():
    memory = layer(rate=1.0, offset=None, bias=False, **DOUBLE)
    x = torch.randn(9, 12, **DOUBLE)
    heads = [p(x).unflatten(-1, (3, 4)).transpose(0, 1) for p in (memory.key, memory.value, memory.query)]
    k, v, q = heads
    k, q = (nn.functional.normalize(z, dim=-1) * 2 for z in (k, q))  # of length √d_key
    S = torch.zeros(3, 4, 4, **DOUBLE)
    outputs = []
    for t in range(9):
        error = v[:, t] - (S @ k[:, t, :, None])[..., 0]
        S = S + error[:, :, None] * k[:, t, None, :] / 4
        outputs.append((S @ q[:, t, :, None])[..., 0])
    recalled = memory.norm(torch.stack(outputs)).flatten(-2)
    torch.testing.assert_close(memory(x)[0], memory.output(recalled), rtol=0, atol=1e-8)


def test_a_deferred_layer_is_initialised_by_reset_parameters():
    with torch.device("meta"):
        memory = HebbianMemory(12, 3, **GATED)
    assert memory(torch.zeros(2, 5, 12, device="meta"))[0].is_meta
    memory.to_empty(device="cpu")
    for parameter in memory.parameters():
        nn.init.constant_(parameter, torch.nan)
    torch.manual_seed(0)
    memory.reset_parameters()
    torch.testing.assert_close(memory.state_dict(), layer(**GATED).state_dict())
    assert torch.sigmoid(memory.decay_gate.bias).tolist() == pytest.approx([0.01] * 3)


@pytest.mark.parametrize("how", ["bfloat16", "autocast"])
def test_half_precision(how):
    memory = layer(**GATED)
    x = torch.randn(2, 11, 12)
    expected, _ = memory(x)
    if how == "bfloat16":
        output, state = copy.deepcopy(memory).bfloat16()(x.bfloat16())
    else:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            output, state = memory(x)
        output.sum().backward()
    assert output.dtype == torch.bfloat16
    assert state.weights.dtype == torch.float32
    assert (output - expected).abs().max() < 0.05 * expected.abs().max()


def test_copies_and_checkpoints_are_plain():
    memory = layer(**GATED)
    other = HebbianMemory(12, 3, chunk=4, **GATED)
    other.load_state_dict(memory.state_dict())
    x = torch.randn(2, 7, 12)
    torch.testing.assert_close(copy.deepcopy(other)(x), memory(x))
    assert "activation=sigmoid" in repr(memory)
    assert "decay='input'" in repr(memory)


@pytest.fixture
def _fresh_compiler():
    torch.compiler.reset()
    yield
    torch.compiler.reset()


@pytest.mark.usefixtures("_fresh_compiler")
@pytest.mark.filterwarnings("ignore::DeprecationWarning:torch")  # PyTorch's own, while it compiles
def test_a_compiled_layer_is_one_graph_with_the_same_gradients():
    memory = layer(**GATED, **DOUBLE)
    compiled = torch.compile(memory, backend="aot_eager", fullgraph=True)
    x = torch.randn(2, 11, 12, **DOUBLE)
    parameters = list(memory.parameters())
    expected = torch.autograd.grad(memory(x)[0].square().sum(), parameters)
    torch.testing.assert_close(torch.autograd.grad(compiled(x)[0].square().sum(), parameters), expected)


def test_the_size_of_the_graph_does_not_depend_on_the_length():
    def run(*tensors):
        return hebbian_memory(*tensors, 0.1, activation="sigmoid", chunk=16)

    traced = [make_fx(run)(*sequence(n_steps=n_steps)[:3]) for n_steps in (40, 400)]
    names = [[str(node.target) for node in module.graph.nodes] for module in traced]
    assert len(names[0]) == len(names[1]) < 250
    assert all(name.count("hebbian_descent.learn_chunks.default") == 1 for name in names)


def test_a_transformer_block_with_it_learns_to_recall():
    """Pairs of symbols, then one of the keys: which symbol came with it? Nothing but the memory can tell."""
    torch.manual_seed(0)
    n_symbols, n_pairs = 8, 4
    embed = nn.Embedding(2 * n_symbols, 16)
    memory, head = HebbianMemory(32, 2, rate=1.0), nn.Linear(32, n_symbols)
    model = nn.ModuleList([embed, memory, head])
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    for _ in range(120):
        keys = torch.rand(32, n_symbols).argsort(dim=1)[:, :n_pairs]
        values = torch.randint(n_symbols, (32, n_pairs))
        pairs = torch.cat([embed(keys), embed(n_symbols + values)], dim=-1)
        asked = torch.cat([embed(keys[:, 1]), torch.zeros(32, 16)], dim=-1)
        output, _ = memory(torch.cat([pairs, asked[:, None]], dim=1))
        guess = head(output[:, -1])
        loss = nn.functional.cross_entropy(guess, values[:, 1])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert (guess.argmax(dim=-1) == values[:, 1]).float().mean() > 0.8


def test_projections_can_be_centered_once_they_have_biases():
    torch.manual_seed(0)
    memory, x = HebbianMemory(8, 2), 3 + torch.randn(4, 6, 8)
    with pytest.raises(ValueError, match=r"'key', 'value', 'query', 'output' without: call add_biases_\("):
        Centering(memory, torch.optim.SGD(memory.parameters()))
    before, _ = memory(x)
    add_biases_(memory)
    torch.testing.assert_close(memory(x)[0], before)
    optimizer = torch.optim.SGD(memory.parameters(), lr=0.1)
    centering = Centering(memory, optimizer)
    memory(x)[0].square().mean().backward()
    optimizer.step()
    assert list(centering.offsets) == ["key", "value", "query", "rate_gate", "output"]
    torch.testing.assert_close(centering.offsets["key"][0], x.mean((0, 1)))


def test_a_program_can_be_exported_for_any_number_of_steps():
    memory = layer(**GATED).eval()
    sizes = {0: torch.export.Dim("batch", min=2), 1: torch.export.Dim("steps", min=2)}
    program = torch.export.export(memory, (torch.randn(3, 9, 12),), dynamic_shapes=(sizes,)).module()
    for n_steps in (2, 4, 9, 17):  # less than a chunk, one, and several
        x = torch.randn(2, n_steps, 12)
        torch.testing.assert_close(program(x), memory(x))
