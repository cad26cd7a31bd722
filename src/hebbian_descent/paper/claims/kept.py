"""Judged claims as a small file beside the measurements, so that a page can show them without judging."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from hebbian_descent.atomic import write_atomically
from hebbian_descent.paper.claims.base import Judged
from hebbian_descent.paper.effort import Effort


def keep(folder: Path, effort: Effort, judged: Sequence[Judged]) -> None:
    """Write what was judged, in place of what was judged before."""
    path = _path(folder, effort)
    path.parent.mkdir(parents=True, exist_ok=True)
    content = [claim._asdict() for claim in judged]
    write_atomically(path, (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode())


def kept(folder: Path, effort: Effort) -> list[Judged]:
    """Return what was judged last; nothing if that is missing or damaged, since judging again repairs it."""
    try:
        content = json.loads(_path(folder, effort).read_text(encoding="utf-8"))
        return [Judged(**{**claim, "evidence": tuple(claim["evidence"])}) for claim in content]
    except (FileNotFoundError, KeyError, TypeError, ValueError):
        return []


def _path(folder: Path, effort: Effort) -> Path:
    return folder / "claims" / f"{effort.name}.json"
