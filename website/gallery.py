"""The gallery: thumbnails that lead to the pictures, and below each picture the script that drew it."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import indent
from typing import NamedTuple

from hebbian_descent.table_formats import heading_anchor

HEADING = re.compile(r"^## (.+)$", flags=re.MULTILINE)
IMAGE = re.compile(r"!\[[^\]]*\]\([^)\s]+\)")
SCRIPT = re.compile(r"\]\((?P<path>[^)\s]+\.py)\)")


class Picture(NamedTuple):
    """A section of the page: its heading, the picture below it, and the script that draws it."""

    title: str
    image: str
    text: str
    script: Path


def with_scripts(text: str, page: Path) -> str:
    """Return the page with a thumbnail per picture and with the code of each script, folded."""
    opening, *parts = HEADING.split(text)
    pictures = [_picture(title, body, page) for title, body in zip(parts[::2], parts[1::2], strict=True)]
    cards = "\n".join(
        f"-   [{each.image}](#{heading_anchor(each.title)})\n\n    **{each.title}**\n" for each in pictures
    )
    sections = [f"## {each.title}\n{each.text.rstrip()}\n\n{_folded(each.script)}" for each in pictures]
    grid = f'<div class="grid cards thumbnails" markdown>\n\n{cards}\n</div>'
    return "\n\n".join([opening.rstrip(), grid, *sections]) + "\n"


def _picture(title: str, body: str, page: Path) -> Picture:
    image, script = IMAGE.search(body), SCRIPT.search(body)
    if image is None or script is None:
        raise ValueError(f"{page.name}: {title!r} must have a picture and a link to its script.")
    return Picture(title, image[0], body, (page.parent / script["path"]).resolve())


def _folded(script: Path) -> str:
    code = script.read_text(encoding="utf-8").rstrip()
    return f'??? example "{script.name}"\n\n' + indent(f"```python\n{code}\n```", "    ")
