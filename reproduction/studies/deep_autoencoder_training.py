"""Deep auto-encoders with tied weights, trained until their validation error no longer falls.

Paper: sec:HD_outlook_deep_auto_encoder
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from itertools import accumulate
from math import isfinite
from typing import Any, NamedTuple

import torch
from torch import Tensor

from hebbian_descent.datasets import draw_patterns, load
from hebbian_descent.nn import TiedAutoencoder, update_offsets_
from hebbian_descent.thread_pools import one_thread
from reproduction.studies.base import Record
from reproduction.studies.rate_search import RateSearch


def measure(at: Any) -> Iterator[Record]:
    """Search the learning rate with the first seed, then train with all of them."""
    with one_thread():
        draws = [draw_images(at, seed) for seed in range(at.seeds)]
        search = RateSearch(
            lambda steps: [train(at, draws[0], rate_of(at, step), 0) for step in steps],
            lambda run: run.validation,
        )
        best = search.best(0)
        rate = rate_of(at, best)
        runs = [search.tried[best], *(train(at, draws[seed], rate, seed) for seed in range(1, at.seeds))]
    yield {"learning_rate": rate}
    for seed, (run, images) in enumerate(zip(runs, draws, strict=True)):
        ended = {"epochs": run.epochs, "converged": run.converged}
        yield {"draw": seed, "error": run.test, "baseline": images.baseline(), **ended}


def rate_of(at: Any, step: int) -> float:
    """Return a learning rate by its steps of about 3 from the first one: 0.01, 0.03, 0.1, …."""
    return float(f"{at.first_rates[at.optimizer] * 10 ** (step / 2):.0e}")


class Images(NamedTuple):
    """Patterns to learn, others that notice convergence and choose learning rates, and those that judge."""

    learned: Tensor
    validation: Tensor
    test: Tensor

    def baseline(self) -> float:
        """Return the test error of the mean learned pattern."""
        return (self.test - self.learned.mean(dim=0)).abs().mean().item()


def draw_images(at: Any, seed: int) -> Images:
    """Draw patterns to learn and as many others as the settings say; the test set is always the whole one."""
    data = load(at.dataset)
    drawn, _ = draw_patterns(data.name, at.learned + at.validation, seed=seed)
    arrays = (drawn[: at.learned], drawn[at.learned :], (data.test or data.train).inputs)
    return Images(*(torch.as_tensor(array).float() for array in arrays))


def create(at: Any, learned: Tensor, seed: int) -> TiedAutoencoder:
    """Return one with a quarter of the units in each layer; both gradients start from equal weights."""
    sizes = accumulate(range(at.depth), lambda size, _: int(size / 4 + 0.5), initial=learned.shape[1])
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        mean = learned.mean(dim=0)
        return TiedAutoencoder(list(sizes), "sigmoid", "sigmoid", gradient=at.gradient, offset=mean)


class Run(NamedTuple):
    """One training: errors of the epoch with the least validation error, and how it ended."""

    validation: float
    test: float
    epochs: int
    converged: bool


def train(at: Any, images: Images, rate: float, seed: int) -> Run:
    """Train to convergence, and measure the weights of the best epoch."""
    model = create(at, images.learned, seed)
    optimizer = getattr(torch.optim, at.optimizer)(model.parameters(), lr=rate)
    shuffling = torch.Generator().manual_seed(seed)
    errors, best = [error_of(model, images.validation)], deepcopy(model.state_dict())
    while not (converged := has_converged(errors, at)) and len(errors) <= at.most_epochs:
        for rows in torch.randperm(len(images.learned), generator=shuffling).split(at.batch_size):
            update(model, optimizer, images.learned[rows])
        error = error_of(model, images.validation)
        if not isfinite(error):  # the learning rate is far too large
            break
        if error < min(errors):
            best = deepcopy(model.state_dict())
        errors.append(error)
    model.load_state_dict(best)
    return Run(min(errors), error_of(model, images.test), len(errors) - 1, converged)


def has_converged(errors: Sequence[float], at: Any) -> bool:
    """Return whether the least error fell by less than a share of itself in the last epochs."""
    before = errors[: -at.patience]
    return bool(before) and min(errors) > (1 - at.least_fall) * min(before)


def update(model: TiedAutoencoder, optimizer: torch.optim.Optimizer, x: Tensor) -> None:
    """Pass z − x back from the outputs: the gradient of `model.loss(x)`, whose value takes half the time."""
    preactivation = model.preactivation(x)
    optimizer.zero_grad()
    preactivation.backward((model.output_activation(preactivation.detach()) - x) / len(x))
    optimizer.step()
    update_offsets_(model)


@torch.no_grad()
def error_of(model: TiedAutoencoder, patterns: Tensor) -> float:
    """Return the mean absolute error of reconstruction."""
    return (model(patterns) - patterns).abs().mean().item()
