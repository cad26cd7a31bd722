"""Many runs of one network at once: weights of all seeds and rates as one stack of matrices.

A single small network spends most of its time in overhead, a stack in products. The arithmetic equals that of
`networks.train`, up to rounding: PyTorch's SGD, Adam, `BatchNorm1d`, `LayerNorm`, and the package's
`Centering`, all for weights of shape (n_runs, n_inputs, n_outputs).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import torch
from networks import (
    CENTERINGS,
    UPDATES,
    Errors,
    Network,
    batches,
    encode,
    error_rate,
    make_loss,
    make_model,
    split_of,
)
from torch import Tensor, nn

SHIFT = 0.01
HIDDEN = {"sigmoid": torch.sigmoid, "tanh": torch.tanh, "rectifier": torch.relu}


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
        """Return the networks as initialised by `networks.make_model`."""
        models = {}
        for seed in set(seeds):
            torch.manual_seed(seed)
            models[seed] = make_model(network, n_inputs)
        first = models[seeds[0]]
        linear = [i for i, module in enumerate(first) if isinstance(module, nn.Linear)]
        weights = [torch.stack([models[seed][i].weight.detach().T for seed in seeds]) for i in linear]
        biases = [torch.stack([models[seed][i].bias.detach()[None] for seed in seeds]) for i in linear]
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
        phi = HIDDEN[self.network.hidden]
        self.inputs, h = [], x
        for i, (W, b) in enumerate(zip(self.weights, self.biases, strict=True)):
            self.inputs.append(h.detach())
            a = torch.baddbmm(b, h, W)
            if i == self.network.depth:
                break
            h = phi(self.norms[i](a, training=training) if self.norms else a)
        return a

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
        """Set the offsets like `networks.center`; `x` holds all training patterns."""
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
            self.weights[i].grad.sub_(mu.mT @ self.biases[i].grad)
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


class Steps:
    """Steps of SGD or Adam with a learning rate for each run."""

    def __init__(self, name: str, parameters: list[Tensor], rates: Tensor) -> None:
        self.name, self.parameters, self.rates, self.t = name, parameters, rates[:, None, None], 0
        self.means = [torch.zeros_like(p) for p in parameters]
        self.squares = [torch.zeros_like(p) for p in parameters]

    def take(self) -> None:
        """Update the parameters by their gradients, then clear the gradients."""
        self.t += 1
        for p, m, v in zip(self.parameters, self.means, self.squares, strict=True):
            g, p.grad = p.grad, None
            if self.name == "SGD":
                p.addcmul_(self.rates, g, value=-1)
                continue
            m.lerp_(g, 0.1)
            v.mul_(0.999).addcmul_(g, g, value=0.001)
            root = (v.sqrt() / (1 - 0.999**self.t) ** 0.5).add_(1e-8)
            p.addcdiv_(self.rates / (1 - 0.9**self.t) * m, root, value=-1)


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
