"""Claims about what auto-encoders learn: an even hidden activity, at about the error of gradient descent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hebbian_descent.checks import Array
from hebbian_descent.rules import AUTO_RULES, AutoActivity, AutoRule, Change
from reproduction.claims.autoencoder_runs import DATASETS, Setting, best_run, patterns, settings
from reproduction.claims.base import Claim, Judgement, Word
from reproduction.claims.cells import Comparison
from reproduction.claims.epochs import against_gradient_descent
from reproduction.claims.tally import ALL, listed, not_run, on_all, tally
from reproduction.run_context import RunContext

TABLE = ("tab:auto_associative",)
N_EPOCHS = 30
FIXED_BIAS = "gradient_descent_with_fixed_bias"
MUCH_SMALLER = 0.5
SLIGHTLY = 0.1
"""Of the error of gradient descent; more is not slightly worse."""
PRODUCTS = {"hebbian_descent": 3, "gradient_descent": 5}
"""Products with the weight matrix: encode, decode, change; then back through the decoder, and change."""


class Spread(NamedTuple):
    """How unevenly the hidden units of one network are active."""

    name: str
    uneven: dict[str, float]
    """By rule: standard deviation over the units of their mean activity, in units of their own spread."""
    dimensions: dict[str, float]
    """By rule: how many hidden directions carry the variance (participation ratio), per unit."""

    @property
    def ratio(self) -> float:
        """The unevenness of Hebbian-descent over that of gradient descent."""
        return self.uneven["hebbian_descent"] / self.uneven["gradient_descent"]

    @property
    def uses_more(self) -> bool:
        """Whether Hebbian-descent spreads the variance over more directions."""
        return self.dimensions["hebbian_descent"] > self.dimensions["gradient_descent"]

    @property
    def owed_to_bias(self) -> bool:
        """Whether gradient descent with a fixed encoder bias is nearly as even."""
        return self.uneven[FIXED_BIAS] < 2 * self.uneven["hebbian_descent"]


def judge_homogeneous(context: RunContext) -> Judgement:
    """Train both rules at their best rates and compare the mean activities of their hidden units."""
    spreads = [spread(context, setting) for setting in settings(context, epochs=N_EPOCHS)]
    lines = "; ".join(
        f"{found.name} {' / '.join(f'{value:.3f}' for value in found.uneven.values())}" for found in spreads
    )
    findings = (
        "Spread of the units' mean activities (gradient descent / Hebbian-descent / gradient descent with a "
        f"fixed encoder bias): {lines}. More hidden directions carry variance in "
        f"{sum(found.uses_more for found in spreads)} of {len(spreads)}. A fixed encoder bias alone brings "
        f"gradient descent within a factor 2 in {sum(found.owed_to_bias for found in spreads)}: with "
        "centered inputs and no bias, linear units have mean 0 whatever is learned."
    )
    return Judgement(evenness(spreads), findings)


def evenness(spreads: Sequence[Spread]) -> Word:
    """Return the verdict: more even everywhere, with more directions in use, and not by the bias alone."""
    excluded = sum(found.owed_to_bias or not found.uses_more for found in spreads)
    return on_all(
        sum(found.ratio < MUCH_SMALLER for found in spreads),
        sum(found.ratio >= 1 for found in spreads),
        excluded,
    )


def spread(context: RunContext, setting: Setting) -> Spread:
    """Train on a dataset with each rule, at the best of some learning rates."""
    x = patterns(context, setting.dataset)
    rules: dict[str, AutoRule] = {
        "gradient_descent": AUTO_RULES["gradient_descent"](),
        "hebbian_descent": AUTO_RULES["hebbian_descent"](),
        FIXED_BIAS: AutoRule(FIXED_BIAS, _gradient_without_bias),
    }
    activities = {name: best_run(rule, x, setting).network.encode(x) for name, rule in rules.items()}
    return Spread(
        setting.name,
        {name: unevenness(activity) for name, activity in activities.items()},
        {name: participation(activity) for name, activity in activities.items()},
    )


def _gradient_without_bias(activity: AutoActivity) -> Change:
    """Follow the gradient, but keep the encoder bias fixed, as Hebbian-descent does."""
    return AUTO_RULES["gradient_descent"]().change(activity)._replace(bias=None)


def unevenness(activity: Array) -> float:
    """Return how far the mean activities of the units lie apart, in units of the spread of a unit."""
    return float(activity.mean(axis=0).std() / activity.std(axis=0).mean())


def participation(activity: Array) -> float:
    """Return (Σ λ)² / Σ λ² over the variances λ of the principal directions, per unit."""
    variances = np.linalg.eigvalsh(np.cov(activity.T))
    return float(variances.sum() ** 2 / (variances**2).sum() / len(variances))


def judge_reconstruction(context: RunContext) -> Judgement:
    """Compare the reconstruction errors of both rules, and count matrix products."""
    comparisons = against_gradient_descent(context, TABLE, "mae_mean")
    found = tally(comparisons, tolerance=0.0)
    behind = [item for item in comparisons if is_behind(item)]
    printed_behind = sum(-item.printed_gain > SLIGHTLY * item.second.printed for item in comparisons)
    findings = (
        f"Hebbian-descent: {found}; more than {SLIGHTLY:.0%} worse in {len(behind)} "
        f"(print: {printed_behind}). Products with the weight matrix in each update: "
        f"{PRODUCTS['hebbian_descent']} instead of {PRODUCTS['gradient_descent']}. Plausibility in biology "
        "is not measured here."
    )
    if not found.is_complete:
        return not_run(context, TABLE, found.n_run, found.n, findings)
    if behind:
        item = max(behind, key=relative_loss)
        findings += (
            f"\nAgainst it: {listed(comparisons, is_behind)}. Furthest: {item.first.name} "
            f"{item.first.ours:.4f} against {item.second.ours:.4f}."
        )
    similar = sum(relative_loss(item) <= SLIGHTLY for item in comparisons)
    return Judgement(on_all(similar, len(behind)), findings)


def is_behind(item: Comparison) -> bool:
    """Whether the first is significantly worse, and not slightly."""
    return item.is_run and item.sign(0.0) < 0 and relative_loss(item) > SLIGHTLY


def relative_loss(item: Comparison) -> float:
    """Return by what share of the other's error the first is worse."""
    if item.gain == 0:
        return 0.0
    return -item.gain / item.second.ours if item.second.ours else np.inf


CLAIMS = (
    Claim(
        19,
        "Each hidden unit comes to have almost the same mean activity, so that the code is more efficient.",
        "sec:HD_homo_hidden_experiments",
        "Auto-encoders on digits and ADULT with both rules at their best rates: "
        "spread of the units' mean activities over the spread of a unit, and how many hidden directions "
        "carry the variance.",
        "The networks are the cells: one is for it where that spread is less than half of that of gradient "
        f"descent, against it where it is not smaller. {ALL} Networks in which fewer directions carry the "
        "variance, or in which a fixed encoder bias alone makes gradient descent as even within a factor 2, "
        "limit it as well.",
        ("reproduction/tests/test_paper_claims.py::test_unevenness_is_zero_for_units_of_equal_mean",),
        judge_homogeneous,
        datasets=DATASETS,
    ),
    Claim(
        20,
        "It reconstructs as well as gradient descent or slightly worse, at less computation.",
        "sec:HD_auto_associative_experiments",
        "Both rules in every cell of the auto-associative table; products with the weight matrix per update.",
        "A cell is for it where the error is at most 10 % larger than that of gradient descent, against it "
        f"where it is larger by more than that and than chance explains (99 %). {ALL}",
        TABLE,
        judge_reconstruction,
    ),
)
