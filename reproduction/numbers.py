"""The numbers of tables, figures, equations and sections in the printed paper.

Counted from the paper's LaTeX source by tools/number_labels.py.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from hebbian_descent.checks import unknown_name

_COUNTED = json.loads((Path(__file__).parent / "data" / "paper_numbers.json").read_text(encoding="utf-8"))

NUMBERS: dict[str, str] = _COUNTED["numbers"]
"""What the paper prints for each LaTeX label, such as `Table 3`, `Figure 10(a)` or `Appendix A`."""
SOURCE: dict[str, str] = _COUNTED["source"]
"""Title, version and SHA-256 of the source in which the labels were counted."""

ABBREVIATIONS = {
    "tab": "table",
    "fig": "figure",
    "eq": "equation",
    "eqn": "equation",
    "sec": "section",
    "app": "appendix",
}


def number_of(label: str) -> str:
    """Return what the paper prints for a label: `Table 3`."""
    if label not in NUMBERS:
        raise unknown_name("label", label, NUMBERS)
    return NUMBERS[label]


def label_of(name: str) -> str:
    """Return the label of `Table 3`, `fig. 10a` or `Eq. (7)`; a label stands for itself."""
    if name in NUMBERS:
        return name
    if spelled(name) not in BY_NUMBER:
        raise unknown_name("number or label", name, [*NUMBERS.values(), *NUMBERS])
    return BY_NUMBER[spelled(name)]


def described(label: str) -> str:
    """Return a label beside its number, `Table 3 (tab:…)`, or alone if the paper has no such label."""
    return f"{NUMBERS[label]} ({label})" if label in NUMBERS else label


def spelled(name: str) -> str:
    """Return one spelling for `Figure 10(a)`, `figure 10 a` and `Fig. 10a`."""
    word, *number = re.findall(r"[\w.]+", name.lower()) or [""]
    kind = word.rstrip(".")
    return f"{ABBREVIATIONS.get(kind, kind)} {''.join(number)}"


BY_NUMBER = {spelled(number): label for label, number in NUMBERS.items()}
