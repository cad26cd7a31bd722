"""Contrastive divergence by sampling and by mean field, beside auto-associative Hebbian-descent.

Paper: sec:HD_auto_asso_from_the_perspective_of_contrastive_learning
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from types import SimpleNamespace

import numpy as np

from hebbian_descent.checks import Array
from hebbian_descent.rules import AutoActivity, AutoRule, Change
from hebbian_descent.rules.base import mean_outer
from reproduction.rows import Rows, by_repetition
from reproduction.studies import base
from reproduction.studies.base import Record, Study, contrast
from reproduction.studies.comparison import Comparison, means
from reproduction.studies.drawing import bars
from reproduction.studies.judging import ABOVE_ZERO, ALL_FOR, SOME_AGAINST, SOME_FOR, Criterion
from reproduction.studies.small_autoencoders import best_error, halves, new_autoencoder

DESCENT, MEAN_FIELD, SAMPLED = "hebbian_descent", "contrastive", "sampled_contrastive"
BASELINE = "baseline"
BATCHES, STREAM = "batches", "one pass"
TITLES = {DESCENT: "Hebbian-descent", MEAN_FIELD: "mean-field CD-1", SAMPLED: "sampled CD-1"}
ERRORS = Comparison(
    measure="error",
    axis="rule",
    cells={"dataset": "dataset", "schedule": "learned in"},
    values=TITLES,
    differences={
        "sampled − mean field": (SAMPLED, MEAN_FIELD),
        "Hebbian-descent − mean field": (DESCENT, MEAN_FIELD),
    },
    last={BASELINE: BASELINE},
)


def sampled_rule(seed: int) -> AutoRule:
    """Return contrastive divergence with sampled states (Hinton, 2002); each run needs a new rule.

    ΔW = η (x_D − μ)ᵀ(h_D − λ) − η (x_M − μ)ᵀ(h_M − λ), where h_D and x_M are drawn from the probabilities
    of the sigmoid units, and h_M is the probability given x_M.

    Paper: eqn:Contrastive_learning_W
    """
    rng = np.random.default_rng(seed)

    def drawn(probabilities: Array) -> Array:
        return (rng.random(probabilities.shape) < probabilities).astype(probabilities.dtype)

    def change(activity: AutoActivity) -> Change:
        network, x_data = activity.network, activity.inputs
        mu, lam = network.offset, network.hidden_offset
        h_data = drawn(activity.units.hidden)
        x_model = drawn(network.infer_inputs(h_data)[1])
        h_model = network.infer_hidden(x_model)[1]
        return Change(
            weights=mean_outer(x_model - mu, h_model - lam) - mean_outer(x_data - mu, h_data - lam),
            bias=(h_model - h_data).mean(axis=0),
            decoder_bias=(x_model - x_data).mean(axis=0),
        )

    return AutoRule(SAMPLED, change, takes_error_term=False, has_free_phase=True)


def measure(job: SimpleNamespace, before: Rows) -> Iterator[Record]:
    """Yield the error of each rule with its best learning rate, and that of the mean pattern."""
    learned, others = halves(job.dataset, job.patterns, job.draw)
    start = new_autoencoder(learned, job.draw, "sigmoid", "sigmoid")
    epochs, batch_size = {BATCHES: (job.epochs, job.batch_size), STREAM: (1, 1)}[job.schedule]
    training = {"epochs": epochs, "batch_size": batch_size, "shuffle": batch_size > 1, "seed": job.draw}
    for name in TITLES:
        rule = partial(sampled_rule, job.draw) if name == SAMPLED else name
        yield {"rule": name, **best_error(start, rule, learned, others, job.learning_rates, **training)}
    yield {"rule": BASELINE, "error": np.abs(others - learned.mean(axis=0)).mean()}


def remarks(rows: Rows) -> str:
    """Say by which shares errors certainly differ, in batches and in one pass."""
    noise, inference = (
        [certain_shares(rows[rows["schedule"] == way], this, that) for way in (BATCHES, STREAM)]
        for this, that in ((SAMPLED, MEAN_FIELD), (MEAN_FIELD, DESCENT))
    )
    return (
        f"Sampling changes the error of the mean field by {noise[0]} in batches and {noise[1]} in single "
        "passes (0 where no difference is certain). Mean-field contrastive divergence infers the hidden "
        "units a second time, Hebbian-descent keeps them: their errors differ by "
        f"{inference[0]} in batches and {inference[1]} in single passes."
    )


def certain_shares(rows: Rows, this: str, that: str) -> str:
    """Return the range over datasets of certain differences, as shares of the error of that rule."""
    differences = contrast(rows, "error", "rule", this, that)
    certain = differences.map(lambda each: each.mean if each.is_certain else 0.0)
    shares = certain / means(rows, "error", "rule")[that]
    low, high = f"{shares.min():+.0%}", f"{shares.max():+.0%}"
    return low if low == high else f"{low} to {high}"


CRITERION = Criterion(
    says="Sampling is worse than the mean field",
    cells=lambda rows: ERRORS.difference(rows, SAMPLED, MEAN_FIELD),
    sign=ABOVE_ZERO,
    words={"does not hold": SOME_AGAINST, "holds": SOME_FOR},
    also=Criterion(
        says="In single passes the mean field is worse than Hebbian-descent",
        cells=lambda rows: ERRORS.difference(rows[rows["schedule"] == STREAM], MEAN_FIELD, DESCENT),
        sign=ABOVE_ZERO,
        words={"holds": ALL_FOR},
        otherwise="holds with limits",
    ),
    remarks=remarks,
)
STUDY = Study(
    name="sampled_contrastive_divergence",
    title="Sampled against mean-field contrastive divergence",
    section="sec:HD_auto_asso_from_the_perspective_of_contrastive_learning",
    says="a mean-field estimate may replace the sampling of contrastive divergence, and with clamped hidden "
    "units that is Hebbian-descent; contrastive rules that are not clamped are hard to use in rapid online "
    "learning (`sec:HD_limit_contrastive_learning`).",
    question="Does it matter whether contrastive divergence samples its phases or takes their mean field?",
    protocol=(
        "Setting: centered tied auto-encoders with sigmoid units, a quarter as many hidden as input units.",
        "Learned: {patterns} patterns of {dataset}, for {epochs} epochs in batches of {batch_size}, or in "
        "one pass over single patterns.",
        "Error: mean absolute error of the deterministic reconstruction of as many other patterns, with the "
        "best of {learning_rates} as learning rate by the same error.",
        "Draws: 6 of patterns, initial weights and samples; differences are paired by draw.",
        "The rule was set with first numbers in sight.",
    ),
    rule=CRITERION.rule,
    changes=(
        base.Change(
            "2026-11-18",
            "never undecided",
            "undecided if sampling certainly differs nowhere",
            "holds with limits",
        ),
    ),
    axes={
        "schedule": (BATCHES, STREAM),
        "dataset": ("adult", "connect", "digits"),
        "draw": range(6),
    },
    settings={
        "patterns": 500,
        "epochs": 50,
        "batch_size": 100,
        "learning_rates": (32.0, 16.0, 8.0, 4.0, 2.0, 1.0, 0.5, 0.2, 0.1, 0.05),
    },
    quick={"dataset": ("digits",), "patterns": 100, "epochs": 3, "batch_size": 20},
    measure=measure,
    table=ERRORS.table,
    figure=lambda rows: bars(
        by_repetition(rows, "error"), TITLES, "Error of reconstruction", panel="schedule", has_spread=True
    ),
    caption="Mean absolute error of reconstructed patterns that were not learned, with standard deviations "
    "over draws; the broken lines are the error of the mean pattern.",
    answer=CRITERION.answer,
)
