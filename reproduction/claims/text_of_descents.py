"""Statements of the running text on Hebbian-descent beside gradient descent, which the tables can refute."""

from __future__ import annotations

from reproduction.claims.base import Claim, Judgement
from reproduction.claims.cells import Comparison, cells
from reproduction.claims.epochs import CLASSIFICATION, MULTI_EPOCH, against_gradient_descent
from reproduction.claims.online import CENTERED, OTHERS, UNCENTERED, against_best
from reproduction.claims.tally import (
    ALL,
    MOST,
    SIGNIFICANTLY,
    SIMILARLY,
    every,
    judged_as_similar,
    judged_by_cells,
    most,
)
from reproduction.run_context import RunContext

BESIDE = "Hebbian-descent beside gradient descent:"
BETTER = (
    f"A cell is for it where Hebbian-descent is {SIGNIFICANTLY} better, against it where it is significantly "
    "worse."
)


def judge_difference(context: RunContext) -> Judgement:
    """Compare both descents in every centered online cell."""
    comparisons = against_gradient_descent(context, CENTERED, "mae_last20")
    return judged_by_cells(context, CENTERED, {BESIDE: comparisons}, by=every)


def judge_most_online(context: RunContext) -> Judgement:
    """Ask the same of most cells."""
    comparisons = against_gradient_descent(context, CENTERED, "mae_last20")
    return judged_by_cells(context, CENTERED, {BESIDE: comparisons}, by=most)


def judge_most_uncentered(context: RunContext) -> Judgement:
    """Compare Hebbian-descent with the best of the three other rules, without centering."""
    comparisons = list(against_best(cells(context, UNCENTERED, "mae_last20"), OTHERS))
    return judged_by_cells(
        context, UNCENTERED, {"Hebbian-descent beside the best other rule:": comparisons}, by=most
    )


def judge_most_of_epochs(context: RunContext) -> Judgement:
    """Compare both descents after 100 epochs, centered and not."""
    groups: dict[str, list[Comparison]] = {"centered": [], "uncentered": []}
    for item in against_gradient_descent(context, MULTI_EPOCH, "mae_mean"):
        groups[item.first.cell["centering"]].append(item)
    return judged_by_cells(context, MULTI_EPOCH, groups, by=most, by_group=True)


def judge_exponential_linear(context: RunContext) -> Judgement:
    """Compare both descents after 100 epochs with exponential linear units."""
    comparisons = against_gradient_descent(context, MULTI_EPOCH, "mae_mean")
    chosen = [item for item in comparisons if item.first.cell["activation"] == "explin"]
    return judged_as_similar(context, MULTI_EPOCH, BESIDE, chosen)


def judge_classifiers(context: RunContext) -> Judgement:
    """Compare both descents in classification, except for step units."""
    return judged_as_similar(context, CLASSIFICATION, BESIDE, _classifiers(context))


def judge_better_classifiers(context: RunContext) -> Judgement:
    """Ask whether gradient descent is the better one in most of these."""
    contrary = [item.reversed() for item in _classifiers(context, CLASSIFICATION[:1])]
    return judged_by_cells(
        context, CLASSIFICATION[:1], {"Gradient descent beside Hebbian-descent:": contrary}, by=most
    )


def _classifiers(context: RunContext, labels: tuple[str, ...] = CLASSIFICATION) -> list[Comparison]:
    comparisons = against_gradient_descent(context, labels, "error_mean")
    return [item for item in comparisons if item.first.cell["activation"] != "step"]


ONLINE = "sec:hetero_associative_online_learning_with_centering"
EPOCHS = "sec:HD_multi_epoch_experiments"
CLAIMS = (
    Claim(
        32,
        "If there is a significant difference between the two methods, Hebbian-descent performs "
        "significantly better than gradient descent.",
        ONLINE,
        "Both descents in every centered online cell, by the last 20 patterns.",
        f"{BETTER} {ALL}",
        CENTERED,
        judge_difference,
    ),
    Claim(
        33,
        "Hebbian-descent performs significantly better than gradient descent in most cases.",
        ONLINE,
        "Both descents in every centered online cell, by the last 20 patterns.",
        f"{BETTER} {MOST}",
        CENTERED,
        judge_most_online,
    ),
    Claim(
        34,
        "Without centering Hebbian-descent still performs significantly better than the other methods in "
        "most cases.",
        ONLINE,
        "Hebbian-descent against the best of the three others in every uncentered online cell, by the last "
        "20 patterns.",
        f"A cell is for it where Hebbian-descent is {SIGNIFICANTLY} better than each other rule, against it "
        f"where it is significantly worse than one. {MOST}",
        UNCENTERED,
        judge_most_uncentered,
    ),
    Claim(
        39,
        "Over several epochs Hebbian-descent reaches better values than gradient descent in most cases.",
        EPOCHS,
        "Both descents after 100 epochs in every cell, centered and not.",
        f"{BETTER} With and without centering: {MOST} The verdict is that of the weaker part.",
        MULTI_EPOCH,
        judge_most_of_epochs,
    ),
    Claim(
        40,
        "Over several epochs both algorithms have a very similar performance for exponential linear units "
        "on all datasets.",
        EPOCHS,
        "Both descents after 100 epochs with exponential linear units, centered and not.",
        f"{SIMILARLY} {ALL}",
        MULTI_EPOCH,
        judge_exponential_linear,
    ),
    Claim(
        41,
        "In classification there is no significant difference between Hebbian-descent and gradient descent, "
        "except for the step function.",
        "tab:label_learning_centered",
        "Both descents in every cell of classification with other units than step, centered and not.",
        f"{SIMILARLY} {ALL}",
        CLASSIFICATION,
        judge_classifiers,
    ),
    Claim(
        43,
        "In classification gradient descent often reaches slightly better performances than "
        "Hebbian-descent, except for the step function.",
        "tab:label_learning_centered",
        "Both descents in every centered cell of classification with other units than step.",
        f"A cell is for it where gradient descent is {SIGNIFICANTLY} better, against it where it is "
        f"significantly worse. {MOST}",
        CLASSIFICATION[:1],
        judge_better_classifiers,
    ),
)
