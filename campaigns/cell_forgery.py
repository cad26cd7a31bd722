"""Ways to forge the file of a cell: other metadata, another table, other bytes.

The checksum of a cell is not a signature, so a stranger can write a correct one for anything.
"""

from __future__ import annotations

import base64
import json
import pickle
from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from hebbian_descent.storage.results.parquet import METADATA
from hebbian_descent.storage.results.values import RESTORED, sha256

Table = Any


class Exploit:
    """An object that unpickles to a call that no data may make."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (print, ("unpickled",))


PICKLE = pickle.dumps(Exploit())
TEXTS = ("", "a" * 5000, "\x1b[2J", "\ud800", "../../etc/passwd", "test")
DTYPES = ("|O", "f8,O", "<U1", "<f2", ">f8", "<U900000000")
NUMBERS = (0, -1, 1, 2, True, 2**31, 2**62, 2**64, 10**400, 0.5, -0.0, 1e308, float("nan"), float("inf"))
NUMPY_NAMES = tuple(sorted(vars(np)))
TEMPTING_NAMES = ("genfromtxt", "loadtxt", "memmap", "seterr", "test")
TEMPTING_VALUES = ("http://127.0.0.1:9/", "/dev/null", "raise")
EXTENSIONS = ("arrow.py_extension_type", "pandas.period", "pandas.interval", "arrow.json", "arrow.uuid")
COMPRESSIONS = ("none", "snappy", "gzip", "zstd", "lz4", "brotli")


def hostile(random: Random, depth: int = 0) -> Any:
    """Return a JSON value of any shape, mostly of kinds that readers stumble over."""
    kind = random.randrange(9)
    if kind < 2:
        return random.choice(TEXTS + DTYPES)
    if kind < 4 or depth > 3:
        return random.choice((None, *NUMBERS))
    if kind == 4:
        return [hostile(random, depth + 1) for _ in range(random.randrange(4))]
    if kind == 5:
        return {random.choice(TEXTS): hostile(random, depth + 1) for _ in range(random.randrange(3))}
    if kind == 6:
        return {random.choice(tuple(RESTORED)): hostile(random, depth + 1)}
    if kind == 7:
        name, value = random.choice(NUMPY_NAMES), hostile(random, depth + 1)
        if random.random() < 0.5:
            name, value = random.choice(TEMPTING_NAMES), random.choice(TEMPTING_VALUES)
        return {"$scalar": {"type": name, "value": value}}
    return _long(random)


def _long(random: Random) -> Any:
    """Return something large in few bytes: deep nesting, wide ranges, members that collide."""
    n = random.choice((10, 300, 3000))
    nested: Any = []
    for _ in range(min(n, 200)):
        nested = random.choice(([nested], {"$tuple": [nested]}, {"a": nested}))
    colliding = [place * (2**61 - 1) for place in range(n)]
    return random.choice(
        (
            nested,
            {"$range": [0, 10**18, random.choice((1, -1, 0))]},
            {"$set": colliding},
            {"$mapping": [[number, number] for number in colliding]},
            {"$bytes": "00" * n},
        )
    )


def change_metadata(random: Random, metadata: dict[str, Any]) -> None:
    """Replace, remove or add a few parts of a JSON value, wherever they are."""
    for _ in range(random.randint(1, 3)):
        at: Any = metadata
        while True:
            places = list(at) if isinstance(at, dict) else list(range(len(at)))
            if not places:
                break
            place = random.choice(places)
            if isinstance(at[place], dict | list) and random.random() < 0.7:
                at = at[place]
                continue
            action = random.randrange(6)
            if action == 0:
                del at[place]
            elif action == 1 and isinstance(at, dict):
                at[random.choice(TEXTS)] = hostile(random)
            elif action == 2 and isinstance(at, list):
                at.append(at[place])
            else:
                at[place] = hostile(random)
            break


def change_text(random: Random, text: bytes) -> bytes:
    """Return bytes with some of them changed, removed, repeated or added."""
    changed = bytearray(text)
    for _ in range(random.choice((1, 1, 2, 5, 30))):
        start = random.randrange(len(changed)) if changed else 0
        stop = start + random.choice((1, 1, 4, 8, 100))
        action = random.randrange(4)
        if action == 0:
            del changed[start:stop]
        elif action == 1:
            changed[start:start] = changed[start:stop]
        elif action == 2:
            changed[start:stop] = random.randbytes(len(changed[start:stop]))
        elif changed:
            changed[start] ^= 1 << random.randrange(8)
    return bytes(changed)


def _exploits(random: Random, n_rows: int) -> Table:
    """Return a column that claims to be of an extension type, with a pickle for any reader that loads it."""
    name = random.choice(EXTENSIONS)
    payload = random.choice((PICKLE, b'{"freq": 1}', b"", b"\xff"))
    field = pa.field(
        "error",
        pa.binary(16) if name == "arrow.uuid" else random.choice((pa.int64(), pa.string())),
        metadata={"ARROW:extension:name": name, "ARROW:extension:metadata": payload},
    )
    return field, pa.nulls(n_rows, field.type)


def _column(random: Random, n_rows: int) -> Table:
    """Return a column of a type that the store never writes."""
    makers: tuple[Callable[[], Table], ...] = (
        lambda: pa.nulls(n_rows),
        lambda: pa.nulls(n_rows, pa.float64()),
        lambda: pa.array([[1.0]] * n_rows),
        lambda: pa.array([{"a": {"b": [1]}}] * n_rows),
        lambda: pa.array([[("a", 1)]] * n_rows, pa.map_(pa.string(), pa.int64())),
        lambda: pa.array([b"\xff"] * n_rows),
        lambda: pa.array(["\x1b[2J"] * n_rows).dictionary_encode(),
        lambda: pa.array([b"\xff"] * n_rows).dictionary_encode(),
        lambda: pa.array([2**40] * n_rows, pa.timestamp("ms", "Nowhere/At all")),
        lambda: pa.array([1] * n_rows, pa.decimal128(38, 2)),
        lambda: pa.array([1.5] * n_rows, pa.float16()),
        lambda: pa.array([float("nan")] * n_rows, pa.float32()),
        lambda: pa.array([2**64 - 1] * n_rows, pa.uint64()),
        lambda: pa.array(["a" * 100_000] * min(n_rows, 50) + [None] * (n_rows - 50), pa.large_string()),
    )
    return random.choice(makers)()


def change_table(random: Random, table: Table) -> Table:
    """Return a table with other columns, types or numbers of rows."""
    for _ in range(random.randint(1, 3)):
        place = random.randrange(table.num_columns) if table.num_columns else 0
        name = table.column_names[place] if table.num_columns else "error"
        action = random.randrange(7)
        if action == 0 and table.num_columns:
            table = table.remove_column(place)
        elif action == 1:
            table = table.slice(random.randrange(table.num_rows + 1))
        elif action == 2:
            table = pa.concat_tables([table] * random.choice((2, 3, 300 if table.nbytes < 10_000 else 4)))
        elif action == 3:
            table = table.append_column(name, _column(random, table.num_rows))
        elif action == 4:
            table = table.append_column(*_exploits(random, table.num_rows))
        elif table.num_columns:
            table = table.set_column(place, name, _column(random, table.num_rows))
    return table


def forged(random: Random, table: Table) -> tuple[str, bytes]:
    """Return the key and bytes, without checksum, of a cell made from the table of a good one."""
    metadata = json.loads(table.schema.metadata[METADATA])
    key = sha256(metadata["specification"])
    kind = random.choice(("metadata", "text", "table", "bytes", "several"))
    if kind in ("metadata", "several"):
        change_metadata(random, metadata)
    with suppress(ValueError):  # values that JSON cannot express have no key
        if random.random() < 0.9:
            key = sha256(metadata.get("specification"))
    text = json.dumps(metadata).encode()
    if kind == "text":
        depth = random.choice((100, 1_000, 100_000))
        nested = text.replace(b'"sigmoid"', b"[" * depth + b"]" * depth)
        text = random.choice((change_text(random, text), nested))
    if kind in ("table", "several"):
        table = change_table(random, table)
    schema = {METADATA: text}
    if random.random() < 0.2:
        schema[b"pandas"] = json.dumps(hostile(random)).encode()
    if random.random() < 0.1:
        schema[b"ARROW:schema"] = base64.b64encode(random.choice((random.randbytes(50), PICKLE)))
    content = _parquet(random, table.replace_schema_metadata(schema))
    if kind == "bytes":
        content = content[:4] + change_text(random, content[4:-8]) + content[-8:]
    return key, content


def _parquet(random: Random, table: Table) -> bytes:
    output = pa.BufferOutputStream()
    pq.write_table(
        table,
        output,
        compression=random.choice(COMPRESSIONS),
        use_dictionary=random.random() < 0.5,
        row_group_size=random.choice((1, 7, None)) if table.num_rows < 1000 else None,
        data_page_version=random.choice(("1.0", "2.0")),
        version=random.choice(("1.0", "2.6")),
        store_schema=random.random() < 0.8,
    )
    return output.getvalue().to_pybytes()
