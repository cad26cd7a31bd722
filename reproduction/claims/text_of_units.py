"""Statements of the running text on the units: which of them serve best, and linear ones worst."""

from __future__ import annotations

from hebbian_descent.rules import rule_title
from reproduction.claims.base import Claim, Judgement
from reproduction.claims.cells import Comparison, cells, changed, compared
from reproduction.claims.epochs import CLASSIFICATION, MULTI_EPOCH
from reproduction.claims.online import CENTERED, UNCENTERED
from reproduction.claims.tally import (
    ALL,
    BY_RULE,
    SIGNIFICANTLY,
    STRICTLY,
    every_strictly,
    judged_by_cells,
)
from reproduction.run_context import RunContext

DESCENTS = ("hebbian_descent", "gradient_descent")
EXPERIMENTS = {
    "online, centered": (CENTERED, "mae_last20"),
    "online, uncentered": (UNCENTERED, "mae_last20"),
    "100 epochs": (MULTI_EPOCH, "mae_mean"),
    "classification": (CLASSIFICATION, "error_mean"),
}


def judge_sigmoid_is_best(context: RunContext) -> Judgement:
    """Compare sigmoid units with every other activation on the same data, for Hebbian-descent."""
    found = cells(context, CENTERED, "mae_last20")
    groups: dict[str, list[Comparison]] = {}
    for cell in found.values():
        name = cell.cell["activation"]
        sigmoid = found.get(changed(cell.cell, activation="sigmoid"))
        if cell.cell["rule"] == "hebbian_descent" and name != "sigmoid" and sigmoid:
            groups.setdefault(f"sigmoid beside {name}:", []).append(compared(sigmoid, cell))
    return judged_by_cells(context, CENTERED, groups)


def judge_nonlinear(context: RunContext) -> Judgement:
    """Compare every nonlinear unit with linear ones on the same data, for both descents."""
    found = cells(context, CENTERED, "mae_last20")
    groups = {
        rule_title(rule, in_sentence=True): [
            compared(cell, found[changed(cell.cell, activation="linear")])
            for cell in found.values()
            if cell.cell["rule"] == rule and cell.cell["activation"] != "linear"
        ]
        for rule in DESCENTS
    }
    words = ("better than linear", "equal", "worse")
    return judged_by_cells(context, CENTERED, groups, by_group=True, words=words)


def judge_rectifiers(context: RunContext) -> Judgement:
    """Compare rectifiers with linear units in all experiments, for both descents."""
    groups: dict[str, list[Comparison]] = {}
    for name, (labels, column) in EXPERIMENTS.items():
        found = cells(context, labels, column)
        groups[f"{name}:"] = [
            compared(cell, found[changed(cell.cell, activation="linear")])
            for cell in found.values()
            if cell.cell["rule"] in DESCENTS and cell.cell["activation"] == "rectifier"
        ]
    labels = tuple(label for labels, _ in EXPERIMENTS.values() for label in labels)
    words = ("better than linear", "equal", "worse")
    return judged_by_cells(context, labels, groups, by=every_strictly, words=words)


WITH_CENTERING = "sec:hetero_associative_online_learning_with_centering"
CLAIMS = (
    Claim(
        23,
        "The sigmoid function has the best performance among the different activation functions.",
        WITH_CENTERING,
        "Hebbian-descent with sigmoid units against every other activation on the same data, centered, by "
        "the last 20 patterns.",
        f"A cell is for it where sigmoid units are {SIGNIFICANTLY} better than the other ones, against it "
        f"where they are significantly worse. {ALL}",
        CENTERED,
        judge_sigmoid_is_best,
    ),
    Claim(
        31,
        "Linear networks perform always worse than or similar to corresponding nonlinear networks.",
        WITH_CENTERING,
        "Every nonlinear unit against linear ones on the same data, for both descents, centered, by the last "
        "20 patterns.",
        f"A cell is for it where the nonlinear units are {SIGNIFICANTLY} better, against it where they are "
        f"significantly worse. {ALL} {BY_RULE}",
        CENTERED,
        judge_nonlinear,
    ),
    Claim(
        44,
        "Linear outputs always performed worse than rectifiers in all experiments.",
        "sec:HD_results",
        "Rectifiers against linear units in every cell of both descents: online, after 100 epochs, and in "
        "classification.",
        f"A cell is for it where rectifiers are {SIGNIFICANTLY} better, against it where they are "
        f"significantly worse. {ALL} {STRICTLY}",
        (*CENTERED, *UNCENTERED, *MULTI_EPOCH, *CLASSIFICATION),
        judge_rectifiers,
    ),
)
