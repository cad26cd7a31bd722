"""A record as the bytes of a Parquet file, and back.

What is not a column is one JSON text in the file's metadata, under the name `hebbian_descent`.
"""

from __future__ import annotations

import json
from typing import Any

from hebbian_descent.checks import require_extra
from hebbian_descent.storage.results.canonical_types import Json
from hebbian_descent.storage.results.columns import arrow, to_columns
from hebbian_descent.storage.results.fingerprint import canonical, described, fingerprint
from hebbian_descent.storage.results.layout import describe, read_arrays
from hebbian_descent.storage.results.marker import FORMAT, check_format
from hebbian_descent.storage.results.provenance import provenance
from hebbian_descent.storage.results.record import Record
from hebbian_descent.storage.results.values import check_depth, restore, sha256, to_json

METADATA = b"hebbian_descent"
MAPPINGS = ("specification", "notes", "provenance")


def to_parquet(record: Record) -> tuple[str, bytes]:
    """Return the key of a record and the bytes of its file."""
    specification, definitions = described(dict(record.specification))
    key = sha256(specification)
    metadata: dict[str, Json] = {
        "format": FORMAT,
        "key": key,
        "specification": specification,
        "definitions": definitions,
        "axes": describe(record.axes),
        "values": describe(record.values),
        "seconds": record.seconds,
        "notes": canonical(dict(record.notes)),
        "provenance": canonical(dict(record.provenance or provenance())),
        "sha256": checksum(record),
    }
    table = arrow().table(to_columns(record, key, specification))
    # A dictionary takes all NaN for one, and 0.0 for -0.0: floating values are written bit by bit.
    floating = [name for name, array in record.values.items() if array.dtype.kind == "f"]
    output = arrow().BufferOutputStream()
    _arrow_parquet().write_table(
        table.replace_schema_metadata({METADATA: to_json(metadata)}),
        output,
        compression="zstd",
        use_dictionary=[name for name in table.column_names if name not in floating],
        use_byte_stream_split=floating,
    )
    return key, output.getvalue().to_pybytes()


def from_parquet(content: bytes, key: str, where: str) -> Record:
    """Return the record in the bytes of a file, or raise whatever is wrong with it."""
    return _read(content, key, where)[0]


def table_of(content: bytes, key: str, where: str) -> Any:
    """Return the Arrow table of the record in the bytes of a file, or raise whatever is wrong with it."""
    # Made of what was checked: the columns that repeat the specification could be anything.
    table = arrow().table(to_columns(*_read(content, key, where)))
    for position, name in enumerate(table.column_names):
        # An empty column says nothing of its type, which other cells may know.
        if table[name].null_count == table.num_rows:
            table = table.set_column(position, name, arrow().nulls(table.num_rows))
    return table


def _read(content: bytes, key: str, where: str) -> tuple[Record, str, Json]:
    file = _arrow_parquet().ParquetFile(arrow().BufferReader(content))
    metadata: dict[str, Any] = json.loads(file.schema_arrow.metadata[METADATA])
    check_depth(metadata)
    if type(metadata["format"]) is not int:
        raise ValueError("it does not say in which format it is")
    check_format(metadata["format"], where)
    if sha256(metadata["specification"]) != key:
        raise ValueError("its specification has another key")
    axes, values = read_arrays(file, metadata["axes"], metadata["values"])
    specification, notes, origin = (restore(metadata[name]) for name in MAPPINGS)
    if not all(isinstance(part, dict) for part in (specification, notes, origin)):
        raise ValueError(f"its {', '.join(MAPPINGS)} are no mappings")
    record = Record(specification, axes, values, metadata["seconds"], notes, origin)
    if checksum(record) != metadata["sha256"]:
        raise ValueError("its numbers have another checksum")
    return record, key, metadata["specification"]


def checksum(record: Record) -> str:
    """Return a hash of the labels and numbers alone: equal if two machines computed the same bits."""
    return fingerprint([list(record.axes.items()), sorted(record.values.items())])


def _arrow_parquet() -> Any:
    return require_extra("pyarrow.parquet", extra="paper", purpose="A store of results")
