"""One run of a perceptron: train, then count errors."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from hebbian_descent.nn import Centering, HebbianLayer, MatchingLoss, get_torch_activation, update_offsets_
from reproduction.studies.perceptrons.data import batches, encode, split_of
from reproduction.studies.perceptrons.network import CENTERINGS, N_CLASSES, UPDATES, Network

NORMALISATIONS: dict[str, Callable[[int], nn.Module]] = {
    "batch norm": nn.BatchNorm1d,
    "layer norm": nn.LayerNorm,
}
OPTIMIZERS: dict[str, Callable[..., Optimizer]] = {"SGD": torch.optim.SGD, "Adam": torch.optim.Adam}
SHIFT = 0.01
"""The shift of moving offsets once they are no longer the running mean: the default of `Centering`."""
HIDDEN: dict[str, Callable[[Tensor], Tensor]] = {
    "sigmoid": torch.sigmoid,
    "tanh": torch.tanh,
    "rectifier": torch.relu,
    "step": get_torch_activation("step"),
}


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
    model = make_model(network, split.inputs.shape[1], seed)
    optimizer = OPTIMIZERS[network.optimizer](model.parameters(), lr=rate)
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
            _move_offsets(model, step)
    return model.eval()


def _move_offsets(model: nn.Sequential, step: int) -> None:
    """Move the offsets of Hebbian layers as `Centering` moves the others: as the running mean at first."""
    for layer in model:
        if isinstance(layer, HebbianLayer) and layer.shift:
            layer.shift = max(1 / (step + 1), SHIFT)
    update_offsets_(model)


def make_model(network: Network, n_inputs: int, seed: int) -> nn.Sequential:
    """Return the network up to the pre-activations of its output units, with the weights of a seed."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        modules: list[nn.Module] = []
        sizes = [n_inputs, *[network.width] * network.depth]
        for n, m in pairwise(sizes):
            modules += _hidden_layer(network, n, m)
        return nn.Sequential(*modules, nn.Linear(sizes[-1], N_CLASSES))


def _hidden_layer(network: Network, n: int, m: int) -> list[nn.Module]:
    phi = HIDDEN[network.hidden]
    if network.hebbian:
        return [HebbianLayer(n, m, phi, shift=SHIFT if network.centering == "moving" else 0.0)]
    norm = NORMALISATIONS.get(network.centering)
    return [nn.Linear(n, m), *([] if norm is None else [norm(m)]), Elementwise(phi)]


class Elementwise(nn.Module):
    """A function of tensors as a module."""

    def __init__(self, function: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.function = function

    def forward(self, preactivation: Tensor) -> Tensor:
        """Return φ(a)."""
        return self.function(preactivation)


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
    if network.loss == "squared":
        return lambda a, t: (phi(a) - t).square().sum(dim=-1).mean() / 2
    return lambda a, t: cross_entropy(phi(a), t).sum(dim=-1).mean()


def cross_entropy(outputs: Tensor, targets: Tensor) -> Tensor:
    """Return −q ln p − (1 − q) ln(1 − p) of outputs and targets in (−1, 1), scaled to p and q in (0, 1).

    Where p is 0 or 1 in floating point the logarithm stays finite, as that of `nn.BCELoss` does.
    """
    p, q, tiny = (1 + outputs) / 2, (1 + targets) / 2, torch.finfo(outputs.dtype).tiny
    return -q * p.clamp(min=tiny).log() - (1 - q) * (1 - p).clamp(min=tiny).log()


@torch.no_grad()
def error_rate(model: Callable[[Tensor], Tensor], inputs: Tensor, labels: Tensor) -> float:
    """Return the share of patterns for which a wrong class has the largest pre-activation.

    Activations are monotonic, so it has the largest output, too; outputs alone could tie.
    """
    a = model(inputs)
    is_wrong = (a.argmax(dim=-1) != labels) | ~a.isfinite().all(dim=-1)
    return is_wrong.double().mean().item()
