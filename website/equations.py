"""Displayed equations as MathML, which browsers draw without a script and without fonts to fetch."""

from __future__ import annotations

import re

from latex2mathml.converter import convert

EQUATION = re.compile(r"^\$\$\n(.+?)\n\$\$$", flags=re.DOTALL | re.MULTILINE)


def typeset(text: str) -> str:
    """Return Markdown in which each `$$` block of LaTeX is MathML."""
    return EQUATION.sub(
        lambda found: f'<div class="equation">{convert(found[1], display="block")}</div>', text
    )
