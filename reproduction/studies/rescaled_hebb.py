"""Hebb's rule with weights rescaled by the number of updates: what that mends, and what it costs.

After n updates Hebb's rule has the weights W₀ + η Σ (x − μ)ᵀt, which grow with n. Divided by n they are those
of a learning rate η/n from initial weights W₀/n: a search over learning rates from W₀ = 0 contains that.

Paper: sec:HD_hebb_rule
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from hebbian_descent.checks import Array
from hebbian_descent.datasets import draw_pair
from hebbian_descent.network import Layer
from hebbian_descent.sweep.grids import LEARNING_RATES, QUICK_RATES
from reproduction.rows import Rows, by_repetition
from reproduction.studies.base import Change, Record, Study, intervals, pairs
from reproduction.studies.comparison import Comparison, means
from reproduction.studies.drawing import COLORS, lines
from reproduction.studies.judging import ALL_FOR, SOME_AGAINST, Criterion, Sign, certain_sign

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLAIN, FROM_ZERO, RESCALED = WAYS = ("as they are", "from zero", "rescaled")
DESCENT, BASELINE = "Hebbian-descent", "baseline"


def measure(job: SimpleNamespace, before: Rows) -> Iterator[Record]:
    """Yield errors and outputs by number of patterns and way to use the weights."""
    here = replace(job.context, workers=None, scheduler=None)  # a process takes longer to start than a pass
    options = {"activations": job.activation, "learning_rates": job.learning_rates, "seed": job.draw}
    kept: dict[str, int] = {}  # the rate that suits the fewest patterns
    for n in job.patterns:
        inputs, targets = draw_pair(job.input, job.target, n, seed=job.draw)
        descent = here.sweep(inputs, targets, rules="hebbian_descent", trials=1, **options)
        yield {"patterns": n, "variant": DESCENT, "best_error": descent.best("all")[0].value}
        yield {"patterns": n, "variant": BASELINE, "best_error": descent.baseline}
        layer = new_layer(inputs, targets, job.activation, job.draw)
        start, imprint = layer.weights.copy(), (inputs - layer.offset).T @ targets
        for way, initial, scale in ((PLAIN, 1, 1), (FROM_ZERO, 0, 1), (RESCALED, 1, n)):
            outputs = []
            for rate in job.learning_rates:
                layer.weights[:] = (initial * start + rate * imprint) / scale
                outputs.append(layer.output(inputs))
            errors = [np.abs(output - targets).mean() for output in outputs]
            best = int(np.argmin(errors))
            place = kept.setdefault(way, best)
            yield {
                "patterns": n,
                "variant": way,
                "learning_rate": job.learning_rates[best],
                "best_error": errors[best],
                "kept_error": errors[place],
                "output": np.abs(outputs[place]).mean(),
            }


def new_layer(inputs: Array, targets: Array, activation: str, seed: int) -> Layer:
    """Return a centered layer that has not learned."""
    sizes, rng = (inputs.shape[1], targets.shape[1]), np.random.default_rng(seed)
    return Layer.create(*sizes, activation=activation, offset=inputs.mean(axis=0), rng=rng)


def fewest_and_most(rows: Rows) -> tuple[str, str]:
    """Return the smallest and the largest number of patterns."""
    numbers = sorted(rows["patterns"].unique(), key=int)
    return numbers[0], numbers[-1]


def table(rows: Rows) -> pd.DataFrame:
    """Return the errors for the most patterns, with the rate kept and chosen anew."""
    fewest, most = fewest_and_most(rows)
    last = rows[rows["patterns"] == most]
    kept, best = ({way: f"rate of {n} patterns: {way}" for way in WAYS} for n in (fewest, most))
    of_kept = Comparison("kept_error", "variant", {"pair": "pair", "activation": "activation"}, kept)
    of_best = Comparison(
        measure="best_error",
        axis="variant",
        cells={},
        values=best,
        differences={f"{RESCALED} − {way}": (RESCALED, way) for way in (PLAIN, FROM_ZERO)},
        last={DESCENT: DESCENT, BASELINE: BASELINE},
    )
    return pd.concat([of_kept.table(last), of_best.table(last)], axis=1)


def figure(rows: Rows) -> Figure:
    """Draw the mean output and the error of linear units over the number of patterns."""
    linear = rows[(rows["activation"] == "linear") & rows["variant"].isin(WAYS)]
    panels = {}
    for title, name in (("Mean |output|", "output"), ("Error", "kept_error")):
        panels[title] = means(linear, name, "patterns").T.rename(index=int)
        panels[title].columns = [f"{x} → {t}, {way}" for x, t, _, way in panels[title].columns]
    styles = [{"color": color, "linestyle": dashes} for color in COLORS for dashes in ("-", ":", "--")]
    return lines(panels, styles, x="Patterns stored")


def growth(rows: Rows) -> pd.DataFrame:
    """Return the logarithm of the factor from the output for the fewest patterns to that for the most.

    A factor does not depend on the learning rate that a draw chose, where weights start at zero.
    """
    is_judged = rows["variant"].isin(WAYS) & (rows["activation"] != "sigmoid")
    outputs = by_repetition(rows[is_judged], "output")
    few, many = (outputs.xs(n, level="patterns") for n in fewest_and_most(rows))
    return np.log(many / few)


def remarks(rows: Rows) -> str:
    """Say by which factors outputs change, and what rescaling does for the error."""
    fewest, most = fewest_and_most(rows)
    factors = np.exp(growth(rows).mean(axis=1)).groupby(level="variant").agg(["min", "max"])
    spans = {way: f"{factors['min'][way]:.2g} to {factors['max'][way]:.2g}" for way in WAYS}
    errors = by_repetition(rows[rows["patterns"] == most], "best_error")
    rescaled, *others = (errors.xs(way, level="variant") for way in (RESCALED, PLAIN, FROM_ZERO, DESCENT))
    changes = [(rescaled - other).mean(axis=1).abs().max() for other in others]
    n_worse, n_better = ((sign * (rescaled - others[-1]) > 0).all(axis=1).sum() for sign in (1, -1))
    return (
        f"From {fewest} to {most} patterns rescaling changes the mean output by a factor of "
        f"{spans[RESCALED]}, so it shrinks what is stored; without it the factor is {spans[PLAIN]}, or "
        f"{spans[FROM_ZERO]} if weights start at zero. With the best rate for {most} patterns it changes the "
        f"error by up to {changes[0]:.2f}, since it removes the initial weights, but by {changes[1]:.2f} at "
        f"most if weights start at zero. In all draws it is above that of Hebbian-descent in {n_worse} "
        f"and below it in {n_better} of {len(rescaled)} cells."
    )


def as_said(cell: Any) -> int:
    """Return whether an output certainly grows as learned, or shrinks if rescaled; −1 for the contrary."""
    return -certain_sign(cell) if RESCALED in cell.Index else certain_sign(cell)


CRITERION = Criterion(
    says="Outputs of units that do not saturate grow without rescaling and shrink with it",
    cells=lambda rows: intervals(growth(rows)).to_frame("difference"),
    sign=Sign("where the logarithm certainly does", "where it certainly does the opposite", as_said),
    words={"does not hold": SOME_AGAINST, "holds with limits": ALL_FOR},
    quantity="logarithm of a factor",
    remarks=remarks,
)
STUDY = Study(
    name="rescaled_hebb",
    title="Hebb's rule rescaled by the number of updates",
    section="sec:HD_hebb_rule",
    says="Hebb's weights grow with every update, which matters for units that do not saturate; usually they "
    "are rescaled by the number of updates, which has to be counted, or decay.",
    question="What does rescaling by the number of updates fix, and does it reduce the error?",
    protocol=(
        "Compared: the weights of Hebb's rule as learned, without the initial weights, and divided by the "
        "number of updates.",
        "Setting: centered networks store {patterns} patterns once.",
        "Learning rate: the best of the paper's 35, for the fewest patterns (kept) or for each number.",
        "For comparison: Hebbian-descent in one pass with its best rate, and the mean target (baseline).",
        "Growth: the factor from the mean |output| for the fewest patterns to that for the most, rate "
        "kept, as the mean logarithm.",
        "Draws: 8 of patterns and initial weights; differences are paired by draw.",
        "It cannot hold without limits: decay, the other remedy, is not measured.",
        "The rule was set with first numbers in sight.",
    ),
    rule=CRITERION.rule,
    changes=(
        Change(
            "2026-11-18",
            "with limits if the output grows without rescaling in one cell, and with it in none",
            "intervals of the factor in all cells (of differences, two cells of linear units from zero are "
            "not certain, whose learning rates differ between draws)",
            "holds with limits",
        ),
    ),
    axes={
        "pair": pairs("rand → rand", "rand → adult", "adult → rand"),
        "activation": ("linear", "rectifier", "sigmoid"),
        "draw": range(8),
    },
    settings={"patterns": (10, 25, 50, 100, 200, 400), "learning_rates": LEARNING_RATES},
    quick={"pair": pairs("rand → digits"), "patterns": (5, 20), "learning_rates": QUICK_RATES},
    measure=measure,
    measures=("best_error", "kept_error", "output", "learning_rate"),
    table=table,
    figure=figure,
    caption="Linear units: mean absolute output and mean absolute error over the number of stored patterns, "
    "with the learning rate that is best for the fewest.",
    answer=CRITERION.answer,
)
