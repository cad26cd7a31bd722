"""What turns input, target and output into a change of the weights, and the lists that name the rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hebbian_descent.checks import unknown_name
from hebbian_descent.rules.base import Activity, AutoActivity, AutoRule, Change, Factors, Rule
from hebbian_descent.rules.contrastive import CONTRASTIVE, auto_contrastive
from hebbian_descent.rules.covariance import COVARIANCE
from hebbian_descent.rules.error_terms import ERROR_TERMS, ErrorTerm, get_error_term
from hebbian_descent.rules.gradient_descent import GRADIENT_DESCENT, auto_gradient_descent
from hebbian_descent.rules.hebb import HEBB, auto_hebb
from hebbian_descent.rules.hebbian_descent import HEBBIAN_DESCENT, auto_hebbian_descent
from hebbian_descent.rules.losses import LOSSES, Loss, matching_loss
from hebbian_descent.rules.oja import oja
from hebbian_descent.rules.sanger import sanger

__all__ = [
    "AUTO_RULES",
    "ERROR_TERMS",
    "LOSSES",
    "RULES",
    "Activity",
    "AutoActivity",
    "AutoRule",
    "Change",
    "ErrorTerm",
    "Factors",
    "Loss",
    "Rule",
    "get_auto_rule",
    "get_error_term",
    "get_rule",
    "matching_loss",
]

RULES: dict[str, Rule] = {
    "hebbian_descent": HEBBIAN_DESCENT,
    "gradient_descent": GRADIENT_DESCENT,
    "hebb": HEBB,
    "covariance": COVARIANCE,
    "contrastive": CONTRASTIVE,
}

AUTO_RULES: dict[str, Callable[..., AutoRule]] = {
    "hebbian_descent": auto_hebbian_descent,
    "gradient_descent": auto_gradient_descent,
    "hebb": auto_hebb,
    "contrastive": auto_contrastive,
    "oja": oja,
    "sanger": sanger,
}


def get_rule(rule: str | Rule) -> Rule:
    """Return a rule for a layer by name; a rule of one's own is passed through."""
    if isinstance(rule, Rule):
        return rule
    if isinstance(rule, AutoRule) or (rule in AUTO_RULES and rule not in RULES):
        name = rule.name if isinstance(rule, AutoRule) else rule
        raise ValueError(
            f"The rule {name!r} as given trains an Autoencoder. Got a Layer: use one of {', '.join(RULES)}."
        )
    if rule not in RULES:
        raise unknown_name("rule", rule, RULES)
    return RULES[rule]


def get_auto_rule(rule: str | AutoRule, **parameters: Any) -> AutoRule:
    """Return a rule for an auto-encoder by name, with its parameters by name; one's own is passed through."""
    if isinstance(rule, AutoRule):
        return rule
    if isinstance(rule, Rule) or (rule in RULES and rule not in AUTO_RULES):
        name = rule.name if isinstance(rule, Rule) else rule
        raise ValueError(
            f"The rule {name!r} as given trains a Layer. Got an Autoencoder: "
            f"use one of {', '.join(AUTO_RULES)}."
        )
    if rule not in AUTO_RULES:
        raise unknown_name("rule of an auto-encoder", rule, AUTO_RULES)
    return AUTO_RULES[rule](**parameters)
