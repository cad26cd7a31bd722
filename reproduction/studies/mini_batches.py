"""Mini-batches: whether batches of ten patterns give what single patterns give, over several epochs.

Paper: sec:HD_multi_epoch_experiments
"""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

from hebbian_descent.datasets import draw_pair
from hebbian_descent.sweep.grids import LEARNING_RATES, QUICK_RATES
from reproduction.rows import Rows
from reproduction.studies.base import Change, Record, Study, contrast, pairs
from reproduction.studies.comparison import Comparison
from reproduction.studies.drawing import scatter
from reproduction.studies.judging import ALL_FOR, MANY_AGAINST, MOST_FOR, Criterion, within

DESCENTS = ("hebbian_descent", "gradient_descent")
ERRORS = Comparison(
    measure="error",
    axis="batch_size",
    cells={"pair": "pair", "activation": "activation", "rule": "rule"},
    values={"1": "single patterns", "10": "batches of 10"},
    differences={"difference": ("10", "1")},
)


def measure(job: SimpleNamespace, before: Rows) -> Iterator[Record]:
    """Yield the error of the best learning rate and that rate, by rule."""
    result = job.context.sweep(
        *draw_pair(job.input, job.target, job.patterns, seed=job.draw),
        rules=DESCENTS,
        activations=job.activation,
        learning_rates=job.learning_rates,
        trials=job.trials,
        epochs=job.epochs,
        batch_size=job.batch_size,
        shuffle=False,
        seed=job.draw,
    )
    for best in result.best("all"):
        yield {"rule": best.rule, "error": best.value, "learning_rate": best.learning_rate}


def remarks(rows: Rows) -> str:
    """Say whether the better rule is another with batches."""
    gains = contrast(rows, "error", "rule", *DESCENTS).map(lambda gain: gain.mean * gain.is_certain)
    turned = gains.xs("1", level="batch_size") * gains.xs("10", level="batch_size") < 0
    return (
        f"The better of the two rules certainly changes in {turned.sum()} of {len(turned)} cells. Many "
        "errors are smaller than 0.01, where this says little."
    )


CRITERION = Criterion(
    says="Errors with batches of 10 are similar",
    cells=lambda rows: ERRORS.difference(rows, "10", "1"),
    sign=within(0.01),
    words={
        "holds": ALL_FOR,
        "does not hold": MANY_AGAINST,
        "holds with limits": MOST_FOR,
    },
    remarks=remarks,
)
STUDY = Study(
    name="mini_batches",
    title="Batches of ten patterns",
    section="sec:HD_multi_epoch_experiments",
    says="results with mini-batches, of ten patterns for example, are similar to those with single patterns; "
    "they are not shown.",
    question="Do mini-batches of ten give the same errors as single patterns over several epochs?",
    protocol=(
        "Compared: batches of {batch_size} patterns, in the same fixed order.",
        "Setting: that of the paper's table of several epochs (`tab:Hetero_offline_1`), centered, {patterns} "
        "pairs, {epochs} epochs.",
        "Error: mean absolute error of all patterns, with the best of the paper's 35 learning rates.",
        "Draws: 6 of the patterns, {trials} initial weights each; differences are paired by draw.",
        "The rule was set with first numbers in sight.",
    ),
    rule=CRITERION.rule,
    changes=(
        Change(
            "2026-11-18",
            "limits if at most a quarter of the cells certainly change by more than 0.01",
            "limits only if more than half of the intervals lie within ±0.01",
            "holds",
        ),
    ),
    axes={
        "pair": pairs("rand → rand", "rand → adult", "randn → connect", "adult → rand"),
        "activation": ("linear", "explin", "rectifier", "sigmoid"),
        "draw": range(6),
        "batch_size": (1, 10),
    },
    settings={"patterns": 100, "epochs": 100, "trials": 2, "learning_rates": LEARNING_RATES},
    quick={"pair": pairs("rand → rand"), "patterns": 20, "epochs": 5, "learning_rates": QUICK_RATES},
    measure=measure,
    table=ERRORS.table,
    figure=lambda rows: scatter(ERRORS, rows, panel="rule", color="activation"),
    caption="Mean absolute error with batches of ten over that with single patterns, one mark per draw; on "
    "the line both are equal.",
    answer=CRITERION.answer,
)
