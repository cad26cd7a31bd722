"""Learning of values by a DQN: replay memory, target network, exploration that falls; many runs at once.

Every run has its own environment, memory and random numbers, so a run in a stack meets what it would alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import torch

from hebbian_descent.checks import Array
from hebbian_descent.paper.studies.base import Numbers, Settings
from hebbian_descent.paper.studies.value_networks.replay import Replay
from hebbian_descent.paper.studies.value_networks.stack import Adam, ValueNetworks
from hebbian_descent.paper.studies.value_networks.tasks import TASKS, Players, Task
from hebbian_descent.paper.studies.value_networks.variants import VARIANTS

BLOCK = 500
ACTING, REPLAYING, LOOKING, EVALUATING = range(4)


class Run(NamedTuple):
    """What distinguishes a run from the others of its stack."""

    rate: float
    seed: int


def uniform_rows(seeds: Sequence[int], purpose: int, width: int, block: int = BLOCK) -> Iterator[Array]:
    """Yield uniform numbers (n_runs, width), each row from the generator of its run.

    They are drawn in blocks, since a call per run and step would take longer than the step.
    """
    generators = [np.random.default_rng([seed, purpose]) for seed in seeds]
    while True:
        yield from np.stack([g.random((block, width)) for g in generators], axis=1)


def exploration(step: int, settings: Settings, n_steps: int) -> float:
    """Return ε: from 1 linearly to its last value over the first part of learning."""
    last, share = settings["exploration"], settings["exploration_share"]
    return float(max(last, 1 - (1 - last) * step / (share * n_steps)))


@contextmanager
def one_fast_thread() -> Iterator[None]:
    """Use one thread, and zero for numbers below 1e-38.

    Adam's averages decay to such numbers where inputs are rarely active; their roots are 30 times as slow.
    """
    n_threads = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(False)
        torch.set_num_threads(n_threads)


@torch.no_grad()
def greedy(networks: ValueNetworks, states: Array, uniform: Array) -> Array:
    """Return an action of largest output for each state, (n_runs, n_states); ties are drawn.

    Outputs decide, not pre-activations: rectifiers that are all zero leave the choice to chance.
    """
    h = networks.output(networks.preactivations(torch.from_numpy(states).float())).numpy()
    chosen: Array = np.where(h == h.max(axis=2, keepdims=True), uniform, -1.0).argmax(axis=2)
    return chosen


@one_fast_thread()
def learn(
    settings: Settings, task_name: str, variant: str, runs: Sequence[Run], output_bias: float | None = None
) -> Numbers:
    """Return the fate of all output units and the returns over time, and of the greedy policy at the end."""
    task, place = TASKS[task_name], settings["tasks"].index(task_name)
    n_steps, warm_up, capacity = settings["steps"][place], settings["warm_up"], settings["capacity"][place]
    steps_per_update = settings["steps_per_update"][place]
    seeds = [run.seed for run in runs]
    players = Players(task, seeds)
    n_actions = players.n_actions
    sizes = (players.states.shape[1], *task.hidden, n_actions)
    networks = ValueNetworks.start(VARIANTS[variant], sizes, seeds, output_bias)
    adam = Adam(networks.parameters(), torch.tensor([run.rate for run in runs]))
    target_networks = networks.copy()
    acting = uniform_rows(seeds, ACTING, 2 + n_actions)
    replaying = uniform_rows(seeds, REPLAYING, settings["batch_size"])
    looking = uniform_rows(seeds, LOOKING, settings["looked_at"], block=1)
    times = checkpoints(settings, n_steps)
    dead, returns = [], []
    replay = None
    for step in range(1, n_steps + 1):
        explores, which, *ties = next(acting).T
        actions = (which * n_actions).astype(np.int64)
        is_greedy = explores >= exploration(step - warm_up, settings, n_steps)
        if step > warm_up and is_greedy.any():
            best = greedy(networks, players.states[:, None], np.stack(ties, axis=1)[:, None])[:, 0]
            actions = np.where(is_greedy, best, actions)
        taken = players.step(actions)
        if replay is None:
            replay = Replay(capacity, taken)
        else:
            replay.add(taken)
        n_learned, is_due = divmod(step - warm_up, steps_per_update)
        if step > warm_up and is_due == 0:
            batch = replay.batch(next(replaying))
            adam.step(networks.loss(batch, target_networks.targets(batch, settings["discount"])))
            if n_learned % settings["target_updates"] == 0:
                target_networks = networks.copy()
        if step in times:
            dead.append(networks.dead(replay.states(next(looking))).int().tolist())
            returns.append(players.recent_returns())
    return {
        "runs": [list(run) for run in runs],
        "dead": dead,
        "returns": returns,
        "greedy": evaluate(networks, task, seeds, settings["evaluation_episodes"]),
    }


def checkpoints(settings: Settings, n_steps: int) -> list[int]:
    """Return the steps after which is looked: the last before learning, then at equal distances."""
    found = np.linspace(settings["warm_up"], n_steps, settings["looks"] + 1).astype(int).tolist()
    assert all(a < b for a, b in pairwise(found))
    return list(found)


def evaluate(networks: ValueNetworks, task: Task, seeds: Sequence[int], episodes: int) -> list[float]:
    """Return the mean return of the greedy policy over new episodes, for each run."""
    own = [np.random.SeedSequence([seed, EVALUATING]).generate_state(episodes) for seed in seeds]
    players = Players(task, np.concatenate(own).tolist())
    ties = uniform_rows(seeds, EVALUATING, episodes * players.n_actions)
    shape = (len(seeds), episodes, -1)
    is_playing = np.ones(len(seeds) * episodes, dtype=bool)
    totals = np.zeros(len(is_playing))
    while is_playing.any():
        actions = greedy(networks, players.states.reshape(shape), next(ties).reshape(shape))
        totals += is_playing * players.step(actions.ravel()).rewards
        is_playing &= ~players.has_ended
    return [float(mean) for mean in totals.reshape(shape[:2]).mean(axis=1)]
