"""One learning step of one run: a row of activities becomes a row of changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hebbian_descent.kernels.activations import Activation, Sigmoid, Softmax
from hebbian_descent.kernels.compilation import compiled_as
from hebbian_descent.kernels.elementwise import output, slope
from hebbian_descent.kernels.panel_product import add_to_row
from hebbian_descent.kernels.rows import LARGEST_ACTIVITY, activate, diverges, pull_back
from hebbian_descent.kernels.sigmoid_steps import learn_sigmoid_step


def learn_step(
    kind: Activation,
    pulls_back: bool,
    eta: Any,
    weights: Any,
    earlier: Any,
    a: Any,
    h: Any,
    t: Any,
    p: Any,
    summed: Any,
) -> bool:
    """Add weights·earlier to the activities, set p = −η·post and add it to `summed`.

    post is h − t or its pull-back. Rows are whole panels, with 0.5 as target beyond the last unit; only h has
    room for the units alone. Returns whether any activity is beyond ±10⁶ or not a number; then nothing else
    means anything.
    """
    raise NotImplementedError  # chosen when a kernel is compiled


@compiled_as(learn_step)
def _compiled_learn_step(
    kind: Any,
    pulls_back: Any,
    eta: Any,
    weights: Any,
    earlier: Any,
    a: Any,
    h: Any,
    t: Any,
    p: Any,
    summed: Any,
) -> Callable[..., bool]:
    def sigmoid(  # type: ignore[no-untyped-def]
        kind, pulls_back, eta, weights, earlier, a, h, t, p, summed
    ):
        return learn_sigmoid_step(pulls_back, eta, weights, earlier, a, t, p, summed)

    # One loop over the units where they do not depend on each other.
    def elementwise(  # type: ignore[no-untyped-def]
        kind, pulls_back, eta, weights, earlier, a, h, t, p, summed
    ):
        add_to_row(a, weights, earlier)
        n_beyond = 0
        for unit in range(h.size):
            n_beyond += not (abs(a[unit]) <= LARGEST_ACTIVITY)
            value = output(kind, a[unit])
            post = value - t[unit]
            if pulls_back:
                post *= slope(kind, a[unit], value)
            p[unit] = -eta * post
            summed[unit] += p[unit]
        return n_beyond > 0

    def softmax(  # type: ignore[no-untyped-def]
        kind, pulls_back, eta, weights, earlier, a, h, t, p, summed
    ):
        add_to_row(a, weights, earlier)
        activate(kind, a[: h.size], h)
        for unit in range(h.size):
            p[unit] = h[unit] - t[unit]
        if pulls_back:
            pull_back(kind, a[: h.size], h, p[: h.size])
        for unit in range(h.size):
            p[unit] *= -eta
            summed[unit] += p[unit]
        return diverges(a[: h.size])

    return {Sigmoid: sigmoid, Softmax: softmax}.get(kind.instance_class, elementwise)
