"""Statements of the running text on weight decay, which the paper's table can refute."""

from __future__ import annotations

from collections.abc import Mapping

from hebbian_descent.rules import rule_title
from reproduction.claims.base import Claim, Judgement
from reproduction.claims.cells import Cell, Comparison, cells, changed, compared
from reproduction.claims.epochs import against_gradient_descent
from reproduction.claims.online import CENTERED, DECAY, OTHERS, against_best, hardest
from reproduction.claims.tally import (
    ALL,
    BY_RULE,
    MOST,
    SIGNIFICANTLY,
    STRICTLY,
    every_strictly,
    judged_by_cells,
    most,
    not_worse,
)
from reproduction.comparison import Key
from reproduction.run_context import RunContext

RULES = ("hebbian_descent", *OTHERS)


def judge_hebb_with_decay(context: RunContext) -> Judgement:
    """Compare the worst of the other rules with Hebb's rule, all with weight decay."""
    found = cells(context, DECAY, "mae_last20")
    comparisons = [
        hardest(
            [
                compared(found[changed(hebb.cell, rule=rule)], hebb)
                for rule in ("hebbian_descent", *OTHERS)
                if rule != "hebb"
            ]
        )
        for hebb in found.values()
        if hebb.cell["rule"] == "hebb"
    ]
    words = ("better than Hebb's rule", "equal", "worse")
    return judged_by_cells(
        context, DECAY, {"The worst other rule": comparisons}, by=every_strictly, words=words
    )


def judge_most_with_decay(context: RunContext) -> Judgement:
    """Compare Hebbian-descent with the best of the three other rules, all with weight decay."""
    comparisons = list(against_best(cells(context, DECAY, "mae_last20"), OTHERS))
    return judged_by_cells(context, DECAY, {"Beside the best other rule:": comparisons}, by=most)


def judge_gradient_descent_with_decay(context: RunContext) -> Judgement:
    """Compare both descents with weight decay."""
    comparisons = against_gradient_descent(context, DECAY, "mae_last20")
    return judged_by_cells(context, DECAY, {"Hebbian-descent:": comparisons}, by=not_worse)


def judge_covariance_with_decay(context: RunContext) -> Judgement:
    """Compare Hebbian-descent with the covariance rule where the targets are not binary and random."""
    found = cells(context, DECAY, "mae_last20")
    comparisons = [
        compared(cell, found[changed(cell.cell, rule="covariance")])
        for cell in found.values()
        if cell.cell["rule"] == "hebbian_descent" and cell.cell["target"] != "rand"
    ]
    return judged_by_cells(context, DECAY, {"Hebbian-descent:": comparisons}, by=every_strictly)


def judge_profit(context: RunContext) -> Judgement:
    """Compare the errors with weight decay with those without it, rule by rule."""
    without = cells(context, CENTERED, "mae_last20")
    groups: dict[str, list[Comparison]] = {rule_title(rule, in_sentence=True): [] for rule in RULES}
    for cell in cells(context, DECAY, "mae_last20").values():
        groups[rule_title(cell.cell["rule"], in_sentence=True)].append(compared(cell, _same(cell, without)))
    words = ("better with decay", "equal", "worse")
    return judged_by_cells(context, DECAY + CENTERED, groups, by=every_strictly, by_group=True, words=words)


def _same(cell: Cell, without: Mapping[Key, Cell]) -> Cell:
    return without[changed({name: word for name, word in cell.cell.items() if name in NAMES})]


NAMES = ("input", "target", "activation", "rule")
SECTION = "sec:HD_weight_decay_experiments"
CLAIMS = (
    Claim(
        26,
        "With weight decay Hebb's rule is always significantly worse than all other methods.",
        SECTION,
        "The worst of the three other rules against Hebb's rule in every cell of the table, by the last 20 "
        "patterns.",
        f"A cell is for it where Hebb's rule is {SIGNIFICANTLY} worse than each other rule, against it where "
        f"it is significantly better than one. {ALL} {STRICTLY}",
        DECAY,
        judge_hebb_with_decay,
    ),
    Claim(
        35,
        "With weight decay Hebbian-descent performs significantly better than the other methods in most "
        "cases.",
        SECTION,
        "Hebbian-descent against the best of the three other rules in every cell of the table, by the last "
        "20 patterns.",
        f"A cell is for it where Hebbian-descent is {SIGNIFICANTLY} better than each other rule, against it "
        f"where it is significantly worse than one. {MOST}",
        DECAY,
        judge_most_with_decay,
    ),
    Claim(
        36,
        "With weight decay gradient descent either reaches a similar performance as Hebbian-descent or "
        "performs significantly worse.",
        SECTION,
        "Both descents in every cell of the table, by the last 20 patterns.",
        f"A cell is against it where gradient descent is {SIGNIFICANTLY} better, else for it. {ALL}",
        DECAY,
        judge_gradient_descent_with_decay,
    ),
    Claim(
        37,
        "With weight decay the covariance rule performs significantly worse than Hebbian-descent in all "
        "cases in which the output data is not binary random.",
        SECTION,
        "Hebbian-descent against the covariance rule in every cell of the table with other targets than "
        "RAND, by the last 20 patterns.",
        f"A cell is for it where the covariance rule is {SIGNIFICANTLY} worse, against it where it is "
        f"significantly better. {ALL} {STRICTLY}",
        DECAY,
        judge_covariance_with_decay,
    ),
    Claim(
        38,
        "All methods profit from using a weight decay, as all points lie below the diagonal.",
        SECTION,
        "The errors with weight decay against those of the same cells without, by the last 20 patterns.",
        f"A cell is for it where the rule is {SIGNIFICANTLY} better with weight decay, against it where it "
        f"is significantly worse. {ALL} {STRICTLY} {BY_RULE}",
        (*DECAY, *CENTERED),
        judge_profit,
    ),
)
