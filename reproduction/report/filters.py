"""Filters of the page template: numbers, verdicts and names as text."""

from __future__ import annotations

import math
import re
from typing import Any

from hebbian_descent.rules import rule_title
from reproduction.comparison import Verdict, is_drawn
from reproduction.layout import Line, cell_name

MARKS = {"agrees": "✓", "differs": "≠", "undecided": "?", "not run": "–"}
"""Signs that accompany the colours, for colour-blind readers."""
BASELINES = ("target_baseline_mae", "baseline_error", "baseline_mae")


def number(value: Any, digits: int = 4) -> str:
    """Return a number as the paper prints it, or a dash for none; text is returned unchanged."""
    if isinstance(value, str):
        return value
    if value is None or math.isnan(value):
        return "–"
    return f"{value:.{digits}f}".replace("-", "−")


def short(value: Any) -> str:
    """Return a number with four significant digits, for results of unknown size."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def plainly(value: float) -> str:
    """Return a number of a grid without an exponent, such as 0.00002."""
    return f"{value:.6f}".rstrip("0").rstrip(".")


def facts(verdict: Verdict, judged: bool = True) -> str:
    """Return the details of a number, for the note that opens at its cell."""
    if not verdict.n:
        return f"printed {number(verdict.printed)}\nnot run"
    what = "draw" if is_drawn(verdict.row) else "trial"
    count = f"{verdict.n} {what}{'' if verdict.n == 1 else 's'}"
    spread = "" if math.isnan(verdict.sd) else f" ± {number(verdict.sd)}"
    lines = [f"ours {number(verdict.mean)}{spread} ({count})", f"printed {number(verdict.printed)}"]
    if judged:
        lines.append(f"z {number(verdict.z, 2)}: {verdict.word}")
    lines.append(f"learning rate {plainly(verdict.learning_rate)}")
    if verdict.weight_decay:
        lines.append(f"weight decay {plainly(verdict.weight_decay)}")
    return "\n".join(lines)


def baseline(line: Line) -> float | None:
    """Return the printed error of always answering with the mean, if the paper gives it."""
    context = next(iter(line.by_rule.values())).row.context
    return next((context[name] for name in BASELINES if name in context), None)


def duration(seconds: float) -> str:
    """Return a time in a suitable unit."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 3600 else f"{seconds / 3600:.1f} h"


def anchor(text: str) -> str:
    """Return a label as an HTML anchor."""
    return re.sub(r"[^A-Za-z0-9]+", "-", text)


FILTERS = {
    "number": number,
    "short": short,
    "rule_title": rule_title,
    "facts": facts,
    "baseline": baseline,
    "duration": duration,
    "anchor": anchor,
    "cell_name": cell_name,
}
