"""Statements of the running text about several epochs, classification and auto-encoders."""

from __future__ import annotations

import numpy as np

from hebbian_descent.rules import rule_title
from reproduction.claims.base import Claim, Judgement
from reproduction.claims.cells import Cell, Comparison, cells, changed, compared
from reproduction.claims.epochs import CLASSIFICATION, MULTI_EPOCH
from reproduction.claims.online import CENTERED, UNCENTERED, hardest
from reproduction.claims.tally import (
    ALL,
    BY_RULE,
    SIGNIFICANTLY,
    SIMILARLY,
    STRICTLY,
    every_strictly,
    judged_as_similar,
    judged_by_cells,
)
from reproduction.comparison import Estimate
from reproduction.run_context import RunContext

CORRELATIONAL = ("hebb", "covariance")
AUTOENCODERS = ("tab:auto_associative",)
TITLES = {
    rule: rule_title(rule, in_sentence=True)
    for rule in ("hebbian_descent", "gradient_descent", "hebb", "covariance")
}


def judge_more_epochs(context: RunContext) -> Judgement:
    """Compare 100 epochs with one, centered and not, by the error over all patterns."""
    online = {
        "centered": cells(context, CENTERED, "mae_all"),
        "uncentered": cells(context, UNCENTERED, "mae_all"),
    }
    groups: dict[str, list[Comparison]] = {}
    for cell in cells(context, MULTI_EPOCH, "mae_mean").values():
        words = {name: word for name, word in cell.cell.items() if name != "centering"}
        once = online[cell.cell["centering"]][changed(words)]
        groups.setdefault(TITLES[cell.cell["rule"]], []).append(compared(cell, once))
    labels = (*MULTI_EPOCH, *CENTERED, *UNCENTERED)
    return judged_by_cells(context, labels, groups, by=every_strictly, by_group=True)


def judge_centering_over_epochs(context: RunContext) -> Judgement:
    """Compare centered with uncentered networks after 100 epochs."""
    groups: dict[str, list[Comparison]] = {}
    for item in _centered_and_not(context, MULTI_EPOCH, "mae_mean"):
        groups.setdefault(TITLES[item.first.cell["rule"]], []).append(item)
    return judged_by_cells(context, MULTI_EPOCH, groups, by_group=True)


def judge_centering_of_classifiers(context: RunContext) -> Judgement:
    """Compare centered with uncentered classifiers of both error-driven rules: they should be similar."""
    comparisons = [
        item
        for item in _centered_and_not(context, CLASSIFICATION, "error_mean")
        if item.first.cell["rule"] in ("hebbian_descent", "gradient_descent")
    ]
    return judged_as_similar(context, CLASSIFICATION, "With centering", comparisons)


def _centered_and_not(context: RunContext, labels: tuple[str, ...], column: str) -> list[Comparison]:
    found = cells(context, labels, column)
    return [
        compared(cell, found[changed(cell.cell, centering="uncentered")])
        for cell in found.values()
        if cell.cell["centering"] == "centered"
    ]


def judge_never_negative(context: RunContext) -> Judgement:
    """Compare the mean hidden activity of Hebbian-descent with 0, which it should not fall below."""
    comparisons = [
        compared(_zero(cell), cell._replace(draws={}, summary=cell.estimate))
        for cell in cells(context, AUTOENCODERS, "mean_hidden_activity").values()
        if cell.cell["rule"] == "hebbian_descent"
    ]
    words = ("above 0", "about 0", "below 0")
    return judged_by_cells(context, AUTOENCODERS, {"Hidden activity": comparisons}, words=words)


def judge_hebb_as_classifier(context: RunContext) -> Judgement:
    """Compare both descents with the better of Hebb's rule and the covariance rule, in classification."""
    found = cells(context, CLASSIFICATION[:1], "error_mean")
    groups = {
        TITLES[rule]: [
            hardest([compared(cell, found[changed(cell.cell, rule=other)]) for other in CORRELATIONAL])
            for cell in found.values()
            if cell.cell["rule"] == rule
        ]
        for rule in ("hebbian_descent", "gradient_descent")
    }
    return judged_by_cells(context, CLASSIFICATION[:1], groups, by=every_strictly, by_group=True)


def judge_negative_activity(context: RunContext) -> Judgement:
    """Compare the mean activity of linear hidden units under gradient descent with 0."""
    comparisons = [
        compared(cell._replace(draws={}, summary=cell.estimate), _zero(cell))
        for cell in cells(context, AUTOENCODERS, "mean_hidden_activity").values()
        if cell.cell["rule"] == "gradient_descent"
        and cell.cell["hidden_activation"] == "linear"
        and (cell.cell["dataset"], cell.cell["output_activation"]) not in FIRST_AND_THIRD
    ]
    words = ("below 0", "about 0", "above 0")
    return judged_by_cells(
        context, AUTOENCODERS, {"Hidden activity": comparisons}, by=every_strictly, words=words
    )


FIRST_AND_THIRD = (("adult", "linear"), ("connect", "linear"))
"""Data and output units of the examples that the text excepts."""


def _zero(cell: Cell) -> Cell:
    return Cell(cell.cell, 0.0, np.nan, {}, cell.column, Estimate(0.0, 0.0, 1))


CLAIMS = (
    Claim(
        27,
        "In all cases, whether centered or not, both error-driven rules improve significantly over 100 "
        "epochs compared with a single one.",
        "sec:HD_multi_epoch_experiments",
        "The error over all patterns after 100 epochs against that after one, rule by rule.",
        f"A cell is for it where 100 epochs are {SIGNIFICANTLY} better, against it where they are "
        f"significantly worse. {ALL} {STRICTLY} {BY_RULE}",
        (*MULTI_EPOCH, *CENTERED, *UNCENTERED),
        judge_more_epochs,
    ),
    Claim(
        28,
        "Over several epochs both error-driven rules reach better results when centering is used.",
        "sec:HD_multi_epoch_experiments",
        "Centered against uncentered in every cell of the multi-epoch tables, rule by rule.",
        f"A cell is for it where centering is {SIGNIFICANTLY} better, against it where it is "
        f"significantly worse. {ALL} {BY_RULE}",
        MULTI_EPOCH,
        judge_centering_over_epochs,
    ),
    Claim(
        29,
        "In classification there is no significant difference between centered and uncentered networks.",
        "tab:label_learning_uncentered",
        "Centered against uncentered in every cell of both error-driven rules.",
        f"The text concludes it from two plots of these rules that look alike. {SIMILARLY} {ALL}",
        CLASSIFICATION,
        judge_centering_of_classifiers,
    ),
    Claim(
        30,
        "Hebbian-descent never leads to a negative average hidden activity.",
        "sec:HD_homo_hidden_experiments",
        "The mean activity of the hidden units in every cell of the auto-associative table against 0.",
        f"A cell is for it where the activity is {SIGNIFICANTLY} above 0, against it where it is "
        f"significantly below. {ALL}",
        AUTOENCODERS,
        judge_never_negative,
    ),
    Claim(
        42,
        "In classification Hebb's rule and the covariance rule perform significantly worse than gradient "
        "descent and Hebbian-descent.",
        "tab:label_learning_centered",
        "Each descent against the better one of the two others in every centered cell.",
        f"A cell is for it where the descent is {SIGNIFICANTLY} better than both others, against it where it "
        f"is significantly worse than one. {ALL} {STRICTLY} {BY_RULE}",
        CLASSIFICATION[:1],
        judge_hebb_as_classifier,
    ),
    Claim(
        45,
        "The mean activity of linear hidden units is significantly negative under gradient descent, except "
        "in the first and third example.",
        "sec:HD_homo_hidden_experiments",
        "The mean activity of the hidden units in the other four cells of the auto-associative table against "
        "0.",
        f"A cell is for it where the activity is {SIGNIFICANTLY} below 0, against it where it is "
        f"significantly above. {ALL} {STRICTLY}",
        AUTOENCODERS,
        judge_negative_activity,
    ),
)
