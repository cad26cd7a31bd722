"""What a fast-weight memory carries from one step to the next."""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor


class MemoryState(NamedTuple):
    """Weights W, bias b and offset μ of a memory that recalls h = φ((q − μ)W + b), and its number of pairs.

    All four begin with the leading dimensions of the keys, such as batch and heads.
    """

    weights: Tensor  # (…, n_keys, n_values)
    bias: Tensor  # (…, n_values)
    offset: Tensor  # (…, n_keys)
    n_seen: Tensor  # (…)

    def detach(self) -> MemoryState:
        """Return the same state without its history, for truncated backpropagation through time."""
        return MemoryState(*(part.detach() for part in self))
