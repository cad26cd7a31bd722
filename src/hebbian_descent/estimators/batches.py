"""Estimators that learn from an iterable of batches, one after another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Self

import numpy as np


class LearnsBatches:
    """Mixin for estimators with `partial_fit`."""

    partial_fit: Callable[..., Any]

    def learn(self, batches: Iterable[Any], *, target: str | None = None) -> Self:
        """Learn batches in one pass by `partial_fit`; only one of them needs to be in memory.

        A batch is a pair (X, y), such as from a generator or the blocks of two Dask arrays, or a pyarrow
        record batch, whose column `target` is y and whose other columns are X. If a batch is refused,
        those before it stay learned: `n_samples_seen_` says how many samples that is.
        """
        for X, y in _pairs(batches) if target is None else _divided(batches, target):
            self.partial_fit(_computed(X), _computed(y))
        return self


def _pairs(batches: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    for batch in batches:
        if not isinstance(batch, tuple | list) or len(batch) != 2:
            raise TypeError(
                f"A batch must be a pair (X, y). Got {type(batch).__name__}: pass an iterable of pairs, or "
                "record batches with `target`."
            )
        yield batch[0], batch[1]


def _divided(batches: Iterable[Any], target: str) -> Iterator[tuple[Any, Any]]:
    """Yield inputs and target of each record batch; inputs are in the order of the first one."""
    inputs: list[str] | None = None
    for batch in batches:
        names = getattr(getattr(batch, "schema", None), "names", None)
        if names is None:
            raise TypeError(f"With a target, batches must be record batches. Got {type(batch).__name__}.")
        if inputs is None:
            inputs = [name for name in names if name != target]
        if set(names) != {*inputs, target}:
            raise ValueError(
                f"Every batch must have the columns {', '.join([*inputs, target])}. Got {', '.join(names)}."
            )
        columns = [batch.column(name).to_numpy(zero_copy_only=False) for name in inputs]
        yield np.column_stack(columns), batch.column(target).to_numpy(zero_copy_only=False)


def _computed(values: Any) -> Any:
    """Return the values of a lazy array, such as one of Dask."""
    return values.compute() if hasattr(values, "compute") else values
