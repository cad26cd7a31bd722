"""The page with every printed number beside ours, written when the site is built."""

from __future__ import annotations

import pandas as pd

from hebbian_descent.table_formats import TextTable, markdown_text
from reproduction.compare import verdicts
from reproduction.context import COMMITTED
from reproduction.document import title_of
from reproduction.layout import side_by_side
from reproduction.numbers import NUMBERS
from reproduction.pairs import summary
from reproduction.pictures import MEASURES
from reproduction.rows import origins
from reproduction.studies.page import in_full
from reproduction.tables import TABLES

SIGNS = "In each cell: ours/printed, ours≠printed where they differ, ours?printed where that is undecided."


def all_numbers() -> str:
    """Return the page: counts, the tables of the paper, and where our numbers come from."""
    found = verdicts(COMMITTED)
    sections = ["# All numbers", SIGNS, "## Counts", markdown_text(counts(found))]
    for label in TABLES:
        sections.append(f"## {title_of(label)}")
        results = found[found["experiment"] == label]
        for measure, lines in results.groupby("measure", sort=False):
            sections.append(in_full(MEASURES[measure], side_by_side("", lines, digits=4)))
    sections += ["## Where the numbers come from", markdown_text(sources())]
    return "\n\n".join(sections) + "\n"


def counts(found: pd.DataFrame) -> TextTable:
    """Return the counts of verdicts by table and measure."""
    table = summary(found)
    table["experiment"] = table["experiment"].map(lambda label: NUMBERS.get(label, label))
    table["blind"] = table["blind"].map(lambda share: "–" if pd.isna(share) else f"{share:.0%}")
    table["rms_z"] = table["rms_z"].map("{:.2f}".format)
    return TextTable([name.replace("_", " ") for name in table], table.to_numpy().tolist())


def sources() -> TextTable:
    """Return date, commit, versions, processor and seeds of each experiment under version control."""
    names = ("date", "commit", "versions", "processor", "seeds")
    rows = [
        (NUMBERS.get(label, label), *(origin.get(name, "") for name in names))
        for label, origin in origins().items()
    ]
    return TextTable(("numbers", *names), rows)
