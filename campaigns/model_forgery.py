"""Damage to model files, and forgery with a correct checksum."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np

from hebbian_descent.storage.models import container
from hebbian_descent.storage.models.arrays import DTYPES
from hebbian_descent.storage.models.container import KEY, LARGEST_HEADER

HOSTILE_VALUES: list[Any] = [
    *(None, True, False, 0, -1, 1, 2, 3, 2**31, 2**53, 2**53 + 1, 2**62, 2**63, 2**64, -(2**70), 10**400),
    *(
        0.5,
        -0.5,
        -0.0,
        1e308,
        5e-324,
        "",
        "auto",
        "mean",
        "layer",
        "autoencoder",
        "sigmoid",
        "linear",
        "hebb",
    ),
    *(
        "../../etc/passwd",
        "os:system",
        "__class__",
        "\x1b[2J",
        "\x9b2J",
        "\ud800",
        "\0",
        "x" * 500,
        "x" * 50_000,
    ),
    *([], [[]], {}, [0], [3, 2], [2, 3], [0, 2**62], [0, 2**63], [2**32, 2**32], [1] * 65, [-1], [None]),
    *(
        {"a": 1},
        {"$member": None},
        {"$member": {}},
        {"$strings": {}},
        {"$strings": {"object": True, "values": []}},
    ),
    *(
        {"$strings": {"object": False, "values": words}}
        for words in (["auto"], ["b", "a"], ["a", "a"], ["a", "a\0"])
    ),
    *(
        {"$strings": {"object": True, "values": words}}
        for words in (["b", "a"], ["a", "a"], ["a", "b"], [1, 2])
    ),
    {"$strings": {"object": False, "values": ["x" * 20_000, *map(str, range(20_000))]}},
    {"$member": {"list": "Activation", "name": "sigmoid", "parameters": {}}},
    {"$member": {"list": "Activation", "name": "sigmoid", "parameters": {"slope": 1}}},
    {"$member": {"list": "Activation", "name": "leaky_rectifier", "parameters": {"slope": -1}}},
    {"$member": {"list": "Activation", "name": "leaky_rectifier", "parameters": {"slope": [0.5]}}},
    {"$member": {"list": "Rule", "name": "covariance", "parameters": {}}},
    {"$member": {"list": "Rule", "name": [], "parameters": {}}},
    {"$member": {"list": "AutoRule", "name": "contrastive", "parameters": {"steps": 3}}},
    {"$member": {"list": "AutoRule", "name": "hebbian_descent", "parameters": {"target_activity": [[1]]}}},
    {"$member": {"list": "AutoRule", "name": "hebbian_descent", "parameters": {"target_activity": "1"}}},
    {"$member": {"list": "ErrorTerm", "name": "leaky_hinge", "parameters": {"leak": "1"}}},
    {"$member": {"list": "ErrorTerm", "name": "leaky_hinge", "parameters": {}}},
    *("F64", "F32", "F16", "I64", "BOOL", "U8", "C64", "F8_E4M3"),
]
RAW = {
    "@deep": "[" * 50 + "]" * 50,
    "@deeper": "[" * 900 + "]" * 900,
    "@deepest": "[" * 50_000 + "]" * 50_000,
    "@objects": '{"a":' * 60 + "1" + "}" * 60,
    "@long": "9" * 5000,
    "@large": "9" * 400 + ".0",
    "@infinite": "1e999",
    "@nan": "NaN",
    "@minus": "-Infinity",
    "@twice": '{"a":1,"a":2}',
    "@zeros": f"[{'0,' * 20_000}0]",
    "@words": json.dumps(["word"] * 5000),
}
"""Text that `json.dumps` does not write, by its placeholder."""
BOMBS = ["0,", "0.5,", "[],", "{},", '"",', "[[]],", '{"a":0},', "9" * 18 + ",", "1e-300,"]
WORDS = [
    "weights",
    "bias",
    "weights_",
    "classes_",
    "connectivity",
    "../weights",
    "kind",
    "parameters",
    "format",
    "",
]
SPECIAL_NUMBERS = [np.nan, np.inf, -np.inf, 1e300, -1e300, 1e154, -0.0, 5e-324, 0.5, 1.0]


def damaged(content: bytes, chance: Random) -> bytes:
    """Return bytes with a few of them changed, removed, doubled or inserted."""
    changed = bytearray(content)
    for _ in range(chance.choice([1, 1, 1, 2, 5, 20])):
        place = chance.randrange(len(changed)) if changed else 0
        kind = chance.randrange(6)
        if kind == 0 and changed:
            changed[place] ^= 1 << chance.randrange(8)
        elif kind == 1 and changed:
            changed[place] = chance.choice([0, 255, 34, 44, 48, 57, 91, 92, 93, 123, 125, 128])
        elif kind == 2:
            del changed[place : place + chance.randrange(1, 40)]
        elif kind == 3:
            changed[place:place] = chance.randbytes(chance.randrange(1, 12))
        elif kind == 4:
            del changed[place:]
        else:
            changed[place:place] = changed[place : place + chance.randrange(1, 60)]
    return bytes(changed)


def bomb(content: bytes, chance: Random) -> bytes:
    """Return a file whose header is as long as possible, inside or outside our own part."""
    text = chance.choice(BOMBS)
    inside = chance.random() < 0.5
    room = LARGEST_HEADER // (2 if inside else 1) - 1000  # quotation marks are escaped within
    values = f"[{text * (room // len(text))}0]"
    if not inside:
        return _file(f'{{"a":{values}}}', b"")
    header, data = _taken_apart(content)
    ours = json.loads(header["__metadata__"][KEY]) | {"parameters": "@bomb"}
    header["__metadata__"][KEY] = json.dumps(ours).replace('"@bomb"', f'{{"a":{values}}}')
    return _file(json.dumps(header), data)


def forged(content: bytes, chance: Random) -> bytes:
    """Forge the header of a file, or its numbers, and mostly write the right checksum."""
    header, raw = _taken_apart(content)
    data = bytearray(raw)
    ours = json.loads(header.pop("__metadata__")[KEY])
    kind = chance.randrange(5)
    if kind == 0 and header:
        header = _changed(header, chance)
    elif kind == 1:
        place = 8 * chance.randrange(len(data) // 8) if len(data) >= 8 else 0
        number = chance.choice(
            [np.float64(chance.choice(SPECIAL_NUMBERS)), np.int64(chance.randrange(-2, 9))]
        )
        data[place : place + 8] = number.tobytes()
    else:
        for _ in range(chance.choice([1, 1, 2])):
            ours = _changed(ours, chance)
    text = _with_raw(ours)
    if chance.random() < 0.9:
        text = _with_checksum(text, header, bytes(data))
    return _file(_with_raw({"__metadata__": {KEY: text}, **header}), bytes(data))


def _taken_apart(content: bytes) -> tuple[dict[str, Any], bytes]:
    length = int.from_bytes(content[:8], "little")
    return json.loads(content[8 : 8 + length]), content[8 + length :]


def _file(header: str, data: bytes) -> bytes:
    return len(header.encode()).to_bytes(8, "little") + header.encode() + data


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path to every part of a nested value, except to the whole."""
    if path:
        yield path
    if isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(part, (*path, key))


def _changed(value: dict[str, Any], chance: Random) -> dict[str, Any]:
    """Return a copy of a nested value with one part replaced, removed, renamed or added."""
    changed: dict[str, Any] = json.loads(json.dumps(value))
    *way, last = chance.choice([*places(value)])
    holder: Any = changed
    for key in way:
        holder = holder[key]
    kind = chance.randrange(8)
    if kind == 0 and isinstance(holder, dict):
        del holder[last]
    elif kind == 1 and isinstance(holder, dict):
        holder[chance.choice(WORDS)] = holder.pop(last)
    elif kind == 2 and isinstance(holder, dict):
        holder[chance.choice(WORDS)] = _hostile(chance)
    else:
        holder[last] = _hostile(chance)
    return changed


def _hostile(chance: Random) -> Any:
    return chance.choice([*RAW]) if chance.random() < 0.1 else chance.choice(HOSTILE_VALUES)


def _with_raw(value: Any) -> str:
    text = json.dumps(value)
    for word, raw in RAW.items():
        text = text.replace(json.dumps(word), raw)
    return text


def _with_checksum(text: str, entries: Any, data: bytes) -> str:
    """Return our own part of a header with the right checksum, if it can have one."""
    try:
        ours = json.loads(text)
        ours.pop("checksum")
        arrays = {}
        for name, entry in entries.items():
            start, end = entry["data_offsets"]
            arrays[name] = np.frombuffer(data[start:end], DTYPES[entry["dtype"]]).reshape(entry["shape"])
        return json.dumps({**ours, "checksum": container._checksum(ours, arrays)})
    except (AttributeError, IndexError, KeyError, OverflowError, RecursionError, TypeError, ValueError):
        return text
