"""Claims about several epochs: as good as gradient descent, and convergent where φ is flat."""

from __future__ import annotations

from collections.abc import Iterable

from hebbian_descent.datasets import draw_pair
from hebbian_descent.paper.claims.base import Claim, Judgement, Word
from hebbian_descent.paper.claims.cells import (
    BY_CHANCE,
    MAJORITY,
    MOSTLY,
    Comparison,
    Tally,
    cells,
    changed,
    compared,
    not_run,
    tally,
    worst,
)
from hebbian_descent.paper.claims.online import CENTERED
from hebbian_descent.paper.grids import QUICK_RATES
from hebbian_descent.paper.run_context import RunContext

MULTI_EPOCH = (
    "tab:Hetero_offline_1",
    "tab:Hetero_offline_2",
    "tab:Hetero_offline_3",
)
CLASSIFICATION = ("tab:label_learning_centered", "tab:label_learning_uncentered")
SIMILAR = 0.01
"""A hundredth of the range of the data."""
FLAT = ("rectifier", "step")
CONVERGED = 0.05
"""Of baseline; what an error must have fallen below to count as learned."""


def judge_similar_to_gradient_descent(context: RunContext) -> Judgement:
    """Compare both rules after 100 epochs, and in classification where that was run."""
    comparisons = list(against_gradient_descent(context, MULTI_EPOCH, "mae_mean"))
    found = tally(comparisons, SIMILAR)
    classes = tally(against_gradient_descent(context, CLASSIFICATION, "error_mean"), SIMILAR)
    findings = f"100 epochs of associations, Hebbian-descent: {found}; classification: {classes}."
    if found.n_run < found.n:
        return not_run(context, MULTI_EPOCH, found.n_run, found.n, findings)
    smooth = tally((item for item in comparisons if item.first.cell["activation"] not in FLAT), SIMILAR)
    complete = [found, *([classes] if classes.n_run == classes.n else [])]
    return Judgement(
        similarity(complete),
        f"{findings} Leaving out rectifier and step, whose φ′ is 0 somewhere: {smooth}. Furthest behind: "
        f"{worst(comparisons)}.",
    )


def similarity(tallies: Iterable[Tally]) -> Word:
    """Return the verdict on "similar": equal nearly everywhere; nearly never worse; neither."""
    found = list(tallies)
    n = sum(item.n for item in found)
    equal, worse = sum(item.tied for item in found), sum(item.worse for item in found)
    if equal >= MOSTLY * n and worse <= BY_CHANCE * n:
        return "holds"
    return "holds with limits" if worse <= (1 - MOSTLY) * n else "does not hold"


def against_gradient_descent(context: RunContext, labels: tuple[str, ...], column: str) -> list[Comparison]:
    """Compare every cell of Hebbian-descent with the one of gradient descent."""
    found = cells(context, labels, column)
    return [
        compared(cell, found[changed(cell.cell, rule="gradient_descent")])
        for cell in found.values()
        if cell.cell["rule"] == "hebbian_descent"
    ]


def judge_flat_activations(context: RunContext) -> Judgement:
    """Train units with flat parts for many epochs, and compare them with gradient descent online."""
    falls = {name: errors_by_epoch(context, name) for name in FLAT}
    words = "; ".join(
        f"{name} {' → '.join(f'{error:.3f}' for error in errors)}" for name, errors in falls.items()
    )
    converge = all(errors[-1] < CONVERGED * BASELINE and errors[-1] <= errors[0] for errors in falls.values())
    flat = [
        item
        for item in against_gradient_descent(context, CENTERED, "mae_last20")
        if item.first.cell["activation"] in FLAT
    ]
    found = tally(flat)
    epochs = " → ".join(map(str, n_epochs(context)))
    findings = (
        f"rand→rand, error after {epochs} epochs: {words} (baseline about {BASELINE}). Rectifier and step "
        f"online, against gradient descent: {found}."
    )
    if not converge:
        return Judgement("does not hold", findings)
    if found.n_run < found.n:
        return not_run(context, CENTERED, found.n_run, found.n, findings)
    often = found.better >= MAJORITY * found.n and found.worse <= (1 - MOSTLY) * found.n
    return Judgement(
        "holds" if often else "holds with limits",
        f"{findings} The matching loss of both activations is convex, which the paper did not know.",
    )


BASELINE = 0.5


def n_epochs(context: RunContext) -> tuple[int, ...]:
    """Return the numbers of epochs after which the errors are measured."""
    return (1, 5, 20) if context.effort.quick else (1, 10, 100)


def errors_by_epoch(context: RunContext, activation: str) -> list[float]:
    """Return the error of Hebbian-descent at its best learning rate after each number of epochs."""
    x, t = draw_pair("rand", "rand", 100, seed=0)
    return [
        context.sweep(
            x,
            t,
            rules="hebbian_descent",
            activations=activation,
            learning_rates=QUICK_RATES,
            trials=2,
            epochs=epochs,
        )
        .best("all")[0]
        .value
        for epochs in n_epochs(context)
    ]


CLAIMS = (
    Claim(
        11,
        "Over several epochs it performs as gradient descent does.",
        "sec:HD_multi_epoch_experiments",
        "Both rules in every cell of the multi-epoch tables, and of classification where that was run. "
        "Differences below 0.01 or within chance are similar. Holds if 90 % are similar and 1 % worse at "
        "most; with limits if 10 % are worse at most.",
        (*MULTI_EPOCH, *CLASSIFICATION),
        judge_similar_to_gradient_descent,
    ),
    Claim(
        13,
        "It converges also where the derivative is only non-negative, then often outperforms gradient "
        "descent, and learns with the step function.",
        "sec:HD_results",
        "Rectifier and step units on random pairs: the error must fall below 5 % of baseline. Online they "
        "must be better than gradient descent in half of the cells and worse in 10 % at most.",
        (
            "tests/test_matching_loss.py::test_step_has_the_perceptron_loss",
            "tests/test_hetero_associative_claims.py"
            "::test_a_rectifier_unit_that_is_dead_for_gradient_descent_recovers_with_hebbian_descent",
            *CENTERED,
        ),
        judge_flat_activations,
    ),
)
