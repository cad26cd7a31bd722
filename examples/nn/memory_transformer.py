"""A small transformer, once with self-attention and once with a Hebbian memory in its place.

Each sequence shows pairs of symbols, then asks for the partners of some. The pairs are new in every sequence,
so they cannot be stored in the trained weights. Finally the memory processes a sequence step by step, as in
generation: its state has a fixed size, where attention would keep every step.
"""

from __future__ import annotations

import argparse

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from hebbian_descent.nn import HebbianMemory
from hebbian_descent.nn.functional import MemoryState

N_SYMBOLS, N_PAIRS, N_QUESTIONS, WIDTH, N_HEADS = 16, 8, 4, 32, 2
UNKNOWN = N_SYMBOLS  # replaces a value to be answered


class Attention(nn.Module):
    """Causal self-attention."""

    def __init__(self) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(WIDTH, N_HEADS, batch_first=True)

    def forward(self, x: Tensor, state: None = None) -> tuple[Tensor, None]:
        """Return the attention of each step to earlier ones; there is no state."""
        later = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1)
        return self.attention(x, x, x, attn_mask=later, need_weights=False)[0], None


class Block(nn.Module):
    """A transformer block; only the `mixer` differs."""

    def __init__(self, mixer: nn.Module) -> None:
        super().__init__()
        self.mixer = mixer
        self.norm, self.other_norm = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.perceptron = nn.Sequential(nn.Linear(WIDTH, 2 * WIDTH), nn.GELU(), nn.Linear(2 * WIDTH, WIDTH))

    def forward(self, x: Tensor, state: MemoryState | None = None) -> tuple[Tensor, MemoryState | None]:
        """Return the block's output, and the state that continues it."""
        mixed, state = self.mixer(self.norm(x), state)
        x = x + mixed
        return x + self.perceptron(self.other_norm(x)), state


class Model(nn.Module):
    """Embeddings of key and value, one block, and a prediction of the value."""

    def __init__(self, mixer: nn.Module) -> None:
        super().__init__()
        self.key, self.value = nn.Embedding(N_SYMBOLS, WIDTH), nn.Embedding(N_SYMBOLS + 1, WIDTH)
        self.block = Block(mixer)
        self.head = nn.Linear(WIDTH, N_SYMBOLS)

    def forward(
        self, keys: Tensor, values: Tensor, state: MemoryState | None = None
    ) -> tuple[Tensor, MemoryState | None]:
        """Return the prediction at each step, and the state."""
        x, state = self.block(self.key(keys) + self.value(values), state)
        return self.head(x), state


def sequences(n: int, rng: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
    """Return keys, values (UNKNOWN for questions), and the answers."""
    keys = torch.rand(n, N_SYMBOLS, generator=rng).argsort(dim=1)[:, :N_PAIRS]
    values = torch.randint(N_SYMBOLS, (n, N_PAIRS), generator=rng)
    asked = torch.rand(n, N_PAIRS, generator=rng).argsort(dim=1)[:, :N_QUESTIONS]
    unknown = torch.full((n, N_QUESTIONS), UNKNOWN)
    all_keys = torch.cat([keys, keys.gather(1, asked)], dim=1)
    return all_keys, torch.cat([values, unknown], dim=1), values.gather(1, asked)


def train(model: Model, n_updates: int) -> float:
    """Train a model and return the share of questions in new sequences that it answers correctly."""
    rng = torch.Generator().manual_seed(0)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(n_updates):
        keys, values, answers = sequences(32, rng)
        guesses, _ = model(keys, values)
        optimizer.zero_grad()
        F.cross_entropy(guesses[:, N_PAIRS:].flatten(0, 1), answers.flatten()).backward()
        optimizer.step()
    keys, values, answers = sequences(500, rng)
    with torch.no_grad():
        guesses = model(keys, values)[0][:, N_PAIRS:].argmax(dim=-1)
    return (guesses == answers).float().mean().item()


@torch.no_grad()
def step_by_step(model: Model, keys: Tensor, values: Tensor) -> Tensor:
    """Return the predictions for a sequence, one step at a time."""
    state, guesses = None, []
    for key, value in zip(keys.split(1, dim=1), values.split(1, dim=1), strict=True):
        guess, state = model(key, value, state)
        guesses.append(guess)
    return torch.cat(guesses, dim=1)


def main() -> None:
    """Train both and print the share of questions that they answer."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--updates", type=int, default=400)
    n_updates = parser.parse_args().updates
    torch.set_num_threads(1)
    torch.manual_seed(0)
    with_attention = Model(Attention())
    with_memory = Model(HebbianMemory(WIDTH, N_HEADS))
    print(f"self-attention  {train(with_attention, n_updates):.2f} of all questions answered")
    print(f"Hebbian memory  {train(with_memory, n_updates):.2f}")
    keys, values, _ = sequences(10, torch.Generator().manual_seed(1))
    whole = with_memory(keys, values)[0]
    difference = (step_by_step(with_memory, keys, values) - whole).abs().max()
    print(f"step by step    the same up to {difference:.0e}")


if __name__ == "__main__":
    main()
