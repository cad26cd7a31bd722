"""Mini-batches: whether batches of ten patterns give what single patterns give, over several epochs.

Paper: sec:HD_multi_epoch_experiments
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from types import SimpleNamespace
from typing import TYPE_CHECKING

from hebbian_descent.datasets import draw_pair
from hebbian_descent.rules import rule_title
from reproduction.evidence import Interval, Word
from reproduction.grids import LEARNING_RATES, QUICK_RATES
from reproduction.rows import Rows, by_repetition
from reproduction.studies.base import Answer, Change, Record, Study, contrast, pairs
from reproduction.studies.comparison import Comparison
from reproduction.studies.drawing import scatter

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DESCENTS = ("hebbian_descent", "gradient_descent")
ONE, TEN = "1", "10"
SIMILAR = 0.01
"""Errors that differ by less are similar, as in the claims."""
ERRORS = Comparison(
    measure="error",
    axis="batch_size",
    cells={"pair": "pair", "activation": "activation", "rule": "rule"},
    values={ONE: "single patterns", TEN: "batches of 10"},
    differences={"difference": (TEN, ONE)},
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


def figure(rows: Rows) -> Figure:
    """Draw the error of batches over that of single patterns, one panel per rule."""
    errors = by_repetition(rows, "error")
    panels = {
        rule_title(rule): [errors.xs((size, rule), level=("batch_size", "rule")) for size in (ONE, TEN)]
        for rule in DESCENTS
    }
    return scatter(panels, "activation", "Error, single patterns", "Error, batches of 10")


def answer(rows: Rows) -> Answer:
    """Judge the changes, and say whether the better rule is another with batches."""
    changes = contrast(rows, "error", "batch_size", TEN, ONE)
    n_similar, n_other = similar_and_other(changes)
    largest = changes.map(lambda change: abs(change.mean)).idxmax()
    at = dict(zip(changes.index.names, largest, strict=True))
    gains = contrast(rows, "error", "rule", *DESCENTS)
    before, after = (gains.xs(size, level="batch_size") for size in (ONE, TEN))
    return Answer(
        verdict_of(changes),
        f"With batches of 10 the 99 % interval of the change lies within ±{SIMILAR:g} in {n_similar} of "
        f"{len(changes)} cells and certainly beyond it in {n_other}; the largest change is in {at['input']} "
        f"→ {at['target']} with {at['activation']} units by {rule_title(at['rule'])} ({changes[largest]}). "
        f"The better of the two rules certainly changes in {sum(map(turned, before, after))} of "
        f"{len(before)} cells; many errors are smaller than {SIMILAR:g}, where this says little.",
    )


def turned(before: Interval, after: Interval) -> bool:
    """Return whether two differences certainly have opposite signs."""
    return before.is_certain and after.is_certain and before.mean * after.mean < 0


def verdict_of(changes: Collection[Interval]) -> Word:
    """Return the verdict by the rule of the study."""
    n_similar, n_other = similar_and_other(changes)
    if n_similar == len(changes):
        return "holds"
    if 4 * n_other > len(changes):
        return "does not hold"
    return "holds with limits" if 2 * n_similar > len(changes) else "undecided"


def similar_and_other(changes: Collection[Interval]) -> tuple[int, int]:
    """Return how many changes certainly lie within the bound of what is similar, and how many beyond."""
    n_other = sum(abs(change.mean) - change.half > SIMILAR for change in changes)
    return sum(change.within(SIMILAR) for change in changes), n_other


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
    ),
    rule="Holds if the interval of the change lies within ±0.01 in all cells, with limits if in more than "
    "half; does not hold if more than a quarter of the cells certainly change by more; else undecided. Set "
    "with first numbers in sight.",
    changes=(
        Change(
            "2026-11-18",
            "limits if at most a quarter of the cells certainly change by more than 0.01",
            "limits only if more than half of the intervals lie within ±0.01",
            "holds",
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
    quick={
        "pair": pairs("rand → rand"),
        "activation": ("linear", "sigmoid"),
        "draw": range(2),
        "patterns": 20,
        "epochs": 5,
        "trials": 1,
        "learning_rates": QUICK_RATES[::2],
    },
    measure=measure,
    measures=("error", "learning_rate"),
    table=ERRORS.table,
    figure=figure,
    caption="Mean absolute error with batches of ten over that with single patterns, one mark per draw; on "
    "the line both are equal.",
    answer=answer,
)
