"""Products of matrices inside compiled loops, by the routine of BLAS that is handed over."""

from __future__ import annotations

from typing import Any

import numpy as np

from hebbian_descent.kernels.calling import call_by_reference
from hebbian_descent.kernels.compilation import inlined

PLAIN, TRANSPOSED = np.int8(ord("N")), np.int8(ord("T"))


@inlined
def multiply(
    product: Any, C: Any, beta: Any, alpha: Any, A: Any, is_turned: Any, B: Any, other_is_turned: Any
) -> None:
    """Set C = beta·C + alpha·A·B, where A and B may be meant transposed."""
    n_rows, n_columns = C.shape
    n_terms = A.shape[0] if is_turned else A.shape[1]
    number = C.dtype.type
    # BLAS counts columns first: to it, these arrays are their transposes, and Cᵀ = BᵀAᵀ.
    call_by_reference(
        product,
        (
            TRANSPOSED if other_is_turned else PLAIN,
            TRANSPOSED if is_turned else PLAIN,
            np.int32(n_columns),
            np.int32(n_rows),
            np.int32(n_terms),
            number(alpha),
            B,
            np.int32(max(1, B.shape[1])),
            A,
            np.int32(max(1, A.shape[1])),
            number(beta),
            C,
            np.int32(max(1, n_columns)),
        ),
    )
