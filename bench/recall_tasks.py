"""Sequences that only a memory can continue: associative recall and linear regression within the context."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

NO_QUESTION = -100
"""The label of a step without a question, as in PyTorch's cross entropy."""


class Batch(NamedTuple):
    """Inputs of each step, and the expected answer."""

    inputs: Tensor
    answers: Tensor


def associative_recall(
    n: int, rng: torch.Generator, *, vocabulary: int, n_pairs: int, n_steps: int, power: float = 0.01
) -> Batch:
    """Return key, value, key, value, …, and later keys that ask for their values, by the recipe of Zoology.

    Half of the vocabulary is keys, half values. Each key is queried once; the distances of the queries
    follow a power law, with random symbols between them.
    """
    half, context = vocabulary // 2, 2 * n_pairs
    keys = torch.rand(n, half - 1, generator=rng).argsort(dim=1)[:, :n_pairs] + 1
    values = torch.rand(n, half, generator=rng).argsort(dim=1)[:, :n_pairs] + half
    inputs = torch.randint(vocabulary, (n, n_steps), generator=rng)
    inputs[:, :context:2], inputs[:, 1:context:2] = keys, values
    places = (n_steps - context) // 2
    law = power * torch.arange(1, places + 1) ** (power - 1)
    where = context + 2 * torch.multinomial(law.expand(n, -1), n_pairs, generator=rng)
    answers = torch.full((n, n_steps), NO_QUESTION)
    inputs.scatter_(1, where, keys)
    answers.scatter_(1, where, values)
    return Batch(inputs, answers)


def regression(n: int, rng: torch.Generator, *, n_inputs: int, n_pairs: int) -> Batch:
    """Return x, y, x, y, … with y = w·x and a new w for each sequence; the answer at each x is y.

    Inputs are x, y and whether the step shows y; steps that show x have y = 0, and vice versa.
    """
    x = torch.randn(n, n_pairs, n_inputs, generator=rng)
    w = torch.randn(n, n_inputs, 1, generator=rng) / n_inputs**0.5
    y = x @ w
    inputs = torch.zeros(n, n_pairs, 2, n_inputs + 2)
    inputs[:, :, 0, :n_inputs] = x
    inputs[:, :, 1, n_inputs : n_inputs + 1] = y
    inputs[:, :, 1, -1] = 1
    answers = torch.full((n, n_pairs, 2), torch.nan)
    answers[:, :, 0] = y[..., 0]
    return Batch(inputs.flatten(1, 2), answers.flatten(1))
