"""Deep auto-encoders with tied weights, trained until their validation error no longer falls.

Paper: sec:HD_outlook_deep_auto_encoder
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import partial
from itertools import accumulate
from math import isfinite
from typing import NamedTuple

import torch
from torch import Tensor

from hebbian_descent.datasets import draw_patterns, load
from hebbian_descent.nn import TiedAutoencoder, update_offsets_
from hebbian_descent.thread_pools import one_thread
from reproduction.experiments.auto_association import n_hidden
from reproduction.studies.base import Numbers, Settings

OPTIMIZERS: dict[str, Callable[..., torch.optim.Optimizer]] = {
    "Adam": partial(torch.optim.Adam, fused=True),
    "SGD": torch.optim.SGD,
}


def measure(settings: Settings, network: Network) -> Numbers:
    """Search the learning rate with the first seed, then train with all of them."""
    with one_thread():
        draws = [draw_images(settings, seed) for seed in range(settings["seeds"])]

        def run(rate: float, seed: int) -> Run:
            return train(network, draws[seed], rate, seed, settings)

        found = search(partial(run, seed=0), settings["rates"], settings["starts"][network.optimizer])
        rate = best_rate(found)
        runs = [found[rate], *(run(rate, seed) for seed in range(1, settings["seeds"]))]
    return {
        "rate": rate,
        "searched": {f"{tried:g}": found[tried].validation for tried in sorted(found)},
        "test": [run.test for run in runs],
        "epochs": [run.epochs for run in runs],
        "converged": [run.converged for run in runs],
        "baseline": [images.baseline() for images in draws],
    }


class Images(NamedTuple):
    """Patterns to learn, others that notice convergence and choose learning rates, and those that judge."""

    learned: Tensor
    validation: Tensor
    test: Tensor

    def baseline(self) -> float:
        """Return the test error of the mean learned pattern."""
        return (self.test - self.learned.mean(dim=0)).abs().mean().item()


def draw_images(settings: Settings, seed: int) -> Images:
    """Draw patterns to learn and as many others as the settings say; the test set is always the whole one."""
    data, n = load(settings["dataset"]), settings["learned"]
    drawn, _ = draw_patterns(data.name, n + settings["validation"], seed=seed)
    arrays = (drawn[:n], drawn[n:], (data.test or data.train).inputs)
    return Images(*(torch.as_tensor(array).float() for array in arrays))


class Network(NamedTuple):
    """What is compared: an auto-encoder, the part of the gradient that it learns by, and the optimizer."""

    optimizer: str
    depth: int
    gradient: str

    def create(self, learned: Tensor, seed: int) -> TiedAutoencoder:
        """Return one with a quarter of the units in each layer; both gradients start from equal weights."""
        sizes = accumulate(range(self.depth), lambda size, _: n_hidden(size), initial=learned.shape[1])
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            return TiedAutoencoder(
                list(sizes), "sigmoid", "sigmoid", gradient=self.gradient, offset=learned.mean(dim=0)
            )


class Run(NamedTuple):
    """One training: errors of the epoch with the least validation error, and how it ended."""

    validation: float
    test: float
    epochs: int
    converged: bool


def train(network: Network, images: Images, rate: float, seed: int, settings: Settings) -> Run:
    """Train to convergence, and measure the weights of the best epoch."""
    model = network.create(images.learned, seed)
    optimizer = OPTIMIZERS[network.optimizer](model.parameters(), lr=rate)
    shuffling = torch.Generator().manual_seed(seed)
    errors, best = [error_of(model, images.validation)], deepcopy(model.state_dict())
    while not (converged := has_converged(errors, settings)) and len(errors) <= settings["most_epochs"]:
        for rows in torch.randperm(len(images.learned), generator=shuffling).split(settings["batch_size"]):
            update(model, optimizer, images.learned[rows])
        error = error_of(model, images.validation)
        if not isfinite(error):  # the learning rate is far too large
            break
        if error < min(errors):
            best = deepcopy(model.state_dict())
        errors.append(error)
    model.load_state_dict(best)
    return Run(min(errors), error_of(model, images.test), len(errors) - 1, converged)


def has_converged(errors: Sequence[float], settings: Settings) -> bool:
    """Return whether the least error fell by less than a share of itself in the last epochs."""
    before = errors[: -settings["patience"]]
    return bool(before) and min(errors) > (1 - settings["least_fall"]) * min(before)


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


def search(run: Callable[[float], Run], rates: Sequence[float], start: float) -> dict[float, Run]:
    """Walk from a learning rate until both neighbours of the best were tried, or the list of rates ends."""
    found = {start: run(start)}
    while True:
        place = rates.index(best_rate(found))
        missing = [rate for rate in rates[max(place - 1, 0) : place + 2] if rate not in found]
        if not missing:
            return found
        found |= {rate: run(rate) for rate in missing}


def best_rate(found: dict[float, Run]) -> float:
    """Return the learning rate with the least validation error."""
    return min(found, key=lambda rate: found[rate].validation)
