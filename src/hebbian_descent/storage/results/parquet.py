"""A record as the bytes of a Parquet file, and back.

What is not a column is one JSON text in the file's metadata, under the name `hebbian_descent`.

A checksum over every byte is kept in the file itself. Parquet's metadata could hold one, but would have to
be parsed to find it, and parsing damaged bytes is what a checksum should prevent. Between its data and its
footer a Parquet file may hold bytes that no reader looks at: the checksum is stored there, and every reader
can still read the file. It also covers the cell's key, so that a file under another cell's name is refused.
"""

from __future__ import annotations

import hashlib
from typing import Any

from hebbian_descent.checks import require_extra
from hebbian_descent.storage.results.columns import arrow, describe, read_arrays, to_columns
from hebbian_descent.storage.results.fingerprint import canonical, described
from hebbian_descent.storage.results.folder import FORMAT, check_format
from hebbian_descent.storage.results.record import Record, provenance
from hebbian_descent.storage.results.values import Json, restore, sha256, to_json
from hebbian_descent.storage.strict_json import strict_json

METADATA = b"hebbian_descent"
MAPPINGS = ("specification", "notes", "provenance")
MAGIC = b"PAR1"
TAG = b"sealed-1"
CHECKSUM_LENGTH = len(TAG) + hashlib.sha256().digest_size
TRAILER_LENGTH = 8  # the footer's length in four bytes, and the magic word


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
    }
    table = arrow().table(to_columns(record, key, specification))
    # A dictionary treats all NaN as one, and 0.0 as -0.0: floats are written bit by bit.
    floating = [name for name, array in record.values.items() if array.dtype.kind == "f"]
    output = arrow().BufferOutputStream()
    _arrow_parquet().write_table(
        table.replace_schema_metadata({METADATA: to_json(metadata)}),
        output,
        compression="zstd",
        use_dictionary=[name for name in table.column_names if name not in floating],
        use_byte_stream_split=floating,
        write_page_checksum=True,
    )
    return key, output.getvalue().to_pybytes()


def from_parquet(content: bytes, key: str, where: str) -> Record:
    """Return the record in the bytes of a file, or raise an error that says what is wrong."""
    return _read(content, key, where)[0]


def table_of(content: bytes, key: str, where: str) -> Any:
    """Return the Arrow table of the record in the bytes of a file, or raise an error saying what is wrong."""
    # Made from what was checked: the columns that repeat the specification could be anything.
    table = arrow().table(to_columns(*_read(content, key, where)))
    for position, name in enumerate(table.column_names):
        # An empty column says nothing about its type, which other cells may know.
        if table[name].null_count == table.num_rows:
            table = table.set_column(position, name, arrow().nulls(table.num_rows))
    return table


def _read(content: bytes, key: str, where: str) -> tuple[Record, str, Json]:
    file = _arrow_parquet().ParquetFile(arrow().BufferReader(content))
    metadata: dict[str, Any] = strict_json(file.schema_arrow.metadata[METADATA])
    if type(metadata["format"]) is not int:
        raise ValueError("it does not state its format")
    check_format(metadata["format"], where)
    if sha256(metadata["specification"]) != key:
        raise ValueError("its specification has another key")
    axes, values = read_arrays(file, metadata["axes"], metadata["values"])
    specification, notes, origin = (restore(metadata[name]) for name in MAPPINGS)
    if not all(isinstance(part, dict) for part in (specification, notes, origin)):
        raise ValueError(f"its {', '.join(MAPPINGS)} are not mappings")
    record = Record(specification, axes, values, metadata["seconds"], notes, origin)
    return record, key, metadata["specification"]


def _arrow_parquet() -> Any:
    return require_extra("pyarrow.parquet", extra="results", purpose="A store of results")


def with_checksum(parquet: bytes, key: str) -> bytes:
    """Return a Parquet file with a checksum before its footer."""
    start = _footer_start(parquet)
    body, footer = parquet[:start], parquet[start:]
    return body + TAG + _digest(key, body, footer) + footer


def damage(content: bytes, key: str) -> str | None:
    """Return in words how a file differs from what was written under a key, or None if it does not."""
    if not content:
        return "which is empty"
    if content[-len(MAGIC) :] != MAGIC:
        return "which is cut short or is not a Parquet file"
    start = _footer_start(content) - CHECKSUM_LENGTH
    if start < len(MAGIC) or content[start : start + len(TAG)] != TAG:
        return "which has no checksum"
    body, footer = content[:start], content[start + CHECKSUM_LENGTH :]
    written = content[start + len(TAG) : start + CHECKSUM_LENGTH]
    return None if written == _digest(key, body, footer) else "whose bytes have changed"


def _footer_start(parquet: bytes) -> int:
    length = int.from_bytes(parquet[-TRAILER_LENGTH : -len(MAGIC)], "little")
    return len(parquet) - TRAILER_LENGTH - length


def _digest(key: str, body: bytes, footer: bytes) -> bytes:
    digest = hashlib.sha256(key.encode())
    digest.update(body)
    digest.update(footer)
    return digest.digest()
