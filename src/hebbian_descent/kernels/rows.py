"""What happens to the activities of one run at one step: a row of output units."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hebbian_descent.kernels.activations import Activation, Softmax
from hebbian_descent.kernels.compilation import compiled_as, inlined, reordered
from hebbian_descent.kernels.elementwise import output, slope
from hebbian_descent.kernels.exponential import exp

LARGEST_ACTIVITY = 1e6


@inlined
def diverges(a: Any) -> bool:
    """Return whether any activity is beyond ±10⁶ or not a number."""
    n_beyond = 0
    for unit in range(a.size):
        n_beyond += not (abs(a[unit]) <= LARGEST_ACTIVITY)
    return n_beyond > 0


@reordered
def absolute_error(h: Any, t: Any) -> Any:
    """Return Σ|h − t|."""
    total = type(h[0])(0)
    for unit in range(h.size):
        total += abs(h[unit] - t[unit])
    return total


@inlined
def _largest(a: Any) -> Any:
    largest = a[0]
    for unit in range(a.size):
        largest = max(largest, a[unit])
    return largest


@reordered
def _sum(values: Any) -> Any:
    total = type(values[0])(0)
    for unit in range(values.size):
        total += values[unit]
    return total


@reordered
def inner_product(values: Any, others: Any) -> Any:
    """Return Σ v·o."""
    total = type(values[0])(0)
    for unit in range(values.size):
        total += values[unit] * others[unit]
    return total


def activate(kind: Activation, a: Any, h: Any) -> None:
    """Set h = φ(a)."""
    raise NotImplementedError  # chosen when a kernel is compiled


def pull_back(kind: Activation, a: Any, h: Any, error: Any) -> None:
    """Multiply the error by ∂h/∂a, in place."""
    raise NotImplementedError  # chosen when a kernel is compiled


@compiled_as(activate)
def _compiled_activate(kind: Any, a: Any, h: Any) -> Callable[..., None]:
    def elementwise(kind: Any, a: Any, h: Any) -> None:
        for unit in range(a.size):
            h[unit] = output(kind, a[unit])

    def softmax(kind: Any, a: Any, h: Any) -> None:
        largest = _largest(a)
        for unit in range(a.size):
            h[unit] = exp(a[unit] - largest)
        total = _sum(h)
        for unit in range(a.size):
            h[unit] /= total

    return softmax if kind.instance_class is Softmax else elementwise


@compiled_as(pull_back)
def _compiled_pull_back(kind: Any, a: Any, h: Any, error: Any) -> Callable[..., None]:
    def elementwise(kind: Any, a: Any, h: Any, error: Any) -> None:
        for unit in range(a.size):
            error[unit] *= slope(kind, a[unit], h[unit])

    def softmax(kind: Any, a: Any, h: Any, error: Any) -> None:
        common = inner_product(error, h)
        for unit in range(a.size):
            error[unit] = h[unit] * (error[unit] - common)

    return softmax if kind.instance_class is Softmax else elementwise
