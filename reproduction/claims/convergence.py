"""Claims 3 and 13: does learning converge, where φ increases everywhere and where φ has flat parts?"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array
from hebbian_descent.datasets import draw_pair
from hebbian_descent.learning.run import train
from hebbian_descent.network import Layer
from hebbian_descent.sweep.grids import QUICK_RATES
from reproduction.claims.cells import Numbers
from reproduction.claims.contrast import ALL, MOST, SIGNIFICANTLY, Contrast, Found
from reproduction.claims.examples import INCREASING
from reproduction.claims.judge import Claim
from reproduction.claims.networks import Networks, Records, Setting, by_epoch, each_cell
from reproduction.claims.tables import BESIDE_GD, CENTERED, EPOCHS, HD
from reproduction.context import Context
from reproduction.evidence import on_all, weakest
from reproduction.rows import by_repetition

CONVERGED = 0.05
"""Of the excess at the start, or of baseline."""
BASELINE = 0.5
FLAT = Contrast((CENTERED, EPOCHS), f"{HD} and activation in ('rectifier', 'step')", BESIDE_GD, "most")


def falling_rates(_: Context, setting: Setting) -> Records:
    """Excess of the matching loss over its minimum that stochastic learning leaves, as a share of the start.

    As in the theorem of the appendix: single patterns in random order, which cannot all be fitted, with
    falling rates. The minimum is that of a quasi-Newton method. Ten draws.
    """
    for draw in range(10):
        yield {"draw": draw, "measure": "excess_left", "value": excess_left(setting["activation"], draw)}


def excess_left(activation: str, seed: int) -> float:
    """Learn with rates that fall as 1/epoch: their sum diverges and that of their squares does not."""
    rng = np.random.default_rng(seed)
    x, t = rng.random((10, 4)), rng.uniform(0.2, 0.8, (10, 2))
    layer = Layer.create(4, 2, activation=activation, offset=x.mean(axis=0), rng=rng)
    slope = layer.activation.largest_slope
    smallest, start = _smallest_loss(layer, x, t), _loss(layer, x, t)
    for epoch in range(60):
        rate = 0.5 / (1 + epoch / 4) / (slope if np.isfinite(slope) else 1.0)
        train(layer, x, t, rule="hebbian_descent", learning_rate=rate, shuffle=True, seed=epoch)
    return (_loss(layer, x, t) - smallest) / (start - smallest)


def _loss(layer: Layer, x: Array, t: Array) -> float:
    return float(layer.activation.matching_loss(t, layer.preactivation(x)).sum(axis=-1).mean())


def _smallest_loss(layer: Layer, x: Array, t: Array) -> float:
    """Return the minimum over weights and biases by a quasi-Newton method."""
    from scipy.optimize import minimize  # takes a quarter of a second to import

    phi, inputs = layer.activation, np.column_stack([x - layer.offset, np.ones(len(x))])

    def loss_and_gradient(flat: npt.NDArray[np.float64]) -> tuple[float, Array]:
        a = inputs @ flat.reshape(inputs.shape[1], t.shape[1])
        gradient = inputs.T @ (phi(a) - t) / len(x)
        return float(phi.matching_loss(t, a).sum(axis=-1).mean()), gradient.ravel()

    start = np.vstack([layer.weights, layer.bias]).ravel()
    found = minimize(
        loss_and_gradient, start, jac=True, method="L-BFGS-B", options={"ftol": 1e-10, "gtol": 1e-7}
    )
    return float(found.fun)


def judged_by_excess(numbers: Numbers) -> Found:
    """Look at the excess that is left after learning with falling rates."""
    left = by_repetition(numbers.rows("claim 3"), "excess_left")
    n, n_draws = left.shape
    median, slow = left.median(axis=1), (~(left < CONVERGED)).sum(axis=1)
    failed = list(median.index[~(median < CONVERGED)])
    rare = ", ".join(f"{name} {times} of {n_draws}" for name, times in slow[slow > 0].items()) or "none"
    findings = (
        "60 passes over 10 patterns of 4 inputs: excess, as a share of the start, at most "
        f"{median.max():.1%} in the median of {n_draws} draws for {n} activations with φ′ > 0; single draws "
        f"with {CONVERGED:.0%} or more: {rare}. The matching loss is convex in the weights: the theorem on "
        "stochastic gradient descent applies where gradients grow at most in proportion to the weights. "
        "Those of exponential units grow faster, and diverge from larger inputs. The proof of the appendix, "
        "by angles to the gradient of the squared error, covers a single pattern."
    )
    if failed:
        findings += f"\nAgainst it: {', '.join(failed)}."
    return Found(on_all(n - len(failed), len(failed)), findings)


def flat_units(context: Context, setting: Setting) -> Records:
    """Errors by epoch on 100 random pairs of 200 inputs, which can be learned; 400 of 50, which cannot."""
    x, t = draw_pair("rand", "rand", 100, seed=0)
    options = {"rules": "hebbian_descent", "activations": setting["activation"], "trials": 2}
    for epochs in (1, 10, 100):
        found = context.sweep(x, t, learning_rates=QUICK_RATES, epochs=epochs, **options)
        value = found.best("all")[0].value
        yield {"patterns": "100", "epoch": str(epochs), "measure": "mae_all", "value": value}
    yield from too_many_pairs(setting["activation"])


def too_many_pairs(activation: str) -> Records:
    """Learn 400 random pairs of 50 inputs with a small rate, four times the capacity of Cover (1965)."""
    rng = np.random.default_rng(0)
    x, t = rng.integers(0, 2, (2, 400, 50)).astype(np.float64)
    layer = Layer.create(50, 50, activation=activation, offset=x.mean(axis=0), rng=rng)
    for epoch in range(101):
        if epoch:
            train(layer, x, t, rule="hebbian_descent", learning_rate=0.001)
        a, h = layer.forward(x)
        measured = {"mae_all": np.abs(h - t).mean(), "loss": layer.activation.matching_loss(t, a).mean()}
        for name, value in measured.items():
            yield {"patterns": "400", "epoch": str(epoch), "measure": name, "value": float(value)}


def judged_by_epochs(numbers: Numbers) -> Found:
    """Ask whether units with flat parts converge, and whether they often outperform gradient descent."""
    often = FLAT.found(numbers)
    if often.verdict == "not run":
        return often
    few, many, converged = [], [], []
    for name, rows in each_cell(numbers.rows("claim 13"), "activation"):
        learned = by_epoch(rows[rows["patterns"] == "100"], "mae_all")
        errors, losses = (by_epoch(rows[rows["patterns"] == "400"], name) for name in ("mae_all", "loss"))
        converged += [learned[-1] < CONVERGED * BASELINE, stays_down(errors)]
        few.append(f"{name} {' → '.join(f'{error:.3f}' for error in learned)}")
        best = int(errors.argmin())
        many.append(
            f"{name} error {errors[0]:.3f} → {errors[best]:.3f} (epoch {best}) → {errors[-1]:.3f}, "
            f"loss to {losses[-1] / losses[0]:.0%}"
        )
    findings = (
        "100 random pairs of 200 inputs, which can be learned, error after 1 → 10 → 100 epochs: "
        f"{'; '.join(few)} (baseline about {BASELINE}).\n400 random pairs of 50 inputs, which cannot, small "
        f"rate: {'; '.join(many)}.\nThe matching loss of step units is 0 for every target where a = 0: it "
        "can vanish without anything being learned. Where the pairs are separable Novikoff's theorem bounds "
        "the mistakes (docs/theory.md).\nRectifier and step, online and after 100 epochs, against gradient "
        f"descent: {FLAT.in_all(numbers)}."
    )
    converges = on_all(sum(converged), len(converged) - sum(converged))
    return Found(weakest((converges, often.verdict)), findings)


def stays_down(errors: Array) -> bool:
    """Return whether errors fall, and do not rise again by more than 5 % of baseline."""
    return bool(errors[-1] < errors[0] and errors[-1] - errors.min() <= CONVERGED * BASELINE)


CLAIMS = (
    Claim(
        3,
        "In that case it is a particular form of gradient descent and inherits its convergence.",
        "sec:HD_Hebbian_descent_convergence",
        Networks(
            "claim 3",
            "Convergence with falling rates",
            tuple({"activation": name} for name in INCREASING),
            falling_rates,
            judged_by_excess,
            "Each activation with φ′ > 0 is for it if less than 5 % of the excess is left in the median of "
            f"ten draws, else against it. {ALL}",
        ),
        ("tests/test_hetero_associative_claims.py",),
    ),
    Claim(
        13,
        "It converges also where the derivative is only non-negative, then often outperforms gradient "
        "descent, and learns with the step function.",
        "sec:HD_results",
        Networks(
            "claim 13",
            "Convergence of units with flat parts",
            tuple({"activation": name} for name in ("rectifier", "step")),
            flat_units,
            judged_by_epochs,
            "Converges: the four networks are the cells; one is for it if the error ends below 5 % of "
            "baseline (where the pairs can be learned) or falls and does not rise again by more than that "
            f"(where they cannot), else against it. {ALL} Often, beside gradient descent online and after "
            f"100 epochs: {SIGNIFICANTLY} {MOST} The verdict is that of the weaker part.",
            FLAT.experiments,
        ),
        ("tests/test_theory_bounds.py", "tests/test_hetero_associative_claims.py"),
    ),
)
