"""One pass over the outputs of an auto-encoder: from activities to the error that weights learn from."""

from __future__ import annotations

from typing import Any

from hebbian_descent.kernels.compilation import kept_on_disk
from hebbian_descent.kernels.elementwise import output, slope


@kept_on_disk
def error_of_reconstruction(
    kind: Any, pulls_back: bool, activities: Any, bias: Any, inputs: Any, sums: Any
) -> Any:
    """Replace activities without bias by z − x, pulled back if asked, add them up; return the largest |a|.

    `sums` receives the sum of the errors of each unit over the patterns. NaN is returned if there is one.
    """
    largest = type(activities[0, 0])(0)
    n_wrong = 0
    for pattern in range(activities.shape[0]):
        a, x = activities[pattern], inputs[pattern]
        for unit in range(a.size):
            total = a[unit] + bias[unit]
            n_wrong += total != total
            largest = max(largest, abs(total))
            z = output(kind, total)
            error = z - x[unit]
            if pulls_back:
                error *= slope(kind, total, z)
            a[unit] = error
            sums[unit] += error
    return largest if n_wrong == 0 else type(largest)(float("nan"))
