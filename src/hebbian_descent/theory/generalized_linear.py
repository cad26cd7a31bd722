"""Generalized linear models: which distributions Hebbian-descent fits by maximum likelihood.

With the difference as error term the update of a canonical model is the gradient of its log-likelihood, since
∂ ln p(t | a)/∂a = t − φ(a). The paper states this for any invertible activation. It holds of the loss; but
most activations belong to no distribution, because the function that would generate their moments generates
those of nothing. `family_of` names the ones that do.

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
    """An exponential family in canonical form, with dispersion 1: p(t) = b(t)·exp(t·a − Φ(a))."""

    name: str
    activation: Activation
    """The inverse of the canonical link: the mean of the distribution is φ(a)."""
    log_base: Callable[[Array], Array]
    """ln b(t), −inf outside the support; one entry for each output."""

    def log_likelihood(self, targets: Array, preactivation: Array) -> Array:
        """Return ln p(t | a) for each pattern, summed over its outputs."""
        matching, conjugate = self.activation.matching_loss, self.activation.conjugate
        assert conjugate is not None
        base = self.log_base(targets)
        supported = np.isfinite(base).all(axis=-1) & self.activation.domain.contains(targets).all(axis=-1)
        result = np.full(len(targets), -np.inf, dtype=preactivation.dtype)
        t, a = targets[supported], preactivation[supported]
        # t·a − Φ(a) = Φ*(t) − L(t, a): the matching loss has no large terms to cancel.
        result[supported] = (base[supported].sum(axis=-1)) + (conjugate(t) - matching(t, a)).sum(axis=-1)
        return result

    def score(self, targets: Array, preactivation: Array) -> Array:
        """Return ∂ ln p/∂a = t − φ(a), the negative error of Hebbian-descent.

        Paper: eqn:GLM_log_grad_b_canonical
        """
        return targets - self.activation(preactivation)


def gaussian() -> Family:
    """Return the normal distribution of variance 1 around a: least squares."""
    return Family("gaussian", get_activation("linear"), lambda t: -t * t / 2 - log(2 * pi) / 2)


def bernoulli() -> Family:
    """Return coin tosses with probability sigmoid(a): logistic regression.

    Targets between 0 and 1 are frequencies; their value is the expected log-likelihood.

    Paper: eqn:example_bernoulli
    """
    return Family("bernoulli", get_activation("sigmoid"), np.zeros_like)


def categorical() -> Family:
    """Return one class out of several with probabilities softmax(a): multinomial logistic regression."""
    return Family("categorical", get_activation("softmax"), np.zeros_like)


def poisson() -> Family:
    """Return counts with rate eᵃ: Poisson regression."""
    return Family("poisson", get_activation("exponential"), _poisson_base)


def _poisson_base(t: Array) -> Array:
    is_count = (t >= 0) & (t == np.floor(t))
    return np.where(is_count, -gammaln(np.where(is_count, t, 0) + 1), -np.inf)


FAMILIES: dict[str, Callable[[], Family]] = {
    "gaussian": gaussian,
    "bernoulli": bernoulli,
    "categorical": categorical,
    "poisson": poisson,
}


def family_of(activation: str | Activation) -> Family:
    """Return the distribution whose log-likelihood Hebbian-descent climbs with this activation."""
    name = get_activation(activation).name
    for make in FAMILIES.values():
        if make().activation.name == name:
            return make()
    raise ValueError(
        f"The activation {name!r} belongs to no exponential family: its matching loss is a loss, not a "
        f"likelihood. Families: {', '.join(f'{m().activation.name} ({n})' for n, m in FAMILIES.items())}."
    )
