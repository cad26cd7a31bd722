"""Replay memories of many runs: rings of the last transitions, from which batches are drawn."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from hebbian_descent.checks import Array
from reproduction.studies.value_networks.tasks import Transitions


class Batch(NamedTuple):
    """Transitions of all runs, (n_runs, n_samples, …)."""

    states: Tensor
    actions: Tensor
    rewards: Tensor
    next_states: Tensor
    is_terminal: Tensor


class Replay:
    """Rings of equal length, one per run; the oldest transition is overwritten."""

    def __init__(self, capacity: int, states: Array) -> None:
        """Make empty rings for states such as these, (n_runs, n_inputs)."""
        self.capacity, self.n_seen = capacity, 0
        n_runs, n_inputs = states.shape
        of_state = torch.from_numpy(states).dtype
        self.rings = [
            torch.empty((n_runs, capacity, n_inputs), dtype=of_state),
            torch.empty((n_runs, capacity), dtype=torch.int64),
            torch.empty((n_runs, capacity)),
            torch.empty((n_runs, capacity, n_inputs), dtype=of_state),
            torch.empty((n_runs, capacity), dtype=torch.bool),
        ]
        self.runs = torch.arange(n_runs)[:, None]

    @property
    def size(self) -> int:
        """How many transitions each ring holds."""
        return min(self.n_seen, self.capacity)

    def add(self, step: Transitions) -> None:
        """Store one transition per run."""
        place = self.n_seen % self.capacity
        for ring, column in zip(self.rings, step, strict=True):
            ring[:, place] = torch.from_numpy(column)
        self.n_seen += 1

    def batch(self, uniform: Array) -> Batch:
        """Return the transitions at uniform numbers in [0, 1), (n_runs, n_samples)."""
        places = torch.from_numpy((uniform * self.size).astype("int64"))
        states, actions, rewards, next_states, is_terminal = (ring[self.runs, places] for ring in self.rings)
        return Batch(states.float(), actions, rewards, next_states.float(), is_terminal)

    def states(self, uniform: Array) -> Tensor:
        """Return the states alone, (n_runs, n_samples, n_inputs)."""
        places = torch.from_numpy((uniform * self.size).astype("int64"))
        return self.rings[0][self.runs, places].float()
