"""Claims about learning each pattern once: centering, and Hebbian-descent against the other rules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from hebbian_descent.rules import rule_title
from reproduction.claims.base import Claim, Judgement
from reproduction.claims.cells import Cell, Comparison, cells, changed, compared
from reproduction.claims.tally import (
    ALL,
    BY_RULE,
    SIGNIFICANTLY,
    STRICTLY,
    every_strictly,
    judged_by_cells,
    tally,
)
from reproduction.comparison import Key
from reproduction.run_context import RunContext

CENTERED = (
    "tab:Hetero_online_centered_1",
    "tab:Hetero_online_centered_2",
    "tab:Hetero_online_centered_3",
)
UNCENTERED = (
    "tab:Hetero_online_uncentered_1",
    "tab:Hetero_online_uncentered_2",
    "tab:Hetero_online_uncentered_3",
)
DECAY = ("tab:centered_weight_decay",)
AGAINST_HEBB = {
    "centered": (CENTERED, "mae_last20"),
    "uncentered": (UNCENTERED, "mae_last20"),
    "centered with weight decay": (DECAY, "mae_last20"),
    "classification": (("tab:label_learning_centered", "tab:label_learning_uncentered"), "error_mean"),
}
OTHERS = ("gradient_descent", "hebb", "covariance")


def judge_centering(context: RunContext) -> Judgement:
    """Compare each cell with its uncentered twin, rule by rule."""
    with_offset = cells(context, CENTERED, "mae_last20")
    without = cells(context, UNCENTERED, "mae_last20")
    by_rule = {
        rule_title(rule, in_sentence=True): [
            compared(cell, without[key]) for key, cell in with_offset.items() if cell.cell["rule"] == rule
        ]
        for rule in ("hebbian_descent", *OTHERS)
    }
    return judged_by_cells(context, CENTERED + UNCENTERED, by_rule, by_group=True)


def judge_against_hebb(context: RunContext) -> Judgement:
    """Compare Hebbian-descent with the better of Hebb's rule and the covariance rule."""
    by_table = {
        name: list(against_best(cells(context, labels, column), ("hebb", "covariance")))
        for name, (labels, column) in AGAINST_HEBB.items()
    }
    return judged_by_cells(
        context, [label for labels, _ in AGAINST_HEBB.values() for label in labels], by_table
    )


def judge_against_all(context: RunContext) -> Judgement:
    """Compare Hebbian-descent with the best of the three other rules, centered, cell by cell."""
    comparisons = list(against_best(cells(context, CENTERED, "mae_last20"), OTHERS))
    verdict, findings = judged_by_cells(
        context, CENTERED, {"Hebbian-descent beside the best other rule:": comparisons}, by=every_strictly
    )
    if verdict == "not run":
        return Judgement(verdict, findings)
    linear, bent = (
        tally(item for item in comparisons if (item.first.cell["activation"] == "linear") == is_linear)
        for is_linear in (True, False)
    )
    everything = tally(against_best(cells(context, CENTERED, "mae_all"), OTHERS))
    return Judgement(
        verdict,
        f"{findings}\nLinear units, where it is gradient descent: {linear}; all other units: {bent}. By all "
        f"patterns instead of the last 20: {everything}.",
    )


def against_best(found: dict[Key, Cell], rules: Iterable[str]) -> Iterable[Comparison]:
    """Compare each cell of Hebbian-descent with the other rule that leaves the smallest gain."""
    rules = tuple(rules)
    for cell in found.values():
        if cell.cell["rule"] == "hebbian_descent":
            rivals = [compared(cell, found[changed(cell.cell, rule=rule)]) for rule in rules]
            yield hardest(rivals)


def hardest(rivals: Sequence[Comparison]) -> Comparison:
    """Return the comparison with the smallest gain; one that was not run if not all were."""
    printed = min(rivals, key=lambda rival: rival.printed_gain)
    # One that was not run comes first; a certain loss counts before a larger one that may be chance.
    found = min(rivals, key=lambda rival: (rival.sign(), rival.gain) if rival.is_run else (-np.inf, 0.0))
    return found._replace(
        first=found.first._replace(printed=printed.first.printed),
        second=found.second._replace(printed=printed.second.printed),
    )


CLAIMS = (
    Claim(
        9,
        "All update rules considered profit from centering.",
        "sec:hetero_associative_online_learning_with_centering",
        "Centered against uncentered, rule by rule, in every cell of the online tables, by the last 20 "
        "patterns.",
        f"A cell is for it where the rule is {SIGNIFICANTLY} better with centering, against it where it is "
        f"significantly better without. {ALL} {BY_RULE}",
        (*CENTERED, *UNCENTERED),
        judge_centering,
    ),
    Claim(
        10,
        "Hebbian-descent outperforms Hebb's rule and the covariance rule in general.",
        "sec:HD_hetero_associative_learning",
        "Hebbian-descent against the better one of the two in every cell of the online tables, with weight "
        "decay, and in classification.",
        f"A cell is for it where Hebbian-descent is {SIGNIFICANTLY} better than both, against it where it "
        f"is significantly worse than one. {ALL}",
        (
            *CENTERED,
            *UNCENTERED,
            *DECAY,
            "tab:label_learning_centered",
            "tab:label_learning_uncentered",
            "tests/test_hetero_associative_claims.py"
            "::test_hebbian_descent_learns_correlated_patterns_and_hebb_does_not",
        ),
        judge_against_hebb,
    ),
    Claim(
        12,
        "It performs significantly better in online learning than all the other update rules.",
        "sec:hetero_associative_online_learning_with_centering",
        "Hebbian-descent against the best of the three others in every centered online cell.",
        f"A cell is for it where Hebbian-descent is {SIGNIFICANTLY} better than each other rule, against it "
        f"where it is significantly worse than one. {ALL} {STRICTLY}",
        CENTERED,
        judge_against_all,
    ),
)
