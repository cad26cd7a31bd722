"""The page on the studies: what the paper says, the answer, a figure, the protocol and the tables of each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from hebbian_descent.table_formats import TextTable, heading_anchor, markdown_text
from reproduction.numbers import NUMBERS, numbered
from reproduction.rows import committed, only, origins
from reproduction.studies import STUDIES, Study

SHORT = 12
"""Lines of a table that needs no click."""
INTRODUCTION = """# What the paper leaves open

The paper makes remarks without showing numbers, and names questions for future work. Each study measures one.

- `python -m reproduction study NAME` shows one, `run NAME` measures it again.
- Intervals are 99 % intervals (Student's t) of differences paired by draw.
- The verdict is on what the paper says. Some rules were chosen after first results, as their protocols say:
  read the tables, not the verdicts alone."""


def studies_page() -> str:
    """Return the page on all studies whose rows are under version control."""
    measured = {study.name: only(committed(), study.label) for study in STUDIES.values()}
    answers = [
        (link_to(study, ""), study.question, study.answer(measured[study.name]).verdict)
        for study in STUDIES.values()
    ]
    overview = markdown_text(TextTable(("study", "question", "verdict"), answers))
    parts = [part for study in STUDIES.values() for part in _section(study, measured[study.name])]
    return "\n\n".join([INTRODUCTION, overview, *parts]) + "\n"


def link_to(study: Study, page: str = "studies.md") -> str:
    """Return a link to the section on a study."""
    return f"[{study.title}]({page}#{heading_anchor(study.title)})"


def _section(study: Study, rows: pd.DataFrame) -> Iterator[str]:
    verdict, answer = study.answer(rows)
    yield f"## {study.title}"
    said = numbered(study.says)
    yield f"**{study.question}** The paper says in {NUMBERS.get(study.section, study.section)}: {said}"
    yield f"*Answer: {verdict}.* {answer}"
    yield f"![{study.title}](figures/study_{study.name}.svg)\n\n{study.caption}"
    yield numbered(_bullets([*study.steps, f"Rule: {study.rule}", *_origin(study.label)]))
    for title, table in study.tables(rows).items():
        yield in_full(title or "Numbers", as_text(table))
    if study.changes:
        yield "Changed after results were in sight:"
        yield _bullets([str(change) for change in study.changes])


def _bullets(lines: list[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _origin(label: str) -> Iterator[str]:
    found: dict[str, Any] = origins().get(label, {})
    if found:
        minutes = float(found["seconds"]) / 60
        yield f"Measured {found['date']}, commit {found['commit']}, {minutes:.0f} min on one core."


def as_text(table: pd.DataFrame) -> TextTable:
    """Return a table of a study in the form that every writer of tables takes."""
    return TextTable(list(table), table.to_numpy().tolist())


def in_full(title: str, table: TextTable) -> str:
    """Return a table, folded if it is long."""
    text = markdown_text(table)
    if len(table.rows) <= SHORT:
        return f"**{title}**\n\n{text}"
    # The blank lines make the text Markdown again inside HTML.
    return f"<details markdown>\n<summary>{title}: {len(table.rows)} lines</summary>\n\n{text}\n\n</details>"
