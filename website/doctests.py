"""Show examples in docstrings as code."""

from __future__ import annotations

import re
import textwrap
from typing import Any

import griffe

EXAMPLE = re.compile(r"(?:^[ ]*>>> .*\n(?:^(?![ ]*$).*\n?)*)+", flags=re.MULTILINE)


class Doctests(griffe.Extension):
    """Fence `>>> …` and its output, which Markdown would read as quotations."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Change the docstring of an object."""
        if obj.docstring:
            obj.docstring.value = EXAMPLE.sub(_fenced, obj.docstring.value + "\n")


def _fenced(match: re.Match[str]) -> str:
    indent = re.match(" *", match[0])[0]  # type: ignore[index]
    code = textwrap.dedent(match[0]).rstrip()
    return textwrap.indent(f"```pycon\n{code}\n```\n", indent)
