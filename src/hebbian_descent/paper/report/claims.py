"""The paper's numbered conclusions with a verdict each, as far as the package judges them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from hebbian_descent.paper.place import Place

CLAIMS = "hebbian_descent.paper.claims"


def claims(place: Place) -> list[Any]:
    """Return every claim, judged; none where the list of claims is not part of the package."""
    try:
        module = import_module(CLAIMS)
    except ModuleNotFoundError as error:
        if error.name != CLAIMS:
            raise
        return []
    judged: list[Any] = module.judge_all(place)
    return judged
