"""One block with a short convolution, a mixer of steps, and a perceptron; the mixers are compared."""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor, nn
from torch.nn import functional as F

from hebbian_descent.nn import HebbianMemory


class Attention(nn.Module):
    """Causal attention with one head: by softmax, or linear with keys and queries of ELU + 1."""

    def __init__(self, width: int, *, linear: bool) -> None:
        super().__init__()
        self.linear = linear
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.norm = nn.RMSNorm(width)
        self.output = nn.Linear(width, width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """Return what each step finds among itself and those before it."""
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        if not self.linear:
            return self.output(F.scaled_dot_product_attention(q, k, v, is_causal=True))
        weights = ((F.elu(q) + 1) @ (F.elu(k) + 1).mT).tril()
        return self.output(self.norm(weights @ v / weights.sum(dim=-1, keepdim=True)))


class Memory(nn.Module):
    """The memory layer without its state, for a block that sees whole sequences."""

    def __init__(self, width: int, **settings: object) -> None:
        super().__init__()
        self.memory = HebbianMemory(width, **settings)

    def forward(self, x: Tensor) -> Tensor:
        """Return what each step recalls."""
        return self.memory(x)[0]


MIXERS: dict[str, Callable[[int], nn.Module]] = {
    "softmax attention": lambda width: Attention(width, linear=False),
    "linear attention": lambda width: Attention(width, linear=True),
    "delta rule": lambda width: Memory(width, offset=None, bias=False),
    "centered": lambda width: Memory(width),
    "centered, tanh": lambda width: Memory(width, activation="scaled_tanh"),
}


class Model(nn.Module):
    """Embedding, convolution over three steps, mixer, perceptron, each but the first on a residual stream."""

    def __init__(self, embedding: nn.Module, mixer: str, width: int, n_outputs: int) -> None:
        super().__init__()
        self.embedding = embedding
        self.convolution = nn.Conv1d(width, width, 3, groups=width)
        self.mixer = MIXERS[mixer](width)
        self.perceptron = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))
        self.norms = nn.ModuleList(nn.RMSNorm(width) for _ in range(4))
        self.head = nn.Linear(width, n_outputs)

    def forward(self, inputs: Tensor) -> Tensor:
        """Return the answer of each step."""
        x = self.embedding(inputs)
        x = x + self.convolution(F.pad(self.norms[0](x).mT, (2, 0))).mT
        x = x + self.mixer(self.norms[1](x))
        x = x + self.perceptron(self.norms[2](x))
        return self.head(self.norms[3](x))
