"""Judged claims as a small file beside the measurements, so that a page can show them without judging."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hebbian_descent.atomic import write_atomically
from hebbian_descent.paper.claims.base import PLURAL, Judged
from hebbian_descent.paper.effort import Effort
from hebbian_descent.paper.saved_json import as_list, as_object, as_text, as_whole, read_json, warn_of_damage


def keep(folder: Path, effort: Effort, judged: Sequence[Judged]) -> None:
    """Write what was judged, in place of what was judged before."""
    path = _path(folder, effort)
    path.parent.mkdir(parents=True, exist_ok=True)
    content = [claim._asdict() for claim in judged]
    write_atomically(path, (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode())


def kept(folder: Path, effort: Effort) -> list[Judged]:
    """Return what was judged last; nothing if that is missing or damaged, since judging again repairs it."""
    path = _path(folder, effort)
    try:
        return [_judged(as_object(claim, "a claim")) for claim in as_list(read_json(path), "the file")]
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as error:
        warn_of_damage(path, error, "`hebbian-descent claims` judges again")
        return []


def _judged(claim: dict[str, Any]) -> Judged:
    if set(claim) != set(Judged._fields):
        raise ValueError(f"a claim must have {', '.join(Judged._fields)}")
    if claim["verdict"] not in PLURAL:
        raise ValueError(f"a verdict must be one of {', '.join(PLURAL)}")
    texts = {name: as_text(claim[name], name) for name in ("statement", "section", "check", "findings")}
    return Judged(
        number=as_whole(claim["number"], "the number", at_least=1),
        evidence=tuple(as_text(item, "evidence") for item in as_list(claim["evidence"], "the evidence")),
        verdict=claim["verdict"],
        **texts,
    )


def _path(folder: Path, effort: Effort) -> Path:
    return folder / "claims" / f"{effort.name}.json"
