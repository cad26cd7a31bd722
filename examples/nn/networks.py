"""Small perceptrons and how to train and evaluate one.

A `Network` specifies everything but the learning rate and the seed, so a study is a list of networks: with
any output unit, either loss, one or more hidden layers, centered or normalised, with ordinary hidden layers
or `HebbianLayer`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

import torch
from common import Data, read
from torch import Tensor, nn
from torch.nn import functional as F
from torch.optim import Optimizer

from hebbian_descent.checks import unknown_name
from hebbian_descent.nn import Centering, HebbianLayer, MatchingLoss, get_torch_activation, update_offsets_

N_CLASSES = 10
BATCH = 50
UPDATES = {"digits": 600, "mnist": 1000}
SIZES = {"digits": (1000, 297), "mnist": (10_000, 5_000)}  # patterns for training and validation

CODES = dict.fromkeys(("scaled_tanh", "inverse_sqrt"), (-1.0, 1.0)) | {"softsign": (-0.9, 0.9)}
"""Targets of the other classes and of the right class, if they are not 0 and 1."""

CENTERINGS = ("input only", "fixed", "moving")
NORMALISATIONS: dict[str, Callable[[int], nn.Module]] = {
    "batch norm": nn.BatchNorm1d,
    "layer norm": nn.LayerNorm,
}
OPTIMIZERS: dict[str, tuple[Callable[..., Optimizer], float]] = {
    "SGD": (torch.optim.SGD, 0.1),
    "Adam": (torch.optim.Adam, 0.001),
}
"""Optimizers, each with the learning rate at which a search starts."""


@dataclass(frozen=True)
class Network:
    """A perceptron, its training method and its data.

    `centering` is "none", one of `CENTERINGS` or one of `NORMALISATIONS`. With `hebbian`, hidden layers are
    `HebbianLayer`, whose own offsets move if the centering is "moving".
    """

    dataset: str
    output: str = "softmax"
    loss: str = "matching"
    hidden: str = "rectifier"
    depth: int = 1
    width: int = 100
    centering: str = "none"
    inputs: str = "raw"
    optimizer: str = "SGD"
    hebbian: bool = False

    def __post_init__(self) -> None:
        methods = ("none", "moving") if self.hebbian else ("none", *CENTERINGS, *NORMALISATIONS)
        for name, value, known in (
            ("dataset", self.dataset, SIZES),
            ("loss", self.loss, ("matching", "squared")),
            ("centering of a network", self.centering, methods),
            ("form of the inputs", self.inputs, ("raw", "standardised")),
            ("optimizer", self.optimizer, OPTIMIZERS),
        ):
            if value not in known:
                raise unknown_name(name, value, known)

    def __str__(self) -> str:
        hidden = f"{self.depth} x {self.width} {self.hidden}{' (Hebbian)' if self.hebbian else ''}"
        how = f"{self.loss} loss, {self.centering}, {self.inputs} inputs, {self.optimizer}"
        return f"{self.dataset}: {hidden}, {self.output}, {how}"


class Split(NamedTuple):
    """Training, validation and test patterns."""

    inputs: Tensor
    labels: Tensor
    validation_inputs: Tensor
    validation_labels: Tensor
    test_inputs: Tensor
    test_labels: Tensor


class Errors(NamedTuple):
    """Shares of misclassified patterns."""

    validation: float
    test: float


def train(network: Network, rate: float, seed: int, n_updates: int | None = None) -> Errors:
    """Return the errors after training; a diverged network misclassifies everything.

    The seed determines the split, the initial weights and the batch order, the same for all networks.
    """
    split = split_of(network.dataset, network.inputs, seed)
    model = learned(network, rate, seed, n_updates or UPDATES[network.dataset])
    if model is None:
        return Errors(1.0, 1.0)
    return Errors(
        error_rate(model, split.validation_inputs, split.validation_labels),
        error_rate(model, split.test_inputs, split.test_labels),
    )


def learned(network: Network, rate: float, seed: int, n_updates: int) -> nn.Sequential | None:
    """Return the network after `n_updates`, None if it has diverged."""
    split = split_of(network.dataset, network.inputs, seed)
    torch.manual_seed(seed)
    model = make_model(network, split.inputs.shape[1])
    make_optimizer, _ = OPTIMIZERS[network.optimizer]
    optimizer = make_optimizer(model.parameters(), lr=rate)
    center(network, model, optimizer, split.inputs)
    loss_of, targets = make_loss(network), encode(split.labels, network.output)
    for step, rows in enumerate(batches(len(targets), n_updates, seed)):
        optimizer.zero_grad()
        a = model(split.inputs[rows])
        if step % 50 == 0 and not a.isfinite().all():
            return None
        loss_of(a, targets[rows]).backward()
        optimizer.step()
        if network.hebbian:
            update_offsets_(model)
    return model.eval()


def make_model(network: Network, n_inputs: int) -> nn.Sequential:
    """Return the network up to the pre-activations of its output units."""
    modules: list[nn.Module] = []
    sizes = [n_inputs, *[network.width] * network.depth]
    for n, m in pairwise(sizes):
        if network.hebbian:
            shift = 0.01 if network.centering == "moving" else 0.0
            modules.append(HebbianLayer(n, m, network.hidden, shift=shift))
            continue
        modules.append(nn.Linear(n, m))
        if network.centering in NORMALISATIONS:
            modules.append(NORMALISATIONS[network.centering](m))
        modules.append(HIDDEN[network.hidden]())
    return nn.Sequential(*modules, nn.Linear(sizes[-1], N_CLASSES))


def center(network: Network, model: nn.Sequential, optimizer: Optimizer, inputs: Tensor) -> None:
    """Center the model as the network specifies; the optimizer holds the `Centering`."""
    if network.centering == "moving":  # skips a HebbianLayer, which has its own offset
        Centering(model, optimizer)
    elif network.centering in CENTERINGS:
        layers = ["0"] if network.centering == "input only" else None
        Centering(model, optimizer, shift=0, offset_start=0.0, layers=layers).start_from(inputs)


def make_loss(network: Network) -> Callable[[Tensor, Tensor], Tensor]:
    """Return the loss of pre-activations and targets, summed over the units."""
    if network.loss == "matching":
        return MatchingLoss(network.output, check_targets=False)
    phi = get_torch_activation(network.output)
    return lambda a, t: (phi(a) - t).square().sum(dim=-1).mean() / 2


def encode(labels: Tensor, output: str) -> Tensor:
    """Return one target per class."""
    low, high = CODES.get(output, (0.0, 1.0))
    return low + (high - low) * F.one_hot(labels, N_CLASSES).to(torch.get_default_dtype())


@torch.no_grad()
def error_rate(model: Callable[[Tensor], Tensor], inputs: Tensor, labels: Tensor) -> float:
    """Return the share of patterns for which a wrong class has the largest pre-activation.

    Activations are monotonic, so it has the largest output, too; outputs alone could tie.
    """
    a = model(inputs)
    is_wrong = (a.argmax(dim=-1) != labels) | ~a.isfinite().all(dim=-1)
    return is_wrong.double().mean().item()


def batches(n_patterns: int, n_updates: int, seed: int) -> Iterator[Tensor]:
    """Yield the rows of shuffled batches, epoch after epoch."""
    generator = torch.Generator().manual_seed(seed)
    rows: list[Tensor] = []
    for _ in range(n_updates):
        if not rows:
            rows = list(torch.randperm(n_patterns, generator=generator).split(BATCH))
        yield rows.pop()


@lru_cache(maxsize=10)
def split_of(dataset: str, inputs: str, seed: int) -> Split:
    """Return the patterns of a seed; standardised inputs have mean 0 and, if they vary, variance 1."""
    data = _read(dataset)
    n_train, n_validation = SIZES[dataset]
    generator = torch.Generator().manual_seed(seed)
    rows = torch.randperm(len(data.inputs), generator=generator)[: n_train + n_validation]
    dtype = torch.get_default_dtype()
    x, labels, test_x = data.inputs[rows].to(dtype), data.labels[rows], data.test_inputs.to(dtype)
    if inputs == "standardised":
        sd, mean = torch.std_mean(x[:n_train], dim=0)
        scale = torch.where(sd > 0.01, sd, 1.0)  # a pixel that is rarely set must not become huge
        x, test_x = (x - mean) / scale, (test_x - mean) / scale
    at = slice(n_train), slice(n_train, None)
    return Split(x[at[0]], labels[at[0]], x[at[1]], labels[at[1]], test_x, data.test_labels)


@cache
def _read(dataset: str) -> Data:
    return read(dataset)


HIDDEN: dict[str, type[nn.Module]] = {"sigmoid": nn.Sigmoid, "tanh": nn.Tanh, "rectifier": nn.ReLU}
