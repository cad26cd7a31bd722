"""The claim about convergence, as stated: for single patterns in random order, with decreasing steps."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array
from hebbian_descent.learning.run import train
from hebbian_descent.network import Layer
from reproduction.claims.base import Claim, Judgement
from reproduction.claims.examples import increasing
from reproduction.claims.tally import on_all
from reproduction.run_context import RunContext

N_PATTERNS, N_INPUTS, N_OUTPUTS = 10, 4, 2
N_EPOCHS = 60
FIRST_RATE, HALVED_AFTER = 0.5, 4
CONVERGED = 0.05
"""Of the excess at the start."""
N_DRAWS = 10
TESTS = "tests/test_hetero_associative_claims.py::"


def judge_convergence(_: RunContext) -> Judgement:
    """Learn patterns that cannot be fitted, one at a time in random order, and compare with the minimum."""
    left = {name: [excess(name, seed) for seed in range(N_DRAWS)] for name in increasing()}
    median = {name: float(np.median(shares)) for name, shares in left.items()}
    failed = [name for name, share in median.items() if not share < CONVERGED]
    slow = {name: n for name, shares in left.items() if (n := sum(not share < CONVERGED for share in shares))}
    rare = ", ".join(f"{name} {n} of {N_DRAWS}" for name, n in slow.items()) or "none"
    word = on_all(len(left) - len(failed), len(failed))
    findings = (
        f"{N_EPOCHS} passes over {N_PATTERNS} patterns of {N_INPUTS} inputs, which cannot be fitted: excess "
        f"of the matching loss over its minimum, as a share of the start, at most {max(median.values()):.1%} "
        f"in the median of {N_DRAWS} draws for {len(left)} activations with φ′ > 0; single draws with "
        f"{CONVERGED:.0%} or more: {rare}. The matching loss is convex in the weights, so that the theorem "
        "on stochastic gradient descent applies to it where gradients grow at most in proportion to the "
        "weights; those of exponential units grow faster, and from larger inputs they diverge. The proof of "
        "the appendix, by angles to the gradient of the squared error, covers a single pattern; for several "
        "the optimum is another one."
    )
    if failed:
        findings += f"\nAgainst it: {', '.join(failed)}."
    return Judgement(word, findings)


def excess(name: str, seed: int) -> float:
    """Return the share of the excess that is left after steps that decrease as 1/epoch.

    The sum of such rates diverges and that of their squares does not, as the theorem requires.
    """
    rng = np.random.default_rng(seed)
    x, t = rng.random((N_PATTERNS, N_INPUTS)), rng.uniform(0.2, 0.8, (N_PATTERNS, N_OUTPUTS))
    layer = Layer.create(N_INPUTS, N_OUTPUTS, activation=name, offset=x.mean(axis=0), rng=rng)
    slope = layer.activation.largest_slope
    smallest, start = _smallest_loss(layer, x, t), _loss(layer, x, t)
    for epoch in range(N_EPOCHS):
        rate = FIRST_RATE / (1 + epoch / HALVED_AFTER) / (slope if np.isfinite(slope) else 1.0)
        train(layer, x, t, rule="hebbian_descent", learning_rate=rate, shuffle=True, seed=epoch)
    return (_loss(layer, x, t) - smallest) / (start - smallest)


def _loss(layer: Layer, x: Array, t: Array) -> float:
    return float(layer.activation.matching_loss(t, layer.preactivation(x)).sum(axis=-1).mean())


def _smallest_loss(layer: Layer, x: Array, t: Array) -> float:
    """Return the minimum over weights and biases by a method other than step-by-step descent."""
    from scipy.optimize import minimize  # a quarter of a second, needed only for judging

    phi, inputs = layer.activation, np.column_stack([x - layer.offset, np.ones(len(x))])

    def loss_and_gradient(flat: npt.NDArray[np.float64]) -> tuple[float, Array]:
        a = inputs @ flat.reshape(inputs.shape[1], t.shape[1])
        gradient = inputs.T @ (phi(a) - t) / len(x)
        return float(phi.matching_loss(t, a).sum(axis=-1).mean()), gradient.ravel()

    start = np.vstack([layer.weights, layer.bias]).ravel()
    found = minimize(
        loss_and_gradient,
        start,
        jac=True,
        method="L-BFGS-B",
        options={"ftol": 1e-10, "gtol": 1e-7},
    )
    return float(found.fun)


CLAIMS = (
    Claim(
        3,
        "In that case it is a particular form of gradient descent and inherits its convergence.",
        "sec:HD_Hebbian_descent_convergence",
        "Stochastic learning, as in the theorem of the appendix: single patterns in random order, which "
        "cannot all be fitted, with falling rates, against the minimum of the matching loss by a "
        "quasi-Newton method.",
        "Each activation with φ′ > 0 is for it if less than 5 % of the excess is left in the median of ten "
        "draws, else against it. "
        "Holds if none is against it; with limits if fewer are against it than for it; else not.",
        (
            TESTS + "test_second_derivatives_of_the_hetero_associative_update_commute",
            TESTS + "test_for_one_pattern_the_angle_to_the_gradient_is_below_90_degrees",
            TESTS + "test_for_a_batch_the_angle_to_the_gradient_can_exceed_90_degrees",
        ),
        judge_convergence,
        analytical=True,
    ),
)
