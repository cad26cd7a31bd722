"""Learning of values by a DQN: replay memory, target network, exploration that falls; many runs at once.

Every run has its own environment, memory and random numbers, so a run in a stack meets what it would alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from hebbian_descent.checks import Array
from hebbian_descent.nn import MatchingLoss
from reproduction.studies.base import Record
from reproduction.studies.stacks import Stack, Steps, linear_layers, one_fast_thread
from reproduction.studies.value_network_fates import TASKS
from reproduction.studies.value_network_tasks import Players, Replay, Transitions, Whole


class ValueNetworks(NamedTuple):
    """Rectifier networks with one output per action; "linear" outputs, or rectifiers as well.

    Rectifiers learn by the "squared" error ½(h − t)², or by the "matching" loss: error h − t without φ′.
    """

    variant: str
    preactivations: Stack
    """From states to a of the output units, (n_runs, n_states, n_actions)."""

    @staticmethod
    def start(
        variant: str, sizes: Sequence[int], seeds: Sequence[int], output_bias: float | None = None
    ) -> ValueNetworks:
        """Return networks with PyTorch's initial weights, the same for all variants, and one output bias."""
        weights, biases = linear_layers(sizes, seeds)
        if output_bias is not None:
            biases[-1].fill_(output_bias)
        return ValueNetworks(variant, Stack(weights, biases, torch.relu))

    def copy(self) -> ValueNetworks:
        """Return networks with the same weights, which stay as they are: the target networks."""
        return ValueNetworks(self.variant, self.preactivations.copy())

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


def exploration(step: int, at: Any, n_steps: int) -> float:
    """Return ε: 1 before learning, then linearly to its last value over the first part of all steps."""
    fallen = (1 - at.exploration) * step / (at.exploration_share * n_steps)
    return float(np.clip(1 - fallen, at.exploration, 1))


def looks_at(at: Any, n_steps: int) -> list[int]:
    """Return the steps after which is looked: the last before learning, then at equal distances."""
    return [int(step) for step in np.linspace(at.warm_up, n_steps, at.looks + 1)]


class Agents:
    """DQNs of a stack: networks that act and learn, target networks, and memories."""

    def __init__(self, at: Any, runs: Sequence[tuple[float, int]], output_bias: float | None) -> None:
        rates, seeds = zip(*runs, strict=True)
        self.at, self.task, place = at, TASKS[at.task], list(TASKS).index(at.task)
        self.n_steps, self.steps_per_update = at.steps[place], at.steps_per_update[place]
        self.generators = [np.random.default_rng(seed) for seed in seeds]
        self.players = Players(self.task, seeds)
        self.n_actions = self.players.n_actions
        sizes = (self.players.states.shape[1], *self.task.hidden, self.n_actions)
        self.networks = ValueNetworks.start(at.variant, sizes, seeds, output_bias)
        self.target_networks = self.networks.copy()
        self.adam = Steps("Adam", self.networks.preactivations.parameters(), rates)
        self.replay, self.n_updates = Replay(at.capacity[place]), 0

    def uniform(self, n: int) -> Array:
        """Return n uniform numbers per run."""
        return np.stack([generator.random(n) for generator in self.generators])

    def act(self, epsilon: float) -> None:
        """Take one step in every environment, a random one with probability ε, and remember it."""
        explores, which, ties = np.split(self.uniform(2 + self.n_actions), [1, 2], axis=1)
        actions = (which[:, 0] * self.n_actions).astype(np.int64)
        is_greedy = explores[:, 0] >= epsilon
        if is_greedy.any():
            best = self.networks.greedy(self.players.states[:, None], ties[:, None])[:, 0]
            actions = np.where(is_greedy, best, actions)
        self.replay.add(self.players.step(actions))

    def learn(self) -> None:
        """Take one step of Adam on a batch of each memory; renew the target networks when it is time."""
        batch = self.replay.batch(self.uniform(self.at.batch_size))
        self.adam.take(self.networks.loss(batch, self.target_networks.targets(batch, self.at.discount)))
        self.n_updates += 1
        if self.n_updates % self.at.target_updates == 0:
            self.target_networks = self.networks.copy()

    def look(self) -> tuple[list[list[bool]], list[float]]:
        """Return for each run which output units are dead, and the return of recent episodes."""
        states = self.replay.batch(self.uniform(self.at.looked_at)).states
        return self.networks.dead(as_floats(states)).tolist(), self.players.recent_returns()

    def greedy_returns(self) -> Array:
        """Return the mean return of the greedy policy over new episodes, for each run."""
        shape = (len(self.generators), self.at.evaluation_episodes, -1)
        seeds = [int(1e9 * number) for number in self.uniform(shape[1]).ravel()]
        players, totals = Players(self.task, seeds), np.zeros(len(seeds))
        is_playing = np.ones(len(seeds), dtype=bool)
        while is_playing.any():
            ties = self.uniform(shape[1] * self.n_actions)
            actions = self.networks.greedy(players.states.reshape(shape), ties.reshape(shape))
            totals += is_playing * players.step(actions.ravel()).rewards
            is_playing &= ~players.has_ended
        means: Array = totals.reshape(shape[:2]).mean(axis=1)
        return means


def learn(at: Any, runs: Sequence[tuple[float, int]], output_bias: float | None = None) -> Iterator[Record]:
    """Yield the fate of all output units and the returns over time, and of the greedy policy at the end.

    A run is a learning rate and a seed.
    """
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
        greedy = agents.greedy_returns()
    for i, (rate, seed) in enumerate(runs):
        of_run = {"learning_rate": rate, "draw": seed}
        yield {**of_run, "greedy_return": greedy[i]}
        for look, (dead, returns) in enumerate(found):
            yield {**of_run, "look": look, "return": returns[i]}
            yield from ({**of_run, "look": look, "unit": u, "dead": flag} for u, flag in enumerate(dead[i]))
