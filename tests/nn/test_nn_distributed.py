"""Two processes that train copies of a model keep the same offsets: those of one with all patterns."""

import subprocess
import sys
from pathlib import Path

import pytest
from centering_cases import KINDS, reference
from nn_cases import torch

WORKER = Path(__file__).parent / "ddp_worker.py"
N = 2

pytestmark = pytest.mark.skipif(
    not torch.distributed.is_available() or not torch.distributed.is_gloo_available(),
    reason="this build of PyTorch cannot join processes by gloo",
)


@pytest.fixture(scope="module")
def states(tmp_path_factory):
    folder = tmp_path_factory.mktemp("distributed")
    workers = [
        subprocess.Popen(
            [sys.executable, WORKER, str(rank), str(N), folder], stderr=subprocess.PIPE, text=True
        )
        for rank in range(N)
    ]
    for worker in workers:
        _, errors = worker.communicate(timeout=300)
        assert worker.returncode == 0, errors
    return lambda name: [torch.load(folder / f"{name}-{rank}.pt") for rank in range(N)]


@pytest.fixture(scope="module")
def single():
    from ddp_worker import initial_model, train

    model = initial_model()
    train(model, torch.arange(12))
    return model.state_dict()


@pytest.mark.parametrize("name", ["wrapped", "accumulated"])
def test_all_processes_agree_with_each_other_and_with_one_alone(states, single, name):
    first, second = states(name)
    for key, value in single.items():
        torch.testing.assert_close(first[key], second[key], rtol=0, atol=0)
        torch.testing.assert_close(first[key], value, rtol=0, atol=1e-10)


def test_offsets_have_moved(single):
    from ddp_worker import initial_model

    start = initial_model().state_dict()
    moved = [key for key in start if "offset" in key and not start[key].equal(single[key])]
    assert len(moved) == 6


def test_a_process_that_saw_nothing_follows_the_others(states):
    for state in states("offsets"):
        assert state["one_saw"].tolist() == [1.0, 1.0]


def test_without_synchronisation_each_process_keeps_to_itself(states):
    assert [state["alone"].tolist() for state in states("offsets")] == [[0.0, 0.0], [1.0, 1.0]]


@pytest.mark.parametrize("kind", KINDS)
def test_plain_models_are_centered_together(states, kind):
    parameters, offsets = reference(kind)
    for state in states("centering"):
        found, its_offsets = state[kind]
        torch.testing.assert_close(found, parameters, rtol=0, atol=1e-10)
        torch.testing.assert_close(its_offsets, offsets, rtol=0, atol=1e-10)


def test_gradients_that_are_centered_between_a_pass_and_its_backward_pass_are_refused(states):
    for sentence in states("late"):
        assert "after center_gradients_() must have its forward pass after it, too. Got one" in sentence
