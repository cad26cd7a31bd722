"""W ← keep·W − preᵀpost in one call of BLAS, in place and without the interpreter lock.

NumPy can only write a product to an array, which must then be subtracted from the weights in a second pass
over both. SciPy's wrappers of BLAS can add to an array, but hold the lock meanwhile, so that threads wait for
each other; called through ctypes, the same routine does not.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np

from hebbian_descent.checks import Array
from hebbian_descent.kernels.addresses import address_of_blas

ROUTINES = {np.dtype(np.float32): ("sgemm", ctypes.c_float), np.dtype(np.float64): ("dgemm", ctypes.c_double)}


def subtract_product(weights: Array, pre: Array, post: Array, keep: float = 1.0) -> None:
    """Change weights (n_inputs, n_columns) by factors (n, n_inputs) and (n, n_columns), all contiguous."""
    (n, n_inputs), n_columns = pre.shape, post.shape[1]
    for array in (weights, pre, post):
        if not array.flags.c_contiguous or array.dtype != weights.dtype:
            raise ValueError("The weights and both factors must be contiguous and of one dtype.")
    if weights.shape != (n_inputs, n_columns) or len(post) != n:
        raise ValueError(f"The shapes must fit. Got {weights.shape}, {pre.shape} and {post.shape}.")
    routine, number = _routine(weights.dtype)
    integer = ctypes.c_int
    # BLAS counts columns first: to it, these arrays are their transposes, and Wᵀ ← keep·Wᵀ − postᵀ·pre.
    routine(
        b"N",
        b"T",
        integer(n_columns),
        integer(n_inputs),
        integer(n),
        number(-1),
        ctypes.c_void_p(post.ctypes.data),
        integer(n_columns),
        ctypes.c_void_p(pre.ctypes.data),
        integer(n_inputs),
        number(keep),
        ctypes.c_void_p(weights.ctypes.data),
        integer(n_columns),
    )


@cache
def _routine(dtype: np.dtype[Any]) -> tuple[Any, Any]:
    """Return BLAS's product for a dtype, as a function of references to values, and its type of number."""
    name, number = ROUTINES[dtype]
    letter: Any = ctypes.c_char_p
    integer: Any = ctypes.POINTER(ctypes.c_int)
    array: Any = ctypes.c_void_p
    value: Any = ctypes.POINTER(number)
    transposed, sizes, scalar = [letter] * 2, [integer] * 3, [value]
    operands = [array, integer]  # where it starts, and how far apart its columns are
    arguments: list[Any] = transposed + sizes + scalar + operands * 2 + scalar + operands
    return ctypes.CFUNCTYPE(None, *arguments)(address_of_blas(name)), number
