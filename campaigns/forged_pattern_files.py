"""Forged and damaged files of patterns, read as `hebbian-descent sweep FILE` reads them."""

from __future__ import annotations

import io
import os
import random
import struct
import warnings
from pathlib import Path
from typing import Any
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZIP_LZMA, ZIP_STORED, ZipFile, ZipInfo

import numpy as np
import numpy.typing as npt

from campaigns.campaign import Campaign
from campaigns.command_line import code_of
from campaigns.forging import NASTY_TEXTS, damaged
from hebbian_descent.cli.pattern_files import read_patterns

SHAPES = (
    "(2,)",
    "(2, 3)",
    "(4611686018427387904,)",
    "(4611686018427387904, 2)",
    "(0, 4611686018427387904)",
    f"({'1,' * 65})",
    f"({'0,' * 65})",
    "(-1, 2)",
    "(True, 2)",
    "(2.0,)",
    "2",
    "()",
    f"({10**40},)",
    f"({'(' * 500}2{')' * 500},)",
    f"{'-' * 5000}1",
)
DTYPES = (
    "'<f8'",
    "'>f4'",
    "'|b1'",
    "'<f2'",
    "'<i8'",
    "'|O'",
    "'<c16'",
    "'<U4'",
    "'|S2147483647'",
    "'<M8[s]'",
    "'|V0'",
    "[('a', '<f8'), ('b', '|O')]",
    "('<f8', (2, 2))",
    "'f8,f8'",
    "'no'",
    "None",
    "{}",
)
HEADERS = (
    "__import__('os').system('true')",
    "{'descr': '<f8', 'fortran_order': False}",
    "[1, 2]",
    "{" * 2000,
    "{'descr': open('/etc/passwd')}",
    "'\\q'",
    "\x00",
    "",
)
SAMPLES = ("1,2\n3,4\n", "a,b\n1,2\n", "0.5\n", "1;2\n3;4\n", "1,2\n3\n", "nan,1\n", "1e999,-inf\n", "# 1\n")
INSERTED = (*NASTY_TEXTS, "9" * 100_000, '"', "\r", ",,", "1_0", "٣")
MEMBERS = ("inputs.npy", "inputs", "targets.npy", "../x.npy", *NASTY_TEXTS)
FIELDS = (b"\x01\x00", b"\x09\x00", b"\x62\x00", b"\xff\xff", b"\x00\x00")
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-7", "cp037")


def trial(number: int, folder: Path) -> str:
    """Forge one file and read it."""
    chance = random.Random(number)
    path, key = _forge(chance, folder)
    found: list[npt.NDArray[Any]] = []
    if code_of(lambda: found.append(read_patterns(f"{path}{key}")), folder):
        return "refused in one sentence"
    assert found[0].dtype.kind in "biuf"
    assert found[0].nbytes < 2**28
    return "read"


def _forge(chance: random.Random, folder: Path) -> tuple[Path, str]:
    kind = chance.choice((".npy", ".npy", ".npz", ".npz", ".npz", ".csv", ".csv", "special"))
    if kind == "special":
        return _special(chance, folder), ""
    path = folder / f"patterns{kind}"
    content = {".npy": _npy, ".npz": _npz, ".csv": _csv}[kind](chance)
    path.write_bytes(damaged(content, chance) if chance.random() < 0.5 else content)
    return path, chance.choice(("", ":inputs", ":" + chance.choice(NASTY_TEXTS))) if kind == ".npz" else ""


def _npy(chance: random.Random) -> bytes:
    if chance.random() < 0.3:
        file = io.BytesIO()
        dtype = chance.choice(("f8", ">f4", "i2", "?", "f2"))
        np.save(file, np.zeros([chance.randrange(4) for _ in range(chance.randrange(4))], dtype))
        return file.getvalue()
    header = chance.choice(HEADERS)
    if chance.random() < 0.8:
        order = chance.choice(("False", "True", "1", "None"))
        dtype, shape = chance.choice(DTYPES), chance.choice(SHAPES)
        header = f"{{'descr': {dtype}, 'fortran_order': {order}, 'shape': {shape}}}"
    text = header.encode("latin-1") + b"\n"
    version = chance.choice((1, 1, 2, 3, 9))
    size = struct.pack("<H" if version == 1 else "<I", chance.choice((len(text), len(text), 0, 65535)))
    return b"\x93NUMPY" + bytes((version, 0)) + size + text + bytes(chance.choice((0, 16, 48, 5000)))


def _npz(chance: random.Random) -> bytes:
    file = io.BytesIO()
    with warnings.catch_warnings(), ZipFile(file, "w") as archive:
        warnings.simplefilter("ignore")  # duplicate names
        for name in chance.choices(MEMBERS, k=chance.randrange(4)):
            info = ZipInfo(name.encode(errors="ignore").decode() or "inputs.npy")
            info.compress_type = chance.choice((ZIP_STORED, ZIP_DEFLATED, ZIP_DEFLATED, ZIP_BZIP2, ZIP_LZMA))
            archive.writestr(info, _npy(chance))
        if chance.random() < 0.02:  # a bomb: announces far more than it can hold
            header = b"{'descr': '|u1', 'fortran_order': False, 'shape': (1048576, 1048576)}\n"
            start = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header
            archive.writestr(ZipInfo("inputs.npy"), start + bytes(2**20), ZIP_DEFLATED)
    content = bytearray(file.getvalue())
    if chance.random() < 0.5 and b"PK\x01\x02" in content:
        # Fields of the directory: flags, method, checksum, sizes, lengths and positions.
        place = content.index(b"PK\x01\x02") + chance.choice((8, 10, 16, 20, 24, 28, 30, 42))
        content[place : place + 2] = chance.choice(FIELDS)
    return bytes(content)


def _csv(chance: random.Random) -> bytes:
    text = chance.choice(SAMPLES) * chance.randrange(1, 4)
    if chance.random() < 0.5:
        place = chance.randrange(len(text))
        text = text[:place] + chance.choice(INSERTED) + text[place:]
    return text.encode(chance.choice(ENCODINGS), "replace")


def _special(chance: random.Random, folder: Path) -> Path:
    path = folder / f"patterns{chance.choice(('.npy', '.npz', '.csv', '.txt'))}"
    kind = chance.choice(("pipe", "folder", "empty", "link to itself", "nothing", "other format"))
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "empty":
        path.touch()
    elif kind == "link to itself":
        path.symlink_to(path)
    elif kind == "other format":
        path.write_bytes(chance.choice((_npy, _npz, _csv))(chance))
    return path


CAMPAIGN = Campaign(
    "Forged pattern files",
    "one sentence and exit code 2, or an array of numbers",
    trial,
    goal=20_000,
    in_tests=500,
)
