"""Tasks with rewards that are never negative, and players that take one step in each of many copies."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array, require_extra

Whole = npt.NDArray[np.integer[Any]]
Flags = npt.NDArray[np.bool_]

RECENT = 20
"""Episodes over which returns are averaged while learning."""


class Task(NamedTuple):
    """An environment of gymnasium, the longest episode, and the hidden layers of networks for it."""

    title: str
    environment: str
    longest: int
    hidden: tuple[int, ...]


TASKS = {
    "cartpole": Task("CartPole", "CartPole-v1", 500, (64, 64)),
    "breakout": Task("Breakout", "MinAtar/Breakout-v1", 1000, (64,)),
}


class Transitions(NamedTuple):
    """One step of every player; a row each."""

    states: Array
    actions: Whole
    rewards: Array
    next_states: Array
    is_terminal: Flags
    """Whether no reward can follow. An episode that ran out of time is not terminal."""


def make_environment(task: Task) -> Any:
    """Return a new copy of the environment, which truncates episodes at the longest."""
    gymnasium = require_extra("gymnasium", extra="studies", purpose="A value network")
    if task.environment.startswith("MinAtar/") and task.environment not in gymnasium.registry:
        require_extra("minatar.gym", extra="studies", purpose="A value network").register_envs()
    return gymnasium.make(task.environment, max_episode_steps=task.longest, disable_env_checker=True)


class Players:
    """Copies of an environment, each with its own seed; the next episode follows when one has ended."""

    def __init__(self, task: Task, seeds: Sequence[int]) -> None:
        self.environments = [make_environment(task) for _ in seeds]
        self.states = np.stack(
            [each.reset(seed=seed)[0].ravel() for each, seed in zip(self.environments, seeds, strict=True)]
        )
        self.n_actions = int(self.environments[0].action_space.n)
        self.returns = np.zeros(len(seeds))
        self.has_ended = np.zeros(len(seeds), dtype=bool)
        """Whether an episode ended by the last step."""
        self.finished: list[deque[float]] = [deque(maxlen=RECENT) for _ in seeds]

    def step(self, actions: Whole) -> Transitions:
        """Take one step each; `states` are then those to act on next."""
        states, next_states = self.states, np.empty_like(self.states)
        rewards = np.empty(len(states), dtype=np.float32)
        is_terminal = np.empty(len(states), dtype=bool)
        for i, (environment, action) in enumerate(zip(self.environments, actions.tolist(), strict=True)):
            state, rewards[i], is_terminal[i], is_truncated, _ = environment.step(action)
            next_states[i] = state.ravel()
            self.has_ended[i] = is_terminal[i] or is_truncated
        self.returns += rewards
        self.states = next_states.copy()
        for i in np.flatnonzero(self.has_ended).tolist():
            self.finished[i].append(float(self.returns[i]))
            self.returns[i] = 0.0
            self.states[i] = self.environments[i].reset()[0].ravel()
        return Transitions(states, actions, rewards, next_states, is_terminal)

    def recent_returns(self) -> list[float]:
        """Return the mean return of each player's last episodes; of the running one if none has ended."""
        return [
            float(np.mean(finished)) if finished else float(running)
            for finished, running in zip(self.finished, self.returns, strict=True)
        ]
