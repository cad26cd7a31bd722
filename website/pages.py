"""Write all pages of the site, including generated ones, as one folder of Markdown.

So the site generator needs no custom plugins and can be replaced.
"""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from hebbian_descent.explorer import explore
from website import api, commands, gallery, notebooks
from website.equations import typeset
from website.links import relinked

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
FRONT_PAGE = "website/index.md"
GALLERY = "docs/gallery/README.md"
DOCUMENTS = ("CHANGELOG.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "SECURITY.md")
LANGUAGES = {".py": "python", ".hpp": "cpp", ".cff": "yaml"}


def site_pages() -> dict[str, str]:
    """Return the path in the site of each document of the repository."""
    pages = {FRONT_PAGE: "index.md"} | {name: name.lower() for name in DOCUMENTS}
    for path in [*DOCS.rglob("*.md"), *DOCS.rglob("*.ipynb")]:
        pages[path.relative_to(ROOT).as_posix()] = path.relative_to(DOCS).with_suffix(".md").as_posix()
    return pages | {"docs/README.md": "index.md"}


def write_pages(folder: Path) -> None:
    """Fill the folder: documents with their links, tutorials with their outputs, references, the explorer."""
    shutil.rmtree(folder, ignore_errors=True)
    for path in DOCS.rglob("*"):
        if path.is_file() and path.suffix != ".md":
            _copy(path, folder / path.relative_to(DOCS))
    for path in [ROOT / "website" / "style.css", *(ROOT / "website" / "vendor").iterdir()]:
        _copy(path, folder / "assets" / path.name)

    def source_page(file: Path) -> str:
        """Write a page that shows a file of the repository, and return its path."""
        name, code = file.relative_to(ROOT).as_posix(), file.read_text(encoding="utf-8").rstrip()
        text = f"# {file.name}\n\n`{name}`\n\n````{LANGUAGES.get(file.suffix, 'text')}\n{code}\n````\n"
        _write(folder / "source" / f"{name}.md", text)
        return f"source/{name}.md"

    tutorials = sorted(DOCS.rglob("*.ipynb"))
    with ThreadPoolExecutor(2) as pool:  # each tutorial runs in its own process
        executed = dict(zip(tutorials, pool.map(notebooks.run, tutorials), strict=True))
    pages = site_pages()
    for name in sorted(pages.keys() - {"docs/README.md"}):  # replaced by the front page
        path, page = ROOT / name, folder / pages[name]
        if path.suffix == ".ipynb":
            text = notebooks.page(executed[path], path.stem, page.parent)
        else:
            text = path.read_text(encoding="utf-8")
        if name == GALLERY:
            text = gallery.with_scripts(text, path)
        text = typeset(relinked(text, path, ROOT, pages, source_page))
        if path.suffix == ".ipynb":
            text += f"\n[Download this tutorial as a notebook]({path.name}){{ .md-button }}\n"
        _write(page, text)
    for name, text in api.api_pages(ROOT / "src"):
        _write(folder / "api" / f"{name}.md", text)
    _write(folder / "commands.md", commands.command_reference())
    (folder / "live").mkdir()
    explore().save(folder / "live" / "explorer.html")


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
