"""Claim 14: does Hebbian-descent alone forget, and by a power law?"""

from __future__ import annotations

import numpy as np
import pandas as pd

from hebbian_descent.datasets import draw_pair
from hebbian_descent.forgetting import compare_laws
from hebbian_descent.rules import rule_title
from hebbian_descent.sweep.grids import LEARNING_RATES
from reproduction.claims.cells import Numbers
from reproduction.claims.contrast import ALL, Found
from reproduction.claims.judge import Claim
from reproduction.claims.networks import Networks, Records, Setting, each_cell
from reproduction.context import Context
from reproduction.evidence import Word, on_all, weakest
from reproduction.rows import Rows

RULES = ("hebbian_descent", "gradient_descent", "hebb", "covariance")
CENTERINGS = {"centered": "mean", "uncentered": None}
OURS = ("hebbian_descent", "centered")
RECALLED = 0.5
"""Of baseline; the last 20 patterns are recalled if their error is below it."""
FORGOTTEN = 0.1
"""Of baseline; the error of the older half must exceed that of the last 20 by this much."""
DECISIVE = 0.9
"""Support from which on a law is decided for."""


def streams(context: Context, setting: Setting) -> Records:
    """Errors on streams: five draws, sigmoid units, no decay, every rule at its best rate, centered or not.

    Laws of the error by age, with and without asymptote, are compared by AICc and by drawing the curves anew.
    """
    n, curves = int(setting["patterns"]), []
    grid = {"rules": RULES, "activations": "sigmoid", "learning_rates": LEARNING_RATES, "trials": 1}
    for draw in range(5):
        x, t = draw_pair(setting["input"], setting["target"], n, seed=draw)
        for word, centering in CENTERINGS.items():
            result = context.sweep(x, t, centering=centering, **grid)
            for best in result.best("last20", "mae"):
                errors = result.trials_of(best, "mae").mean(axis=0)
                if (best.rule, word) == OURS:
                    curves.append(errors)
                way = {"rule": best.rule, "centering": word, "draw": draw}
                yield {**way, "measure": "mae_last20", "value": errors[-20:].mean()}
                yield {**way, "measure": "mae_older_half", "value": errors[: n // 2].mean()}
        yield {"draw": draw, "measure": "baseline", "value": float(result.baseline)}
    laws = compare_laws(np.arange(n, 0, -1), np.array(curves), resamples=40)
    for label, fit in laws.fits.items():
        yield {"law": label, "measure": "aicc", "value": fit.aicc}
    yield {"law": laws.best.label, "measure": "support", "value": laws.support}


def judged(numbers: Numbers) -> Found:
    """Check three things: does it forget, does no other rule, and is it a power law?"""
    streams = [rows for _, rows in each_cell(numbers.rows("claim 14"), "input", "target", "patterns")]
    forgets = pd.DataFrame(map(forgetting_draws, streams))
    n_draws = pd.Series([rows["draw"].nunique() for rows in streams])
    fits = pd.DataFrame(map(best_law, streams))
    parts = {
        "It forgets": it_forgets(forgets, n_draws),
        "Only it does": only_it_does(forgets, n_draws),
        "By a power law": by_power_law(fits["law"]),
    }
    generously = by_power_law(fits["law"].replace("wickelgren", "power_law"))
    laws = ", ".join(f"{law} {n}" for law, n in fits["law"].value_counts().items())
    findings = [
        *(f"{part}: {word}." for part, word in parts.items()),
        f"If Wickelgren's law, a power of 1 + β·age, counted as a power law, that part: {generously}.",
        f"Laws: {laws}. Of power law and exponential alone the power law fits better in "
        f"{fits['prefers_power_law'].sum()} of {len(fits)}.",
        *(in_words(rows, forgets.loc[i], fits.loc[i]) for i, rows in enumerate(streams)),
    ]
    return Found(weakest(parts.values()), "\n".join(findings))


def forgetting_draws(rows: Rows) -> pd.Series:
    """Return in how many draws each rule recalls the last 20 patterns, and not the older half as well."""
    found = _recalled(rows)
    recent, old = found["mae_last20"], found["mae_older_half"]
    of_draws = rows[rows["measure"] == "baseline"].set_index("draw")["value"]
    baseline = of_draws.reindex(found.index, level="draw")
    forgets = (recent < RECALLED * baseline) & (old - recent > FORGOTTEN * baseline)
    return forgets.groupby(level=["rule", "centering"], observed=True).sum()


def _recalled(rows: Rows) -> pd.DataFrame:
    """Return the errors of the last 20 patterns and of the older half, by rule, centering and draw."""
    found = rows[rows["measure"].isin(["mae_last20", "mae_older_half"])]
    return found.pivot(index=["rule", "centering", "draw"], columns="measure", values="value")


def best_law(rows: Rows) -> dict[str, object]:
    """Return the law that fits centered Hebbian-descent best, if its support is decisive, and its weight."""
    support = rows[rows["measure"] == "support"].iloc[0]
    aicc = rows[rows["measure"] == "aicc"].set_index("law")["value"]
    weights, names = np.exp(-(aicc - aicc.min()) / 2), aicc.index.astype(str).str.split().str[0]
    return {
        "law": support["law"].split()[0] if support["value"] >= DECISIVE else "undecided",
        "best": support["law"],
        "weight": weights[support["law"]] / weights.sum(),
        "support": support["value"],
        "prefers_power_law": aicc[names == "power_law"].min() < aicc[names == "exponential"].min(),
    }


def in_words(rows: Rows, forgets: pd.Series, fit: pd.Series) -> str:
    """Return what is known about one stream."""
    first, n, errors = rows.iloc[0], rows["draw"].nunique(), _recalled(rows).loc[OURS].mean()
    others = ", ".join(
        f"{rule_title(rule, in_sentence=True)} {word} in {times} of {n} draws"
        for (rule, word), times in forgets.drop(OURS).items()
        if times
    )
    return (
        f"{first['patterns']} pairs {first['input']}→{first['target']}: error {errors['mae_last20']:.3f} of "
        f"the last 20, {errors['mae_older_half']:.3f} of the older half; forgets in {forgets[OURS]} of {n} "
        f"draws; others: {others or 'none'}; law: {fit['law']} (best {fit['best']}, Akaike weight "
        f"{fit['weight']:.2f}, support {fit['support']:.2f})."
    )


def it_forgets(forgets: pd.DataFrame, n_draws: pd.Series) -> Word:
    """Judge that centered Hebbian-descent forgets: a stream is for it if it does so in all its draws."""
    return on_all((forgets[OURS] == n_draws).sum(), (forgets[OURS] == 0).sum())


def only_it_does(forgets: pd.DataFrame, n_draws: pd.Series) -> Word:
    """Judge that no other rule forgets: a stream is against it if one does so in all its draws."""
    most = forgets.drop(columns=[OURS]).max(axis=1)
    return on_all((most == 0).sum(), (most == n_draws).sum())


def by_power_law(laws: pd.Series) -> Word:
    """Judge that curves follow a power law; Wickelgren's has power law and exponential as limits: neither."""
    others = ("exponential", "line", "stretched_exponential")
    return on_all((laws == "power_law").sum(), laws.isin(others).sum())


STREAMS = tuple(
    {"input": data, "target": "rand", "patterns": n}
    for data in ("rand", "adult", "mnist")
    for n in ("100", "200", "300", "1000", "2000")
)
CLAIMS = (
    Claim(
        14,
        "Only Hebbian-descent with centering shows an inherent and plausible curve of forgetting that "
        "follows a power law.",
        "sec:HD_weight_decay_experiments",
        Networks(
            "claim 14",
            "Forgetting",
            STREAMS,
            streams,
            judged,
            "A rule forgets if the error of the last 20 patterns is below half of baseline and that of the "
            "older half larger by a tenth of it. Streams of one kind and length are the cells of three "
            "parts. It forgets: for it in all draws, against it in none. Only it does: for it if no other "
            "rule forgets in any draw, against it if another one does in all. Power law: for it if that law "
            "is decided for, against it if exponential, stretched exponential or line is (Wickelgren's law "
            f"is neither). {ALL} The verdict is that of the weakest part.",
        ),
        ("reproduction/tests/test_claims_trained.py", "tests/test_forgetting.py"),
    ),
)
