"""Evidence kept under version control: what a reproduction found, without the run that found it.

    summary.csv      one line per printed number: ours, its spread, the verdict
    draws.parquet    every draw and trial behind it, one value per row; with a checksum, as in a store
    origin.json      by label: date, commit, versions, processor and seeds
    claims.json      the verdicts on the paper's conclusions

Numbers are read from the draws where these are kept, and elsewhere from the summary. Verdicts are never read:
they follow from the numbers. Anyone may have written the files, so every field is checked.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hebbian_descent.checks import require_extra
from hebbian_descent.safe_files import open_regular
from hebbian_descent.storage.results.parquet import damage, with_checksum
from reproduction.comparison import Estimate, Key, cell_key
from reproduction.experiments.base import Measured
from reproduction.layout import CELL_FIELDS, FIELDS
from reproduction.origin import Origin, origin_in
from reproduction.printed import PrintedRow, printed_rows, text_rows
from reproduction.run_context import DEFAULT_FOLDER, Effort
from reproduction.saved_json import (
    LARGEST_FILE,
    as_file,
    as_float,
    as_object,
    as_whole,
    read_json,
    warn_of_damage,
)

SUMMARY, DRAWS, ORIGIN, CLAIMS = "summary.csv", "draws.parquet", "origin.json", "claims.json"
KEPT_FILES = (SUMMARY, DRAWS, ORIGIN, CLAIMS)
REMEDY = "`git checkout` brings back what was committed, `hebbian-descent evidence` writes it again"
DOCUMENT = Path("docs") / "reproduction.md"
VALUE_FIELDS = ("column", "draw", "trial", "value", "learning_rate", "weight_decay")


class Number(NamedTuple):
    """One line of the summary."""

    estimate: Estimate
    seconds: float


@dataclass(frozen=True)
class KeptEvidence:
    """The evidence kept in a folder; empty if there is none."""

    numbers: Mapping[str, Mapping[Key, Mapping[str, Number]]] = field(default_factory=dict)
    """By label, cell and column."""
    rows: Mapping[str, Sequence[Measured]] = field(default_factory=dict)
    """Every draw with its trials, by label."""
    origins: Mapping[str, Origin] = field(default_factory=dict)

    def seconds(self, label: str) -> dict[Key, float]:
        """Return the seconds of the jobs that computed each cell."""
        cells = self.numbers.get(label, {})
        return {key: next(iter(by_column.values())).seconds for key, by_column in cells.items()}


def read_kept(folder: Path) -> KeptEvidence:
    """Return the evidence in a folder; damaged files count as missing, with a warning."""
    return _read_kept(folder.absolute(), tuple(_stamp(folder / name) for name in KEPT_FILES))


def document_on(folder: Path) -> Path:
    """Return the document on the evidence in a folder; the repository's is about its own evidence alone."""
    return DOCUMENT if folder == DEFAULT_FOLDER else folder / DOCUMENT.name


def kept_rate(folder: Path, label: str, cell: Mapping[str, str]) -> float:
    """Return the learning rate that was found best for a cell."""
    found = read_kept(folder).numbers.get(label, {}).get(cell_key(cell), {})
    rates = [number.estimate.learning_rate for number in found.values()]
    rates = [rate for rate in rates if np.isfinite(rate)]  # printed spreads have none
    if not rates:
        raise ValueError(
            f"The search 'kept' must find the learning rates in the evidence of {folder}. Got none for "
            f"{label}, {', '.join(cell.values())}: leave --search out to find them."
        )
    return rates[0]


def _stamp(path: Path) -> tuple[int, int] | None:
    """Return what changes when a file is written again."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


@lru_cache(maxsize=2)
def _read_kept(folder: Path, stamps: tuple[tuple[int, int] | None, ...]) -> KeptEvidence:
    return KeptEvidence(
        _unless_damaged(folder / SUMMARY, _read_summary) or {},
        _unless_damaged(folder / DRAWS, _read_draws) or {},
        read_origins(folder / ORIGIN),
    )


def _unless_damaged(path: Path, read: Any) -> Any:
    try:
        return read(path)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, csv.Error) as error:
        warn_of_damage(path, error, REMEDY)
        return None


@cache
def _printed() -> Mapping[tuple[str, Key], PrintedRow]:
    return {(row.label, cell_key(row.cell)): row for row in (*printed_rows(), *text_rows())}


def _read_summary(path: Path) -> dict[str, dict[Key, dict[str, Number]]]:
    found: dict[str, dict[Key, dict[str, Number]]] = defaultdict(lambda: defaultdict(dict))
    reader = csv.DictReader(_content(path).decode("utf-8").splitlines())
    if tuple(reader.fieldnames or ()) != FIELDS:
        raise ValueError(f"its columns must be {', '.join(FIELDS)}")
    for line in reader:
        row, column = _row_of(line)
        n = line["n"] or ""
        if not n.isdecimal():
            raise ValueError(f"'n' must be a whole number in line {reader.line_num}, but is {n!r:.100}")
        if int(n):
            names = ("ours", "sd", "learning_rate", "weight_decay")
            mean, sd, *best = (_number(line, name) for name in names)
            estimate = Estimate(mean, sd, int(n), *best)
            found[row.label][cell_key(row.cell)][column] = Number(estimate, _number(line, "seconds"))
    return {label: dict(cells) for label, cells in found.items()}


def _row_of(line: Mapping[str, Any]) -> tuple[PrintedRow, str]:
    """Return the printed row and the column of a line, which must exist."""
    cell = {name: line[name] for name in CELL_FIELDS if line[name]}
    row = _printed().get((line["label"], cell_key(cell)))
    column = line["column"]
    if row is None or (column not in row.results and column not in row.context):
        raise ValueError(f"{line['label']!r:.100} must have the cell and column, but does not: {cell!r:.300}")
    return row, column


def _number(line: Mapping[str, str], name: str) -> float:
    return as_float(float(line[name] or np.nan), name, may_be_nan=True)


def _content(path: Path) -> bytes:
    with open_regular(path) as file:
        content = file.read(LARGEST_FILE + 1)
    if len(content) > LARGEST_FILE:
        raise ValueError(f"it must have at most {LARGEST_FILE} bytes")
    return content


def _read_draws(path: Path) -> dict[str, list[Measured]]:
    if find_spec("pyarrow") is None:  # then nothing is paired, but the summary is there
        return {}
    content = _content(path)
    if reason := damage(content, DRAWS):  # damaged bytes are not parsed
        raise ValueError(f"it is a file {reason}")
    pyarrow, parquet = _arrow(), _arrow_parquet()
    table = parquet.read_table(pyarrow.BufferReader(content))
    expected = _schema()
    if not table.schema.equals(expected):  # metadata may differ
        must = ", ".join(f"{field.name} ({field.type})" for field in expected)
        raise ValueError(f"its columns must be {must}")
    if any(column.null_count for column in table.columns):
        raise ValueError("every row of it must have a value in every column")
    columns = [column.to_pylist() for column in table.columns]
    values: dict[tuple[Any, ...], dict[int, float]] = defaultdict(dict)
    for *place, draw, trial, value, rate, decay in zip(*columns, strict=True):
        values[(*place, draw, rate, decay)][trial] = value
    return _measured(values)


def _measured(values: Mapping[tuple[Any, ...], Mapping[int, float]]) -> dict[str, list[Measured]]:
    """Return the rows that these values by trial belong to."""
    together: dict[tuple[str, Key, int, float, float], dict[str, tuple[float, ...]]] = defaultdict(dict)
    for (*words, column, draw, rate, decay), by_trial in values.items():
        line = dict(zip(("label", *CELL_FIELDS, "column"), (*words, column), strict=True))
        row, _ = _row_of(line)
        if sorted(by_trial) != list(range(len(by_trial))):
            raise ValueError(
                f"the trials of {row.label} must be counted from 0, but are {sorted(by_trial)!r:.100}"
            )
        trials = tuple(as_float(by_trial[n], column, may_be_nan=True) for n in range(len(by_trial)))
        as_whole(draw, "the draw", at_least=0)
        best = (as_float(rate, "the learning rate"), as_float(decay, "the weight decay"))
        together[row.label, cell_key(row.cell), draw, *best][column] = trials
    found: dict[str, list[Measured]] = defaultdict(list)
    for (label, key, draw, rate, decay), by_column in together.items():
        row = _printed()[label, key]
        counts = {len(trials) for trials in by_column.values()}
        if set(by_column) != set(row.results) or len(counts) != 1:
            raise ValueError(f"each draw of {label} must have the trials of {', '.join(row.results)}")
        arrays = {name: np.array(trials) for name, trials in by_column.items()}
        found[label].append(
            Measured(
                row.cell,
                {name: float(array.mean()) for name, array in arrays.items()},
                {name: float(array.std()) for name, array in arrays.items()},
                rate,
                decay,
                counts.pop(),
                draw,
                by_column,
            )
        )
    return dict(found)


def read_origins(path: Path) -> dict[str, Origin]:
    """Return the origins in a file, by what they are of; a damaged file counts as missing, with a warning."""
    return _unless_damaged(path, _read_origins) or {}


def _read_origins(path: Path) -> dict[str, Origin]:
    return {label: origin_in(content) for label, content in as_object(read_json(path), "the file").items()}


def draws_file(rows: Mapping[str, Iterable[Measured]]) -> bytes:
    """Return a file of one value per row: every trial of every draw, without measurements that have none."""
    pyarrow, schema = _arrow(), _schema()
    columns = list(zip(*_values(rows), strict=True)) or [()] * len(schema)
    table = pyarrow.table(
        [pyarrow.array(column, field.type) for field, column in zip(schema, columns, strict=True)],
        schema=schema,
    )
    output = pyarrow.BufferOutputStream()
    _arrow_parquet().write_table(
        table,
        output,
        compression="zstd",
        use_dictionary=[name for name in schema.names if name != "value"],
        column_encoding={"value": "BYTE_STREAM_SPLIT"},
        write_page_checksum=True,
    )
    return with_checksum(output.getvalue().to_pybytes(), DRAWS)


def _schema() -> Any:
    """Return the columns of the draws with their types."""
    pyarrow = _arrow()
    whole, number = dict.fromkeys(("draw", "trial"), pyarrow.int16()), pyarrow.float64()
    types = whole | dict.fromkeys(("value", "learning_rate", "weight_decay"), number)
    names = ("label", *CELL_FIELDS, *VALUE_FIELDS)
    return pyarrow.schema([(name, types.get(name, pyarrow.string())) for name in names])


def _values(rows: Mapping[str, Iterable[Measured]]) -> Iterator[tuple[Any, ...]]:
    for label, measured in rows.items():
        for row in sorted(measured, key=lambda row: (cell_key(row.cell), row.draw)):
            words = (row.cell.get(name, "") for name in CELL_FIELDS)
            place = (label, *words)
            for column in _printed()[label, cell_key(row.cell)].results:  # More may have been measured.
                for trial, value in enumerate(row.trials.get(column, ())):
                    yield (*place, column, row.draw, trial, value, row.learning_rate, row.weight_decay)


def origins_file(origins: Mapping[str, Origin]) -> bytes:
    """Return a file that says where the numbers of each label, or the verdicts on claims, come from."""
    return as_file({label: origin._asdict() for label, origin in origins.items()})


def claims_origin(folder: Path, effort: Effort) -> Path:
    """Return the file that says, by number, where the verdicts of a run come from; it is next to them."""
    return folder / "claims" / f"{effort.name}-origin.json"


def require_arrow() -> None:
    """Raise an error that says what to install, unless draws can be read and written."""
    _arrow_parquet()


def _arrow() -> Any:
    return require_extra("pyarrow", extra="paper", purpose="Keeping every draw")


def _arrow_parquet() -> Any:
    return require_extra("pyarrow.parquet", extra="paper", purpose="Keeping every draw")
