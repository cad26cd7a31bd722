"""Stacks of perceptrons in PyTorch: many runs of one architecture as one batch of matrices.

One small network spends most of its time between operations, a stack of them on products. The arithmetic is
that of PyTorch's linear layers and optimizers, and of the package's `Centering` and `HebbianLayer`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise

import torch
from torch import Tensor, nn

from hebbian_descent.thread_pools import one_thread

SHIFT = 0.01
"""The shift of moving offsets once they are no longer the running mean: the default of `Centering`."""


class Stack:
    """Perceptrons of equal sizes, a = (x − μ)W + b in each layer, with linear outputs.

    W is (n_runs, n_inputs, n_outputs), b and μ have one row per run. The offsets μ are zero until they are
    moved. If `is_hebbian`, hidden layers learn without φ′, as `HebbianLayer` does.
    """

    def __init__(
        self,
        weights: list[Tensor],
        biases: list[Tensor],
        phi: Callable[[Tensor], Tensor],
        *,
        is_hebbian: bool = False,
    ) -> None:
        self.weights, self.biases, self.phi, self.is_hebbian = weights, biases, phi, is_hebbian
        self.offsets = [W.new_zeros(len(W), 1, W.shape[1]) for W in weights]
        self.inputs: list[Tensor] = []
        """Inputs of each layer in the last pass, less the offset."""

    def copy(self, runs: slice = slice(None)) -> Stack:
        """Return a copy of all or some runs, which does not learn."""
        weights, biases, offsets = (
            [p[runs].detach().clone() for p in each] for each in (self.weights, self.biases, self.offsets)
        )
        stack = Stack(weights, biases, self.phi)
        stack.offsets = offsets
        return stack

    def parameters(self) -> list[Tensor]:
        """Return all that learns, ready to be learned."""
        return [p.requires_grad_() for p in (*self.weights, *self.biases)]

    def __call__(self, x: Tensor) -> Tensor:
        """Return the pre-activations of the output units, (n_runs, n_patterns, n_outputs)."""
        self.inputs = []
        for layer, (W, b, offset) in enumerate(zip(self.weights, self.biases, self.offsets, strict=True), 1):
            x = x - offset
            self.inputs.append(x.detach())
            is_output = layer == len(self.weights)
            x = torch.baddbmm(b, x, W) if is_output else self._hidden(x, W, b)
        return x

    def _hidden(self, x: Tensor, W: Tensor, b: Tensor) -> Tensor:
        """Return φ(a). Of a Hebbian layer W and b get ∂W = xᵀδ and ∂b = Σδ for the error δ = ∂L/∂h.

        Paper: eqn:update_general_hebbian_descent_sup_w_1
        """
        if not self.is_hebbian:
            return self.phi(torch.baddbmm(b, x, W))
        h = self.phi(torch.baddbmm(b.detach(), x, W.detach()))  # for the layers below, with φ′
        a = torch.baddbmm(b, x.detach(), W)
        return h + (a - a.detach())  # adds 0, whose gradient is δ

    @torch.no_grad()
    def move_offsets(self, share: float) -> None:
        """Move offsets toward the mean inputs of the last pass: μ ← μ + d and b ← b + dW change no output."""
        for W, b, offset, x in zip(self.weights, self.biases, self.offsets, self.inputs, strict=True):
            distance = share * x.mean(dim=1, keepdim=True)
            offset.add_(distance)
            b.add_(distance @ W)


def linear_layers(sizes: Sequence[int], seeds: Sequence[int]) -> tuple[list[Tensor], list[Tensor]]:
    """Return weights and biases as `nn.Linear` starts them, one network per seed."""
    by_seed = []
    with torch.random.fork_rng(devices=[]):
        for seed in seeds:
            torch.manual_seed(seed)
            by_seed.append([nn.Linear(n, m) for n, m in pairwise(sizes)])
    layers = list(zip(*by_seed, strict=True))
    weights = [torch.stack([one.weight.detach().T for one in layer]) for layer in layers]
    biases = [torch.stack([one.bias.detach()[None] for one in layer]) for layer in layers]
    return weights, biases


class Steps:
    """Steps of PyTorch's SGD or Adam with a learning rate per run: those of the rate 1, times the rate."""

    def __init__(self, name: str, parameters: list[Tensor], learning_rates: Sequence[float]) -> None:
        self.parameters, self.rates = parameters, torch.tensor(learning_rates)[:, None, None]
        self.optimizer = getattr(torch.optim, name)(parameters, lr=1.0, fused=True)

    def take(self, loss: Tensor) -> None:
        """Change the parameters along the gradient of a loss, which is summed over runs."""
        self.optimizer.zero_grad()
        loss.backward()
        before = [p.detach().clone() for p in self.parameters]
        self.optimizer.step()
        with torch.no_grad():
            for p, start in zip(self.parameters, before, strict=True):
                torch.lerp(start, p, self.rates, out=p)


@contextmanager
def one_fast_thread() -> Iterator[None]:
    """Use one thread, and flush numbers below 1e-38 to zero.

    Adam's averages decay to such numbers where inputs are rarely active; their roots are 30 times as slow.
    """
    torch.set_flush_denormal(True)
    try:
        with one_thread():
            yield
    finally:
        torch.set_flush_denormal(False)
