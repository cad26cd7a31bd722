"""Where learning starts: small random weights."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array, as_count


def glorot_bound(n_inputs: int, n_outputs: int) -> float:
    """Return √6/√(N+M), which no weight exceeds at the start."""
    N, M = n_inputs, n_outputs
    return float(np.sqrt(6 / (N + M)))


def glorot_uniform(
    n_inputs: int, n_outputs: int, *, rng: np.random.Generator, dtype: npt.DTypeLike = np.float64
) -> Array:
    """Draw weights from U(−√6/√(N+M), √6/√(N+M)), the same for every activation and rule.

    They are drawn in float64 and rounded, so that the float32 network starts at the same place.

    Paper: sec:HD_network_structure_and_learning_setup
    """
    N, M = as_count(n_inputs, "number of inputs"), as_count(n_outputs, "number of outputs")
    bound = glorot_bound(N, M)
    return rng.uniform(-bound, bound, size=(N, M)).astype(dtype, copy=False)
