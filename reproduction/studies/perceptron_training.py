"""Training of perceptrons in PyTorch: all learning rates and seeds of a network as one stack."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import product

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from hebbian_descent.checks import Array
from hebbian_descent.datasets import load
from hebbian_descent.nn import MatchingLoss, get_torch_activation
from reproduction.studies.perceptrons import BATCH, N_CLASSES, SIZES, Network, code_of
from reproduction.studies.stacks import SHIFT, Stack, Steps, linear_layers

HIDDEN: dict[str, Callable[[Tensor], Tensor]] = {
    "sigmoid": torch.sigmoid,
    "tanh": torch.tanh,
    "rectifier": torch.relu,
    "step": get_torch_activation("step"),
}
Patterns = tuple[Tensor, Tensor]
"""Inputs and labels."""


def split_of(dataset: str, seed: int) -> tuple[Patterns, Patterns, Patterns]:
    """Return the patterns of a seed, for training, validation and test."""
    (x, labels), test = _read(dataset)
    n_train, n_validation = SIZES[dataset]
    rows = torch.randperm(len(x), generator=torch.Generator().manual_seed(seed))
    learned, others = rows[:n_train], rows[n_train : n_train + n_validation]
    return (x[learned], labels[learned]), (x[others], labels[others]), test


@lru_cache(maxsize=2)
def _read(dataset: str) -> list[Patterns]:
    data, dtype = load(dataset), torch.get_default_dtype()
    assert data.test is not None
    parts = (data.train, data.test)
    return [(torch.as_tensor(part.inputs).to(dtype), torch.as_tensor(part.labels).long()) for part in parts]


def batches(n_patterns: int, n_updates: int, seed: int) -> Iterator[Tensor]:
    """Yield the rows of shuffled batches, epoch after epoch."""
    generator = torch.Generator().manual_seed(seed)
    rows: list[Tensor] = []
    for _ in range(n_updates):
        if not rows:
            rows = list(torch.randperm(n_patterns, generator=generator).split(BATCH))
        yield rows.pop()


def encode(labels: Tensor, output: str) -> Tensor:
    """Return one target per class."""
    low, high = code_of(output)
    return low + (high - low) * F.one_hot(labels, N_CLASSES).to(torch.get_default_dtype())


def loss_of(network: Network) -> Callable[[Tensor, Tensor], Tensor]:
    """Return the loss of pre-activations and targets: summed over the units, a mean over patterns."""
    if network.loss == "matching":
        return MatchingLoss(network.output, check_targets=False)
    phi = get_torch_activation(network.output)
    if network.loss == "squared":
        return lambda a, t: (phi(a) - t).square().sum(dim=-1).mean() / 2
    return lambda a, t: cross_entropy(phi(a), t).sum(dim=-1).mean()


def cross_entropy(outputs: Tensor, targets: Tensor) -> Tensor:
    """Return −q ln p − (1 − q) ln(1 − p) of outputs and targets in (−1, 1), scaled to p and q in (0, 1).

    Where p is 0 or 1 in floating point the logarithm stays finite, as that of `nn.BCELoss` does.
    """
    p, q, tiny = (1 + outputs) / 2, (1 + targets) / 2, torch.finfo(outputs.dtype).tiny
    return -q * p.clamp(min=tiny).log() - (1 - q) * (1 - p).clamp(min=tiny).log()


def train(network: Network, rates: Sequence[float], n_seeds: int, n_updates: int) -> Array:
    """Return validation and test errors, (n_rates, n_seeds, 2); those of runs that diverge are 1.

    A seed determines split, initial weights and order of batches, the same for all networks.
    """
    splits = [split_of(network.dataset, seed) for seed in range(n_seeds)]
    stack = learned(network, rates, [patterns for patterns, *_ in splits], n_updates)
    errors = [
        error_rate(stack.copy(slice(run, run + 1)), *patterns)
        for run, (_, split) in enumerate(product(rates, splits))
        for patterns in split[1:]
    ]
    return np.reshape(errors, (len(rates), n_seeds, 2))


def learned(network: Network, rates: Sequence[float], patterns: Sequence[Patterns], n_updates: int) -> Stack:
    """Return a network per rate and seed after `n_updates`; the seeds of a rate are neighbours."""
    n_rates, n_seeds = len(rates), len(patterns)
    sizes = [patterns[0][0].shape[1], *[network.width] * network.depth, N_CLASSES]
    weights, biases = linear_layers(sizes, [*range(n_seeds)] * n_rates)
    stack = Stack(weights, biases, HIDDEN[network.hidden], is_hebbian=network.is_hebbian)
    steps = Steps(network.optimizer, stack.parameters(), [rate for rate in rates for _ in patterns])
    loss = loss_of(network)
    for step, (x, labels) in enumerate(stacked_batches(patterns, n_updates), 1):
        x, t = (each.repeat(n_rates, 1, 1) for each in (x, encode(labels, network.output)))
        steps.take(loss(stack(x), t) * len(x))  # undo the mean over runs
        if network.is_centered:
            stack.move_offsets(max(1 / step, SHIFT))  # the running mean at first
    return stack


def stacked_batches(patterns: Sequence[Patterns], n_updates: int) -> Iterator[Patterns]:
    """Yield a batch of each seed, (n_seeds, n_patterns, …), epoch after epoch in an order of its own."""
    orders = [batches(len(x), n_updates, seed) for seed, (x, _) in enumerate(patterns)]
    for rows in zip(*orders, strict=True):
        chosen = [(x[row], labels[row]) for (x, labels), row in zip(patterns, rows, strict=True)]
        x, labels = zip(*chosen, strict=True)
        yield torch.stack(x), torch.stack(labels)


@torch.no_grad()
def error_rate(model: Callable[[Tensor], Tensor], inputs: Tensor, labels: Tensor) -> float:
    """Return the share of patterns for which a wrong class has the largest pre-activation.

    Activations are monotonic, so it has the largest output, too; outputs alone could tie. A network that
    diverged is wrong about everything.
    """
    a = model(inputs[None])[0]
    is_wrong = (a.argmax(dim=-1) != labels) | ~a.isfinite().all(dim=-1)
    return is_wrong.double().mean().item()
