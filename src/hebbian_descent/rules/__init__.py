"""Learning rules: input, target and output give a change of the weights; and the lists that name them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hebbian_descent.checks import unknown_name
from hebbian_descent.registry import finder_of, made_with
from hebbian_descent.rules import (
    bcm,
    contrastive,
    covariance,
    gradient_descent,
    hebb,
    hebbian_descent,
    oja,
    palimpsest,
    perceptron,
    proximal,
    pseudo_inverse,
    sanger,
    three_factor,
    willshaw,
)
from hebbian_descent.rules.base import Activity, AutoActivity, AutoRule, Change, Factors, Rule
from hebbian_descent.rules.error_terms import ERROR_TERMS, ErrorTerm, get_error_term
from hebbian_descent.rules.losses import LOSSES, Loss, matching_loss

__all__ = [
    "AUTO_RULES",
    "ERROR_TERMS",
    "LOCAL_RULES",
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
    "rule_title",
]

RULES: dict[str, Rule] = {
    "hebbian_descent": hebbian_descent.rule(),
    "gradient_descent": gradient_descent.rule(),
    "hebb": hebb.rule(),
    "covariance": covariance.rule(),
    "contrastive": contrastive.rule(),
}

LOCAL_RULES: dict[str, Callable[..., Rule]] = {
    "oja": oja.rule,
    "sanger": sanger.rule,
    "bcm": bcm.rule,
    "perceptron": perceptron.rule,
    "proximal": proximal.rule,
    "pseudo_inverse": pseudo_inverse.rule,
    "willshaw": willshaw.rule,
    "palimpsest": palimpsest.rule,
    "three_factor": three_factor.rule,
}
"""Rules from the literature that see the weights, keep a state or learn on their own terms.

The plain loop runs them in `train`, `AssociativeMemory` and `sweep`; estimators use `RULES`.
"""

AUTO_RULES: dict[str, Callable[..., AutoRule]] = {
    "hebbian_descent": hebbian_descent.auto_rule,
    "gradient_descent": gradient_descent.auto_rule,
    "hebb": hebb.auto_rule,
    "contrastive": contrastive.auto_rule,
    "oja": oja.auto_rule,
    "sanger": sanger.auto_rule,
}


@finder_of(Rule)
def get_rule(rule: str | Rule, **parameters: Any) -> Rule:
    """Return a rule for a layer by name, with its parameters; a custom rule is passed through."""
    if isinstance(rule, Rule):
        return rule
    if isinstance(rule, AutoRule):
        raise ValueError(
            f"The rule {rule.name!r} as given trains an Autoencoder. Got a Layer: "
            f"use one of {', '.join(RULES)}."
        )
    if not isinstance(rule, str):
        raise TypeError(
            f'A rule must be a name or a Rule. Got {rule!r}: try Rule("name", function) for a function.'
        )
    if rule in LOCAL_RULES:
        return made_with("rule", rule, LOCAL_RULES[rule], parameters)
    if rule not in RULES:
        raise unknown_name("rule", rule, (*RULES, *LOCAL_RULES))
    if parameters:
        raise ValueError(f"The rule {rule!r} has no parameters. Got {', '.join(parameters)}.")
    return RULES[rule]


def rule_title(name: str, *, in_sentence: bool = False) -> str:
    """Return the display name of a rule, by default its name; within a sentence, as "gradient descent"."""
    title = (RULES[name].title or name) if name in RULES else name
    return title[:1].lower() + title[1:] if in_sentence and not title.startswith("Hebb") else title


@finder_of(AutoRule)
def get_auto_rule(rule: str | AutoRule, **parameters: Any) -> AutoRule:
    """Return a rule for an auto-encoder by name, with its parameters; a custom rule is passed through."""
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
    return made_with("rule", rule, AUTO_RULES[rule], parameters)
