"""Value networks of many runs as one stack: weights (n_runs, n_inputs, n_outputs), a learning rate for each.

One small network spends most of its time between operations, a stack of them on products. The arithmetic is
that of PyTorch's `nn.Linear`, its automatic derivatives and its `optim.Adam`, run by run.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import sqrt

import torch
from torch import Tensor

from hebbian_descent.nn import MatchingLoss
from reproduction.studies.value_networks.replay import Batch
from reproduction.studies.value_networks.variants import Variant


class ValueNetworks:
    """Rectifier networks with one output per action; the outputs are linear or rectifiers as well."""

    def __init__(self, variant: Variant, weights: list[Tensor], biases: list[Tensor]) -> None:
        self.variant = variant
        self.weights = weights  # (n_runs, n_inputs, n_outputs)
        self.biases = biases  # (n_runs, 1, n_outputs)

    @staticmethod
    def start(
        variant: Variant, sizes: Sequence[int], seeds: Sequence[int], output_bias: float | None = None
    ) -> ValueNetworks:
        """Return networks as `nn.Linear` starts them: uniform within ±1/√n_inputs, biases too.

        The same seed gives the same weights for all variants. With `output_bias` the outputs get that bias.
        """
        generators = [torch.Generator().manual_seed(seed) for seed in seeds]
        weights, biases = [], []
        for n_inputs, n_outputs in pairwise(sizes):
            both = torch.stack([torch.rand(n_inputs + 1, n_outputs, generator=g) for g in generators])
            both = (2 * both - 1) / sqrt(n_inputs)
            weights.append(both[:, :-1].contiguous())
            biases.append(both[:, -1:].contiguous())
        if output_bias is not None:
            biases[-1].fill_(output_bias)
        return ValueNetworks(variant, weights, biases)

    def parameters(self) -> list[Tensor]:
        """Return all that learns."""
        return [*self.weights, *self.biases]

    def copy(self) -> ValueNetworks:
        """Return networks with the same weights, which stay as they are: the target networks."""
        frozen = [[p.detach().clone() for p in each] for each in (self.weights, self.biases)]
        return ValueNetworks(self.variant, *frozen)

    def preactivations(self, states: Tensor) -> Tensor:
        """Return a of the output units, (n_runs, n_states, n_actions)."""
        h = states
        for W, b in zip(self.weights[:-1], self.biases[:-1], strict=True):
            h = torch.relu(torch.baddbmm(b, h, W))
        return torch.baddbmm(self.biases[-1], h, self.weights[-1])

    def output(self, a: Tensor) -> Tensor:
        """Return the values h = φ(a)."""
        return torch.relu(a) if self.variant.is_rectified else a

    @torch.no_grad()
    def targets(self, batch: Batch, discount: float) -> Tensor:
        """Return t = r + γ max h(s′), and t = r where the episode ended."""
        following = self.output(self.preactivations(batch.next_states)).amax(dim=2)
        return torch.where(batch.is_terminal, batch.rewards, batch.rewards + discount * following)

    def loss(self, batch: Batch, targets: Tensor) -> Tensor:
        """Return the loss of the actions taken: a mean over each run's batch, summed over runs.

        So each run gets the derivatives that it would get alone. By the squared error, ½(h − t)², the error
        is (h − t) φ′(a), by the matching loss h − t.
        """
        a = self.preactivations(batch.states).gather(2, batch.actions[..., None])  # (n_runs, n_samples, 1)
        t = targets[..., None]
        if self.variant.is_matching:
            total: Tensor = MatchingLoss("rectifier", reduction="sum", check_targets=False)(a, t)
        else:
            total = (self.output(a) - t).square().sum() / 2
        return total / targets.shape[1]

    @torch.no_grad()
    def dead(self, states: Tensor) -> Tensor:
        """Return whether an output unit has a ≤ 0 in all states, (n_runs, n_actions)."""
        return (self.preactivations(states) <= 0).all(dim=1)


class Adam:
    """Adam with a learning rate for each run (β₁ = 0.9, β₂ = 0.999, ε = 1e-8)."""

    def __init__(self, parameters: list[Tensor], rates: Tensor) -> None:
        self.parameters = [p.requires_grad_() for p in parameters]
        self.rates, self.n_steps = rates[:, None, None], 0
        self.means = [torch.zeros_like(p) for p in parameters]
        self.squares = [torch.zeros_like(p) for p in parameters]
        self.divisors = [torch.zeros_like(p) for p in parameters]

    def step(self, loss: Tensor) -> None:
        """Change the parameters by the gradient of the loss."""
        self.n_steps += 1
        gradients = torch.autograd.grad(loss, self.parameters)
        unbiased, root_unbiased = 1 - 0.9**self.n_steps, sqrt(1 - 0.999**self.n_steps)
        with torch.no_grad():
            for p, g, m, v, divisor in zip(
                self.parameters, gradients, self.means, self.squares, self.divisors, strict=True
            ):
                m.lerp_(g, 0.1)
                v.mul_(0.999).addcmul_(g, g, value=0.001)
                torch.sqrt(v, out=divisor)  # new memory for each step would take longer than the root
                divisor.div_(root_unbiased).add_(1e-8).mul_(unbiased / self.rates)
                p.addcdiv_(m, divisor, value=-1)
