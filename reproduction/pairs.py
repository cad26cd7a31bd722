"""Printed numbers side by side: paired differences, winners, and what exchanging two numbers would change.

Two cells of one draw saw the same patterns and began with the same weights, so their difference scatters far
less than either number. The printed difference counts as that of one more draw; where whole datasets are
learned, as the mean difference of ten more trials. The paper's text is about such differences, and they tell
apart numbers whose intervals overlap.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd

from reproduction.compare import PRINTED_TRIALS, ROUNDING, WIDEST, agreement, fewest, is_drawn, is_wide
from reproduction.context import Context
from reproduction.evidence import student
from reproduction.printed import PrintedRow, printed_rows
from reproduction.rows import by_repetition
from reproduction.running import rows_of

WITHIN_RULE = "cells of a rule"
BETWEEN_RULES = "rules"
DESCENTS = "gradient descent and Hebbian-descent"
CENTERING = "centered and uncentered"
OFFSETS = "fixed and adaptive offsets"
PAIRED = (DESCENTS, CENTERING, OFFSETS)
"""The differences that the paper's text is about."""
KINDS = (WITHIN_RULE, BETWEEN_RULES, *PAIRED)
"""What can be exchanged, within one table, except for centering, of which some tables have one side each."""
TWO_DESCENTS = {"gradient_descent", "hebbian_descent"}
PRINTED_STEP = 1e-4
"""How far rounding moves the difference of two numbers with four digits."""

Key = frozenset[tuple[str, str]]


def members_of(kind: str, table: pd.DataFrame) -> Iterator[list[int]]:
    """Yield the places in a table of verdicts that differ in one thing alone, such as the rule."""
    groups: dict[Any, list[int]] = defaultdict(list)
    printed = printed_rows()
    for place, (row, measure) in enumerate(zip(table["row"], table["measure"], strict=True)):
        common = _common(printed[row], kind)
        if common is not None:
            groups[measure, common].append(place)
    yield from groups.values()


def _common(row: PrintedRow, kind: str) -> tuple[str, Key] | None:
    """Return what rows that differ in one thing have in common, or None if this row has no such partner."""
    cell, label = dict(row.cell), row.label
    if kind == WITHIN_RULE:
        return label, frozenset({("rule", cell["rule"])})
    if kind == CENTERING:
        cell.pop("centering", None)
        return label.replace("uncentered", "centered"), frozenset(cell.items())
    if kind == OFFSETS:
        return (label, frozenset(cell.items())) if cell.pop("offsets", None) else None
    if kind == DESCENTS and cell["rule"] not in TWO_DESCENTS:
        return None
    del cell["rule"]
    return label, frozenset(cell.items())


def pairs(context: Context, table: pd.DataFrame) -> pd.DataFrame:
    """Judge the printed differences among results (verdicts of `compare.verdicts`), first minus second.

    One agrees within the 99 % interval (Student's t), or within what rounding may change. It is undecided
    with fewer than five draws (three trials), if the interval reaches further than 0.01 and than the
    difference itself, and if the opposite difference would agree as well: then it is open which is better.
    """
    values = Repetitions(context)
    rows, measures = table["row"].to_numpy(), table["measure"].to_numpy()
    printed = printed_rows()
    found = [
        {"kind": kind, **_judged(printed[rows[first]], printed[rows[second]], measures[first], values)}
        for kind in PAIRED
        for first, second in (places for places in members_of(kind, table) if len(places) == 2)
    ]
    return pd.DataFrame(found)


class Repetitions:
    """Our numbers by draw or, where nothing was drawn, by trial."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self._tables: dict[tuple[str, str], dict[Key, pd.Series]] = {}

    def of(self, row: PrintedRow, measure: str) -> pd.Series:
        """Return the numbers of a printed row; empty if there are none."""
        place = row.label, measure
        if place not in self._tables:
            self._tables[place] = self._read(*place)
        return self._tables[place].get(frozenset(row.cell.items()), pd.Series(dtype=float))

    def _read(self, label: str, measure: str) -> dict[Key, pd.Series]:
        rows = rows_of(label, self.context)
        if not len(rows):
            return {}
        found = by_repetition(rows, measure)
        cells = (frozenset(zip(found.index.names, cell, strict=True)) for cell in found.index)
        return {cell: line for cell, (_, line) in zip(cells, found.iterrows(), strict=True)}


def _judged(first: PrintedRow, second: PrintedRow, measure: str, values: Repetitions) -> dict[str, Any]:
    # Printed numbers have four digits; what subtraction adds behind them could hide a tie.
    printed = round(first.results[measure] - second.results[measure], 6)
    differences = (values.of(first, measure) - values.of(second, measure)).to_numpy()
    differences = differences[~np.isnan(differences)]
    pair = {"first": first, "second": second, "measure": measure, "printed": printed, "n": len(differences)}
    if len(differences) < 2:
        return {**pair, "word": "undecided" if len(differences) else "unpaired", "direction": "open"}
    return {**pair, **_judged_by(differences, printed, is_drawn(first))}


def _judged_by(differences: np.ndarray, printed: float, drawn: bool) -> dict[str, Any]:
    n, mean, sd = len(differences), float(differences.mean()), float(differences.std(ddof=1))
    # One more draw, or the mean of the printed trials, scatters around ours by:
    spread = sd * np.sqrt(1 / n + (1 if drawn else 1 / PRINTED_TRIALS))
    bound = max(student(n - 1) * spread, PRINTED_STEP)
    agrees, opposite_agrees = (abs(number - mean) <= bound for number in (printed, -printed))
    is_tie, enough = abs(printed) <= PRINTED_STEP, n >= fewest(drawn)
    blind = bound > max(WIDEST, abs(printed)) or (opposite_agrees and not is_tie)
    word = "undecided" if not enough or (agrees and blind) else "agrees" if agrees else "differs"
    chance = max(student(n - 1) * sd / np.sqrt(n), PRINTED_STEP)
    certain = abs(mean) > chance and not is_tie and enough
    direction = ("same" if mean * printed > 0 else "opposite") if certain else "open"
    z = float((printed - mean) / np.hypot(spread, np.sqrt(2) * ROUNDING))
    return {"ours": mean, "sd": sd, "z": z, "word": word, "direction": direction}


def swaps(table: pd.DataFrame) -> pd.DataFrame:
    """Return how many agreements would survive if the print had exchanged two of its numbers.

    An agreement says little where numbers that mean something else would agree as well. The share that an
    exchange leaves standing is 0 where the comparison tells the two numbers apart, 1 where it cannot.
    """
    word, printed = table["word"].to_numpy(), table["printed"].to_numpy()
    tried = [
        (kind, first, second)
        for kind in KINDS
        for places in members_of(kind, table)
        if kind != BETWEEN_RULES or not _are_the_descents(table["row"].iloc[places])
        for first, second in permutations(places, 2)
        if word[first] == "agrees" and printed[first] != printed[second]
    ]
    kinds, first, second = zip(*tried, strict=True) if tried else ((), (), ())
    ours = table.iloc[list(first)]
    number = printed[list(second)]
    half, drawn = ours["half"].to_numpy(), ours["drawn"].to_numpy(dtype=bool)
    agrees = agreement(np.abs(number - ours["ours"].to_numpy()), number, half, drawn) != ""
    found = ours[["experiment", "measure"]].assign(kind=kinds, survives=agrees & ~is_wide(half, number))
    counts = found.groupby(["experiment", "measure", "kind"], sort=False)["survives"].agg(["size", "sum"])
    return counts.set_axis(["exchanges", "survive"], axis=1).reset_index()


def _are_the_descents(rows: pd.Series) -> bool:
    """Return whether these are the two descents alone, which are a kind of their own: counted once."""
    return {printed_rows()[row].cell["rule"] for row in rows} <= TWO_DESCENTS


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """Count the verdicts of each table and measure.

    `blind` is the share of agreements that would survive if the print had exchanged the two descents, or the
    two offsets; `rms_z` is near 1 if the printed numbers scatter around ours as our own draws do.
    """
    place = ["experiment", "measure"]
    words = table.groupby([*place, "word"], sort=False).size().unstack(fill_value=0)
    counts = words.reindex(columns=["agrees", "differs", "undecided", "not run"], fill_value=0)
    z = table.groupby(place, sort=False)["z"].agg(lambda values: np.sqrt((values.dropna() ** 2).mean()))
    exchanged = swaps(table)
    exchanged = exchanged[exchanged["kind"].isin((DESCENTS, OFFSETS))]
    shares = exchanged.assign(blind=exchanged["survive"] / exchanged["exchanges"])
    blind = shares.groupby(place)["blind"].max()
    return counts.assign(blind=blind, rms_z=z).loc[z.index].reset_index()


SMALLER_IS_BETTER = ("mae_last20", "mae_mean", "error_mean")
"""The measures whose winners the paper prints in bold."""


def winners(table: pd.DataFrame) -> pd.DataFrame:
    """Compare the best rule of the print with ours wherever every rule was run with enough draws.

    The word is "same", "other" or, if the two differ by less than the spread in our numbers or in theirs,
    "tie".
    """
    judged = table[table["measure"].isin(SMALLER_IS_BETTER)]
    enough = judged["n"] >= judged["drawn"].map(fewest)
    groups = (places for places in members_of(BETWEEN_RULES, judged) if len(places) > 1)
    return pd.DataFrame([_winner(judged.iloc[places]) for places in groups if enough.iloc[places].all()])


def _winner(rules: pd.DataFrame) -> Mapping[str, Any]:
    rows = printed_rows()
    ours = rules["ours"].fillna(np.inf)  # one that diverged is larger than all others
    best_in_print = rules["printed"] == rules["printed"].min()
    # Of equal rules, such as two that diverged, the printed one counts, whatever their order.
    best = ours[best_in_print].idxmin() if ours[best_in_print].min() <= ours.min() else ours.idxmin()
    rival = ours[best_in_print].idxmin()
    spread = float(np.hypot(np.nan_to_num(rules["sd"][best]), np.nan_to_num(rules["sd"][rival])))
    gaps = rules["printed"][~best_in_print] - rules["printed"].min()
    near = ours[rival] - ours[best] <= spread or rules["printed"][best] - rules["printed"].min() <= spread
    return {
        "experiment": rules["experiment"].iloc[0],
        "row": rules["row"].iloc[0],
        "printed": [rows[row].cell["rule"] for row in rules["row"][best_in_print]],
        "ours": rows[rules["row"][best]].cell["rule"],
        "word": "same" if best_in_print[best] else "tie" if near else "other",
        "gap": float(gaps.min()) if len(gaps) else 0.0,
        "spread": spread,
    }
