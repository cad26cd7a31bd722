"""Deep auto-encoders by the decoder part of the gradient, which the paper finds very similar to all of it.

Paper: sec:HD_outlook_deep_auto_encoder
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hebbian_descent.checks import Array
from hebbian_descent.plotting import BASELINE_STYLE, RULE_STYLES, new_panels
from hebbian_descent.table_formats import TextTable
from reproduction.claims.base import Word
from reproduction.studies.base import (
    Answer,
    Interval,
    Numbers,
    Part,
    Results,
    Settings,
    Study,
    interval,
    legend_below,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FULL, DECODER = "full", "decoder"
STYLES = {
    FULL: {**RULE_STYLES["gradient_descent"], "label": "full gradient"},
    DECODER: {**RULE_STYLES["hebbian_descent"], "label": "decoder part"},
}
SIMILAR = 0.1
"""Errors are very similar if they differ by at most this share of the full gradient's error."""
LEARNED = 0.95
"""A network has learned nothing if its error is above this share of that of the mean pattern."""


def parts(settings: Settings) -> dict[str, Part]:
    """Return one part per optimizer, depth and gradient: its search and its seeds."""
    return {
        _name(optimizer, depth, gradient): partial(_measured, settings, optimizer, depth, gradient)
        for optimizer in settings["optimizers"]
        for depth in settings["depths"]
        for gradient in (FULL, DECODER)
    }


def _name(optimizer: str, depth: int, gradient: str) -> str:
    return f"{optimizer}-depth{depth}-{gradient}"


def _measured(settings: Settings, optimizer: str, depth: int, gradient: str) -> Numbers:
    # PyTorch is optional: table, figure and answer do without.
    from reproduction.studies.deep_autoencoder_training import Network, measure

    return measure(settings, Network(optimizer, depth, gradient))


class Pair(NamedTuple):
    """The same network trained by all of the gradient and by its decoder part."""

    optimizer: str
    depth: int
    full: Numbers
    decoder: Numbers

    def errors(self) -> tuple[Array, Array]:
        """Return the test errors of both, one per seed."""
        return np.array(self.full["test"]), np.array(self.decoder["test"])

    def excess(self) -> Interval:
        """Return by how much the error of the decoder part is higher, as a share of the full gradient's."""
        full, decoder = self.errors()
        return interval(decoder / full - 1)

    @property
    def has_learned(self) -> bool:
        """Whether one of the two reconstructs more than the mean pattern."""
        least = min(errors.mean() for errors in self.errors())
        return bool(least < LEARNED * np.mean(self.full["baseline"]))


def _pairs(results: Results) -> list[Pair]:
    settings = results.settings
    return [
        Pair(optimizer, depth, *(results.parts[_name(optimizer, depth, gradient)] for gradient in STYLES))
        for optimizer in settings["optimizers"]
        for depth in settings["depths"]
    ]


def table(results: Results) -> TextTable:
    """Return the errors of both, their relative difference, learning rates and epochs."""
    rows = []
    for pair in _pairs(results):
        mean, half = pair.excess()
        both = (pair.full, pair.decoder)
        rows.append(
            (
                pair.optimizer,
                str(pair.depth),
                *(f"{errors.mean():.4f}" for errors in pair.errors()),
                f"{mean:+.1%} ± {half:.1%}",
                f"{np.mean(pair.full['baseline']):.4f}",
                *(f"{numbers['rate']:g}" for numbers in both),
                *(_epochs(numbers) for numbers in both),
            )
        )
    headings = (
        *("optimizer", "layers", "full gradient", "decoder part", "decoder part higher by"),
        *("baseline", "learning rate, full", "learning rate, decoder", "epochs, full", "epochs, decoder"),
    )
    return TextTable(headings, rows, alignment="l" + "r" * 9)


def _epochs(numbers: Numbers) -> str:
    """Write the mean number of epochs; "+" if some runs were stopped before they converged."""
    return f"{np.mean(numbers['epochs']):.0f}{'' if all(numbers['converged']) else '+'}"


def figure(results: Results) -> Figure:
    """Draw errors over depth, and below the decoder part's excess over the full gradient's."""
    optimizers = results.settings["optimizers"]
    n = len(optimizers)
    drawn, panels = new_panels(n, 2, width=4.2, height=2.9)
    for axes in panels[n + 1 :]:
        axes.sharey(panels[n])
    for optimizer, above, below in zip(optimizers, panels[:n], panels[n:], strict=True):
        pairs = [pair for pair in _pairs(results) if pair.optimizer == optimizer]
        _draw_errors(above, pairs)
        _draw_excess(below, pairs)
        above.set_title(optimizer, fontsize=11)
        below.set_xlabel("Layers")
    panels[0].set_ylabel("Test error (mean absolute)")
    panels[n].set_ylabel("Decoder part higher by")
    legend_below(drawn, panels[0])
    return drawn


def _draw_errors(axes: Axes, pairs: list[Pair]) -> None:
    depths = [pair.depth for pair in pairs]
    for place, style in enumerate(STYLES.values()):
        errors = np.array([pair.errors()[place] for pair in pairs])  # (n_depths, n_seeds)
        axes.plot(depths, errors.mean(axis=1), **style)
        axes.plot(depths, errors, "o", color=style["color"], markersize=3)
    axes.axhline(np.mean([pair.full["baseline"] for pair in pairs]), **BASELINE_STYLE)
    axes.set_ylim(bottom=0)
    axes.set_xticks(depths)


def _draw_excess(axes: Axes, pairs: list[Pair]) -> None:
    depths = [pair.depth for pair in pairs]
    means, halves = np.array([pair.excess() for pair in pairs]).T
    axes.axhspan(-100 * SIMILAR, 100 * SIMILAR, color="#666666", alpha=0.15, linewidth=0)
    axes.errorbar(depths, 100 * means, 100 * halves, fmt="o", color="#000000", markersize=4, capsize=3)
    axes.yaxis.set_major_formatter("{x:.0f} %")
    axes.set_xticks(depths)


def answer(results: Results) -> Answer:
    """Judge by the networks of several layers, unless both ways learn no more than the mean pattern."""
    pairs = _pairs(results)
    deep = [pair for pair in pairs if pair.depth > 1 and pair.has_learned]
    if not deep:
        return Answer("undecided", "No network of several layers learns. So there is nothing to compare.")
    excesses = [pair.excess() for pair in deep]
    n_similar = sum(excess.within(SIMILAR) for excess in excesses)
    n_other = sum(abs(excess.mean) - excess.half > SIMILAR for excess in excesses)
    return Answer(
        verdict_of(len(deep), n_similar, n_other),
        f"The error of the decoder part differs by {_span(excesses)} from the full gradient's with several "
        f"layers, and by {_span([pair.excess() for pair in pairs if pair.depth == 1])} with one; of "
        f"{len(deep)} networks of several layers it is within {SIMILAR:.0%} for certain in {n_similar} and "
        f"certainly outside in {n_other}. "
        f"Training these by the decoder part takes {_ending([pair.decoder for pair in deep])}, by the full "
        f"gradient {_ending([pair.full for pair in deep])}.",
    )


def verdict_of(n: int, n_similar: int, n_other: int) -> Word:
    """Return the verdict on n networks of which some are certainly similar and others certainly are not."""
    if n_similar == n:
        return "holds"
    if n_other > n / 2:
        return "does not hold"
    return "holds with limits" if n_similar >= n / 2 else "undecided"


def _span(excesses: list[Interval]) -> str:
    means = sorted(excess.mean for excess in excesses)
    low, high = f"{means[0]:+.0%}", f"{means[-1]:+.0%}"
    return low if low == high else f"{low} to {high}"


def _ending(several: list[Numbers]) -> str:
    epochs = np.mean([numbers["epochs"] for numbers in several])
    ended = np.array([numbers["converged"] for numbers in several])
    return f"{epochs:.0f} epochs on average ({(~ended).sum()} of {ended.size} runs are cut off)"


STUDY = Study(
    name="deep_autoencoders",
    title="Deep auto-encoders by the decoder part of the gradient",
    section="sec:HD_outlook_deep_auto_encoder",
    says="the decoder part of the gradient can train deep auto-encoders, too, and in the authors' experience "
    "performs very similarly to gradient descent there.",
    question="Does the decoder part of the gradient train deep auto-encoders as well as all of it?",
    protocol="Centered tied auto-encoders with {depths} layers, each with a quarter of the units below "
    "(784–196–49–12–3), and sigmoid units learn {learned} images of MNIST by the matching loss in batches "
    "of {batch_size}. The decoder part treats the code as given, and its encoder biases do not learn. "
    "Training ends when the error of {validation} other images has fallen by less than 0.5 % in the last "
    "{patience} epochs, or after {most_epochs} epochs (marked +), and the weights of the best epoch are "
    "judged by the mean absolute error of the 10,000 test images. The learning rate is searched in factors "
    "of about 3 by the validation error with one seed, from 0.01 (Adam) or 1 (SGD) on until both neighbours "
    "of the best were tried. {seeds} seeds draw images, initial weights and batches, the same for both; "
    "differences are paired by seed. Very similar: the interval lies within ±10 % of the full gradient's "
    "error; networks whose errors stay above 95 % of that of the mean pattern do not count. The remark "
    "holds if all networks of several layers are very similar, with limits if at least half are, and does "
    "not hold if more than half certainly are not; otherwise it is undecided. The limit of 10 % was set "
    "before any run; the sizes, when training ends and where the search starts were settled after first runs "
    "at two and four layers. At first there were three seeds and training ended after 20 such epochs, or 100 "
    "in all, before 6 of 18 deep networks of the full gradient had converged, and two of the decoder part "
    "had stopped on a plateau: +18 % to +35 %, certainly outside in 5 of 6, the same verdict.",
    settings={
        "dataset": "mnist",
        "learned": 5000,
        "validation": 2500,
        "optimizers": ["Adam", "SGD"],
        "depths": [1, 2, 3, 4],
        "rates": [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0],
        "starts": {"Adam": 0.01, "SGD": 1.0},
        "batch_size": 100,
        "patience": 40,
        "least_fall": 0.005,
        "most_epochs": 500,
        "seeds": 5,
    },
    quick={
        "dataset": "digits",
        "learned": 200,
        "validation": 100,
        "optimizers": ["Adam"],
        "depths": [1, 2],
        "rates": [0.01, 0.03],
        "batch_size": 20,
        "most_epochs": 20,
        "seeds": 2,
    },
    parts=parts,
    table=table,
    figure=figure,
    caption="Above, errors of reconstructed test images over the number of layers, one point per seed; "
    "below, by how much the decoder part's are higher, with 99 % intervals, and the band that counts as "
    "very similar.",
    answer=answer,
    needs=("torch",),
)
