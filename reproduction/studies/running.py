"""How a study is run and kept: one small file per finished part, one file for the results.

OUTPUT/studies/NAME.json            all results, what is committed as evidence
OUTPUT/studies/parts/NAME/PART.json what a stopped study resumes from
OUTPUT/studies/quick/…              the same for quick looks, which answer nothing
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from hebbian_descent.checks import require_extra
from hebbian_descent.safe_files import write_atomically
from reproduction.origin import Origin, one_line, origin_in, this_origin
from reproduction.saved_json import as_float, as_object, read_json, warn_of_damage
from reproduction.studies.base import Later, Numbers, Results, Study

DIGITS = 6
"""Significant digits that are kept: far more than draws agree on, and files stay small."""

Progress = Callable[[str, float], None]
"""Takes the name of a finished part and the seconds it took."""


def run_study(
    study: Study,
    folder: Path,
    *,
    quick: bool = False,
    again: bool = False,
    progress: Progress | None = None,
) -> Results:
    """Compute the parts that are missing, save each at once, and return and save all results.

    Kept parts are taken for settings alone, whatever version computed them; `again` drops them.
    """
    for library in study.needs:
        require_extra(library, extra="studies", purpose=f"The study {study.name}")
    settings = as_plain(study.settings_of(quick=quick))
    place, origin = _place(folder, quick), this_origin()  # now: sources may change while a study runs
    versions = (f"{library} {version(library)}" for library in study.needs)
    origin = origin._replace(versions=", ".join([origin.versions, *versions]), seeds=study.seeds(settings))
    if again:
        _drop_parts(place / "parts" / study.name)
    origins: list[Origin] = []
    found: dict[str, Numbers] = {}
    seconds = 0.0
    for name, part in study.parts(settings).items():
        path = place / "parts" / study.name / f"{name}.json"
        kept = _read_part(path, settings)
        if kept is None:
            start = time.process_time()  # not the clock, which also counts what else the machine does
            numbers = as_plain(part.compute(found) if isinstance(part, Later) else part())
            kept = {
                "settings": settings,
                "seconds": round(time.process_time() - start, 1),
                "origin": origin._asdict(),
                "numbers": numbers,
            }
            _write(path, kept)
        if progress is not None:
            progress(name, kept["seconds"])
        found[name] = kept["numbers"]
        seconds += kept["seconds"]
        origins.append(origin_in(kept["origin"]))
    results = Results(settings, found, round(seconds, 1), one_line(origins))
    path = results_file(study, folder, quick=quick)
    _write(path, {**results._asdict(), "origin": results.origin._asdict()})
    return results


def number_of_parts(study: Study, *, quick: bool = False) -> int:
    """Return how many parts a study has."""
    return len(study.parts(study.settings_of(quick=quick)))


def results_file(study: Study, folder: Path, *, quick: bool = False) -> Path:
    """Return where the results of a study are kept."""
    return _place(folder, quick) / f"{study.name}.json"


def kept_results(study: Study, folder: Path, *, quick: bool = False) -> Results | None:
    """Return the results that are kept in a folder, or None if there are none that can be read."""
    path = results_file(study, folder, quick=quick)
    if not path.exists():
        return None
    try:
        content = as_object(read_json(path), "the file")
        if set(content) != set(Results._fields):
            raise ValueError(f"it must have {', '.join(Results._fields)}")
        results = Results(
            as_object(content["settings"], "'settings'"),
            as_object(content["parts"], "'parts'"),
            as_float(content["seconds"], "'seconds'", at_least=0),
            origin_in(content["origin"]),
        )
        _require_answer(study, results)
    except (OSError, ValueError) as error:
        warn_of_damage(path, error, f"`hebbian-descent study {study.name}` measures again")
        return None
    return results


def _require_answer(study: Study, results: Results) -> None:
    """Raise a ValueError unless protocol, tables and answer can be made of settings and numbers."""
    try:
        study.protocol_of(results.settings)
        study.tables(results)
        study.answer(results)
    except (ArithmeticError, AttributeError, LookupError, TypeError) as error:
        raise ValueError(
            f"its settings and numbers must be those of this version, and one fails with {error!r}"
        ) from error


def as_plain(value: Any) -> Any:
    """Return plain JSON: lists for tuples and arrays, floats with the digits that are kept."""
    if isinstance(value, np.generic | np.ndarray):
        return as_plain(value.tolist())
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, dict):
        return {str(name): as_plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [as_plain(part) for part in value]
    return value


def _place(folder: Path, quick: bool) -> Path:
    return folder / "studies" / ("quick" if quick else "")


def _read_part(path: Path, settings: dict[str, Any]) -> dict[str, Any] | None:
    """Return a finished part, if it was computed with these settings."""
    if not path.exists():
        return None
    try:
        content = as_object(read_json(path), "the file")
        as_float(content.get("seconds"), "'seconds'", at_least=0)
        as_object(content.get("numbers"), "'numbers'")
        origin_in(content.get("origin"))
    except (OSError, ValueError) as error:
        warn_of_damage(path, error, "it is computed again")
        return None
    return content if content.get("settings") == settings else None


def _drop_parts(folder: Path) -> None:
    for path in folder.glob("*.json"):
        path.unlink()


def _write(path: Path, content: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, (json.dumps(content, separators=(",", ":")) + "\n").encode())
