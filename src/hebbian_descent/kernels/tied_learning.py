"""What one half of an auto-encoder with tied weights does at a step.

The inputs are cut in two halves, and with them the rows of the weights, which stay in the cache of one
processor: all that one half needs of the other is its share of the activities of the hidden units. The hidden
units are activated for one half of the patterns each.

Paper: eqn:neuron_second_layer3
"""

from __future__ import annotations

from typing import Any

from hebbian_descent.kernels.calling import call_by_value
from hebbian_descent.kernels.compilation import inlined
from hebbian_descent.kernels.products_inside import multiply
from hebbian_descent.kernels.rows import inner_product
from hebbian_descent.kernels.tied_parts import HALVES


@inlined
def bounds(half: int, size: int) -> tuple[int, int]:
    """Return where a half of so many begins and ends."""
    return half * size // HALVES, (half + 1) * size // HALVES


@inlined
def activate(half: int, functions: Any, parameters: Any, work: Any, n: int) -> None:
    """Activate the hidden units of half of the patterns."""
    first, last = bounds(half, n)
    work.n_diverging[half, 0] = call_by_value(
        functions.hidden,
        (
            work.shares[0],
            work.shares[1],
            parameters.bias[half],
            parameters.hidden_offset[half],
            work.activities,
            work.hidden,
            work.centered_hidden,
            work.sums_of_hidden[half],
            first,
            last,
            parameters.weights.shape[1],
        ),
    )


@inlined
def decode(half: int, functions: Any, rates: Any, parameters: Any, work: Any, n: int) -> None:
    """Reconstruct half of the inputs, and let the weights learn from their errors."""
    n_inputs, n_hidden = parameters.weights.shape
    low, high = bounds(half, n_inputs)
    width = high - low
    W, c = parameters.weights[low:high], parameters.decoder_bias[low:high]
    centered_hidden = work.centered_hidden[: n * n_hidden].reshape(n, n_hidden)
    delta = work.errors[half, : n * width].reshape(n, width)
    sums = work.sums_of_errors[half]
    eta = rates.learning_rate / n

    multiply(functions.product, delta, 0, 1, centered_hidden, False, W, True)
    work.n_diverging[half, 1] = call_by_value(
        functions.error, (delta, c, work.inputs[half], sums, n, width, int(rates.follows_gradient))
    )
    if rates.follows_gradient:  # the encoder part needs the old weights
        share = work.shares[half, : n * n_hidden].reshape(n, n_hidden)
        multiply(functions.product, share, 0, 1, delta, False, W, False)
    multiply(functions.product, W, rates.keep, -eta, delta, True, centered_hidden, False)
    number = W.dtype.type
    for unit in range(width):
        c[unit] -= number(eta) * sums[unit]


@inlined
def pull_back(half: int, functions: Any, work: Any, n: int, n_hidden: int) -> None:
    """Find the errors of the hidden units for half of the patterns."""
    first, last = bounds(half, n)
    call_by_value(
        functions.pull_back,
        (
            work.shares[0],
            work.shares[1],
            work.activities,
            work.hidden,
            work.hidden_errors,
            work.sums_of_hidden_errors[half],
            first,
            last,
            n_hidden,
        ),
    )


@inlined
def learn_to_encode(half: int, functions: Any, rates: Any, parameters: Any, work: Any, n: int) -> None:
    """Let the weights of half of the inputs and the bias learn from the errors of the hidden units."""
    n_inputs, n_hidden = parameters.weights.shape
    low, high = bounds(half, n_inputs)
    W, b = parameters.weights[low:high], parameters.bias[half]
    centered = work.centered[half, : n * (high - low)].reshape(n, high - low)
    epsilon = work.hidden_errors[: n * n_hidden].reshape(n, n_hidden)
    eta = rates.learning_rate / n
    multiply(functions.product, W, 1, -eta, centered, True, epsilon, False)
    number, sums = W.dtype.type, work.sums_of_hidden_errors
    for unit in range(n_hidden):
        b[unit] -= number(eta) * (sums[0, unit] + sums[1, unit])


@inlined
def move_hidden_offset(half: int, rates: Any, parameters: Any, work: Any, n: int) -> None:
    """Let the hidden offset follow the batch; the decoder bias takes up what that does to the outputs."""
    low, high = bounds(half, len(parameters.weights))
    W, c, lam = (
        parameters.weights[low:high],
        parameters.decoder_bias[low:high],
        parameters.hidden_offset[half],
    )
    move, sums = work.moves[half], work.sums_of_hidden
    number = W.dtype.type
    stay, follow = number(1 - rates.hidden_shift), number(rates.hidden_shift / n)
    for unit in range(lam.size):
        new = stay * lam[unit] + follow * (sums[0, unit] + sums[1, unit])
        new = number(0) if abs(new) < rates.least else new
        move[unit] = new - lam[unit]
        lam[unit] = new
    for unit in range(c.size):
        c[unit] += inner_product(W[unit], move)


@inlined
def flush_subnormal(half: int, rates: Any, parameters: Any) -> None:
    """Set weights too small for full precision to 0."""
    low, high = bounds(half, len(parameters.weights))
    W = parameters.weights[low:high]
    for row in range(len(W)):
        for column in range(W.shape[1]):
            w = W[row, column]
            W[row, column] = W.dtype.type(0) if abs(w) < rates.least else w
