"""Value networks in a stack learn as PyTorch's own do one by one; dead rectifiers stay so, or come back."""

import numpy as np
import pytest
from nn_cases import torch
from torch import nn

pytest.importorskip("gymnasium")
pytest.importorskip("minatar")

from reproduction.studies.value_networks import STUDY
from reproduction.studies.value_networks.learning import (
    Run,
    checkpoints,
    exploration,
    greedy,
    learn,
    one_fast_thread,
    uniform_rows,
)
from reproduction.studies.value_networks.replay import Batch, Replay
from reproduction.studies.value_networks.stack import Adam, ValueNetworks
from reproduction.studies.value_networks.tasks import TASKS, Players, Transitions
from reproduction.studies.value_networks.variants import RECTIFIED, VARIANTS

SIZES = (4, 6, 5, 3)
QUICK = STUDY.settings_of(quick=True)


def a_batch(n_runs, n_samples=7, seed=0):
    rng = np.random.default_rng(seed)
    states, next_states = (
        torch.from_numpy(rng.normal(size=(n_runs, n_samples, 4))).float() for _ in range(2)
    )
    actions = torch.from_numpy(rng.integers(3, size=(n_runs, n_samples)))
    rewards = torch.from_numpy(rng.random((n_runs, n_samples))).float()
    return Batch(states, actions, rewards, next_states, torch.from_numpy(rng.random(rewards.shape) < 0.3))


def model_of(networks, run):
    """One run's network made of PyTorch's own layers."""
    layers = []
    for W, b in zip(networks.weights, networks.biases, strict=True):
        layer = nn.Linear(W.shape[1], W.shape[2])
        layer.weight.data, layer.bias.data = W[run].detach().T.clone(), b[run, 0].detach().clone()
        layers += [layer, nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def plain_loss(variant, a, t):
    """The mean over the batch of losses as formulas, of the actions taken."""
    if variant == "matching":  # ½ max(a, 0)² − t a
        return (torch.relu(a) ** 2 / 2 - t * a).mean()
    h = a if variant == "linear" else torch.relu(a)
    return ((h - t) ** 2 / 2).mean()


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_stack_learns_as_pytorch_does_run_by_run(variant):
    rates, seeds = [1e-2, 1e-3, 1e-2], [0, 0, 1]
    networks = ValueNetworks.start(VARIANTS[variant], SIZES, seeds)
    models = [model_of(networks, run) for run in range(3)]
    frozen = [model_of(networks, run) for run in range(3)]
    optimizers = [torch.optim.Adam(m.parameters(), lr=r) for m, r in zip(models, rates, strict=True)]
    target_networks, adam = networks.copy(), Adam(networks.parameters(), torch.tensor(rates))
    for step in range(10):
        batch = a_batch(3, seed=step)
        adam.step(networks.loss(batch, target_networks.targets(batch, 0.9)))
        for run, (model, optimizer) in enumerate(zip(models, optimizers, strict=True)):
            states, actions, rewards, next_states, ends = (column[run] for column in batch)
            with torch.no_grad():
                following = frozen[run](next_states)
                if variant != "linear":
                    following = torch.relu(following)
                t = torch.tensor(
                    [
                        r if end else r + 0.9 * max(h)
                        for r, end, h in zip(rewards.tolist(), ends.tolist(), following.tolist(), strict=True)
                    ]
                )
            optimizer.zero_grad()
            plain_loss(variant, model(states)[range(len(t)), actions], t).backward()
            optimizer.step()
    for run, model in enumerate(models):
        expected = model(batch.states[run])
        torch.testing.assert_close(networks.preactivations(batch.states)[run], expected, rtol=1e-4, atol=1e-5)


def test_targets_do_not_look_past_the_end_of_an_episode():
    networks = ValueNetworks.start(VARIANTS["linear"], SIZES, [0])
    networks.biases[-1].fill_(100.0)
    batch = a_batch(1)
    assert batch.is_terminal.any()
    assert not batch.is_terminal.all()
    t = networks.targets(batch, 0.9)
    assert torch.equal(t[batch.is_terminal], batch.rewards[batch.is_terminal])
    assert (t[~batch.is_terminal] > 80).all()


@pytest.mark.parametrize("variant", RECTIFIED)
def test_dead_units_get_no_gradient_from_the_squared_error_and_come_back_by_the_matching_loss(variant):
    networks = ValueNetworks.start(VARIANTS[variant], SIZES, [0, 1], output_bias=-5.0)
    batch = a_batch(2)
    assert networks.dead(batch.states).all()
    adam = Adam(networks.parameters(), torch.tensor([0.01, 0.01]))
    gradients = torch.autograd.grad(
        networks.loss(batch, networks.copy().targets(batch, 0.9)), networks.parameters()
    )
    if variant == "squared":
        assert not any(g.any() for g in gradients), "exactly zero, in every layer"
    else:
        assert (gradients[-1] < 0).all(), "biases rise"
    for _ in range(600):
        adam.step(networks.loss(batch, networks.copy().targets(batch, 0.9)))
    assert networks.dead(batch.states).all() == (variant == "squared")
    assert networks.dead(batch.states).any() == (variant == "squared")


def test_a_unit_is_dead_if_it_is_silent_in_all_states():
    W = torch.tensor([[[1.0, -1.0, 1.0]]])
    networks = ValueNetworks(VARIANTS["squared"], [W], [torch.tensor([[[-2.0, 0.0, 0.0]]])])
    assert networks.dead(torch.tensor([[[1.0], [2.0]]])).tolist() == [[True, True, False]]
    assert networks.dead(torch.tensor([[[1.0], [2.1]]])).tolist() == [[False, True, False]]


def test_the_same_seed_starts_the_same_network_whatever_the_variant_and_its_neighbours():
    linear = ValueNetworks.start(VARIANTS["linear"], SIZES, [3, 4])
    alone = ValueNetworks.start(VARIANTS["matching"], SIZES, [4])
    for many, one in zip(linear.parameters(), alone.parameters(), strict=True):
        assert torch.equal(many[1], one[0])
    assert linear.weights[0].abs().max() <= 0.5


def test_a_ring_keeps_the_last_transitions_of_each_run():
    def step(k):
        values = np.array([[k], [10 + k]], dtype=np.float32)
        return Transitions(values, np.array([k, k]), values[:, 0], values + 1, np.array([k % 2 == 0] * 2))

    replay = Replay(3, step(0).states)
    for k in range(5):
        replay.add(step(k))
    batch = replay.batch(np.tile([0.0, 0.4, 0.999999], (2, 1)))
    assert batch.states[..., 0].tolist() == [[3, 4, 2], [13, 14, 12]]
    assert batch.next_states[..., 0].tolist() == [[4, 5, 3], [14, 15, 13]]
    assert batch.is_terminal.tolist() == [[False, True, True]] * 2
    assert torch.equal(replay.states(np.zeros((2, 1))), batch.states[:, :1])


class TestPlayers:
    def test_an_episode_out_of_time_is_not_terminal_and_one_lost_is(self):
        short = TASKS["cartpole"]._replace(longest=4)
        players = Players(short, [0, 1])
        steps = [players.step(np.array([k % 2, 1])) for k in range(4)]
        assert not any(step.is_terminal.any() for step in steps)
        assert players.has_ended.all()
        assert players.recent_returns() == [4, 4]
        assert not np.array_equal(players.states, steps[-1].next_states), "the next episode has begun"
        players = Players(TASKS["cartpole"], [0])
        while not players.has_ended.any():
            last = players.step(np.array([1]))
        assert last.is_terminal.all()

    def test_a_player_among_others_meets_what_it_meets_alone(self):
        for task in TASKS.values():
            many, alone = Players(task, [7, 8, 9]), Players(task, [8])
            for k in range(60):
                actions = np.array([k % 2] * 3)
                assert np.array_equal(
                    many.step(actions).next_states[1], alone.step(actions[:1]).next_states[0]
                )


def test_equal_outputs_leave_the_action_to_chance_and_others_do_not():
    dead = ValueNetworks.start(VARIANTS["squared"], SIZES, [0], output_bias=-50.0)
    states = np.zeros((1, 300, 4), dtype=np.float32)
    uniform = np.random.default_rng(0).random((1, 300, 3))
    assert np.bincount(greedy(dead, states, uniform)[0], minlength=3).min() > 60
    dead.biases[-1][0, 0, 2] = 50.0
    assert (greedy(dead, states, uniform) == 2).all()


def test_exploration_falls_and_looks_are_at_equal_distances():
    settings = {"exploration": 0.1, "exploration_share": 0.5, "warm_up": 10, "looks": 3}
    assert [exploration(step, settings, 100) for step in (0, 25, 50, 99)] == pytest.approx(
        [1, 0.55, 0.1, 0.1]
    )
    assert checkpoints(settings, 100) == [10, 40, 70, 100]
    first, second = (next(uniform_rows(seeds, 0, 4)) for seeds in ([1, 2], [2]))
    assert np.array_equal(first[1], second[0])


def test_a_run_in_a_stack_is_the_run_alone_and_leaves_pytorch_as_it_was(two_threads):
    runs = [Run(1e-3, 0), Run(4e-3, 5)]
    many = learn(QUICK, "cartpole", "matching", runs)
    alone = learn(QUICK, "cartpole", "matching", runs[1:])
    assert [look[1] for look in many["dead"]] == [look[0] for look in alone["dead"]]
    assert [look[1] for look in many["returns"]] == [look[0] for look in alone["returns"]]
    assert many["greedy"][1] == alone["greedy"][0]
    assert torch.get_num_threads() == 2
    assert (torch.tensor(1e-40) * 0.5).item() > 0, "small numbers are numbers again"


def test_from_a_negative_start_only_the_matching_loss_learns():
    runs = [Run(4e-3, 0), Run(4e-3, 1)]
    squared, matching = (learn(QUICK, "cartpole", name, runs, -1.0) for name in RECTIFIED)
    assert np.all(squared["dead"])
    assert np.all(matching["dead"][0])
    assert not np.any(matching["dead"][-1])


@pytest.mark.parametrize("before", [False, True])
def test_small_numbers_are_flushed_while_learning_and_then_as_before(before):
    smallest = torch.finfo(torch.float32).tiny

    def is_flushing():
        return bool((torch.full((3,), smallest) / 2 == 0).all())

    try:
        torch.set_flush_denormal(before)
        with one_fast_thread():
            assert is_flushing()
        assert is_flushing() is before
    finally:
        torch.set_flush_denormal(False)
