"""Steps of SGD and Adam, as PyTorch takes them, on stacked parameters with a learning rate for each run."""

from __future__ import annotations

from torch import Tensor, zeros_like


class Steps:
    """Steps of SGD or Adam with a learning rate for each run."""

    def __init__(self, name: str, parameters: list[Tensor], rates: Tensor) -> None:
        self.name, self.parameters, self.rates, self.t = name, parameters, rates[:, None, None], 0
        self.means = [zeros_like(p) for p in parameters]
        self.squares = [zeros_like(p) for p in parameters]

    def take(self) -> None:
        """Update the parameters by their gradients, then clear the gradients."""
        self.t += 1
        for p, m, v in zip(self.parameters, self.means, self.squares, strict=True):
            g, p.grad = gradient_of(p), None
            if self.name == "SGD":
                p.addcmul_(self.rates, g, value=-1)
                continue
            m.lerp_(g, 0.1)
            v.mul_(0.999).addcmul_(g, g, value=0.001)
            root = (v.sqrt() / (1 - 0.999**self.t) ** 0.5).add_(1e-8)
            p.addcdiv_(self.rates / (1 - 0.9**self.t) * m, root, value=-1)


def gradient_of(parameter: Tensor) -> Tensor:
    """Return the gradient that the last backward pass left."""
    assert parameter.grad is not None
    return parameter.grad
