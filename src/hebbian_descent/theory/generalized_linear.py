"""Generalized linear models: the distributions that Hebbian-descent fits by maximum likelihood.

With the difference as error term the update of a canonical model is the gradient of its log-likelihood, since
∂ ln p(t | a)/∂a = (t − φ(a))/α, with a dispersion α that only scales the rate. The paper states this for any
invertible activation. It holds for the loss, but most activations belong to no distribution. If φ does, then
exp(Φ(αs)/α) generates moments, and a moment generating function that is finite for every real s is entire.
For units with a kink or a jump in some derivative (explin, leaky rectifier, softsign and others) Φ is not
analytic at 0; for softplus and inverse square root units it has a branch point off the real axis.
`family_of` returns the distribution of those that do.

Paper: eqn:GLM_log_grad_W_canonical
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log, pi

import numpy as np
from scipy.special import gammaln

from hebbian_descent.checks import Array
from hebbian_descent.network import Activation, get_activation


@dataclass(frozen=True)
class Family:
    """An exponential family in canonical form: p(t) = b(t)·exp((t·a − Φ(a))/α), with a known dispersion α.

    Paper: eqn:GLM_PDF_HD
    """

    name: str
    activation: Activation
    """The inverse of the canonical link: the mean of the distribution is φ(a)."""
    log_base: Callable[[Array], Array]
    """ln b(t), −inf outside the support; one entry for each output."""
    dispersion: float = 1.0
    """α."""

    def log_likelihood(self, targets: Array, preactivation: Array) -> Array:
        """Return ln p(t | a) for each pattern, summed over its outputs."""
        matching, conjugate = self.activation.matching_loss, self.activation.conjugate
        assert conjugate is not None
        base = self.log_base(targets)
        supported = np.isfinite(base).all(axis=-1) & self.activation.domain.contains(targets).all(axis=-1)
        result = np.full(len(targets), -np.inf, dtype=preactivation.dtype)
        t, a = targets[supported], preactivation[supported]
        # t·a − Φ(a) = Φ*(t) − L(t, a): the matching loss has no large terms to cancel.
        exponent = (conjugate(t) - matching(t, a)).sum(axis=-1) / self.dispersion
        result[supported] = base[supported].sum(axis=-1) + exponent
        return result

    def score(self, targets: Array, preactivation: Array) -> Array:
        """Return ∂ ln p/∂a = (t − φ(a))/α, the negative error of Hebbian-descent over the dispersion.

        Paper: eqn:GLM_log_grad_b_canonical
        """
        return (targets - self.activation(preactivation)) / self.dispersion


def gaussian() -> Family:
    """Return the normal distribution of variance 1 around a: least squares."""
    return Family("gaussian", get_activation("linear"), lambda t: -t * t / 2 - log(2 * pi) / 2)


def bernoulli() -> Family:
    """Return coin tosses with probability sigmoid(a): logistic regression.

    Targets between 0 and 1 are frequencies; their value is the expected log-likelihood.

    Paper: eqn:example_bernoulli
    """
    return Family("bernoulli", get_activation("sigmoid"), np.zeros_like)


def bipolar(scale: float = 1.0) -> Family:
    """Return tosses of −scale and scale with mean scale·tanh(a): logistic regression with 2a.

    p(t) = ½·exp((t·a − scale·ln cosh a)/scale), so the dispersion is the scale. Targets in between are means
    of tosses; their value is the expected log-likelihood.
    """
    tanh = get_activation("scaled_tanh", scale=scale)
    return Family("bipolar", tanh, lambda t: np.full_like(t, -log(2)), tanh.parameters["scale"])


def categorical() -> Family:
    """Return one class out of several with probabilities softmax(a): multinomial logistic regression."""
    return Family("categorical", get_activation("softmax"), np.zeros_like)


def poisson() -> Family:
    """Return counts with rate eᵃ: Poisson regression."""
    return Family("poisson", get_activation("exponential"), _poisson_base)


def _poisson_base(t: Array) -> Array:
    is_count = (t >= 0) & (t == np.floor(t))
    return np.where(is_count, -gammaln(np.where(is_count, t, 0) + 1), -np.inf)


FAMILIES: dict[str, Callable[..., Family]] = {
    "gaussian": gaussian,
    "bernoulli": bernoulli,
    "bipolar": bipolar,
    "categorical": categorical,
    "poisson": poisson,
}


def family_of(activation: str | Activation) -> Family:
    """Return the distribution whose log-likelihood Hebbian-descent climbs with this activation."""
    phi = get_activation(activation)
    for make in FAMILIES.values():
        if make().activation.name == phi.name:
            return make(**phi.parameters)
    raise ValueError(
        f"The activation {phi.name!r} belongs to no exponential family: its matching loss is a loss, not a "
        f"likelihood. Families: {', '.join(f'{m().activation.name} ({n})' for n, m in FAMILIES.items())}."
    )


def smallest_eigenvalue(activation: str | Activation, dispersion: float = 1.0) -> float:
    """Return the smallest eigenvalue of K(s, s′) = M(s + s′), where M(s) = exp(Φ(αs)/α), on ten points.

    A function generates the moments of a distribution only if this kernel is positive semidefinite
    (Widder 1934), so a value clearly below 0 proves that there is no such distribution with dispersion α.
    Rows and columns are scaled by the diagonal, which does not change the sign.
    """
    phi = get_activation(activation)
    if phi.antiderivative is None or not phi.elementwise:
        raise ValueError(
            f"The kernel needs the antiderivative of an element-wise activation. Got {phi.name!r}, which has "
            "none."
        )
    s = np.linspace(-2.25, 2.25, 10)
    exponent = phi.antiderivative(dispersion * np.add.outer(s, s)) / dispersion
    half = np.diag(exponent) / 2
    return float(np.linalg.eigvalsh(np.exp(exponent - half[:, np.newaxis] - half)).min())
