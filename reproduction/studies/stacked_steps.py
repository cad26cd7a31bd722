"""Steps of SGD and Adam, as PyTorch takes them, for many runs with a learning rate each."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import torch
from torch import Tensor


class Steps:
    """Steps of SGD, or of Adam with β₁ = 0.9, β₂ = 0.999, ε = 1e-8; parameters have shape (n_runs, …, …)."""

    def __init__(self, name: str, parameters: Sequence[Tensor], learning_rates: Sequence[float]) -> None:
        self.name, self.parameters, self.n_steps = name, parameters, 0
        self.rates = torch.tensor(learning_rates)[:, None, None]
        self.means, self.squares, self.divisors = (
            [torch.zeros_like(p) for p in parameters] for _ in range(3)
        )

    @torch.no_grad()
    def take(self, gradients: Sequence[Tensor]) -> None:
        """Change the parameters by their gradients."""
        self.n_steps += 1
        for i, (p, g) in enumerate(zip(self.parameters, gradients, strict=True)):
            if self.name == "SGD":
                p.addcmul_(self.rates, g, value=-1)
            else:
                self._take_adam(p, g, self.means[i], self.squares[i], self.divisors[i])

    def _take_adam(self, p: Tensor, g: Tensor, m: Tensor, v: Tensor, divisor: Tensor) -> None:
        m.lerp_(g, 0.1)
        v.mul_(0.999).addcmul_(g, g, value=0.001)
        torch.sqrt(v, out=divisor)  # new memory for each step would take longer than the root
        divisor.div_(sqrt(1 - 0.999**self.n_steps)).add_(1e-8)
        p.addcdiv_(m, divisor.mul_((1 - 0.9**self.n_steps) / self.rates), value=-1)
