"""Many runs of one network at once: weights of all seeds and rates as one stack of matrices.

One small network spends most of its time between operations, a stack of them on products. The arithmetic is
that of `training.train`, up to rounding: PyTorch's SGD, Adam, `BatchNorm1d`, `LayerNorm`, and the package's
`Centering` and `HebbianLayer`, all for weights of shape (n_runs, n_inputs, n_outputs).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import torch
from torch import Tensor, nn

from reproduction.studies.perceptrons.data import batches, encode, split_of
from reproduction.studies.perceptrons.network import CENTERINGS, UPDATES, Network
from reproduction.studies.perceptrons.stacked_update import StackedUpdate
from reproduction.studies.perceptrons.steps import Steps, gradient_of
from reproduction.studies.perceptrons.training import (
    HIDDEN,
    SHIFT,
    Errors,
    error_rate,
    make_loss,
    make_model,
)


@dataclass
class Normalised:
    """Batch or layer normalisation with trainable gains and biases; evaluation uses running moments."""

    over_batch: bool
    gain: Tensor  # (n_runs, 1, n_units)
    bias: Tensor
    mean: Tensor
    variance: Tensor

    def __call__(self, a: Tensor, *, training: bool) -> Tensor:
        """Return (a − mean) / deviation · gain + bias."""
        if self.over_batch and not training:
            mean, variance = self.mean, self.variance
        else:
            axis = 1 if self.over_batch else 2
            mean = a.mean(dim=axis, keepdim=True)
            variance = a.var(dim=axis, keepdim=True, correction=0)
        if self.over_batch and training:
            unbiased = variance.detach() * a.shape[1] / (a.shape[1] - 1)
            self.mean = torch.lerp(self.mean, mean.detach(), 0.1)
            self.variance = torch.lerp(self.variance, unbiased, 0.1)
        return (a - mean) * torch.rsqrt(variance + 1e-5) * self.gain + self.bias


@dataclass
class Stack:
    """Layers of all runs, their inputs, and the offsets of centered layers."""

    network: Network
    weights: list[Tensor]  # (n_runs, n_inputs, n_outputs)
    biases: list[Tensor]  # (n_runs, 1, n_outputs)
    norms: list[Normalised]
    inputs: list[Tensor] = field(default_factory=list)
    offsets: dict[int, Tensor] = field(default_factory=dict)  # (n_runs, 1, n_inputs)
    n_seen: int = 0

    @staticmethod
    def of(network: Network, n_inputs: int, seeds: Sequence[int]) -> Stack:
        """Return the networks as `training.make_model` starts them."""
        layers = {
            seed: [module for module in make_model(network, n_inputs, seed) if isinstance(module, nn.Linear)]
            for seed in set(seeds)
        }
        places = range(network.depth + 1)
        weights = [torch.stack([layers[seed][i].weight.detach().T for seed in seeds]) for i in places]
        biases = [torch.stack([layers[seed][i].bias.detach()[None] for seed in seeds]) for i in places]
        is_batch = network.centering == "batch norm"
        norms = []
        if is_batch or network.centering == "layer norm":
            for b in biases[:-1]:
                ones, zeros = torch.ones_like(b), torch.zeros_like(b)
                norms.append(Normalised(is_batch, ones, zeros, zeros.clone(), ones.clone()))
        stack = Stack(network, weights, biases, norms)
        for parameter in stack.parameters():
            parameter.requires_grad_()
        return stack

    def parameters(self) -> list[Tensor]:
        """Return all trainable parameters."""
        return [*self.weights, *self.biases, *(p for norm in self.norms for p in (norm.gain, norm.bias))]

    def __call__(self, x: Tensor, *, training: bool) -> Tensor:
        """Return the pre-activations of the output units, (n_runs, n_patterns, n_classes)."""
        self.inputs, h = [], x
        for i in range(self.network.depth):
            self.inputs.append(h.detach())
            h = self._hidden(i, h, training)
        self.inputs.append(h.detach())
        return torch.baddbmm(self.biases[-1], h, self.weights[-1])

    def _hidden(self, i: int, x: Tensor, training: bool) -> Tensor:
        """Return the outputs of a hidden layer."""
        W, b, phi = self.weights[i], self.biases[i], HIDDEN[self.network.hidden]
        if self.network.hebbian:
            h = phi(torch.baddbmm(b.detach(), x, W.detach()))
            updated: Tensor = StackedUpdate.apply(h, x.detach(), W, b)
            return updated
        a = torch.baddbmm(b, x, W)
        return phi(self.norms[i](a, training=training) if self.norms else a)

    def one(self, run: int, x: Tensor) -> Tensor:
        """Return the pre-activations of the output units of one run in evaluation mode."""
        at = slice(run, run + 1)
        norms = [
            Normalised(norm.over_batch, *(p[at] for p in (norm.gain, norm.bias, norm.mean, norm.variance)))
            for norm in self.norms
        ]
        alone = Stack(self.network, [W[at] for W in self.weights], [b[at] for b in self.biases], norms)
        return alone(x[None], training=False)[0]

    @torch.no_grad()
    def start_offsets(self, x: Tensor) -> None:
        """Put the offsets where `training.center` does; `x` are all training patterns."""
        method = self.network.centering
        if method == "moving":
            self.offsets = {i: W.new_zeros(len(W), 1, W.shape[1]) for i, W in enumerate(self.weights)}
        elif method in CENTERINGS:
            self(x, training=False)
            centered = self.inputs[:1] if method == "input only" else self.inputs
            self.offsets = {i: h.mean(dim=1, keepdim=True) for i, h in enumerate(centered)}

    def center_gradients(self) -> list[Tensor]:
        """∂W ← ∂W − μᵀ∂b; return μW of every centered layer."""
        for i, mu in self.offsets.items():
            gradient_of(self.weights[i]).sub_(mu.mT @ gradient_of(self.biases[i]))
        return [mu @ self.weights[i] for i, mu in self.offsets.items()]

    def make_up_for_step(self, before: list[Tensor]) -> None:
        """Compensate in the bias, b ← b − μ(W_new − W_old), then move a moving μ to the mean input."""
        for (i, mu), old in zip(self.offsets.items(), before, strict=True):
            self.biases[i].sub_(mu @ self.weights[i] - old)
        if self.network.centering == "moving":
            n_patterns = self.inputs[0].shape[1]
            self.n_seen += n_patterns
            shift = max(n_patterns / self.n_seen, SHIFT)
            for i, mu in self.offsets.items():
                mu.lerp_(self.inputs[i].mean(dim=1, keepdim=True), shift)


def train_many(
    network: Network, runs: Sequence[tuple[float, int]], n_updates: int | None = None
) -> list[Errors]:
    """Return the errors of a network for pairs of learning rate and seed."""
    stack, diverged = learned(network, runs, n_updates or UPDATES[network.dataset])
    splits = [split_of(network.dataset, network.inputs, seed) for _, seed in runs]
    return [
        Errors(1.0, 1.0)
        if diverged[i]
        else Errors(
            error_rate(partial(stack.one, i), split.validation_inputs, split.validation_labels),
            error_rate(partial(stack.one, i), split.test_inputs, split.test_labels),
        )
        for i, split in enumerate(splits)
    ]


def learned(network: Network, runs: Sequence[tuple[float, int]], n_updates: int) -> tuple[Stack, Tensor]:
    """Return the networks after `n_updates`, and which of them have diverged."""
    seeds = sorted({seed for _, seed in runs})
    splits = [split_of(network.dataset, network.inputs, seed) for seed in seeds]
    targets = [encode(split.labels, network.output) for split in splits]
    places = torch.tensor([seeds.index(seed) for _, seed in runs])
    stack = Stack.of(network, splits[0].inputs.shape[1], [seed for _, seed in runs])
    if network.centering in CENTERINGS:
        stack.start_offsets(torch.stack([split.inputs for split in splits])[places])
    steps = Steps(network.optimizer, stack.parameters(), torch.tensor([rate for rate, _ in runs]))
    loss_of = make_loss(network)
    diverged = torch.zeros(len(runs), dtype=torch.bool)
    orders = [batches(len(t), n_updates, seed) for t, seed in zip(targets, seeds, strict=True)]
    for step, rows in enumerate(zip(*orders, strict=True)):
        x = torch.stack([split.inputs[at] for split, at in zip(splits, rows, strict=True)])[places]
        t = torch.stack([each[at] for each, at in zip(targets, rows, strict=True)])[places]
        a = stack(x, training=True)
        if step % 50 == 0:
            diverged |= ~a.detach().isfinite().all(dim=-1).all(dim=-1)
        (loss_of(a, t) * len(runs)).backward()  # undo the mean over runs
        with torch.no_grad():
            before = stack.center_gradients()
            steps.take()
            stack.make_up_for_step(before)
    return stack, diverged
