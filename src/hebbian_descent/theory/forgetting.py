"""Forgetting of linear units that learn each pair once, in closed form.

A layer y = Wᵀx learns pairs of centered inputs x and targets t by Hebbian-descent, ΔW = ηx(t − y)ᵀ, from
W₀ = 0 and without a bias. Inputs of different patterns are independent, with covariance Σ; so are the
targets, with mean 0 and variance τ² per unit. The derivations are in docs/forgetting.md.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array, as_count, as_number, unknown_name


def overlap(age: npt.ArrayLike, learning_rate: float, eigenvalues: npt.ArrayLike) -> Array:
    """Return E[m], how much of a target is left after `age` later patterns: y = m·t + crosstalk.

    E[m] = η Σᵢ λᵢ(1 − ηλᵢ)ᵏ, where λᵢ are the eigenvalues of the inputs' covariance and k is the age; the
    pattern learned last has age 0. It is exact for any distribution of the inputs. N equal eigenvalues σ²
    give ηNσ²(1 − ησ²)ᵏ: forgetting is exponential. Different ones give a mixture of exponentials.

    >>> overlap([0, 10], learning_rate=0.02, eigenvalues=np.full(200, 0.25)).round(3)
    array([1.   , 0.951])
    """
    k, rate, values = _ages(age), _rate(learning_rate), _eigenvalues(eigenvalues)
    left = np.array([(values * (1 - rate * values) ** n).sum() for n in k.ravel()])
    return rate * left.reshape(k.shape)


def time_constant(learning_rate: float, variance: float) -> float:
    """Return the number of later patterns after which 1/e of a target is left: −1/ln(1 − ησ²) ≈ 1/(ησ²).

    For independent inputs of variance σ². At η = 1/(Nσ²), the rate at which the pattern learned last is
    recalled exactly, it is about N: a memory of N inputs remembers about N patterns.
    """
    step = _rate(learning_rate) * as_number(variance, "variance of an input", above=0)
    if step >= 1:
        raise ValueError(
            f"The learning rate times the variance of an input must be below 1. Got {step:g}: lower the rate."
        )
    return float(-1 / np.log1p(-step))


def squared_error(
    n_patterns: int, learning_rate: float, n_inputs: int, variance: float, *, target_variance: float = 1.0
) -> Array:
    """Return the expected squared error of each of `n_patterns` learned once, the last one first.

    For inputs of ±σ, such as centered binary patterns of activity one half, it is exact; for other
    independent inputs of variance σ² it is close if N is large. With S = Nσ², w the weights of one
    unit, the pattern's age k, and q = E‖w‖², u = E(xᵀw)²:

        E(t − xᵀw)² = τ² − 2τ²ηS(1 − ησ²)ᵏ + u
        q ← q(1 − 2ησ² + η²σ²S) + η²Sτ²,   u ← u(1 − 2ησ² + 2η²σ⁴) + η²σ⁴(S − 2σ²)q + η²σ²Sτ²
        before the pattern u = σ²q;   with the pattern itself u ← (1 − ηS)²u + η²S²τ².

    >>> squared_error(100, 1 / 50, 200, 0.25)[0].round(6)  # at η = 1/S the last pattern is recalled exactly
    np.float64(0.0)
    """
    n, eta = as_count(n_patterns, "number of patterns"), _rate(learning_rate)
    v = as_number(variance, "variance of an input", above=0)
    s = as_count(n_inputs, "number of inputs") * v
    target = as_number(target_variance, "variance of a target", above=0)
    grows, adds = 1 - 2 * eta * v + eta**2 * v * s, eta**2 * s * target
    before = np.empty(n)  # E‖w‖² before each pattern, the first one first
    before[0] = 0
    for step in range(1, n):
        before[step] = before[step - 1] * grows + adds
    # All patterns grow older together: q and u of the pattern that is k steps old, for each k in turn.
    q, u = before * grows + adds, (1 - eta * s) ** 2 * v * before + (eta * s) ** 2 * target
    error = np.empty(n)
    for k in range(n):
        last = n - 1 - k  # the pattern whose final age is k
        error[k] = target - 2 * target * eta * s * (1 - eta * v) ** k + u[last]
        u = u * (1 - 2 * eta * v + 2 * (eta * v) ** 2) + (eta * v) ** 2 * (s - 2 * v) * q + v * adds
        q = q * grows + adds
    return error


def absolute_error(
    n_patterns: int, learning_rate: float, n_inputs: int, variance: float, *, target_variance: float = 1.0
) -> Array:
    """Return the expected absolute error of each pattern, the last one first, for targets of ±τ.

    Crosstalk is assumed to be normal: with d = (1 − m)τ, s² = E(t − y)² − d² and Φ the normal
    distribution, E|t − y| = s√(2/π)·e^(−d²/2s²) + d(1 − 2Φ(−d/s)).
    """
    from scipy.special import ndtr

    squared = squared_error(n_patterns, learning_rate, n_inputs, variance, target_variance=target_variance)
    eigenvalues = np.full(n_inputs, float(variance))
    d = (1 - overlap(np.arange(n_patterns), learning_rate, eigenvalues)) * target_variance**0.5
    s = np.sqrt(np.maximum(squared - d**2, np.finfo(np.float64).tiny))
    error: Array = s * np.sqrt(2 / np.pi) * np.exp(-((d / s) ** 2) / 2) + d * (1 - 2 * ndtr(-d / s))
    return error


ERRORS = {"squared": squared_error, "absolute": absolute_error}


def best_rate(
    n_patterns: int, n_inputs: int, variance: float, *, recent: int | None = None, error: str = "squared"
) -> float:
    """Return the learning rate with the smallest expected error over all patterns, or over the `recent` ones.

    For the most recent patterns it is close to 1/(Nσ²) = 1/E‖x‖²; for all of them it is smaller, and falls
    with their number. The absolute error, which penalises large deviations less, allows larger rates.

    >>> [round(best_rate(n, 200, 0.25) * 50, 2) for n in (100, 300)]  # as shares of 1/E‖x‖²
    [0.84, 0.53]
    >>> [round(best_rate(n, 200, 0.25, error="absolute") * 50, 2) for n in (100, 300)]
    [0.91, 0.68]
    """
    from scipy.optimize import minimize_scalar

    if error not in ERRORS:
        raise unknown_name("error", error, ERRORS)

    n = as_count(n_patterns, "number of patterns")
    n_recent = n if recent is None else as_count(recent, "number of recent patterns")
    if n_recent > n:
        raise ValueError(f"There must be at least as many patterns as recent ones. Got {n} and {recent}.")
    exact = 1 / (as_count(n_inputs, "number of inputs") * as_number(variance, "variance", above=0))

    def cost(logarithm: float) -> float:
        rate = float(np.exp(logarithm)) * exact
        return float(ERRORS[error](n, rate, n_inputs, variance)[:n_recent].mean())

    # From a thousandth of the exact rate to just below twice that rate, where weights begin to diverge.
    found = minimize_scalar(cost, bounds=(np.log(1e-3), np.log(1.99)), method="bounded")
    return float(np.exp(found.x)) * exact


def power_law_spectrum(n: int, exponent: float, *, variance: float = 1.0) -> Array:
    """Return n eigenvalues λᵢ ∝ i^(−α), of mean `variance`, as in natural images.

    For α > 1, the overlap Σ λᵢ(1 − ηλᵢ)ᵏ falls as k^(−(1 − 1/α)) between the ages 1/(ηλ₁) and 1/(ηλₙ): many
    exponentials of different rates add up to a power law.
    """
    n = as_count(n, "number of eigenvalues")
    alpha = as_number(exponent, "exponent of the spectrum", at_least=0)
    mean = as_number(variance, "mean variance", above=0)
    values = np.arange(1, n + 1, dtype=np.float64) ** -alpha
    scaled: Array = mean * values / values.mean()
    return scaled


def _ages(age: npt.ArrayLike) -> Array:
    k = np.asarray(age, dtype=np.float64)
    if not (np.isfinite(k) & (k >= 0)).all():
        raise ValueError(
            f"Ages must be finite and at least 0, the age of the pattern learned last. Got {k.min():g}."
        )
    return k


def _rate(learning_rate: float) -> float:
    return as_number(learning_rate, "learning rate", above=0)


def _eigenvalues(eigenvalues: npt.ArrayLike) -> Array:
    values = np.asarray(eigenvalues, dtype=np.float64)
    if values.ndim != 1 or not values.size or not (np.isfinite(values) & (values >= 0)).all():
        raise ValueError(f"The eigenvalues must be a list of numbers of at least 0. Got {eigenvalues!r}.")
    return values
