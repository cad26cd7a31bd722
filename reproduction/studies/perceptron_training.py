"""Training of perceptrons in PyTorch: all learning rates and seeds of a network as one stack of matrices.

One small network spends most of its time between operations, a stack of them on products. The arithmetic is
that of PyTorch's layers, normalisations and optimizers, and of the package's `Centering` and `HebbianLayer`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from operator import getitem

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from hebbian_descent.datasets import load
from hebbian_descent.nn import MatchingLoss, get_torch_activation
from reproduction.studies.perceptrons import (
    BATCH,
    CENTERINGS,
    N_CLASSES,
    NORMALISATIONS,
    SIZES,
    UPDATES,
    Network,
    code_of,
)
from reproduction.studies.stacked_steps import Steps

SHIFT = 0.01
"""The shift of moving offsets once they are no longer the running mean: the default of `Centering`."""
HIDDEN: dict[str, Callable[[Tensor], Tensor]] = {
    "sigmoid": torch.sigmoid,
    "tanh": torch.tanh,
    "rectifier": torch.relu,
    "step": get_torch_activation("step"),
}


Patterns = tuple[Tensor, Tensor]
"""Inputs and labels."""


@lru_cache(maxsize=10)
def split_of(dataset: str, inputs: str, seed: int) -> tuple[Patterns, Patterns, Patterns]:
    """Return the patterns of a seed, for training, validation and test.

    Standardised inputs have mean 0 and, if they vary, variance 1.
    """
    (x, labels), (test_x, test_labels) = _read(dataset)
    n_train, n_validation = SIZES[dataset]
    generator = torch.Generator().manual_seed(seed)
    rows = torch.randperm(len(x), generator=generator)[: n_train + n_validation]
    dtype = torch.get_default_dtype()
    x, labels, test_x = x[rows].to(dtype), labels[rows], test_x.to(dtype)
    if inputs == "standardised":
        sd, mean = torch.std_mean(x[:n_train], dim=0)
        scale = torch.where(sd > 0.01, sd, 1.0)  # a pixel that is rarely set must not become huge
        x, test_x = (x - mean) / scale, (test_x - mean) / scale
    return (x[:n_train], labels[:n_train]), (x[n_train:], labels[n_train:]), (test_x, test_labels)


@lru_cache(maxsize=2)
def _read(dataset: str) -> list[Patterns]:
    data = load(dataset)
    assert data.test is not None
    parts = (data.train, data.test)
    return [(torch.as_tensor(part.inputs).float(), torch.as_tensor(part.labels).long()) for part in parts]


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


Layer = dict[str, Tensor]
"""A layer of all runs, a = (x − μ)W + b, by the names of its parameters.

"weights" (n_runs, n_inputs, n_outputs), "bias" (n_runs, 1, n_outputs), "offset" (n_runs, 1, n_inputs) if it
is centered; "gain", "shift", "mean" and "variance", shaped as the bias, if a is normalised.
"""
TRAINED = ("weights", "bias", "gain", "shift")


def normalised(layer: Layer, a: Tensor, *, training: bool) -> Tensor:
    """Return a with mean 0 and variance 1 over a batch or a layer, times the gain, plus the shift."""
    if "gain" not in layer:
        return a
    if "mean" in layer:
        columns = a.transpose(0, 1).flatten(1)  # (n_patterns, n_runs · n_units)
        moments = layer["mean"].view(-1), layer["variance"].view(-1)
        columns = F.batch_norm(columns, *moments, training=training)
        return columns.unflatten(1, (len(a), -1)).transpose(0, 1) * layer["gain"] + layer["shift"]
    return F.layer_norm(a, a.shape[2:]) * layer["gain"] + layer["shift"]


class Stack:
    """The layers of all runs of a network, and what the last pass through them left."""

    def __init__(self, network: Network, layers: list[Layer]) -> None:
        self.network, self.layers = network, layers
        self.inputs: list[Tensor] = []
        """Of each layer, less the offset."""
        self.hidden: list[Tensor] = []
        """Outputs of the hidden layers."""

    @staticmethod
    def of(network: Network, n_inputs: int, seeds: Sequence[int]) -> Stack:
        """Return networks as PyTorch's linear layers start; the weights depend on the seed alone."""
        sizes = [n_inputs, *[network.width] * network.depth, N_CLASSES]
        by_seed = {seed: _linear_layers(sizes, seed) for seed in set(seeds)}
        layers: list[Layer] = []
        for i in range(network.depth + 1):
            linear = [by_seed[seed][i] for seed in seeds]
            W = torch.stack([layer.weight.detach().T for layer in linear])
            b = torch.stack([layer.bias.detach()[None] for layer in linear])
            layers.append({"weights": W, "bias": b})
            if network.centering in CENTERINGS and (i == 0 or network.centering != "input only"):
                layers[i]["offset"] = W.new_zeros(len(W), 1, W.shape[1])
            if network.centering in NORMALISATIONS and i < network.depth:
                layers[i] |= {"gain": torch.ones_like(b), "shift": torch.zeros_like(b)}
            if network.centering == "batch norm" and i < network.depth:
                layers[i] |= {"mean": torch.zeros_like(b), "variance": torch.ones_like(b)}
        stack = Stack(network, layers)
        for parameter in stack.trained():
            parameter.requires_grad_()
        return stack

    def of_run(self, run: int) -> Stack:
        """Return one run alone."""
        at = slice(run, run + 1)
        return Stack(self.network, [{name: p[at] for name, p in layer.items()} for layer in self.layers])

    def trained(self) -> list[Tensor]:
        """Return all that learns."""
        return [layer[name] for layer in self.layers for name in TRAINED if name in layer]

    def __call__(self, x: Tensor, *, training: bool = False) -> Tensor:
        """Return the pre-activations of the output units, (n_runs, n_patterns, n_classes)."""
        self.inputs, self.hidden, h = [], [], x
        *below, top = self.layers
        for layer in below:
            W, b, x = layer["weights"], layer["bias"], self._centered(h, layer)
            if self.network.hebbian:
                W, b = W.detach(), b.detach()  # they learn by the local rule, see `gradients`
            h = HIDDEN[self.network.hidden](normalised(layer, torch.baddbmm(b, x, W), training=training))
            self.hidden.append(h.requires_grad_() if self.network.hebbian and training else h)
        return torch.baddbmm(top["bias"], self._centered(h, top), top["weights"])

    def _centered(self, x: Tensor, layer: Layer) -> Tensor:
        """Return and note the inputs of a layer less its offset."""
        x = x - layer["offset"] if "offset" in layer else x
        self.inputs.append(x.detach())
        return x

    def gradients(self, loss: Tensor) -> list[Tensor]:
        """Return the gradient of all that learns; of Hebbian hidden layers ∂W = xᵀδ and ∂b = Σδ, δ = ∂L/∂h.

        Paper: eqn:update_general_hebbian_descent_sup_w_1
        """
        if not self.network.hebbian:
            return list(torch.autograd.grad(loss, self.trained()))
        *errors, W, b = torch.autograd.grad(loss, [*self.hidden, *self.trained()[-2:]])
        local = [(x.mT @ d, d.sum(dim=1, keepdim=True)) for x, d in zip(self.inputs, errors, strict=False)]
        return [*(gradient for both in local for gradient in both), W, b]

    @torch.no_grad()
    def move_offsets(self, share: float = 1.0) -> None:
        """Move offsets toward the mean inputs of the last pass: μ ← μ + d and b ← b + dW change no output."""
        for layer, x in zip(self.layers, self.inputs, strict=True):
            if "offset" in layer:
                distance = share * x.mean(dim=1, keepdim=True)
                layer["offset"].add_(distance)
                layer["bias"].add_(distance @ layer["weights"])


def _linear_layers(sizes: Sequence[int], seed: int) -> list[nn.Linear]:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return [nn.Linear(n, m) for n, m in pairwise(sizes)]


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


def train(
    network: Network, runs: Sequence[tuple[float, int]], n_updates: int | None = None
) -> list[tuple[float, ...]]:
    """Return validation and test error for pairs of learning rate and seed; 1 and 1 where it diverged.

    A seed determines split, initial weights and order of batches, the same for all networks.
    """
    stack, diverged = learned(network, runs, n_updates or UPDATES[network.dataset])
    found = []
    for i, (_, seed) in enumerate(runs):
        _, validation, test = split_of(network.dataset, network.inputs, seed)
        errors = (error_rate(stack.of_run(i), *patterns) for patterns in (validation, test))
        found.append((1.0, 1.0) if diverged[i] else tuple(errors))
    return found


def learned(network: Network, runs: Sequence[tuple[float, int]], n_updates: int) -> tuple[Stack, Tensor]:
    """Return the networks after `n_updates`, and which of them have diverged."""
    rates, of_runs = zip(*runs, strict=True)
    seeds = sorted(set(of_runs))
    places = torch.tensor([seeds.index(seed) for seed in of_runs])
    learn = [split_of(network.dataset, network.inputs, seed)[0] for seed in seeds]
    inputs, targets = [x for x, _ in learn], [encode(labels, network.output) for _, labels in learn]
    stack = Stack.of(network, inputs[0].shape[1], of_runs)
    if network.centering in ("input only", "fixed"):
        with torch.no_grad():
            stack(torch.stack(inputs)[places])
        stack.move_offsets()
    steps, loss = Steps(network.optimizer, stack.trained(), rates), loss_of(network)
    diverged = torch.zeros(len(runs), dtype=torch.bool)
    orders = [batches(len(t), n_updates, seed) for t, seed in zip(targets, seeds, strict=True)]
    for step, rows in enumerate(zip(*orders, strict=True)):
        x, t = (torch.stack(list(map(getitem, each, rows)))[places] for each in (inputs, targets))
        a = stack(x, training=True)
        if step % 50 == 0:
            diverged |= ~a.detach().isfinite().all(dim=-1).all(dim=-1)
        steps.take(stack.gradients(loss(a, t) * len(runs)))  # undo the mean over runs
        if network.centering == "moving":
            stack.move_offsets(max(1 / (step + 1), SHIFT))  # the running mean at first
    return stack, diverged


@torch.no_grad()
def error_rate(model: Callable[[Tensor], Tensor], inputs: Tensor, labels: Tensor) -> float:
    """Return the share of patterns for which a wrong class has the largest pre-activation.

    Activations are monotonic, so it has the largest output, too; outputs alone could tie.
    """
    a = model(inputs[None])[0]
    is_wrong = (a.argmax(dim=-1) != labels) | ~a.isfinite().all(dim=-1)
    return is_wrong.double().mean().item()
