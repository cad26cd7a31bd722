"""The verdict on each printed number, paired difference, claim and study, from the committed evidence.

`python -m tests.golden.verdicts` writes `verdicts.json`. Keys are made of the words of the paper's tables, so
they survive any change of the code; only the five functions below know the package.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

EVIDENCE = Path(__file__).parents[2] / "reproduction" / "data"
FILE = Path(__file__).with_name("verdicts.json")
LONG_CLAIMS = {3, 14, 18, 19}
"""Claims that were judged by networks trained for minutes: all digits of what was found are known."""

NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?%?")
DIGITS = re.compile(r"\d[\d.]*e[-+]?\d+|\d+\.\d+")


def printed_verdicts() -> Iterator[tuple[str, str, str, str]]:
    """Yield label, cell, column and verdict of each printed number; deviations and rates come with it."""
    from reproduction.compare import deviations_and_rates, verdicts
    from reproduction.context import COMMITTED
    from reproduction.printed import printed_rows

    for table in (verdicts(COMMITTED), deviations_and_rates(COMMITTED)):
        for place, measure, word in zip(table["row"], table["measure"], table["word"], strict=True):
            row = printed_rows()[place]
            yield row.label, in_words(row.cell), measure, word


def paired_verdicts() -> Iterator[tuple[str, str, str, str, str, str]]:
    """Yield kind, label, the two cells, column, verdict and direction of each printed difference."""
    from reproduction.compare import verdicts
    from reproduction.context import COMMITTED
    from reproduction.pairs import pairs

    for pair in pairs(COMMITTED, verdicts(COMMITTED)).itertuples():
        second = in_words(pair.second.cell)
        if pair.second.label != pair.first.label:
            second = f"{second} of {pair.second.label}"
        cells = f"{in_words(pair.first.cell)} minus {second}"
        yield pair.kind, pair.first.label, cells, pair.measure, pair.word, pair.direction


def judged_claims() -> Iterator[tuple[int, str, str, str]]:
    """Yield number, statement, verdict and findings of each claim.

    In findings that are computed here, not counted in tables, digits depend on the processor and become #.
    """
    from reproduction.claims import judge_all
    from reproduction.context import Context
    from reproduction.tables import TABLES

    with tempfile.TemporaryDirectory() as folder:  # without a run of your own
        for found in judge_all(Context(Path(folder))):
            is_computed = found.number not in LONG_CLAIMS and not set(found.evidence) <= set(TABLES)
            findings = DIGITS.sub("#", found.findings) if is_computed else found.findings
            yield found.number, found.statement, found.verdict, findings


def numbers_in(findings: str) -> Counter[str]:
    """Return how often each number stands in a text: what must not change when sentences do."""
    return Counter(re.findall(r"\d+(?:\.\d+)?", findings))


def answered_studies() -> Iterator[tuple[str, str, str, list[Any]]]:
    """Yield name, verdict, answer and tables of each study; a table is a title, headings and rows."""
    from reproduction.rows import committed, only
    from reproduction.studies import STUDIES

    for name, study in STUDIES.items():
        rows = only(committed(), name)
        verdict, text = study.answer(rows)
        tables = [
            (title, list(table), table.to_numpy().tolist()) for title, table in study.tables(rows).items()
        ]
        yield name, verdict, text, tables


def present() -> dict[str, Any]:
    """Return the verdicts of the present code, as they stand in the file."""
    printed: dict[str, Any] = {}
    for label, cell, column, word in printed_verdicts():
        _put(printed, (label, cell, column), word)
    paired: dict[str, Any] = {}
    for kind, label, cells, column, word, direction in paired_verdicts():
        _put(paired, (kind, label, cells, column), f"{word}, {direction}")
    claims = {
        str(number): {"statement": statement, "verdict": verdict, "findings": findings}
        for number, statement, verdict, findings in judged_claims()
    }
    studies = {
        name: {
            "verdict": verdict,
            "answer": text,
            "tables": [
                {"title": title, "headings": list(headings), "rows": [list(map(_shown, row)) for row in rows]}
                for title, headings, rows in tables
            ],
        }
        for name, verdict, text, tables in answered_studies()
    }
    found = {"printed": printed, "paired": paired, "claims": claims, "studies": studies}
    return {"verdict_counts": counts(found), **found}


def missing_numbers(golden: str, present: str) -> Counter[str]:
    """Return the numbers that a text has lost: sentences may be written anew, their numbers stay."""
    lost = Counter(NUMBER.findall(golden))
    lost.subtract(NUMBER.findall(present))
    return +lost


def counts(verdicts: Mapping[str, Any]) -> dict[str, Any]:
    """Count the verdicts: printed results and their context by column, differences by kind."""
    results, context = Counter[str](), Counter[str]()
    for _, column, word in _leaves(verdicts["printed"]):
        (context if column.endswith("_std") or column == "best_learning_rate" else results)[word] += 1
    return {
        "printed results": dict(sorted(results.items())),
        "printed deviations and learning rates": dict(sorted(context.items())),
        "paired differences": {
            kind: dict(sorted(Counter(word for *_, word in _leaves(tables)).items()))
            for kind, tables in verdicts["paired"].items()
        },
        "claims": dict(sorted(Counter(claim["verdict"] for claim in verdicts["claims"].values()).items())),
        "studies": dict(sorted(Counter(study["verdict"] for study in verdicts["studies"].values()).items())),
    }


def in_words(cell: Mapping[str, str]) -> str:
    """Return the words of a cell in the order of the printed table."""
    return " | ".join(cell.values())


def _put(tree: dict[str, Any], path: tuple[str, ...], word: str) -> None:
    for name in path[:-1]:
        tree = tree.setdefault(name, {})
    assert path[-1] not in tree, path
    tree[path[-1]] = word


def _leaves(tables: Mapping[str, Mapping[str, Mapping[str, str]]]) -> Iterator[tuple[str, str, str]]:
    for cells in tables.values():
        for cell, columns in cells.items():
            for column, word in columns.items():
                yield cell, column, word


def _shown(value: Any) -> Any:
    """Return a cell of a table as JSON: numbers to ten digits, which no rounding of sums reaches."""
    if isinstance(value, float):
        return float(f"{value:.10g}")
    return value if isinstance(value, str | int) else str(value)


def in_lines(value: Any, indent: str = "") -> str:
    """Write JSON with one line for each row of a table."""
    if not isinstance(value, dict | list) or not _nests(value):
        return json.dumps(value, ensure_ascii=False)
    deeper = indent + " "
    if isinstance(value, dict):
        items: Iterable[str] = (
            f"{json.dumps(key, ensure_ascii=False)}: {in_lines(item, deeper)}" for key, item in value.items()
        )
    else:
        items = (in_lines(item, deeper) for item in value)
    opened, closed = "{}" if isinstance(value, dict) else "[]"
    body = f",\n{deeper}".join(items)
    return f"{opened}\n{deeper}{body}\n{indent}{closed}"


def _nests(value: dict[str, Any] | list[Any]) -> bool:
    return any(
        isinstance(item, dict | list) for item in (value.values() if isinstance(value, dict) else value)
    )


if __name__ == "__main__":
    FILE.write_text(in_lines(present()) + "\n", encoding="utf-8")
