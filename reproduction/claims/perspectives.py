"""Claims about what else Hebbian-descent is: Hebb steps, and contrastive learning."""

from __future__ import annotations

import numpy as np

from hebbian_descent.network import ACTIVATIONS
from hebbian_descent.rules import RULES
from reproduction.claims.base import (
    CORRECTED,
    IDENTITY,
    Claim,
    Judgement,
    by_correction,
    by_deviation,
)
from reproduction.claims.examples import activity, deviation, hidden_clamped
from reproduction.run_context import RunContext

TESTS = "tests/test_hetero_associative_claims.py::"


def judge_hebb_steps(_: RunContext) -> Judgement:
    """Subtract Hebb's rule for the network's output from Hebb's rule for the target."""
    gaps = []
    for name in ACTIVATIONS:
        seen = activity(name)
        supervised = RULES["hebb"].factors(seen)
        unsupervised = RULES["hebb"].factors(seen._replace(targets=seen.output))
        hd = RULES["hebbian_descent"].factors(seen)
        gaps.append(np.abs(supervised.post - unsupervised.post - hd.post).max())
        gaps.append(np.abs(supervised.pre - hd.pre).max())
    return by_deviation(max(gaps), f"Both updates of the weights for {len(ACTIVATIONS)} activations")


def judge_contrastive(_: RunContext) -> Judgement:
    """Compare with contrastive learning with clamped hidden units, and with clamped inputs."""
    hidden, inputs = [], []
    for name in ACTIVATIONS:
        seen = activity(name)
        hd = RULES["hebbian_descent"].change(seen)
        inputs.append(deviation(RULES["contrastive"].change(seen), hd))
        hidden.append(deviation(hidden_clamped(name), hd))
    return by_correction(
        max(hidden), max(inputs), f"Contrastive learning and the update for {len(inputs)} activations"
    )


CLAIMS = (
    Claim(
        5,
        "With the squared error it is a supervised minus an unsupervised Hebb step.",
        "sec:HD_hebb",
        "Hebb's rule for the target less Hebb's rule for the output, against the update.",
        IDENTITY,
        (TESTS + "test_hebbian_descent_is_a_supervised_minus_an_unsupervised_hebb_step",),
        judge_hebb_steps,
        analytical=True,
    ),
    Claim(
        6,
        "It is contrastive learning where the hidden units are clamped to the same values in both phases.",
        "sec:HD_contrastive_clamping",
        "The update against contrastive learning with clamped hidden units, as printed, and with clamped "
        "input units, as the section derives.",
        CORRECTED,
        (
            TESTS + "test_contrastive_learning_with_clamped_hidden_units_is_another_rule",
            TESTS + "test_contrastive_learning_with_clamped_input_is_hebbian_descent",
            TESTS + "test_contrastive_learning_with_a_free_phase_is_another_rule",
        ),
        judge_contrastive,
        correction="It is contrastive learning where the input units are clamped in both phases.",
        analytical=True,
    ),
)
