"""A record as the bytes of a Parquet file, and back.

What is not a column is one JSON text in the file's metadata, under the name `hebbian_descent`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy.typing as npt

from hebbian_descent.checks import require_extra
from hebbian_descent.results.columns import array_values, arrow, axis_labels, to_columns
from hebbian_descent.results.errors import DamagedCellError
from hebbian_descent.results.fingerprint import canonical, described, fingerprint
from hebbian_descent.results.forms import Json
from hebbian_descent.results.marker import FORMAT, check_format
from hebbian_descent.results.provenance import provenance
from hebbian_descent.results.record import Record
from hebbian_descent.results.values import restore, sha256, to_json

METADATA = b"hebbian_descent"


def to_parquet(record: Record) -> tuple[str, bytes]:
    """Return the key of a record and the bytes of its file."""
    specification, definitions = described(dict(record.specification))
    key = sha256(specification)
    metadata: dict[str, Json] = {
        "format": FORMAT,
        "key": key,
        "specification": specification,
        "definitions": definitions,
        "axes": _layout(record.axes),
        "values": _layout(record.values),
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


def from_parquet(content: bytes, where: str) -> Record:
    """Return the record in the bytes of a file."""
    file, metadata = _open(content, where)
    axes, values = metadata["axes"], metadata["values"]
    shape = tuple(length for _, _, (length,) in axes)
    table = file.read(columns=[name for name, _, _ in axes + values], use_threads=False)
    record = Record(
        specification=restore(metadata["specification"]),
        axes={
            name: axis_labels(table, name, dtype, position, shape)
            for position, (name, dtype, _) in enumerate(axes)
        },
        values={name: array_values(table, name, dtype, len(size), shape) for name, dtype, size in values},
        seconds=metadata["seconds"],
        notes=restore(metadata["notes"]),
        provenance=restore(metadata["provenance"]),
    )
    if checksum(record) != metadata["sha256"]:
        raise DamagedCellError(
            f"The numbers of a cell must be those that were written. Got others in {where}."
        )
    return record


def table_of(content: bytes, where: str, columns: Sequence[str] | None) -> Any:
    """Return the Arrow table in the bytes of a file, or those of the columns asked for that it has."""
    file, _ = _open(content, where)
    names = [name for name in file.schema_arrow.names if columns is None or name in columns]
    table = file.read(columns=names, use_threads=False).replace_schema_metadata(None)
    for position, name in enumerate(names):
        # An empty column says nothing of its type, which other cells may know.
        if table[name].null_count == table.num_rows:
            table = table.set_column(position, name, arrow().nulls(table.num_rows))
    return table


def checksum(record: Record) -> str:
    """Return a hash of the labels and numbers alone: equal if two machines computed the same bits."""
    return fingerprint([list(record.axes.items()), sorted(record.values.items())])


def _open(content: bytes, where: str) -> tuple[Any, dict[str, Any]]:
    file = _arrow_parquet().ParquetFile(arrow().BufferReader(content))
    metadata: dict[str, Any] = json.loads(file.schema_arrow.metadata[METADATA])
    check_format(metadata["format"], where)
    return file, metadata


def _layout(arrays: Mapping[str, npt.NDArray[Any]]) -> Json:
    return [[name, array.dtype.str, list(array.shape)] for name, array in arrays.items()]


def _arrow_parquet() -> Any:
    return require_extra("pyarrow.parquet", extra="paper", purpose="A store of results")
