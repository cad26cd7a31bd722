"""The claim about forgetting: which rules forget, by which law, and whether that depends on the measure."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from hebbian_descent.checks import Array
from hebbian_descent.datasets import draw_pair
from hebbian_descent.forgetting import fit_forgetting
from hebbian_descent.paper.claims.base import Claim, Judgement, Word
from hebbian_descent.paper.grids import LEARNING_RATES, QUICK_RATES
from hebbian_descent.paper.run_context import RunContext
from hebbian_descent.rules import rule_title
from hebbian_descent.sweep import SweepResult

RULES = ("hebbian_descent", "gradient_descent", "hebb", "covariance")
MEASURES = {"mae": "error", "identification": "identification", "correlation": "correlation"}
RECALLED = 0.5
"""Of baseline; the last 20 patterns are recalled if their error is below it."""
FORGOTTEN = 0.1
"""Of baseline; by so much the error of the older half must exceed that of the last 20."""
CLEARLY = 2.0
"""Difference in AIC from which one law is said to fit better than another."""
LAWS = {"power_law": "power law", "exponential": "exponential", "line": "line"}
TIE = 0.005


class Stream(NamedTuple):
    """A stream of random pairs, learned once, and what each rule left of it."""

    n: int
    centered: SweepResult
    uncentered: SweepResult


class Law(NamedTuple):
    """Which law fits a curve best, and how much worse the power law fits."""

    best: str
    power_law_behind: float
    """AIC of the power law less that of the best other law; negative if the power law is the best."""
    pure_behind: float
    """The same for the power law without an asymptote, a·ageᵇ."""


def judge_forgetting(context: RunContext) -> Judgement:
    """Check three things: does it forget, does no other rule, and is it a power law?"""
    streams = [_stream(context, n) for n in ((100, 300) if context.effort.quick else (100, 1000))]
    forgets = all(shows_forgetting(stream.centered, "hebbian_descent") for stream in streams)
    others = [name for stream in streams for name in _other_forgetters(stream)]
    laws = {
        f"{what} of {stream.n}": law for stream in streams for what, law in _laws(stream.centered).items()
    }
    findings = [
        *_contrast(streams),
        f"Others that recall the last 20 and forget: {', '.join(others) or 'none'}.",
        f"Best law by AIC, with the power law's less that of the best other: {_in_words(laws)}.",
        *_rankings(streams),
    ]
    word = verdict(forgets, not others, [law.power_law_behind for law in laws.values()])
    return Judgement(word, "\n".join(findings))


def verdict(forgets: bool, alone: bool, power_law_behind: list[float]) -> Word:
    """Return holds if all three are so, with limits if it forgets and one of the others is so."""
    power_law = all(behind <= -CLEARLY for behind in power_law_behind)
    if forgets and alone and power_law:
        return "holds"
    return "holds with limits" if forgets and (alone or power_law) else "does not hold"


def _stream(context: RunContext, n: int) -> Stream:
    x, t = draw_pair("rand", "rand", n, seed=0)
    quick = context.effort.quick
    centered, uncentered = (
        context.sweep(
            x,
            t,
            rules=RULES,
            activations="sigmoid",
            learning_rates=QUICK_RATES if quick else LEARNING_RATES,
            trials=2 if quick else 3,
            centering=centering,
            measures=tuple(MEASURES),
        )
        for centering in ("mean", None)
    )
    return Stream(n, centered, uncentered)


def curve(result: SweepResult, rule: str, measure: str = "mae") -> Array:
    """Return a measure of each pattern, at the learning rate that is best for the error of the last 20."""
    (best,) = (found for found in result.best("last20", "mae") if found.rule == rule)
    values: Array = result.trials_of(best, measure).mean(axis=0)
    return values


def shows_forgetting(result: SweepResult, rule: str) -> bool:
    """Whether the last 20 patterns are recalled and the older half is not recalled as well."""
    recent, old = recent_and_old(curve(result, rule))
    return recent < RECALLED * result.baseline and old - recent > FORGOTTEN * result.baseline


def recent_and_old(errors: Array) -> tuple[float, float]:
    """Return the mean error of the last 20 patterns and of the older half."""
    return float(errors[-20:].mean()), float(errors[: len(errors) // 2].mean())


def _other_forgetters(stream: Stream) -> list[str]:
    return [
        f"{rule_title(rule, in_sentence=True)} {word} ({stream.n})"
        for word, result in (("centered", stream.centered), ("uncentered", stream.uncentered))
        for rule in RULES
        if (rule, word) != ("hebbian_descent", "centered") and shows_forgetting(result, rule)
    ]


def _laws(result: SweepResult) -> dict[str, Law]:
    errors = curve(result, "hebbian_descent")
    return {"error": best_law(errors), "retention": best_law(1 - errors / result.baseline)}


def best_law(values: Array) -> Law:
    """Fit all three laws by age, with and without an asymptote, and compare them by AIC."""
    age = np.arange(len(values), 0, -1)
    fits = [fit_forgetting(age, values, asymptote=asymptote, bounds=None) for asymptote in (False, True)]
    aic = {name: min(fit[name].aic for fit in fits) for name in LAWS}
    others = min(value for name, value in aic.items() if name != "power_law")
    return Law(
        min(aic, key=lambda name: aic[name]), aic["power_law"] - others, fits[0]["power_law"].aic - others
    )


def _contrast(streams: list[Stream]) -> Iterator[str]:
    for stream in streams:
        pairs = {rule: recent_and_old(curve(stream.centered, rule)) for rule in RULES}
        numbers = "; ".join(
            f"{rule_title(rule, in_sentence=True)} {recent:.3f}, {old:.3f}"
            for rule, (recent, old) in pairs.items()
        )
        yield f"{stream.n} random pairs, centered, error of the last 20 and of the older half: {numbers}."


def _in_words(laws: dict[str, Law]) -> str:
    return "; ".join(
        f"{what} {LAWS[law.best]} ({law.power_law_behind:+.1f}, without asymptote {law.pure_behind:+.1f})"
        for what, law in laws.items()
    )


def _rankings(streams: list[Stream]) -> Iterator[str]:
    """Say how the rules rank by each measure, each at its best learning rate for that measure."""
    for stream in streams:
        for by, patterns in {"last20": "the last 20", "all": "all"}.items():
            orders = (
                f"by {name}, {' > '.join(ranking(stream.centered, measure, by))}"
                for measure, name in MEASURES.items()
            )
            yield f"Ranking over {patterns} of {stream.n}: {'; '.join(orders)}."


def ranking(result: SweepResult, measure: str, by: str) -> list[str]:
    """Return the rules from best to worst; those within 0.005 of the one before are joined by '='."""
    cost = result.costs(by, measure)[:, 0].min(axis=(-2, -1))
    order = np.argsort(cost, kind="stable")
    names = [rule_title(rule, in_sentence=True) for rule in RULES]
    groups = [[names[order[0]]]]
    for before, this in pairwise(order):
        if cost[this] - cost[before] <= TIE:
            groups[-1].append(names[this])
        else:
            groups.append([names[this]])
    return [" = ".join(group) for group in groups]


CLAIMS = (
    Claim(
        14,
        "Only centered Hebbian-descent shows an inherent, plausible curve of forgetting, a power law.",
        "sec:HD_weight_decay_experiments",
        "Streams of 100 and 1000 random pairs, sigmoid units, no decay. A rule forgets if the error of the "
        "last 20 is below half of baseline and that of the older half larger by a tenth of it. Power law, "
        "exponential and line, with and without asymptote, are fitted to error and retention by age. Holds "
        "if only Hebbian-descent forgets and the power law has the lowest AIC by 2 in every fit; with limits "
        "if one of the two is so.",
        (
            "tests/paper/test_paper_claims.py::test_the_law_of_a_made_up_curve_is_found",
            "tests/paper/test_paper_claims.py::test_forgetting_needs_all_three_parts",
        ),
        judge_forgetting,
    ),
)
