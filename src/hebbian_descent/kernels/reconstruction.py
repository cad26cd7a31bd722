"""Single passes over the units of an auto-encoder: from activities to what the weights learn from."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numba
import numpy as np
from numba.core import types

from hebbian_descent.kernels.activations import Activation
from hebbian_descent.kernels.compilation import called_by_address, inlined, kept_on_disk
from hebbian_descent.kernels.elementwise import output, slope
from hebbian_descent.kernels.rows import activate, diverges, pull_back


@kept_on_disk
def error_of_reconstruction(
    kind: Any, pulls_back: bool, activities: Any, bias: Any, inputs: Any, sums: Any
) -> int:
    """Replace activities without bias by z − x, pulled back if asked; return how many patterns diverge.

    `sums` receives the sum of the errors of each unit over the patterns.
    """
    n_diverging = 0
    sums[:] = 0
    for pattern in range(activities.shape[0]):
        a, x = activities[pattern], inputs[pattern]
        for unit in range(a.size):
            a[unit] += bias[unit]
        n_diverging += diverges(a)
        for unit in range(a.size):
            z = output(kind, a[unit])
            error = z - x[unit]
            if pulls_back:
                error *= slope(kind, a[unit], z)
            a[unit] = error
            sums[unit] += error
    return n_diverging


@inlined
def _activate_hidden(
    kind: Any, first: Any, second: Any, bias: Any, offset: Any, a: Any, h: Any, centered: Any, sums: Any
) -> int:
    """Set a = first + second + b, h = φ(a), h − λ and the sums of h; return how many patterns diverge."""
    n_diverging = 0
    sums[:] = 0
    for pattern in range(len(a)):
        row, hidden, mean_free = a[pattern], h[pattern], centered[pattern]
        one, other = first[pattern], second[pattern]
        for unit in range(row.size):
            row[unit] = one[unit] + other[unit] + bias[unit]
        n_diverging += diverges(row)
        activate(kind, row, hidden)
        for unit in range(row.size):
            mean_free[unit] = hidden[unit] - offset[unit]
            sums[unit] += hidden[unit]
    return n_diverging


@inlined
def _pull_back_hidden(kind: Any, first: Any, second: Any, a: Any, h: Any, errors: Any, sums: Any) -> None:
    """Set the errors of hidden units to first + second, pulled back, and their sums."""
    sums[:] = 0
    for pattern in range(len(a)):
        error, one, other = errors[pattern], first[pattern], second[pattern]
        for unit in range(error.size):
            error[unit] = one[unit] + other[unit]
        pull_back(kind, a[pattern], h[pattern], error)
        for unit in range(error.size):
            sums[unit] += error[unit]


# What follows is compiled for one activation and found by its address, so that the loop over all steps need
# not be compiled for every pair of activations.


@lru_cache(maxsize=None, typed=True)  # activations without parameters are equal as tuples
def address_of_error(kind: Activation, dtype: np.dtype[Any]) -> int:
    """Return the address of `error_of_reconstruction`, for arrays with nothing between their rows."""

    def error(activities: Any, bias: Any, inputs: Any, sums: Any, n: int, width: int, pulls_back: int) -> Any:
        a, x = numba.carray(activities, (n, width)), numba.carray(inputs, (n, width))
        c, s = numba.carray(bias, width), numba.carray(sums, width)
        return error_of_reconstruction(kind, pulls_back != 0, a, c, x, s)

    return _address(error, dtype, n_arrays=4, n_sizes=3)


@lru_cache(maxsize=None, typed=True)  # activations without parameters are equal as tuples
def address_of_hidden(kind: Activation, dtype: np.dtype[Any]) -> int:
    """Return the address of the pass that activates some of the patterns' hidden units."""

    def hidden(
        first: Any, second: Any, bias: Any, offset: Any, a: Any, h: Any, centered: Any, sums: Any,
        start: int, stop: int, width: int,
    ) -> Any:  # fmt: skip
        rows, shape = slice(start, stop), (stop, width)
        return _activate_hidden(
            kind,
            numba.carray(first, shape)[rows],
            numba.carray(second, shape)[rows],
            numba.carray(bias, width),
            numba.carray(offset, width),
            numba.carray(a, shape)[rows],
            numba.carray(h, shape)[rows],
            numba.carray(centered, shape)[rows],
            numba.carray(sums, width),
        )

    return _address(hidden, dtype, n_arrays=8, n_sizes=3)


@lru_cache(maxsize=None, typed=True)  # activations without parameters are equal as tuples
def address_of_pull_back(kind: Activation, dtype: np.dtype[Any]) -> int:
    """Return the address of the pass that pulls the errors of some of the patterns' hidden units back."""

    def pulled(
        first: Any, second: Any, a: Any, h: Any, errors: Any, sums: Any, start: int, stop: int, width: int
    ) -> Any:
        rows, shape = slice(start, stop), (stop, width)
        _pull_back_hidden(
            kind,
            numba.carray(first, shape)[rows],
            numba.carray(second, shape)[rows],
            numba.carray(a, shape)[rows],
            numba.carray(h, shape)[rows],
            numba.carray(errors, shape)[rows],
            numba.carray(sums, width),
        )
        return 0.0

    return _address(pulled, dtype, n_arrays=6, n_sizes=3)


def _address(function: Callable[..., Any], dtype: np.dtype[Any], n_arrays: int, n_sizes: int) -> int:
    kinds: Any = types
    pointer = kinds.CPointer(numba.from_dtype(dtype))
    signature = kinds.float64(*[pointer] * n_arrays, *[kinds.intp] * n_sizes)
    address: int = called_by_address(signature)(function).address
    return address
