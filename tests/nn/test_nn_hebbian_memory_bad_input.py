"""Wrong inputs of a memory are reported in one sentence."""

import pytest
from nn_cases import torch

from hebbian_descent.nn import HebbianMemory
from hebbian_descent.nn.functional import MemoryState, hebbian_memory

K, V = torch.zeros(2, 3, 7, 5), torch.zeros(2, 3, 7, 4)  # two sequences, three heads, seven steps
STATE = MemoryState(torch.zeros(2, 3, 5, 4), torch.zeros(2, 3, 4), torch.zeros(2, 3, 5), torch.zeros(2, 3))

CASES = [
    ({"keys": [[1.0]]}, TypeError, r"keys must be a tensor\. Got list"),
    ({"values": V.long()}, TypeError, r"values must be a floating tensor\. Got torch\.int64"),
    ({"keys": torch.zeros(5)}, ValueError, r"keys must be of shape \(…, n_steps, n_keys\).*Got shape \(5,\)"),
    ({"keys": K[..., :0, :]}, ValueError, r"at least one of each\. Got shape \(2, 3, 0, 5\)"),
    ({"queries": K[:, :1]}, ValueError, r"queries must have the shape of the keys, \(2, 3, 7, 5\)\. Got"),
    (
        {"values": V[..., :6, :]},
        ValueError,
        r"values must be of shape \(2, 3, 7, n_values\)\. Got shape \(2, 3",
    ),
    ({"rate": -0.1}, ValueError, r"rate must be at least 0\. Got -0\.1"),
    ({"rate": "fast"}, TypeError, r"rate must be a number\. Got 'fast'"),
    ({"rate": torch.full((7,), torch.nan)}, ValueError, r"rate must be finite and at least 0\. Got nan"),
    (
        {"rate": torch.zeros(2, 7)},
        ValueError,
        r"rate must broadcast.*\(2, 3, 7\)\. Got shape \(2, 7\): give it an",
    ),
    ({"rate": torch.zeros(2, 3, 6)}, ValueError, r"rate must broadcast.*Got shape \(2, 3, 6\)"),
    ({"decay": 1.5}, ValueError, r"decay must be at least 0 and at most 1\. Got 1\.5"),
    ({"decay": torch.full((7,), 2.0)}, ValueError, r"decay must be at least 0 and at most 1\. Got 2"),
    (
        {"offset": "mean"},
        ValueError,
        r"offset, unless it is None or numbers, must be one of moving\. Got 'mean'",
    ),
    ({"offset": torch.zeros(4)}, ValueError, r"offset must be one number or 5.*Got shape \(4,\)"),
    ({"shift": 2}, ValueError, r"shift must be at least 0 and at most 1\. Got 2"),
    ({"bias": "no"}, ValueError, r"bias must be True or False\. Got 'no'"),
    ({"normalize": 2}, ValueError, r"normalize must be True or False\. Got 2"),
    ({"read": "afer"}, ValueError, r"read must be one of after, before\. Got 'afer'\. Did you mean 'after'"),
    ({"chunk": 0}, ValueError, r"chunk must be at least 1\. Got 0"),
    ({"mask": torch.ones(7)}, TypeError, r"mask must hold True.*Got torch\.float32: try mask != 0"),
    ({"mask": torch.ones(2, 7) > 0}, ValueError, r"mask must broadcast.*Got shape \(2, 7\)"),
    ({"activation": "sigmiod"}, ValueError, r"Got 'sigmiod'. Did you mean 'sigmoid'"),
    (
        {"state": STATE._replace(bias=torch.zeros(5))},
        ValueError,
        r"bias of the state must be of shape \(2, 3, 4\), or broadcast to it\. Got \(5,\)",
    ),
    (
        {"state": STATE._replace(weights=None)},
        TypeError,
        r"weights of the state must be a tensor\. Got NoneType",
    ),
    ({"state": K}, TypeError, r"state must be a MemoryState.*Got Tensor"),
]


@pytest.mark.parametrize(("wrong", "kind", "sentence"), CASES, ids=lambda case: str(case)[:40])
def test_bad_input_of_the_function(wrong, kind, sentence):
    with pytest.raises(kind, match=sentence):
        hebbian_memory(**{"keys": K, "values": V, "queries": K, "rate": 0.1} | wrong)


@pytest.mark.parametrize(
    ("wrong", "kind", "sentence"),
    [
        ({"n_heads": 5}, ValueError, r"d_model must be a multiple of n_heads\. Got 12 and 5"),
        ({"n_heads": 0}, ValueError, r"n_heads must be at least 1\. Got 0"),
        ({"rate": "learned"}, ValueError, r"rate must be a number or 'input'\. Got 'learned'"),
        ({"rate": 3}, ValueError, r"rate must be at least 0 and at most 2\. Got 3"),
        ({"decay": -1}, ValueError, r"decay must be at least 0 and at most 1\. Got -1"),
        ({"offset": "mean"}, ValueError, r"must be one of moving"),
        ({"read": "never"}, ValueError, r"must be one of after, before"),
        ({"chunk": 1.5}, TypeError, r"chunk must be a whole number\. Got 1\.5"),
    ],
    ids=lambda case: str(case)[:40],
)
def test_bad_settings_of_the_layer(wrong, kind, sentence):
    with pytest.raises(kind, match=sentence):
        HebbianMemory(**{"d_model": 12, "n_heads": 3} | wrong)


def test_bad_input_of_the_layer():
    memory = HebbianMemory(12, 3)
    with pytest.raises(
        ValueError, match=r"input must have 12 units on the last axis\. Got shape \(2, 5, 11\)"
    ):
        memory(torch.zeros(2, 5, 11))
    with pytest.raises(ValueError, match=r"input must be of shape \(…, n_steps, 12\)\. Got shape \(12,\)"):
        memory(torch.zeros(12))
    with pytest.raises(ValueError, match=r"mask must be of shape \(2, 5\).*Got shape \(5,\)"):
        memory(torch.zeros(2, 5, 12), mask=torch.ones(5) > 0)


def test_input_of_another_dtype_or_that_is_not_finite():
    memory, x = HebbianMemory(12, 3), torch.zeros(2, 5, 12)
    with pytest.raises(
        TypeError, match=r"dtype of the layer, torch\.float32\. Got torch\.float64: convert it with"
    ):
        memory(x.double())
    with torch.autocast("cpu", dtype=torch.bfloat16):
        memory(x.bfloat16())
    x[1, 2:, 3] = torch.nan
    with pytest.raises(ValueError, match=r"input must be finite\. Got nan in 3 of 120 places"):
        memory(x)
    output, _ = memory(x, mask=torch.arange(5) < torch.tensor([[5], [2]]))  # padding may hold anything
    assert output[0].isfinite().all()


def test_gates_of_weights_that_diverged():
    memory = HebbianMemory(12, 3)
    torch.nn.init.constant_(memory.rate_gate.weight, torch.nan)
    with pytest.raises(ValueError, match=r"rate must .*Got nan: have the weights that compute it diverged"):
        memory(torch.zeros(2, 5, 12))
