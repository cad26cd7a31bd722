"""Show the paper's labels in docstrings as the numbers that the printed paper gives them."""

from __future__ import annotations

import re
from typing import Any

import griffe

from reproduction.numbers import NUMBERS

LABEL = re.compile("|".join(sorted(map(re.escape, NUMBERS), key=len, reverse=True)))


class PaperNumbers(griffe.Extension):
    """Write `Equation 7` for `eqn:…`."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Change the docstring of an object."""
        if obj.docstring:
            obj.docstring.value = LABEL.sub(lambda found: NUMBERS[found[0]], obj.docstring.value)
