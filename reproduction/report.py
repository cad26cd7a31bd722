"""The report: one page with pictures, counts, claims, tables, studies, misprints and protocol.

It needs no network and no JavaScript: what is long opens with a click. Numbers are those of your own runs, or
else those under version control; runs of less effort than the paper's are shown, but decide nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import pandas as pd

import hebbian_descent
from hebbian_descent import plotting
from hebbian_descent.checks import printable, require_extra
from hebbian_descent.safe_files import write_atomically
from hebbian_descent.table_formats import Marked, TextTable
from reproduction.claims import judge_all
from reproduction.compare import verdicts
from reproduction.context import Context
from reproduction.figures import FIGURES, path_of
from reproduction.formula_tables import FORMULA_TABLES
from reproduction.layout import averaged, reason, side_by_side
from reproduction.numbers import NUMBERS, numbered
from reproduction.pairs import summary
from reproduction.pictures import MEASURES
from reproduction.printed import notes, printed_rows
from reproduction.running import finished
from reproduction.studies import STUDIES, Study
from reproduction.studies.page import as_text
from reproduction.tables import TABLES

DRAWN = Path(__file__).parents[1] / "docs" / "figures"
"""Figures of the rows under version control."""
TEMPLATES = Path(__file__).parent / "templates"
LONG_NUMBER = re.compile(r"(?<![-\w.])(-?[1-9]\d*\.\d\d)\d+")
"""Coordinates are cut to a hundredth of a point; what is smaller than 1 may be a scale, and stays."""


class Picture(NamedTuple):
    """A figure, with what it shows in words."""

    heading: str
    see: str
    alt: str
    source: str
    """Data URL."""


class Part(NamedTuple):
    """A table of the paper or of a run: its columns, each with a title, and the reasons for differences."""

    heading: str
    counts: str
    columns: list[tuple[str, TextTable]]
    reasons: list[str]


class Finding(NamedTuple):
    """A study with what its rows say."""

    study: Study
    verdict: str
    answer: str
    tables: dict[str, TextTable]
    source: str


def write_report(context: Context) -> Path:
    """Write the page into the folder of the runs, with a name for each effort; return its path."""
    effort = context.effort
    if not effort.is_the_papers and not context.parts.exists():
        raise ValueError(
            f"There must be runs of this kind in {context.folder}. Got none: `run NAME --quick` makes them."
        )
    path = context.folder / ("report.html" if effort.is_the_papers else f"report-{effort.name}.html")
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, render(context).encode(errors="backslashreplace"))
    return path


def render(context: Context) -> str:
    """Return the page on the runs of one effort."""
    jinja2 = require_extra("jinja2", extra="results", purpose="Writing the report")
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=lambda value: printable(value) if type(value) is str else value,
    )
    text: str = environment.get_template("report.html").render(_content(context))
    return text


def _content(context: Context) -> dict[str, Any]:
    judged = context.effort.is_the_papers
    found = verdicts(context) if judged else pd.DataFrame(columns=["experiment", "word"])
    claims = judge_all(context)
    return {
        "version": hebbian_descent.__version__,
        "today": date.today().isoformat(),
        "effort": context.effort,
        "words": found["word"].value_counts(),
        "summary": summary(found).to_dict("records") if judged else [],
        "pictures": list(_pictures(context)),
        "claims": claims,
        "claim_words": Counter(claim.verdict for claim in claims),
        "parts": list(_compared(found) if judged else _averages(context)),
        "formulas": list(_formulas()),
        "studies": list(_studies(context)) if judged else [],
        "notes": {name: as_text(pd.DataFrame(notes(name))) for name in ("misprints", "protocol")},
        "described": described,
        "plain": plain,
        "measures": MEASURES,
        "cell": lambda cell: cell if isinstance(cell, Marked) else Marked(str(cell)),
    }


def described(label: str) -> str:
    """Return what the paper calls a label, such as Table 3; where it has no number, the label."""
    return NUMBERS.get(label, label)


def plain(text: str) -> str:
    """Return text with what the paper calls a label in place of the label, without marks of Markdown."""
    return numbered(text).replace("`", "")


def _pictures(context: Context) -> Iterator[Picture]:
    """Yield the figures that were drawn, by the paper's effort also those under version control."""
    for label, figure in FIGURES.items():
        own = path_of(label, context)
        path = DRAWN / own.name if context.effort.is_the_papers and not own.is_file() else own
        if path.is_file():
            svg = path.read_text(encoding="utf-8", errors="replace")
            yield Picture(f"{described(label)}. {figure.title}", figure.see, figure.alt, data_url(svg))


def data_url(svg: str) -> str:
    """Return a drawing as an address for an attribute in double quotes; base64 would be a third longer."""
    svg = LONG_NUMBER.sub(r"\1", re.sub(r">\s+<", "><", svg))
    svg = re.sub(r'="([^"\']*)"', r"='\1'", svg)
    return "data:image/svg+xml," + quote(svg, safe=" !$()*+,-./:;<=>?@[]_{|}~'")


def _compared(found: pd.DataFrame) -> Iterator[Part]:
    for label, table in TABLES.items():
        results = found[found["experiment"] == label]
        columns = [
            (MEASURES[measure], side_by_side("", lines))
            for measure, lines in results.groupby("measure", sort=False)
        ]
        counts = ", ".join(f"{word}: {n}" for word, n in results["word"].value_counts().items())
        yield Part(f"{described(label)}. {table.title}", counts, columns, reasons(results))


def reasons(results: pd.DataFrame) -> list[str]:
    """Return why results differ, each reason once; empty for a reason that is not known."""
    different = results[results["word"] == "differs"]
    rows = (printed_rows()[place] for place in different["row"])
    known = (
        reason(row.label, row.name, measure) for row, measure in zip(rows, different["measure"], strict=True)
    )
    return list(dict.fromkeys(known))


def _averages(context: Context) -> Iterator[Part]:
    """Yield what was measured by another protocol, which nothing is compared with."""
    for label, table in TABLES.items():
        rows = finished(label, context)
        columns = [("", averaged(rows))] if len(rows) else []
        yield Part(f"{described(label)}. {table.title}", "" if len(rows) else "not run", columns, [])


def _formulas() -> Iterator[TextTable]:
    for table in FORMULA_TABLES.values():
        yield TextTable(table.headings, list(table.rows()), f"{described(table.label)}. {table.title}")


def _studies(context: Context) -> Iterator[Finding]:
    for study in STUDIES.values():
        if len(rows := study.rows(context)):
            tables = {title: as_text(table) for title, table in study.tables(rows).items()}
            yield Finding(study, *study.answer(rows), tables, _drawing(study, rows, context))


def _drawing(study: Study, rows: pd.DataFrame, context: Context) -> str:
    """Return the figure of a study: the one under version control, or one drawn anew if it was run here."""
    path = DRAWN / f"study_{study.name}.svg"
    if len(finished(study.label, context)):
        path = context.folder / "figures" / path.name
        path.parent.mkdir(parents=True, exist_ok=True)
        plotting.save_svg(study.figure(rows), path)
    return data_url(path.read_text(encoding="utf-8")) if path.is_file() else ""
