"""Tasks with rewards that are never negative: players of many copies, and their replay memories."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import gymnasium
import minatar.gym
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import FlattenObservation

from hebbian_descent.checks import Array
from reproduction.studies.value_network_fates import Task

Whole = npt.NDArray[np.integer[Any]]
Flags = npt.NDArray[np.bool_]
RECENT = 20
"""Episodes over which returns are averaged while learning."""


class Transitions(NamedTuple):
    """One step of every player; a row each. From a memory, (n_runs, n_samples, …)."""

    states: Array
    actions: Whole
    rewards: Array
    next_states: Array
    is_terminal: Flags
    """Whether no reward can follow. An episode that ran out of time is not terminal."""


def make_environment(task: Task) -> gymnasium.Env[Any, Any]:
    """Return a new copy of the environment, which truncates episodes at the longest."""
    if task.environment not in gymnasium.registry:
        minatar.gym.register_envs()
    environment = gymnasium.make(task.environment, max_episode_steps=task.longest, disable_env_checker=True)
    return FlattenObservation(environment)


class Players:
    """Copies of an environment, each with its own seed; the next episode follows when one has ended."""

    def __init__(self, task: Task, seeds: Sequence[int]) -> None:
        copies = [partial(make_environment, task)] * len(seeds)
        self.environments = SyncVectorEnv(copies, autoreset_mode=AutoresetMode.DISABLED)
        self.states: Array = self.environments.reset(seed=list(seeds))[0]
        actions: Any = self.environments.single_action_space
        self.n_actions = int(actions.n)
        self.returns = np.zeros(len(seeds))
        self.has_ended = np.zeros(len(seeds), dtype=bool)
        """Whether an episode ended by the last step."""
        self.finished: list[deque[float]] = [deque(maxlen=RECENT) for _ in seeds]

    def step(self, actions: Whole) -> Transitions:
        """Take one step each; `states` are then those to act on next."""
        states = self.states
        next_states, rewards, is_terminal, is_truncated, _ = self.environments.step(actions)
        self.states, self.has_ended = next_states, is_terminal | is_truncated
        self.returns += rewards
        if self.has_ended.any():
            self.states, _ = self.environments.reset(options={"reset_mask": self.has_ended})
            for i in np.flatnonzero(self.has_ended):
                self.finished[i].append(float(self.returns[i]))
            self.returns[self.has_ended] = 0.0
        return Transitions(states, actions, rewards.astype(np.float32), next_states, is_terminal)

    def recent_returns(self) -> list[float]:
        """Return the mean return of each player's last episodes; of the running one if none has ended."""
        both = zip(self.finished, self.returns, strict=True)
        return [float(np.mean(finished or running)) for finished, running in both]


class Replay:
    """Rings of equal length, one per run; the oldest transition is overwritten."""

    def __init__(self, capacity: int) -> None:
        self.capacity, self.n_seen = capacity, 0
        self.rings: list[Any] = []  # (n_runs, capacity, …) each

    def add(self, step: Transitions) -> None:
        """Store one transition per run."""
        if not self.rings:
            self.rings = [np.empty((len(x), self.capacity, *x.shape[1:]), x.dtype) for x in step]
        for ring, column in zip(self.rings, step, strict=True):
            ring[:, self.n_seen % self.capacity] = column
        self.n_seen += 1

    def batch(self, uniform: Array) -> Transitions:
        """Return the transitions at uniform numbers in [0, 1), (n_runs, n_samples)."""
        places = (uniform * min(self.n_seen, self.capacity)).astype(np.int64)
        return Transitions(*(ring[np.arange(len(ring))[:, None], places] for ring in self.rings))
