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
from hebbian_descent.thread_pools import one_thread
from reproduction.studies.base import Numbers, Settings
from reproduction.studies.value_networks.replay import Replay
from reproduction.studies.value_networks.stack import Adam, ValueNetworks
from reproduction.studies.value_networks.tasks import TASKS, Players, Task, Whole
from reproduction.studies.value_networks.variants import VARIANTS

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
    """Return ε: 1 before learning, then linearly to its last value over the first part of all steps."""
    last, share = settings["exploration"], settings["exploration_share"]
    return float(np.clip(1 - (1 - last) * step / (share * n_steps), last, 1))


@contextmanager
def one_fast_thread() -> Iterator[None]:
    """Use one thread, and flush numbers below 1e-38 to zero.

    Adam's averages decay to such numbers where inputs are rarely active; their roots are 30 times as slow.
    """
    was_flushing = _is_flushing()
    torch.set_flush_denormal(True)
    try:
        with one_thread():
            yield
    finally:
        torch.set_flush_denormal(was_flushing)


def _is_flushing() -> bool:
    """Return whether numbers below the smallest normal one are flushed: PyTorch can set it but not tell."""
    return bool((torch.full((1,), torch.finfo(torch.float32).tiny) / 2 == 0).all())


@torch.no_grad()
def greedy(networks: ValueNetworks, states: Array, uniform: Array) -> Whole:
    """Return an action of largest output for each state, (n_runs, n_states); ties are drawn.

    Outputs decide, not pre-activations: rectifiers that are all zero leave the choice to chance.
    """
    h = networks.output(networks.preactivations(torch.from_numpy(states).float())).numpy()
    chosen: Whole = np.where(h == h.max(axis=2, keepdims=True), uniform, -1.0).argmax(axis=2)
    return chosen


class Agents:
    """DQNs of a stack: networks that act and learn, target networks, and memories."""

    def __init__(
        self,
        settings: Settings,
        task_name: str,
        variant: str,
        runs: Sequence[Run],
        output_bias: float | None,
    ) -> None:
        self.settings, place = settings, settings["tasks"].index(task_name)
        self.n_steps, self.steps_per_update = settings["steps"][place], settings["steps_per_update"][place]
        seeds = [run.seed for run in runs]
        self.players = Players(TASKS[task_name], seeds)
        n_actions, states = self.players.n_actions, self.players.states
        sizes = (states.shape[1], *TASKS[task_name].hidden, n_actions)
        self.networks = ValueNetworks.start(VARIANTS[variant], sizes, seeds, output_bias)
        self.target_networks = self.networks.copy()
        self.adam = Adam(self.networks.parameters(), torch.tensor([run.rate for run in runs]))
        self.replay = Replay(settings["capacity"][place], states)
        self.acting = uniform_rows(seeds, ACTING, 2 + n_actions)
        self.replaying = uniform_rows(seeds, REPLAYING, settings["batch_size"])
        self.looking = uniform_rows(seeds, LOOKING, settings["looked_at"], block=1)

    def act(self, epsilon: float) -> None:
        """Take one step in every environment, a random one with probability ε, and remember it."""
        explores, which, ties = np.split(next(self.acting), [1, 2], axis=1)
        actions = (which[:, 0] * self.players.n_actions).astype(np.int64)
        is_greedy = explores[:, 0] >= epsilon
        if is_greedy.any():
            best = greedy(self.networks, self.players.states[:, None], ties[:, None])[:, 0]
            actions = np.where(is_greedy, best, actions)
        self.replay.add(self.players.step(actions))

    def learn(self) -> None:
        """Take one step of Adam on a batch of each memory; renew the target networks when it is time."""
        batch = self.replay.batch(next(self.replaying))
        targets = self.target_networks.targets(batch, self.settings["discount"])
        self.adam.step(self.networks.loss(batch, targets))
        if self.adam.n_steps % self.settings["target_updates"] == 0:
            self.target_networks = self.networks.copy()

    def dead(self) -> list[list[int]]:
        """Return 1 for each output unit that is dead, 0 for the others, for each run."""
        found: list[list[int]] = self.networks.dead(self.replay.states(next(self.looking))).int().tolist()
        return found


@one_fast_thread()
def learn(
    settings: Settings, task_name: str, variant: str, runs: Sequence[Run], output_bias: float | None = None
) -> Numbers:
    """Return the fate of all output units and the returns over time, and of the greedy policy at the end."""
    agents = Agents(settings, task_name, variant, runs, output_bias)
    times = checkpoints(settings, agents.n_steps)
    dead, returns = [], []
    for step in range(1, agents.n_steps + 1):
        n_learning = step - settings["warm_up"]
        agents.act(exploration(n_learning, settings, agents.n_steps))
        if n_learning > 0 and n_learning % agents.steps_per_update == 0:
            agents.learn()
        if step in times:
            dead.append(agents.dead())
            returns.append(agents.players.recent_returns())
    seeds = [run.seed for run in runs]
    return {
        "runs": [list(run) for run in runs],
        "dead": dead,
        "returns": returns,
        "greedy": evaluate(agents.networks, TASKS[task_name], seeds, settings["evaluation_episodes"]),
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
