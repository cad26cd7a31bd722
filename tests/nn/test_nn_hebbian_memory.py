"""The fast-weight memory is Hebbian-descent step by step, and in chunks the same, with the same gradients."""

import functools

import numpy as np
import pytest
from memory_cases import DOUBLE, bytes_kept, naive_memory, sequence, weighted_sum
from nn_cases import EVERY, torch

from hebbian_descent import ACTIVATIONS, Layer, train
from hebbian_descent.nn import TorchActivation, get_torch_activation
from hebbian_descent.nn.fast_weights import operators
from hebbian_descent.nn.functional import MemoryState, hebbian_memory

SETTINGS = {
    "centered": {"offset": "moving", "shift": 0.2},
    "running mean, read before": {"offset": "moving", "shift": 0.0, "read": "before"},
    "fixed offset": {"offset": 0.3},
    "delta rule": {"offset": None, "bias": False},
    "centered, no bias": {"offset": "moving", "shift": 0.2, "bias": False, "read": "before"},
}
each_setting = pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
assert_close = functools.partial(torch.testing.assert_close, rtol=0, atol=1e-10)


def learn(tensors, *, with_decay=True, **settings):
    *pairs, rate, decay = tensors
    return hebbian_memory(*pairs, rate, decay=decay if with_decay else 0.0, **settings)


def with_gradients(tensors, **settings):
    """Outputs, state and the gradients of all tensors."""
    leaves = [tensor.clone().requires_grad_() for tensor in tensors]
    outputs, state = learn(leaves, **settings)
    gradients = torch.autograd.grad(weighted_sum(outputs, state), leaves, materialize_grads=True)
    return [outputs, *state, *gradients]


@pytest.mark.parametrize("activation", ACTIVATIONS)
@each_setting
def test_each_step_is_the_rule_of_the_paper(activation, settings):
    tensors = sequence()
    mask = torch.ones(13, dtype=torch.bool)
    mask[[4, 12]] = False
    outputs, state = learn(tensors, activation=activation, mask=mask, chunk=None, **settings)
    options = {"shift": 0.0, "bias": True, "read": "after"} | settings
    moves = options["offset"] == "moving"
    options["offset"] = 0.0 if moves or options["offset"] is None else options["offset"]
    expected = naive_memory(
        *(tensor.numpy() for tensor in tensors),
        activation=activation,
        moves=moves,
        mask=mask.numpy(),
        **options,
    )
    for found, wanted in zip((outputs, *state[:3]), expected, strict=True):
        np.testing.assert_allclose(found.numpy(), wanted, rtol=0, atol=1e-12)
    assert state.n_seen == 11


@pytest.mark.parametrize("activation", EVERY, ids=str)
@pytest.mark.parametrize("normalize", [False, True])
def test_it_learns_what_a_layer_of_the_core_learns(activation, normalize):
    keys, values, queries, *_ = sequence(n_steps=9)
    if activation.name == "exponential":
        normalize = (
            False  # whose slope is its output, so that the core's rate differs from pattern to pattern
        )
    layer = Layer.create(5, 4, activation=activation, rng=np.random.default_rng(0))
    layer.weights[:] = 0
    settings = {"weight_decay": 0.1, "shift": 0.15, "running_mean": True}
    rate = "auto" if normalize else 0.1
    train(layer, keys.numpy(), values.numpy(), learning_rate=rate, **settings)
    kappa = {"sigmoid": 2.0, "step": 2.0, "softplus": 2.0, "softsign": 1.4}.get(activation.name, 1.0)
    _, state = hebbian_memory(
        *(keys, values, queries, kappa if normalize else 0.1),
        activation=activation,
        decay=0.1,
        shift=0.15,
        normalize=normalize,
        chunk=4,
    )
    for found, wanted in zip(state, (layer.weights, layer.bias, layer.offset, 9), strict=True):
        np.testing.assert_allclose(found.numpy(), wanted, rtol=0, atol=1e-12)


@pytest.mark.parametrize("activation", EVERY, ids=str)
@each_setting
def test_chunks_give_the_same_as_steps(activation, settings):
    tensors = sequence(2, 3)
    mask = torch.rand(2, 1, 13, generator=torch.Generator().manual_seed(1)) > 0.2
    settings = settings | {"activation": activation, "mask": mask, "normalize": settings["offset"] is None}
    expected = with_gradients(tensors, chunk=None, **settings)
    assert_close(with_gradients(tensors, chunk=4, **settings), expected)


@pytest.mark.parametrize("chunk", [1, 3, 13, 64])
@pytest.mark.parametrize("with_decay", [False, True])
def test_the_length_of_a_chunk_does_not_matter(chunk, with_decay):
    tensors = sequence(2)
    for activation in ("linear", "scaled_tanh"):
        settings = {"activation": activation, "with_decay": with_decay, "shift": 0.3}
        expected = with_gradients(tensors, chunk=None, **settings)
        assert_close(with_gradients(tensors, chunk=chunk, **settings), expected)


@pytest.mark.parametrize("activation", ["linear", "sigmoid", "softmax"])
def test_gradients_are_those_of_finite_differences(activation):
    tensors = sequence(n_steps=5, n_keys=3, n_values=2)
    start = (torch.randn(3, 2, **DOUBLE), torch.randn(2, **DOUBLE), torch.randn(3, **DOUBLE))

    def run(keys, values, queries, rate, decay, *start):
        state = MemoryState(*start, torch.tensor(2.0, **DOUBLE))
        settings = {"activation": activation, "state": state, "shift": 0.1, "chunk": 2}
        outputs, state = learn((keys, values, queries, rate, decay), **settings)
        return outputs, *state[:3]

    leaves = [tensor.clone().requires_grad_() for tensor in (*tensors, *start)]
    assert torch.autograd.gradcheck(run, leaves, fast_mode=True)


def test_second_derivatives_are_refused():
    leaves = [tensor.requires_grad_() for tensor in sequence()]
    outputs, _ = learn(leaves, activation="sigmoid", chunk=4)
    (first,) = torch.autograd.grad((outputs**2).sum(), leaves[1], create_graph=True)
    with pytest.raises(RuntimeError, match="autograd"):
        torch.autograd.grad(first.sum(), leaves[1])


@pytest.mark.parametrize("parts", [[1] * 13, [5, 1, 7]])
def test_a_stream_continues_from_its_state(parts):
    tensors = sequence(2, 2)
    settings = {"activation": "sigmoid", "shift": 0.1, "chunk": 4}
    whole = with_gradients(tensors, **settings)
    leaves = [tensor.clone().requires_grad_() for tensor in tensors]
    cut = zip(*(leaf.split(parts, dim=2) for leaf in leaves), strict=True)
    state, outputs = None, []
    for piece in cut:
        recalled, state = learn(piece, state=state, **settings)
        outputs.append(recalled)
    outputs = torch.cat(outputs, dim=2)
    gradients = torch.autograd.grad(weighted_sum(outputs, state), leaves)
    assert_close([outputs, *state, *gradients], whole)
    assert not any(part.requires_grad for part in state.detach())


def test_one_state_can_begin_many_sequences():
    keys, values, queries, rate, _ = sequence(3)
    _, state = hebbian_memory(keys[0], values[0], queries[0], rate[0])
    together, _ = hebbian_memory(keys, values, queries, rate, state=state)
    alone, _ = hebbian_memory(keys[2], values[2], queries[2], rate[2], state=state)
    assert_close(together[2], alone)


def test_linear_units_without_bias_and_offset_are_the_delta_rule():
    keys, values, queries, rate, decay = sequence()
    S = torch.zeros(4, 5, **DOUBLE)  # as in DeltaNet: values times keys, read after the write
    expected = []
    for t in range(13):
        S = (1 - decay[t]) * S + rate[t] * torch.outer(values[t] - S @ keys[t], keys[t])
        expected.append(S @ queries[t])
    outputs, state = hebbian_memory(
        keys, values, queries, rate, decay=decay, offset=None, bias=False, chunk=4
    )
    assert_close(outputs, torch.stack(expected))
    assert_close(state.weights, S.T)


def test_a_whole_share_of_the_error_stores_a_pair_at_once():
    keys, values, *_ = sequence()
    after, _ = hebbian_memory(keys, values, keys, 1.0, normalize=True)
    assert_close(after, values)
    before, _ = hebbian_memory(keys, values, keys, 1.0, normalize=True, read="before")
    assert (before - values).abs().max() > 0.1


def test_padding_counts_for_nothing_whatever_it_holds():
    keys, values, queries, rate, decay = sequence(2)
    mask = torch.arange(13) < torch.tensor([[13], [6]])
    padded = [tensor.clone() for tensor in (keys, values, queries, rate, decay)]
    for tensor in padded:
        tensor[1, 6:] = torch.nan
        tensor.requires_grad_()
    *pairs, gate = padded
    outputs, state = hebbian_memory(*pairs, decay=gate, mask=mask, activation="sigmoid", chunk=4)
    short = [tensor[1, :6] for tensor in (keys, values, queries, rate)]
    expected, short_state = hebbian_memory(*short, decay=decay[1, :6], activation="sigmoid")
    assert_close(outputs[1, :6], expected)
    assert (outputs[1, 6:] == 0).all()
    assert_close([part[1] for part in state], list(short_state))
    outputs.sum().backward()
    assert all(tensor.grad.isfinite().all() for tensor in padded)


@pytest.mark.parametrize("chunk", [None, 4])
def test_an_offset_that_stays_can_be_learned(chunk):
    *pairs, _ = sequence(2)
    offset = torch.full((pairs[0].shape[-1],), 0.3, dtype=torch.float64, requires_grad=True)
    outputs, _ = hebbian_memory(*pairs, offset=offset, activation="sigmoid", chunk=chunk)
    outputs.sum().backward()
    step = torch.zeros_like(offset)
    step[0] = 1e-6
    nearby = [hebbian_memory(*pairs, offset=offset + s, activation="sigmoid")[0].sum() for s in (step, -step)]
    assert_close(offset.grad[0], (nearby[0] - nearby[1]) / 2e-6, rtol=1e-6)


@pytest.mark.parametrize("chunk", [None, 4])
def test_no_sequence_gives_no_outputs(chunk):
    *pairs, _ = sequence(2)
    outputs, state = hebbian_memory(*(tensor[:0] for tensor in pairs), activation="sigmoid", chunk=chunk)
    assert outputs.shape == (0, *pairs[1].shape[1:])
    assert state.weights.shape[0] == 0


@pytest.mark.parametrize("decay", [1.0, 0.999999, 1e-12])
def test_no_decay_is_too_strong_or_too_weak(decay):
    tensors = sequence(n_steps=40)
    leaves = [tensor.requires_grad_() for tensor in tensors[:4]]
    results = []
    for chunk in (None, 16):
        outputs, state = hebbian_memory(*leaves, decay=decay, activation="sigmoid", chunk=chunk)
        results.append([outputs, *state, *torch.autograd.grad(weighted_sum(outputs, state), leaves)])
    assert_close(*results)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_the_state_is_float32_at_least(dtype):
    *pairs, rate, decay = sequence(2, n_steps=40)
    low = [tensor.to(dtype).requires_grad_() for tensor in pairs]
    outputs, state = hebbian_memory(*low, rate, decay=decay, activation="sigmoid", chunk=16)
    assert outputs.dtype == dtype
    assert {part.dtype for part in state} == {torch.float32}
    rounded = [tensor.double() for tensor in low]
    expected, exact = hebbian_memory(*rounded, rate, decay=decay, activation="sigmoid", chunk=None)
    torch.testing.assert_close(state.weights.double(), exact.weights, rtol=0, atol=3e-5)
    torch.testing.assert_close(outputs.double(), expected, rtol=torch.finfo(dtype).eps, atol=1e-5)
    outputs.sum().backward()
    assert all(tensor.grad.dtype == dtype for tensor in low)


def test_mixed_precision_does_not_reach_the_sums():
    tensors = [tensor.float() for tensor in sequence(2)]
    expected = learn(tensors, activation="sigmoid")
    with torch.autocast("cpu", dtype=torch.bfloat16):
        leaves = [tensor.clone().requires_grad_() for tensor in tensors]
        found = learn(leaves, activation="sigmoid")
        found[0].sum().backward()  # also where the backward pass is within autocast
    torch.testing.assert_close(found, expected)


def test_custom_functions_take_the_plain_loop():
    tensors = sequence(2)
    expected = with_gradients(tensors, activation="sigmoid")
    assert_close(with_gradients(tensors, activation=torch.sigmoid), expected)
    assert_close(with_gradients(tensors, activation=TorchActivation("sigmoid", torch.sigmoid)), expected)


@pytest.mark.parametrize(
    "activation", [get_torch_activation("scaled_tanh", scale=1.7), "softmax", "linear"], ids=str
)
def test_the_operators_keep_the_promises_of_operators(activation, monkeypatch):
    calls = []
    monkeypatch.setattr(
        "hebbian_descent.nn.fast_weights.chunked_form.learn_chunks",
        lambda *args: calls.append(args) or operators.learn_chunks(*args),
    )
    learn([tensor.requires_grad_() for tensor in sequence(2)], activation=activation, chunk=4)
    checks = ("test_schema", "test_faketensor", "test_autograd_registration")
    arguments = [x.detach().requires_grad_() if isinstance(x, torch.Tensor) else x for x in calls[0]]
    torch.library.opcheck(operators.learn_chunks, arguments, test_utils=checks)
    start, gained = (torch.rand(*shape, **DOUBLE, requires_grad=True) for shape in ((2, 3), (2, 4, 3)))
    torch.library.opcheck(operators.carry, (start, torch.rand(2, 4, **DOUBLE), gained), test_utils=checks)


def test_what_is_kept_for_the_backward_pass_grows_with_the_length_alone():
    def kept(n_steps, chunk):
        leaves = [tensor.requires_grad_() for tensor in sequence(n_steps=n_steps, n_keys=64, n_values=64)]
        return bytes_kept(lambda: learn(leaves, activation="sigmoid", chunk=chunk))

    assert kept(512, 32) < 2.05 * kept(256, 32)
    assert kept(256, 32) < kept(256, None) / 3
