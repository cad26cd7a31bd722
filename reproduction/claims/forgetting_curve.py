"""The claim about forgetting: which rules forget, on which data and how long a stream, and by which law."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from hebbian_descent.checks import Array
from hebbian_descent.datasets import draw_pair
from hebbian_descent.forgetting import Comparison, compare_laws
from hebbian_descent.rules import rule_title
from hebbian_descent.sweep import SweepResult
from reproduction.claims.base import Claim, Judgement, Word, weakest
from reproduction.claims.tally import on_all
from reproduction.grids import LEARNING_RATES, QUICK_RATES
from reproduction.run_context import RunContext

RULES = ("hebbian_descent", "gradient_descent", "hebb", "covariance")
CENTERINGS = {"centered": "mean", "uncentered": None}
DATA = (("rand", "rand"), ("adult", "rand"), ("mnist", "rand"))
LENGTHS, DRAWS = (100, 200, 300, 1000, 2000), 5
QUICK_LENGTHS, QUICK_DRAWS = (100, 300), 2
RESAMPLES = 40
RECALLED = 0.5
"""Of baseline; the last 20 patterns are recalled if their error is below it."""
FORGOTTEN = 0.1
"""Of baseline; the error of the older half must exceed that of the last 20 by this much."""
OTHER_LAWS = ("exponential", "line", "stretched_exponential")
"""Laws that exclude a power law. Wickelgren's has power law and exponential as limits, and is neither."""

Way = tuple[str, str]
"""A rule, and whether it is centered."""
OURS: Way = ("hebbian_descent", "centered")


class Stream(NamedTuple):
    """Errors after several draws of one kind and length of stream."""

    name: str
    n: int
    errors: dict[Way, list[Array]]
    """Of each pattern, the oldest first, draw by draw."""
    baselines: list[float]

    def forgetting_draws(self, way: Way) -> int:
        """Return in how many draws the last 20 patterns are recalled and the older half is not as well."""
        return sum(map(shows_forgetting, self.errors[way], self.baselines))

    @property
    def others(self) -> dict[Way, int]:
        """In how many draws each other way forgets as well; those that never do are left out."""
        found = {way: self.forgetting_draws(way) for way in self.errors if way != OURS}
        return {way: n for way, n in found.items() if n}

    def laws(self) -> Comparison:
        """Compare the laws of forgetting over all draws of centered Hebbian-descent."""
        return compare_laws(np.arange(self.n, 0, -1), np.array(self.errors[OURS]), resamples=RESAMPLES)


def shows_forgetting(errors: Array, baseline: float) -> bool:
    """Whether the last 20 patterns are recalled and the older half is not recalled as well."""
    recent, old = recent_and_old(errors)
    return recent < RECALLED * baseline and old - recent > FORGOTTEN * baseline


def recent_and_old(errors: Array) -> tuple[float, float]:
    """Return the mean error of the last 20 patterns and of the older half."""
    return float(errors[-20:].mean()), float(errors[: len(errors) // 2].mean())


def judge_forgetting(context: RunContext) -> Judgement:
    """Check three things: does it forget, does no other rule, and is it a power law?"""
    streams = [
        stream(context, data, n)
        for data in (DATA[:1] if context.effort.quick else DATA)
        for n in (QUICK_LENGTHS if context.effort.quick else LENGTHS)
    ]
    comparisons = [found.laws() for found in streams]
    laws = [comparison.law for comparison in comparisons]
    parts = {
        "It forgets": on_forgetting(streams),
        "Only it does": on_being_alone(streams),
        "By a power law": on_power_law(laws),
    }
    generously = on_power_law("power_law" if law == "wickelgren" else law for law in laws)
    by_part = [
        *(f"{part}: {word}." for part, word in parts.items()),
        "If Wickelgren's law, a power of 1 + β·age, counted as a power law, that part: " + generously + ".",
    ]
    findings = [
        *(by_part if not context.effort.quick else []),  # A few streams could contradict all of them.
        f"Laws: {', '.join(f'{law} {n}' for law, n in Counter(laws).most_common())}. Of power law and "
        f"exponential alone the power law fits better in {sum(map(prefers_power_law, comparisons))} of "
        f"{len(comparisons)}.",
        *map(_in_words, streams, comparisons),
    ]
    return Judgement(weakest(parts.values()), "\n".join(findings))


def on_forgetting(streams: Iterable[Stream]) -> Word:
    """Judge that centered Hebbian-descent forgets: a stream is for it if it does so in all its draws."""
    shares = [(found.forgetting_draws(OURS), len(found.baselines)) for found in streams]
    return on_all(sum(k == n for k, n in shares), sum(k == 0 for k, n in shares))


def on_being_alone(streams: Iterable[Stream]) -> Word:
    """Judge that no other way forgets: a stream is against it if one does so in all its draws."""
    found = list(streams)
    against = [max(item.others.values(), default=0) == len(item.baselines) for item in found]
    return on_all(sum(not item.others for item in found), sum(against))


def on_power_law(laws: Iterable[str]) -> Word:
    """Judge that curves follow a power law, by the law that fits each best, which may be undecided."""
    counts = Counter(laws)
    return on_all(counts["power_law"], sum(counts[law] for law in OTHER_LAWS))


def prefers_power_law(laws: Comparison) -> bool:
    """Whether the best power law fits better than the best exponential, whatever the other laws do."""
    return _best_of(laws, "power_law") < _best_of(laws, "exponential")


def _best_of(laws: Comparison, name: str) -> float:
    return min(fit.aicc for fit in laws.fits.values() if fit.name == name)


def stream(context: RunContext, data: tuple[str, str], n: int) -> Stream:
    """Learn several draws of a stream by every rule, centered and not, at the rate best for the last 20."""
    quick = context.effort.quick
    errors: dict[Way, list[Array]] = {(rule, word): [] for rule in RULES for word in CENTERINGS}
    baselines = []
    for draw in range(QUICK_DRAWS if quick else DRAWS):
        x, t = draw_pair(*data, n, seed=draw)
        for word, centering in CENTERINGS.items():
            result = context.sweep(
                x,
                t,
                rules=RULES,
                activations="sigmoid",
                learning_rates=QUICK_RATES if quick else LEARNING_RATES,
                trials=1,
                centering=centering,
            )
            for rule, curve in _curves(result).items():
                errors[rule, word].append(curve)
        baselines.append(float(result.baseline))
    return Stream("→".join(data), n, errors, baselines)


def _curves(result: SweepResult) -> dict[str, Array]:
    return {found.rule: result.trials_of(found, "mae").mean(axis=0) for found in result.best("last20", "mae")}


def _in_words(found: Stream, laws: Comparison) -> str:
    recent, old = np.mean([recent_and_old(errors) for errors in found.errors[OURS]], axis=0)
    others = ", ".join(
        f"{rule_title(rule, in_sentence=True)} {word} in {n} of {len(found.baselines)} draws"
        for (rule, word), n in found.others.items()
    )
    return (
        f"{found.n} pairs {found.name}: error {recent:.3f} of the last 20, {old:.3f} of the older half; "
        f"forgets in {found.forgetting_draws(OURS)} of {len(found.baselines)} draws; others: "
        f"{others or 'none'}; law: {laws.law} (best {laws.best.label}, Akaike weight "
        f"{laws.weights[laws.best.label]:.2f}, support {laws.support:.2f})."
    )


TESTS = "reproduction/tests/test_paper_claims_forgetting.py::"
CLAIMS = (
    Claim(
        14,
        "Only Hebbian-descent with centering shows an inherent and plausible curve of forgetting that "
        "follows a power law.",
        "sec:HD_weight_decay_experiments",
        f"Streams of {', '.join(map(str, LENGTHS))} pairs rand→rand, adult→rand and mnist→rand, "
        f"{DRAWS} draws each, sigmoid units, no decay, every rule with and without centering at its "
        "best rate. A rule forgets if the error of the last 20 is below half of baseline and that of the "
        "older half larger by a tenth of it. Laws of the error by age, with and without asymptote, are "
        "compared by AICc and by drawing the curves anew.",
        "Streams of one kind and length are the cells of three parts. It forgets: for it in all draws, "
        "against it in none. Only it does: for it if no other rule forgets in any draw, against it if "
        "another one does in all. Power law: for it if that law is decided for, against it if exponential, "
        "stretched exponential or line is (Wickelgren's law is neither). Each part holds if no cell is "
        "against it; with limits if fewer are against it than for it; does not hold if at least as many; "
        "undecided if no cell is for or against it. The verdict is that of the weakest part.",
        (
            TESTS + "test_forgetting_is_judged_by_all_streams_and_draws",
            TESTS + "test_the_law_of_made_up_streams_is_found",
            "tests/test_forgetting.py::test_several_curves_decide_by_how_often_a_law_is_chosen",
        ),
        judge_forgetting,
        datasets=("adult", "mnist"),
    ),
)
