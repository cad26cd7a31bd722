"""Every case of the goldens: what is learned, from which patterns, and through which interface.

The product
rule x activation x centering x decay x batch size is thinned:

- `train`: every rule with every activation at one setting; every rule at four centerings, two decays and two
  batch sizes with three activations; 150 others by a seeded choice, with other rates, epochs and orders.
- auto-encoders: every rule with every hidden and every output activation; 120 others by a seeded choice.
- memories: every rule at four centerings with two activations.
- sweeps: every engine at every centering it can run, with three activations, two rates and two decays.
- estimators: every rule with three activations; every centering x scaling x average with the default rule;
  each other option once. All of that by `fit` and by `partial_fit`, dense and sparse.

float64 throughout, but for those under `float32/`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tests.golden import estimators, float32, memories, sweeps, training


def all_cases() -> dict[str, Callable[[], Mapping[str, Any]]]:
    """Return every case by its key; of cases that coincide one is kept."""
    modules = (training, memories, sweeps, estimators, float32)
    return {key: run for module in modules for key, run in module.cases()}
