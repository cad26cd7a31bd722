"""The numbers of tables, figures, equations and sections in the printed paper.

Counted from the paper's LaTeX source by tools/number_labels.py.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

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


def label_of(name: str) -> str:
    """Return the label of `Table 3`, `fig. 10a` or `Eq. (7)`; any other name stands for itself."""
    return BY_NUMBER.get(spelled(name), name)


def place(label: str) -> int:
    """Return the number of a table in the printed paper; numbers of the text stand behind them."""
    return int(NUMBERS.get(label, "Table 99").split()[1])


def described(label: str) -> str:
    """Return a label beside its number, `Table 3 (tab:…)`, or alone if the paper has no such label."""
    return f"{NUMBERS[label]} ({label})" if label in NUMBERS else label


def numbered(text: str) -> str:
    """Return a text with `tab:…` and the like, in backquotes, replaced by what the paper prints: Table 3."""
    return re.sub("`([^`]+)`", lambda quoted: NUMBERS.get(quoted[1], quoted[0]), text)


def spelled(name: str) -> str:
    """Return one spelling for `Figure 10(a)`, `figure 10 a` and `Fig. 10a`."""
    word, *number = re.findall(r"[\w.]+", name.lower()) or [""]
    kind = word.rstrip(".")
    return f"{ABBREVIATIONS.get(kind, kind)} {''.join(number)}"


BY_NUMBER = {spelled(number): label for label, number in NUMBERS.items()}
