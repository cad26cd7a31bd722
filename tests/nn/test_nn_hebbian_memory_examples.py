"""The transformer with a memory runs, and the benchmark asks what it says it asks."""

import importlib
import sys
from pathlib import Path

import pytest
from nn_cases import torch

ROOT = Path(__file__).parents[2]


@pytest.fixture
def load(monkeypatch):
    """Import a script of a folder, and forget it afterwards."""

    def load(folder, name):
        monkeypatch.syspath_prepend(str(ROOT / folder))
        monkeypatch.delitem(sys.modules, name, raising=False)
        return importlib.import_module(name)

    before = set(sys.modules)
    yield load
    for name in set(sys.modules) - before:
        if not name.startswith(("torch", "hebbian_descent", "rich")):
            del sys.modules[name]


def test_the_transformer_runs_and_streams(load, monkeypatch, capsys):
    script = load("examples/nn", "memory_transformer")
    monkeypatch.setattr(sys, "argv", ["memory_transformer.py", "--updates", "3"])
    script.main()
    attention, memory, streaming = capsys.readouterr().out.splitlines()
    assert attention.startswith("self-attention  0.")
    assert memory.startswith("Hebbian memory  0.")
    assert float(streaming.split()[-1]) < 1e-4


def test_questions_of_the_benchmark_can_be_answered_from_their_sequence(load):
    tasks = load("bench", "recall_tasks")
    rng = torch.Generator().manual_seed(0)
    inputs, answers = tasks.associative_recall(20, rng, vocabulary=64, n_pairs=6, n_steps=40)
    for symbols, wanted in zip(inputs.tolist(), answers.tolist(), strict=True):
        partner = dict(zip(symbols[:12:2], symbols[1:12:2], strict=True))
        asked = [t for t, answer in enumerate(wanted) if answer != tasks.NO_QUESTION]
        assert len(partner) == len(asked) == 6
        assert min(asked) >= 12
        assert all(wanted[t] == partner[symbols[t]] >= 32 > symbols[t] for t in asked)
    inputs, answers = tasks.regression(3, rng, n_inputs=2, n_pairs=4)
    x, y = inputs[:, ::2, :2], inputs[:, 1::2, 2:3]
    w = torch.linalg.lstsq(x, y).solution
    torch.testing.assert_close((x @ w)[..., 0], answers[:, ::2], atol=1e-4, rtol=1e-4)


def test_every_model_of_the_benchmark_is_causal(load):
    models = load("bench", "recall_models")
    inputs = torch.randn(2, 9, 5)
    later = inputs.clone()
    later[:, 5:] = 0
    for mixer in models.MIXERS:
        torch.manual_seed(0)
        model = models.Model(torch.nn.Linear(5, 8), mixer, 8, 3)
        torch.testing.assert_close(model(later)[:, :5], model(inputs)[:, :5])


def test_the_published_algorithm_of_the_benchmark_is_the_delta_rule(load):
    speed = load("bench", "memory_speed")
    keys, values, queries = torch.nn.functional.normalize(torch.randn(3, 2, 16, 4), dim=-1)
    tensors = (keys, values, queries, torch.rand(2, 16))
    found = speed.published(*tensors, chunk=8)
    torch.testing.assert_close(found, speed.ours(*tensors, **speed.DELTA), rtol=1e-4, atol=1e-5)
