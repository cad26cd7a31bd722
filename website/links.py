"""Rewrite links between files of the repository as links between pages of the site."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path

FENCED = re.compile(r"(^ *```.*?^ *```$)", flags=re.DOTALL | re.MULTILINE)
LINK = re.compile(r"(?P<image>!?)\[(?P<text>(?:[^\[\]]|\[[^\]]*\])*)\]\((?P<target>[^()\s]+)\)")


def relinked(
    text: str, path: Path, root: Path, pages: Mapping[str, str], source_page: Callable[[Path], str]
) -> str:
    """Return the Markdown of the file `path` with links that are valid in the site.

    `pages` maps paths in the repository to paths in the site. A link to any other file leads to a page that
    shows it, written by `source_page`; a link to a folder becomes its name.
    """
    here = pages[path.relative_to(root).as_posix()]

    def link(match: re.Match[str]) -> str:
        address, _, heading = match["target"].partition("#")
        if "://" in address or not address or match["image"]:
            return match[0]
        file = (path.parent / address).resolve()
        name = file.relative_to(root).as_posix()
        is_copied = name.startswith("docs/") and name not in pages and file.is_file()
        if is_copied or not file.exists():  # a missing one is generated, or the build reports it
            return match[0]
        if file.is_dir():
            return f"`{name}`"
        page = pages[name] if name in pages else source_page(file)
        address = os.path.relpath(page, Path(here).parent).replace(os.sep, "/")
        return f"[{match['text']}]({address}{'#' + heading if heading else ''})"

    parts = FENCED.split(text)
    return "".join(part if FENCED.fullmatch(part) else LINK.sub(link, part) for part in parts)
