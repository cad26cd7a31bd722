"""Statements of the running text about learning each pattern once, which the paper's tables can refute."""

from __future__ import annotations

from collections.abc import Mapping

from hebbian_descent.rules import rule_title
from reproduction.claims.base import Claim, Judgement
from reproduction.claims.cells import Comparison, cells, changed, compared, compared_with_baseline
from reproduction.claims.online import CENTERED, hardest
from reproduction.claims.tally import (
    ALL,
    BY_RULE,
    SIGNIFICANTLY,
    STRICTLY,
    every_strictly,
    judged_by_cells,
    not_worse,
)
from reproduction.printed import printed_rows
from reproduction.run_context import RunContext

WITH_CENTERING = "sec:hetero_associative_online_learning_with_centering"
OFFSETS = ("tab:Hetero_online_centered_shift",)
ERROR_DRIVEN = ("hebbian_descent", "gradient_descent")
CORRELATIONAL = ("hebb", "covariance")


def judge_error_driven(context: RunContext) -> Judgement:
    """Compare both error-driven rules with the better of the two others."""
    found = cells(context, CENTERED, "mae_last20")
    groups = {
        _title(rule): [
            hardest([compared(cell, found[changed(cell.cell, rule=other)]) for other in CORRELATIONAL])
            for cell in found.values()
            if cell.cell["rule"] == rule
        ]
        for rule in ERROR_DRIVEN
    }
    return judged_by_cells(context, CENTERED, groups, by=every_strictly, by_group=True)


def judge_not_better_than_baseline(context: RunContext) -> Judgement:
    """Compare Hebb's rule and the covariance rule with baseline; the text says they are worse."""
    found = _beside_baseline(context, CORRELATIONAL)
    contrary = {name: [item.reversed() for item in items] for name, items in found.items()}
    words = ("worse than baseline", "equal", "better")
    return judged_by_cells(context, CENTERED, contrary, by_group=True, words=words)


def judge_sigmoid_beats_baseline(context: RunContext) -> Judgement:
    """Compare sigmoid units with baseline, for every rule, on the data that the text names."""
    named = {("rand", "rand"), *(_data(row.cell) for row in printed_rows(CENTERED[0]))}
    found = {
        rule: [
            item
            for item in items
            if item.first.cell["activation"] == "sigmoid" and _data(item.first.cell) in named
        ]
        for rule, items in _beside_baseline(context, (*ERROR_DRIVEN, *CORRELATIONAL)).items()
    }
    return judged_by_cells(context, CENTERED[:2], found, by=every_strictly, by_group=True)


def _data(cell: Mapping[str, str]) -> tuple[str, str]:
    return cell["input"], cell["target"]


def _beside_baseline(context: RunContext, rules: tuple[str, ...]) -> dict[str, list[Comparison]]:
    found = cells(context, CENTERED, "mae_last20").values()
    return {
        _title(rule): [compared_with_baseline(cell) for cell in found if cell.cell["rule"] == rule]
        for rule in rules
    }


def judge_moving_offsets(context: RunContext) -> Judgement:
    """Compare moving offsets with fixed ones, for Hebbian-descent."""
    found = cells(context, OFFSETS, "mae_last20")
    comparisons = [
        compared(cell, found[changed(cell.cell, offsets="fixed")])
        for cell in found.values()
        if cell.cell["rule"] == "hebbian_descent" and cell.cell["offsets"] == "adaptive"
    ]
    return judged_by_cells(context, OFFSETS, {"Moving offsets:": comparisons}, by=not_worse)


def _title(rule: str) -> str:
    return rule_title(rule, in_sentence=True)


CLAIMS = (
    Claim(
        21,
        "Across all combinations of datasets and activations Hebbian-descent and gradient descent perform "
        "significantly better than Hebb's rule and the covariance rule.",
        WITH_CENTERING,
        "Each of the two against the better one of the two others, in every centered online cell, by the "
        "last 20 patterns.",
        f"A cell is for it where the rule is {SIGNIFICANTLY} better than both others, against it where it "
        f"is significantly worse than one. {ALL} {STRICTLY} {BY_RULE}",
        CENTERED,
        judge_error_driven,
    ),
    Claim(
        22,
        "Hebb's rule and the covariance rule are both not even better than baseline.",
        WITH_CENTERING,
        "Both rules against the printed baseline in every centered online cell, by the last 20 patterns.",
        f"A cell is for it where the rule is {SIGNIFICANTLY} worse than baseline, against it where it is "
        f"significantly better. {ALL} {BY_RULE}",
        CENTERED,
        judge_not_better_than_baseline,
    ),
    Claim(
        24,
        "When using a sigmoid activation function all methods perform significantly better than baseline "
        "(for RAND→RAND; qualitatively the same for the other data of the first table).",
        "sec:on_the_advantage_of_saturating_activation_functions_in_online_learning",
        "All four rules with sigmoid units against the printed baseline, on RAND→RAND and the data of the "
        "table that the text names, centered, by the last 20 patterns.",
        f"A cell is for it where the rule is {SIGNIFICANTLY} better than baseline, against it where it is "
        f"so worse. {ALL} {STRICTLY} {BY_RULE}",
        CENTERED[:2],
        judge_sigmoid_beats_baseline,
    ),
    Claim(
        25,
        "Slowly updated offsets lead to a similar or often even slightly better performance for "
        "Hebbian-descent than fixed ones.",
        "tab:Hetero_online_centered_shift",
        "Moving against fixed offsets in every cell of the table, by the last 20 patterns.",
        f"A cell is against it where moving offsets are {SIGNIFICANTLY} worse, else for it. {ALL}",
        OFFSETS,
        judge_moving_offsets,
    ),
)
