"""Shell completion of names: rules, activations, datasets. A failure completes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from hebbian_descent.datasets import DATASETS
from hebbian_descent.network import ACTIVATIONS
from hebbian_descent.rules import RULES

Completion = Callable[[str], list[str]]


def one_of(*names: str) -> Completion:
    """Return the completion of a word from a list."""

    def complete(incomplete: str) -> list[str]:
        return [name for name in names if name.startswith(incomplete)]

    return complete


def several_of(names: Iterable[str]) -> Completion:
    """Return the completion of the last of several comma-separated words."""
    known = tuple(names)

    def complete(incomplete: str) -> list[str]:
        before, comma, last = incomplete.rpartition(",")
        return [f"{before}{comma}{name}" for name in known if name.startswith(last)]

    return complete


datasets = one_of("all", *DATASETS)
rules = several_of(RULES)
activations = several_of(ACTIVATIONS)
