"""Linear units, h = a: Hebbian-descent and gradient descent are the same rule here."""

from hebbian_descent.checks import Array
from hebbian_descent.network.activations.base import Activation
from hebbian_descent.registry import made_once


@made_once
def linear() -> Activation:
    """Return φ(a) = a; its matching loss is the squared error ½(a − t)²."""
    return Activation(
        name="linear",
        compiled="linear",
        value=lambda a: a,
        pull_back=lambda error, a, h: error,
        antiderivative=_half_square,
        conjugate=_half_square,
        stable_matching_loss=lambda t, a: _half_square(a - t),
        largest_slope=1.0,
        strictly_increasing=True,
    )


def _half_square(a: Array) -> Array:
    return a * a / 2
