"""Learning of values by a DQN: replay memory, target network, exploration that falls; many runs at once.

One small network spends most of its time between operations, a stack of them on products. Every run has its
own environment, memory and random numbers, so a run in a stack meets what it would alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from hebbian_descent.checks import Array
from hebbian_descent.nn import MatchingLoss
from hebbian_descent.thread_pools import one_thread
from reproduction.studies.base import Record
from reproduction.studies.stacked_steps import Steps
from reproduction.studies.value_network_tasks import TASKS, Players, Replay, Task, Transitions, Whole

BLOCK = 500
ACTING, REPLAYING, LOOKING, EVALUATING = range(4)


class ValueNetworks(NamedTuple):
    """Rectifier networks with one output per action; "linear" outputs, or rectifiers as well.

    Rectifiers learn by the "squared" error ½(h − t)², or by the "matching" loss: error h − t without φ′.
    """

    variant: str
    weights: list[Tensor]  # (n_runs, n_inputs, n_outputs)
    biases: list[Tensor]  # (n_runs, 1, n_outputs)

    @staticmethod
    def start(
        variant: str, sizes: Sequence[int], seeds: Sequence[int], output_bias: float | None = None
    ) -> ValueNetworks:
        """Return networks as `nn.Linear` starts them: uniform within ±1/√n_inputs, biases too.

        The same seed gives the same weights for all variants. With `output_bias` the outputs get that bias.
        """
        generators = [torch.Generator().manual_seed(seed) for seed in seeds]
        weights, biases = [], []
        for n_inputs, n_outputs in pairwise(sizes):
            both = torch.stack([torch.rand(n_inputs + 1, n_outputs, generator=g) for g in generators])
            both = (2 * both - 1) / sqrt(n_inputs)
            weights.append(both[:, :-1].contiguous())
            biases.append(both[:, -1:].contiguous())
        if output_bias is not None:
            biases[-1].fill_(output_bias)
        return ValueNetworks(variant, weights, biases)

    def parameters(self) -> list[Tensor]:
        """Return all that learns, ready to be learned."""
        return [p.requires_grad_() for p in (*self.weights, *self.biases)]

    def copy(self) -> ValueNetworks:
        """Return networks with the same weights, which stay as they are: the target networks."""
        frozen = ([p.detach().clone() for p in each] for each in (self.weights, self.biases))
        return ValueNetworks(self.variant, *frozen)

    def preactivations(self, states: Tensor) -> Tensor:
        """Return a of the output units, (n_runs, n_states, n_actions)."""
        h = states
        for W, b in zip(self.weights[:-1], self.biases[:-1], strict=True):
            h = torch.relu(torch.baddbmm(b, h, W))
        return torch.baddbmm(self.biases[-1], h, self.weights[-1])

    def output(self, a: Tensor) -> Tensor:
        """Return the values h = φ(a)."""
        return a if self.variant == "linear" else torch.relu(a)

    @torch.no_grad()
    def targets(self, batch: Transitions, discount: float) -> Tensor:
        """Return t = r + γ max h(s′), and t = r where the episode ended."""
        following = self.output(self.preactivations(as_floats(batch.next_states))).amax(dim=2)
        r = torch.from_numpy(batch.rewards)
        return torch.where(torch.from_numpy(batch.is_terminal), r, r + discount * following)

    def loss(self, batch: Transitions, targets: Tensor) -> Tensor:
        """Return the loss of the actions taken: a mean over each run's batch, summed over runs.

        So each run gets the derivatives that it would get alone.
        """
        a = self.preactivations(as_floats(batch.states))
        a = a.gather(2, torch.from_numpy(batch.actions)[..., None])  # (n_runs, n_samples, 1)
        t = targets[..., None]
        if self.variant == "matching":
            total: Tensor = MatchingLoss("rectifier", reduction="sum", check_targets=False)(a, t)
        else:
            total = (self.output(a) - t).square().sum() / 2
        return total / targets.shape[1]

    @torch.no_grad()
    def dead(self, states: Tensor) -> Tensor:
        """Return whether an output unit has a ≤ 0 in all states, (n_runs, n_actions)."""
        return (self.preactivations(states) <= 0).all(dim=1)

    @torch.no_grad()
    def greedy(self, states: Array, uniform: Array) -> Whole:
        """Return an action of largest output for each state, (n_runs, n_states); ties are drawn.

        Outputs decide, not pre-activations: rectifiers that are all zero leave the choice to chance.
        """
        h = self.output(self.preactivations(as_floats(states))).numpy()
        chosen: Whole = np.where(h == h.max(axis=2, keepdims=True), uniform, -1.0).argmax(axis=2)
        return chosen


def as_floats(states: Array) -> Tensor:
    """Return states as a tensor; those of some tasks are whole numbers."""
    return torch.from_numpy(states).float()


class Run(NamedTuple):
    """What distinguishes a run from the others of its stack."""

    learning_rate: float
    seed: int


def uniform_rows(seeds: Sequence[int], purpose: int, width: int, block: int = BLOCK) -> Iterator[Array]:
    """Yield uniform numbers (n_runs, width), each row from the generator of its run.

    They are drawn in blocks, since a call per run and step would take longer than the step.
    """
    generators = [np.random.default_rng([seed, purpose]) for seed in seeds]
    while True:
        yield from np.stack([g.random((block, width)) for g in generators], axis=1)


def exploration(step: int, at: Any, n_steps: int) -> float:
    """Return ε: 1 before learning, then linearly to its last value over the first part of all steps."""
    fallen = (1 - at.exploration) * step / (at.exploration_share * n_steps)
    return float(np.clip(1 - fallen, at.exploration, 1))


def looks_at(at: Any, n_steps: int) -> list[int]:
    """Return the steps after which is looked: the last before learning, then at equal distances."""
    return [int(step) for step in np.linspace(at.warm_up, n_steps, at.looks + 1)]


@contextmanager
def one_fast_thread() -> Iterator[None]:
    """Use one thread, and flush numbers below 1e-38 to zero.

    Adam's averages decay to such numbers where inputs are rarely active; their roots are 30 times as slow.
    """
    torch.set_flush_denormal(True)
    try:
        with one_thread():
            yield
    finally:
        torch.set_flush_denormal(False)


class Agents:
    """DQNs of a stack: networks that act and learn, target networks, and memories."""

    def __init__(self, at: Any, runs: Sequence[Run], output_bias: float | None) -> None:
        self.at, place = at, list(TASKS).index(at.task)
        self.n_steps, self.steps_per_update = at.steps[place], at.steps_per_update[place]
        task, seeds = TASKS[at.task], [run.seed for run in runs]
        self.players = Players(task, seeds)
        n_actions = self.players.n_actions
        sizes = (self.players.states.shape[1], *task.hidden, n_actions)
        self.networks = ValueNetworks.start(at.variant, sizes, seeds, output_bias)
        self.target_networks = self.networks.copy()
        self.adam = Steps("Adam", self.networks.parameters(), [run.learning_rate for run in runs])
        self.replay = Replay(at.capacity[place])
        self.acting = uniform_rows(seeds, ACTING, 2 + n_actions)
        self.replaying = uniform_rows(seeds, REPLAYING, at.batch_size)
        self.looking = uniform_rows(seeds, LOOKING, at.looked_at, block=1)

    def act(self, epsilon: float) -> None:
        """Take one step in every environment, a random one with probability ε, and remember it."""
        explores, which, ties = np.split(next(self.acting), [1, 2], axis=1)
        actions = (which[:, 0] * self.players.n_actions).astype(np.int64)
        is_greedy = explores[:, 0] >= epsilon
        if is_greedy.any():
            best = self.networks.greedy(self.players.states[:, None], ties[:, None])[:, 0]
            actions = np.where(is_greedy, best, actions)
        self.replay.add(self.players.step(actions))

    def learn(self) -> None:
        """Take one step of Adam on a batch of each memory; renew the target networks when it is time."""
        batch = self.replay.batch(next(self.replaying))
        loss = self.networks.loss(batch, self.target_networks.targets(batch, self.at.discount))
        self.adam.take(torch.autograd.grad(loss, self.adam.parameters))
        if self.adam.n_steps % self.at.target_updates == 0:
            self.target_networks = self.networks.copy()

    def look(self) -> tuple[list[list[bool]], list[float]]:
        """Return for each run which output units are dead, and the return of recent episodes."""
        states = self.replay.batch(next(self.looking)).states
        return self.networks.dead(as_floats(states)).tolist(), self.players.recent_returns()


def learn(at: Any, runs: Sequence[Run], output_bias: float | None = None) -> Iterator[Record]:
    """Yield the fate of all output units and the returns over time, and of the greedy policy at the end."""
    with one_fast_thread():
        agents = Agents(at, runs, output_bias)
        looks, found = looks_at(at, agents.n_steps), []
        for step in range(1, agents.n_steps + 1):
            n_learning = step - at.warm_up
            agents.act(exploration(n_learning, at, agents.n_steps))
            if n_learning > 0 and n_learning % agents.steps_per_update == 0:
                agents.learn()
            if step in looks:
                found.append(agents.look())
        greedy = evaluate(agents.networks, TASKS[at.task], [run.seed for run in runs], at.evaluation_episodes)
    for i, run in enumerate(runs):
        of_run = {"learning_rate": run.learning_rate, "draw": run.seed}
        yield {**of_run, "greedy_return": greedy[i]}
        for look, (dead, returns) in enumerate(found):
            yield {**of_run, "look": look, "return": returns[i]}
            yield from ({**of_run, "look": look, "unit": u, "dead": flag} for u, flag in enumerate(dead[i]))


def evaluate(networks: ValueNetworks, task: Task, seeds: Sequence[int], episodes: int) -> Array:
    """Return the mean return of the greedy policy over new episodes, for each run."""
    own = [np.random.SeedSequence([seed, EVALUATING]).generate_state(episodes) for seed in seeds]
    players = Players(task, np.concatenate(own).tolist())
    ties = uniform_rows(seeds, EVALUATING, episodes * players.n_actions)
    shape = (len(seeds), episodes, -1)
    is_playing = np.ones(len(seeds) * episodes, dtype=bool)
    totals = np.zeros(len(is_playing))
    while is_playing.any():
        actions = networks.greedy(players.states.reshape(shape), next(ties).reshape(shape))
        totals += is_playing * players.step(actions.ravel()).rewards
        is_playing &= ~players.has_ended
    means: Array = totals.reshape(shape[:2]).mean(axis=1)
    return means
