"""One pass for two patterns gives what one pass for each gives, but for rounding."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hebbian_descent.kernels.activations import ACTIVATIONS
from hebbian_descent.kernels.errors import ErrorTerm
from hebbian_descent.kernels.online import ALL_LEARNED, learn_online
from hebbian_descent.kernels.online_pairs import learn_in_pairs
from hebbian_descent.kernels.responses import Steps, address_of_response, as_numbers

STEPS = Steps(
    learns_from_output=1,
    pulls_back=0,
    learning_rate=0.1,
    largest_slope=0,
    weight_decay=0,
    shift=0,
    starts_as_mean=0,
)


def learned(
    loop: Callable[..., int], activation: str, steps: Steps, inputs: Any, n_outputs: int, dtype: Any
) -> Any:
    """Return where it ended, the weights, the bias and the offset."""
    response = address_of_response(ACTIVATIONS[activation](), np.dtype(dtype))
    rng = np.random.default_rng(1)
    n, n_inputs = inputs.shape
    W, b, mu = (
        rng.normal(size=shape).astype(dtype) for shape in ((n_outputs, n_inputs), n_outputs, n_inputs)
    )
    targets, scales = rng.random((n, n_outputs)).astype(dtype), rng.random(n).astype(dtype)
    numbers, order, seen = as_numbers(steps, ErrorTerm()), rng.permutation(n), np.array([3])
    ended = loop(response, numbers, W, b, mu, inputs, targets, scales, order, seen)
    assert seen[0] == 3 + (n if ended == ALL_LEARNED else ended)
    return ended, W, b, mu


def both(activation: str, steps: Steps, inputs: Any, n_outputs: int = 7, dtype: Any = np.float64) -> Any:
    loops = learn_online, learn_in_pairs
    return [learned(loop, activation, steps, inputs.astype(dtype), n_outputs, dtype) for loop in loops]


def inputs_of(n: int, n_inputs: int) -> Any:
    return np.random.default_rng(0).normal(size=(n, n_inputs))


@pytest.mark.parametrize("activation", ["softmax", "linear"])
@pytest.mark.parametrize(
    "change",
    [
        {},
        {"weight_decay": 0.03},
        {"pulls_back": 1},
        {"largest_slope": 1},
        {"learns_from_output": 0},
        {"shift": 0.05},
        {"shift": 0.05, "starts_as_mean": 1, "weight_decay": 0.03},
    ],
    ids=lambda change: "-".join(change) or "plain",
)
@pytest.mark.parametrize("n", [0, 1, 2, 5, 12])
def test_two_at_once_are_one_after_the_other(n, change, activation):
    (ended, *expected), (ended_in_pairs, *found) = both(
        activation, STEPS._replace(**change), inputs_of(n, 13)
    )
    assert ended == ended_in_pairs == ALL_LEARNED
    for array, other in zip(expected, found, strict=True):
        np.testing.assert_allclose(other, array, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("n_outputs", [1, 2, 3, 4, 5, 10])
def test_rows_left_over_and_single_precision(n_outputs):
    expected, found = both("sigmoid", STEPS, inputs_of(9, 16), n_outputs, np.float32)
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("change", [{}, {"weight_decay": 0.03}, {"shift": 0.05}], ids=str)
@pytest.mark.parametrize("row", range(5))
def test_learning_stops_before_the_pattern_that_diverges(row, change):
    inputs = inputs_of(5, 13)
    inputs[row] = 1e300
    expected, found = both("linear", STEPS._replace(**change), inputs)
    assert found[0] == expected[0] >= 0
    for array, other in zip(expected[1:], found[1:], strict=True):
        np.testing.assert_allclose(other, array, rtol=1e-11, atol=1e-13)
