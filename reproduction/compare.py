"""Comparison of printed numbers with ours: would one more run give the printed number?

Where patterns were drawn, the printed number counts as one more draw; where whole datasets were used, it is
compared with ours by the spread over the trials of both. A verdict must be able to come out either
way: with few draws, or an interval so wide that most numbers lie in it, a result is undecided.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import fdtri

from hebbian_descent.sweep.grids import LEARNING_RATES
from reproduction.context import Context
from reproduction.evidence import CONFIDENCE, student
from reproduction.printed import RESULTS, PrintedRow, printed_numbers, printed_rows
from reproduction.rows import Rows, settings_of
from reproduction.running import rows_of

CLOSE_ENOUGH = 0.005
RELATIVELY_CLOSE = 0.05
"""Tolerance for whole datasets, whose results differ by more than one draw of patterns explains."""
FEWEST_DRAWS = 5
FEWEST_TRIALS = 3
"""Trials differ only in their initial weights, and the print has its own spread over trials."""
WIDEST = 0.01
RELATIVELY_WIDE = 0.25
"""In an interval that reaches further than both, 0.01 and a quarter of the printed number, nothing agrees."""
PRINTED_TRIALS = 10
ROUNDING = 1e-4 / np.sqrt(12)
"""Standard deviation of the rounding error of four printed digits."""
STD_OF = {"error_mean": "error_std", "mae_mean": "mae_std"}
"""The printed standard deviation that belongs to a result."""
BEST_RATE = "best_learning_rate"
Place = tuple[str, frozenset[tuple[str, str]], str]
"""A table, the settings of a cell, and a measure."""


def is_drawn(row: PrintedRow) -> bool:
    """Whether a printed row is about 100 patterns drawn at random, instead of whole datasets."""
    return "input" in row.cell


def fewest(drawn: bool) -> int:
    """Return how many draws, or trials on whole datasets, can decide anything."""
    return FEWEST_DRAWS if drawn else FEWEST_TRIALS


def verdicts(context: Context, labels: Iterable[str] | None = None) -> pd.DataFrame:
    """Judge the printed results of some tables, or of all, one line each."""
    return judged(_with_ours(lambda label: rows_of(label, context), labels, is_result=True))


def verdicts_of(label: str, rows: Rows) -> pd.DataFrame:
    """Judge the printed results of a table for which there are rows, such as those of a run under way."""
    found = judged(_with_ours(lambda _: rows, [label], is_result=True))
    return found[found["n"] > 0]


def judged(table: pd.DataFrame) -> pd.DataFrame:
    """Judge printed results beside ours.

    A number agrees within the 99 % interval or within 0.005, and for whole datasets also within 5 %; column
    `rests_on` says which. It is undecided with fewer than five draws (three trials), or if it lies in an
    interval that reaches further than 0.01 and than a quarter of the number; what lies even outside a wide
    interval differs. So does a number where one of our draws diverged at every learning rate: our mean is
    NaN then, and so is z.
    """
    drawn, n = table["drawn"].to_numpy(), table["n"].to_numpy()
    spread, half = np.where(drawn, _one_more_draw(table), _means_of_trials(table))
    distance = table["printed"] - table["ours"]
    rests_on = agreement(distance.abs(), table["printed"], half, drawn)
    too_few = n < np.where(drawn, FEWEST_DRAWS, FEWEST_TRIALS)
    found, wide = rests_on != "", is_wide(half, table["printed"])
    word = np.select([n == 0, too_few | (found & wide), found], ["not run", "undecided", "agrees"], "differs")
    z = distance / np.hypot(np.where(np.isfinite(spread), spread, np.nan), ROUNDING)
    return table.assign(half=half, z=z, word=word, rests_on=np.where(word == "agrees", rests_on, ""))


def agreement(
    distance: npt.ArrayLike, number: npt.ArrayLike, half: np.ndarray, drawn: np.ndarray
) -> np.ndarray:
    """Return the first of the three bounds within which a number lies, or nothing."""
    distance = np.asarray(distance)
    relative = ~drawn & (distance <= RELATIVELY_CLOSE * np.abs(number))
    bounds = [distance <= half, distance <= CLOSE_ENOUGH, relative]
    return np.select(bounds, ["interval", "absolute", "relative"], "")


def is_wide(half: np.ndarray, number: npt.ArrayLike) -> np.ndarray:
    """Return whether an interval is so wide that lying in it says nothing."""
    return ~(half <= np.maximum(WIDEST, RELATIVELY_WIDE * np.abs(number)))


def _one_more_draw(table: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Return the spread of one more draw, and half the 99 % prediction interval (Student's t).

    Most of our draws have fewer trials than the printed one and so scatter more: it covers at least 99 %.
    """
    n = table["n"].where(table["n"] > 1)
    spread = table["sd"] * np.sqrt(1 + 1 / n)
    return spread.to_numpy(), student(n - 1) * spread.to_numpy()


def _means_of_trials(table: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Return the spread of the difference of two means over trials, and half its 99 % interval (Welch)."""
    n = table["n"].to_numpy()
    # Both deviations are those of the trials themselves, which are smaller than those of their population.
    ours = table["sd"].to_numpy() ** 2 / np.maximum(n - 1, 1)
    printed_sd = table["printed_sd"].to_numpy()
    # As large as ours where none is printed.
    print_ = np.where(np.isnan(printed_sd), ours * n / PRINTED_TRIALS, printed_sd**2 / (PRINTED_TRIALS - 1))
    spread = np.sqrt(print_ + ours)
    parts = print_**2 / (PRINTED_TRIALS - 1) + ours**2 / np.maximum(n - 1, 1)
    freedom = (print_ + ours) ** 2 / np.where(parts > 0, parts, 1)
    half = np.where(spread > 0, student(freedom) * spread, 0.0)
    return spread, np.where(n > 1, half, np.nan)


def deviations_and_rates(context: Context, labels: Iterable[str] | None = None) -> pd.DataFrame:
    """Judge printed standard deviations and best learning rates, one line each.

    A standard deviation over ten trials is itself uncertain by a quarter: it agrees with ours if the ratio
    of the two variances lies in the 99 % interval of the F distribution, whatever the last printed digit was
    rounded from. A learning rate is one of 35; it agrees if it is the same one.
    """
    table = _with_ours(lambda label: rows_of(label, context), labels, is_result=False)
    is_rate = table["measure"] == BEST_RATE
    ours = table["learning_rate"].where(is_rate, table["trial_sd"])
    word = np.where(
        is_rate, _rate_words(table["printed"], ours), _sd_words(table["printed"], ours, table["trials"])
    )
    not_run = ours.isna() | (~is_rate & (table["trials"] < 2))
    return table.assign(ours=ours, n=table["trials"], word=np.where(not_run, "not run", word))


def _rate_words(printed: pd.Series, ours: pd.Series) -> np.ndarray:
    grid = np.sort(LEARNING_RATES)
    places = (np.abs(grid[:, None] - np.asarray(rates)).argmin(axis=0) for rates in (printed, ours.fillna(0)))
    steps = np.abs(np.subtract(*places))
    return np.select([steps == 0, steps == 1], ["agrees", "a step apart"], "differs")


def _sd_words(printed: pd.Series, ours: pd.Series, n: pd.Series) -> np.ndarray:
    half_a_digit, freedom = 0.5e-4, np.maximum(n.to_numpy() - 1, 1)
    # Both are deviations of the trials themselves: n / (n − 1) makes them estimates of the spread.
    correction = np.sqrt(PRINTED_TRIALS / (PRINTED_TRIALS - 1))
    smallest, largest = (correction * np.maximum(printed + s * half_a_digit, 0.0) for s in (-1, 1))
    own = ours * np.sqrt((freedom + 1) / freedom)
    tails = ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2)
    low, high = (np.sqrt(fdtri(PRINTED_TRIALS - 1, freedom, tail)) for tail in tails)
    return np.where((largest >= low * own) & (smallest <= high * own), "agrees", "differs")


def _with_ours(
    rows_of_table: Callable[[str], Rows], labels: Iterable[str] | None, *, is_result: bool
) -> pd.DataFrame:
    """Return printed numbers beside ours: ours, sd, n, learning_rate, and trials of the first draw."""
    table = printed_numbers()
    judged = (*RESULTS,) if is_result else (*STD_OF.values(), BEST_RATE)
    table = table[table["measure"].isin(judged)]
    if labels is not None:
        table = table[table["experiment"].isin(list(labels))]
    printed = printed_rows()
    estimates: dict[Place, dict[str, float]] = {}
    for label in table["experiment"].unique():
        estimates |= _estimates(label, rows_of_table(label))
    result_of = {sd: result for result, sd in STD_OF.items()}
    lines = []
    for place, measure in zip(table["row"], table["measure"], strict=True):
        row = printed[place]
        of = result_of.get(measure, measure) if measure != BEST_RATE else next(iter(row.results))
        found = estimates.get((row.label, frozenset(row.cell.items()), of), {})
        printed_sd = row.context.get(STD_OF.get(measure, ""), np.nan)
        lines.append({"drawn": is_drawn(row), "printed_sd": printed_sd, "n": 0, "trials": 0, **found})
    numbers = dict.fromkeys(("ours", "sd", "learning_rate", "trial_sd", "printed_sd"), "float64")
    types = {**numbers, "n": "int64", "trials": "int64", "drawn": "bool"}
    return table.join(pd.DataFrame(lines, index=table.index, columns=list(types)).astype(types))


def _estimates(label: str, rows: Rows) -> dict[Place, dict[str, float]]:
    """Return our estimate of each number of a table, by cell and measure."""
    if not len(rows):
        return {}
    settings = settings_of(rows)
    keys = [*settings, "measure", "draw"]
    of_draws = rows[rows["trial"] >= 0].groupby(keys, observed=True, sort=False)["value"].agg(list)
    draws: dict[tuple[str, ...], list[np.ndarray]] = defaultdict(list)
    for place, values in of_draws.items():
        draws[place[:-1]].append(np.array(values))
    found = {
        (label, _cell(settings, cell), measure): estimate(by_draw, "input" in settings)
        for (*cell, measure), by_draw in draws.items()
    }
    rates = rows[(rows["measure"] == "learning_rate") & (rows["draw"] == rows["draw"].min())]
    words = zip(*(rates[name] for name in settings), strict=True)
    best = {_cell(settings, cell): rate for cell, rate in zip(words, rates["value"], strict=True)}
    return {key: {**numbers, "learning_rate": best.get(key[1], np.nan)} for key, numbers in found.items()}


def _cell(settings: list[str], words: Iterable[str]) -> frozenset[tuple[str, str]]:
    return frozenset((name, word) for name, word in zip(settings, words, strict=True) if word)


def estimate(by_draw: list[np.ndarray], drawn: bool) -> dict[str, float]:
    """Return mean and deviation over draws or, where nothing was drawn, over the trials."""
    means, first = np.array([values.mean() for values in by_draw]), by_draw[0]
    of_draws = float(means.std(ddof=1)) if len(means) > 1 else np.nan
    return {
        "ours": float(means.mean()),
        "sd": of_draws if drawn else float(first.std()),
        "n": len(means) if drawn else len(first),
        "trial_sd": float(first.std()),
        "trials": len(first),
    }
