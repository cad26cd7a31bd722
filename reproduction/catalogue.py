"""Everything that can be run or shown: by label, by printed number, or by the name of a study."""

from __future__ import annotations

from functools import cache
from typing import Any, Literal, NamedTuple

from hebbian_descent.checks import unknown_name
from reproduction.claims import EXPERIMENTS
from reproduction.figures import FIGURES
from reproduction.formula_tables import FORMULA_TABLES
from reproduction.numbers import NUMBERS, label_of
from reproduction.rows import origins
from reproduction.studies import STUDIES
from reproduction.tables import TABLES

Kind = Literal["table", "formulas", "figure", "study", "claim"]


class Entry(NamedTuple):
    """Something that can be run or shown."""

    label: str
    kind: Kind
    content: Any

    @property
    def number(self) -> str:
        """Its number in the printed paper, such as Table 3; empty for studies and numbers of the text."""
        return NUMBERS.get(self.label, "")

    @property
    def title(self) -> str:
        """What it shows, in a line."""
        return str(self.content.title)

    @property
    def minutes(self) -> float | None:
        """How long the committed run took; None if its time was not recorded."""
        seconds = origins().get(self.label, {}).get("seconds")
        return None if seconds is None else float(seconds) / 60

    def __str__(self) -> str:
        return f"{self.number} ({self.label})" if self.number else self.label


@cache
def catalogue() -> dict[str, Entry]:
    """Return all entries by label, in the order of the paper; studies and claims follow."""
    kinds: dict[Kind, Any] = {
        "table": TABLES,
        "formulas": FORMULA_TABLES,
        "figure": FIGURES,
        "study": STUDIES,
        "claim": EXPERIMENTS,
    }
    return {
        label: Entry(label, kind, content)
        for kind, found in kinds.items()
        for label, content in found.items()
    }


def find(name: str, *kinds: Kind) -> Entry:
    """Return the entry of a label, a number such as "Table 3", or a name; kinds limit what it may be."""
    chosen = {label: entry for label, entry in catalogue().items() if not kinds or entry.kind in kinds}
    label = name if name in chosen else label_of(name)
    if label not in chosen:
        numbers = [entry.number for entry in chosen.values() if entry.number]
        raise unknown_name(" or ".join(kinds) or "name", name, [*numbers, *chosen])
    return chosen[label]
