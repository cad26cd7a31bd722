"""Results as JSON: what `--json` of every command writes to standard output, and nothing else."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping, Set
from pathlib import Path
from typing import Any

import numpy as np


def write_json(result: Any) -> None:
    r"""Write a result as JSON, with numbers as numbers; null stands for NaN and infinity, which JSON lacks.

    All characters beyond ASCII are written as \u2192, so that it is valid JSON on any terminal.
    """
    sys.stdout.write(json.dumps(as_json(result), indent=1, allow_nan=False) + "\n")


def as_json(value: Any) -> Any:
    """Return a value as dictionaries, lists, text, numbers and None."""
    if isinstance(value, np.generic | np.ndarray):
        return as_json(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, Mapping):
        return {str(name): as_json(part) for name, part in value.items()}
    if hasattr(value, "_asdict"):  # a named tuple
        return as_json(value._asdict())
    if isinstance(value, Set):
        return as_json(sorted(value))
    if isinstance(value, list | tuple):
        return [as_json(part) for part in value]
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"A result must be made of numbers, text, lists and dictionaries. Got {value!r:.200}.")
