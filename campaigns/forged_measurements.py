"""Forged and damaged folders of results, shown by every command that reads them."""

from __future__ import annotations

import json
import os
import random
import re
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from copy import deepcopy
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from campaigns.campaign import Campaign
from campaigns.command_line import code_of
from campaigns.forging import NASTY_TEXTS, damaged
from hebbian_descent.cli import app
from hebbian_descent.storage.results import provenance
from reproduction.claims.base import Judged, save_claims
from reproduction.evidence import add_to_evidence
from reproduction.experiments import Measured
from reproduction.kept_evidence import CLAIMS, DRAWS, KEPT_FILES, ORIGIN, SUMMARY
from reproduction.measurements import Measurements, as_content
from reproduction.printed import printed_rows
from reproduction.run_context import Effort
from reproduction.tables import TABLES

DRAWN, WHOLE, OWN = "tab:Hetero_online_centered_2", "tab:label_learning_centered", "tab:mine"
NUMBERS = (0, -1, True, 10**30, 10**4000, 2**63, 1e308, -1e308, 1e-320, 0.5, float("nan"), float("inf"))
VALUES = (*NUMBERS, *NASTY_TEXTS, None, [], {}, [[]], {"a": {}}, "tab:other", DRAWN)
FILES_PER_TRIAL = 4
KEPT = "kept"
"""The folder of evidence under version control, which may be the folder of the run as well."""
COMMANDS = (
    ("list",),
    ("status",),
    ("compare",),
    ("compare", "--json", DRAWN),
    *(("table", label, "--format", form) for label in (DRAWN, OWN) for form in ("text", "csv", "latex")),
    ("table", WHOLE),
    ("table", OWN, "--quick"),
    ("report",),
    ("report", "--quick"),
    ("evidence", "--kept", KEPT, "--document", "document.md"),
)


def trial(number: int, folder: Path) -> str:
    """Forge a few files of a folder and run one command on it."""
    chance = random.Random(number)
    _warm_up()
    for draw in range(FILES_PER_TRIAL):
        _forge(chance, folder, draw)
    code = _run(chance.choice(COMMANDS), folder)
    page = folder / "report.html"
    if page.exists():
        text = page.read_text(encoding="utf-8")
        assert str(folder) not in text
        assert "<script>alert" not in text
        assert "<img src=x" not in text
    return "refused in one sentence" if code else "shown without what is damaged"


def _run(command: tuple[str, ...], folder: Path) -> int:
    arguments = [str(folder / word) if word == KEPT or word.endswith(".md") else word for word in command]
    arguments += ["--output", str(folder)]
    # Finding the version of BLAS opens libraries, which no result may cause: it is done beforehand.
    with (
        patch.object(sys, "argv", ["hebbian-descent", *arguments]),
        patch("reproduction.report.provenance", _provenance),
    ):
        return code_of(app, folder)


@cache
def _provenance() -> dict[str, Any]:
    return provenance()


@cache
def _warm_up() -> None:
    """Import whatever the commands import late, which would write compiled files under audit."""
    _provenance()
    _evidence()
    with TemporaryDirectory() as folder:
        path = Measurements(Path(folder), Effort()).path(DRAWN, "job0")
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(_content(DRAWN, 0)))
        with patch("campaigns.command_line.watched", nullcontext):
            for command in COMMANDS:
                _run(command, Path(folder))


def _forge(chance: random.Random, folder: Path, draw: int) -> None:
    kind = chance.random()
    if kind < 0.1:
        path, content = folder / "claims" / "paper.json", _claims()
    elif kind < 0.3:
        _forge_evidence(chance, chance.choice((folder, folder / KEPT)))
        return
    elif kind < 0.35:
        path, content = folder / "figures" / "set-0123abcd" / "effort.json", {"settings": {"trials": "5"}}
    else:
        label = chance.choice((DRAWN, DRAWN, WHOLE, OWN))
        effort = chance.choice(("paper", "paper", "quick", "set-0123abcd"))
        name = chance.choice((f"job{draw}", re.sub("[/\0\ud800]", "", chance.choice(NASTY_TEXTS))[:99]))
        path = folder / "measured" / effort / label.replace(":", "_") / f"{name}.json"
        content = _content(label, draw)
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() or path.is_symlink():
        return
    special = chance.random()
    if special < 0.02:
        os.mkfifo(path)
    elif special < 0.04:
        path.mkdir()
    elif special < 0.05:
        path.symlink_to(path)
    else:
        path.write_bytes(_forged(content, chance))


def _forge_evidence(chance: random.Random, folder: Path) -> None:
    """Write correct evidence, except for one file of it."""
    folder.mkdir(exist_ok=True)
    for name, content in _evidence().items():
        (folder / name).write_bytes(content)
    name = chance.choice((SUMMARY, SUMMARY, DRAWS, ORIGIN, CLAIMS))
    if name in (ORIGIN, CLAIMS):
        forged = _forged(_claims() if name == CLAIMS else json.loads(_evidence()[ORIGIN]), chance)
    elif name == SUMMARY and chance.random() < 0.7:
        lines = _evidence()[SUMMARY].decode().splitlines()
        fields = lines[1].split(",")
        fields[chance.randrange(len(fields))] = str(chance.choice((*VALUES, *NASTY_TEXTS)))[:200]
        forged = "\n".join([lines[0], ",".join(fields), *lines[2:]]).encode(errors="surrogatepass")
    else:
        forged = damaged(_evidence()[name], chance)
    (folder / name).write_bytes(forged)


@cache
def _evidence() -> dict[str, bytes]:
    """Return the files of evidence on a few cells."""
    with TemporaryDirectory() as folder:
        path = Measurements(Path(folder), Effort()).path(DRAWN, "job0")
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(_content(DRAWN, 0)))
        save_claims(Path(folder), Effort(), [Judged(**claim) for claim in _claims()[:1]])
        add_to_evidence(Path(folder), Path(folder) / KEPT)
        return {name: (Path(folder) / KEPT / name).read_bytes() for name in KEPT_FILES}


def _forged(content: Any, chance: random.Random) -> bytes:
    content = deepcopy(content)
    for _ in range(chance.choice((0, 1, 1, 1, 2, 3))):
        inner, key = chance.choice(list(_places(content)))
        if chance.random() < 0.2:
            del inner[key]
        else:
            inner[key] = deepcopy(chance.choice(VALUES))
        if isinstance(inner, dict) and chance.random() < 0.1:
            inner[chance.choice(NASTY_TEXTS)] = chance.choice(VALUES)
        if not any(True for _ in _places(content)):
            break
    text = _as_json(content)
    kind = chance.random()
    if kind < 0.2:
        return damaged(text, chance)
    if kind < 0.25:
        return text.replace(b"{", b'{"format": 1, "format": 1, ', 1)
    if kind < 0.28:
        return text.replace(b"[", b"[" * 100_000, 1)
    return text.decode().encode("utf-16") if kind < 0.3 else text


def _as_json(content: Any) -> bytes:
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        return json.dumps(content).encode()
    finally:
        sys.set_int_max_str_digits(limit)


def _places(content: Any) -> Iterator[tuple[Any, Any]]:
    keys: Any = content.keys() if isinstance(content, dict) else range(len(content))
    for key in list(keys):
        yield content, key
        if isinstance(content[key], dict | list):
            yield from _places(content[key])


def _content(label: str, draw: int) -> dict[str, Any]:
    printed = printed_rows(label if label in TABLES else DRAWN)[:3]
    rows = [
        Measured(
            dict(row.cell),
            dict(row.results),
            dict.fromkeys(row.results, 0.0),
            *(0.2, 0.0, 2, draw),
            {name: (value, value) for name, value in row.results.items()},
        )
        for row in printed
    ]
    table = TABLES.get(label, TABLES[DRAWN])
    with patch("reproduction.measurements.provenance", _provenance):
        content = as_content(table, Effort(), f"job{draw}", rows, 1.0)
    return {**content, "label": label, "rows": [dict(row) for row in content["rows"]]}


def _claims() -> list[dict[str, Any]]:
    claim = Judged(
        1, "A statement.", "sec:any", "By its `curve`.", "If `all`.", ("tab:any",), "holds", "It does.\nYes."
    )
    return [{**claim._asdict(), "evidence": list(claim.evidence)}] * 2


CAMPAIGN = Campaign(
    "Forged measurements, verdicts and efforts",
    "shown without what is damaged, or one sentence and exit code 2; nothing steers the terminal or the page",
    trial,
    goal=20_000,
    in_tests=40,
    per_trial=FILES_PER_TRIAL,
    block=250,
)
