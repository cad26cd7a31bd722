"""The explorer's settings: one list for its controls, its address and `explore`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlencode

from hebbian_descent.checks import as_count, as_number, unknown_name
from hebbian_descent.explorer.pairs import MOST_PATTERNS
from hebbian_descent.learning.centering import SHIFT
from hebbian_descent.network import ACTIVATIONS
from hebbian_descent.rules import RULES

N_RULES = 4
RULES_AT_START = ("hebbian_descent", "gradient_descent", "hebb", "covariance")


@dataclass(frozen=True)
class Choice:
    """A setting that takes one of a few values, each with its title."""

    name: str
    title: str
    default: str
    options: Mapping[str, str]
    note: str = ""

    def checked(self, value: object) -> str:
        """Return one of the values as text, or refuse it; None is "none"."""
        text = "none" if value is None else str(value)
        if text not in self.options:
            raise unknown_name(self.name, value, self.options)
        return text


@dataclass(frozen=True)
class Range:
    """A number that a slider sets."""

    name: str
    title: str
    default: float | Literal["auto"]
    low: float
    high: float
    scale: Literal["linear", "log", "log or 0"] = "linear"
    """On "log or 0", the left end of the slider is 0."""
    note: str = ""

    @property
    def can_be_automatic(self) -> bool:
        """Whether "auto" is a value."""
        return self.default == "auto"

    def checked(self, value: object) -> str:
        """Return a number within the range as text that keeps all of its digits, or refuse it."""
        if self.can_be_automatic and value == "auto":
            return "auto"
        if self.scale == "log or 0" and value == 0:
            return "0"
        return repr(as_number(value, self.name, at_least=self.low, at_most=self.high))


@dataclass(frozen=True)
class Whole:
    """A whole number without a control of its own."""

    name: str
    default: int
    high: int

    def checked(self, value: object) -> str:
        """Return a whole number as text, or refuse it."""
        number = as_count(value, self.name, at_least=0)
        if number > self.high:
            raise ValueError(f"The {self.name} must be at most {self.high}. Got {value!r}.")
        return str(number)


Setting = Choice | Range | Whole

SETTINGS: dict[str, tuple[Setting, ...]] = {
    "Patterns": (
        Choice("stored", "Stored", "digits", {"digits": "digits", "random": "random"}),
        Choice("cues", "Cues", "random", {"random": "random", "digits": "digits"}),
        Choice("patterns", "How many", "100", {str(n): str(n) for n in (50, 100, 200, MOST_PATTERNS)}),
        Range("activity", "Activity", 0.5, 0.05, 0.95, note="share of units that are on"),
        Range("correlation", "Correlation", 0.0, 0.0, 0.95, note="of cues, within each of two families"),
        Whole("seed", 1, 9999),
    ),
    "Learning": (
        Choice("activation", "Units", "sigmoid", {name: name.replace("_", " ") for name in ACTIVATIONS}),
        Range("learning_rate", "Learning rate", "auto", 0.001, 100.0, "log"),
        Range(
            "weight_decay", "Weight decay", 0.0, 0.001, 0.3, "log or 0", "share of weights lost per pattern"
        ),
    ),
    "Centering": (
        Choice(
            "centering",
            "Centering",
            "mean",
            {
                "none": "none",
                "mean": "mean of all cues",
                "moving": "moving, from the first cue",
                "half": "moving, from 0.5",
            },
        ),
        Range("shift", "Offset shift", SHIFT, 0.001, 1.0, "log", "how fast a moving offset follows"),
    ),
    "Playing": (Range("speed", "Patterns per second", 8.0, 1.0, 240.0, "log"),),
}
"""All settings by group; those of a group are shown together."""


def address_part(settings: Mapping[str, object]) -> str:
    """Return settings as the part of the address after "#", or refuse them."""
    known = {setting.name: setting for group in SETTINGS.values() for setting in group}
    parts = {}
    for name, value in settings.items():
        if name == "rules":
            parts[name] = _checked_rules(value)
        elif name in known:
            parts[name] = known[name].checked(value)
        else:
            raise unknown_name("setting of the explorer", name, ("rules", *known))
    return urlencode(parts, safe=",")


def _checked_rules(value: object) -> str:
    names = [value] if isinstance(value, str) else list(value) if isinstance(value, (list, tuple)) else []
    for name in names:
        if name not in RULES:
            raise unknown_name("rule", name, RULES)
    if len(names) != N_RULES:
        raise ValueError(f"The rules must be {N_RULES}, side by side. Got {value!r}.")
    return ",".join(names)
