"""Tables as CSV: the one place that writes it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""Text that begins so is a formula to a spreadsheet."""


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    """Return rows as CSV; an apostrophe keeps a spreadsheet from computing text that looks like a formula."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(map(_harmless, row) for row in rows)
    return text.getvalue()


def _harmless(cell: object) -> object:
    if isinstance(cell, str) and cell.startswith(FORMULA_STARTS) and not _is_number(cell):
        return f"'{cell}"
    return cell


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return text.isprintable()
