"""The built site as files: no link leads nowhere, and nothing is fetched from elsewhere."""

import re
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import hebbian_descent

pytestmark = pytest.mark.site

ROOT = Path(__file__).parent.parent.parent
RESOURCES = {("script", "src"), ("img", "src"), ("iframe", "src"), ("link", "href"), ("source", "src")}


class Page(HTMLParser):
    """The links, the resources and the anchors of a page."""

    def __init__(self, path):
        super().__init__()
        self.links, self.resources, self.anchors = [], [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("id", "name"):
                self.anchors.add(value)
            elif (tag, name) in RESOURCES:
                self.resources.append(value)
            elif (tag, name) == ("a", "href"):
                self.links.append(value)


def place(address, page, site):
    """Return the file that an address leads to; only what a server shows for missing pages starts at /."""
    if address.startswith("/") and page.name == "404.html":
        return site / unquote(address[1:])
    return (page.parent / unquote(address)).resolve()


@pytest.fixture(scope="module")
def pages(site):
    return {path: Page(path) for path in site.rglob("*.html")}


def test_the_parser_sees_links_resources_and_anchors(tmp_path):
    path = tmp_path / "a.html"
    path.write_text(
        '<p id=x><a href="b#c">b</a><script src="s.js"></script><link href="l.css"><img src="i.png">'
    )
    page = Page(path)
    assert (page.links, page.resources, page.anchors) == (["b#c"], ["s.js", "l.css", "i.png"], {"x"})


def test_there_are_as_many_pages_as_sources(site, pages):
    assert len(pages) > 60
    assert {"index.html", "commands.html", "glossary.html", "changelog.html"} <= {
        p.name for p in site.iterdir()
    }


def test_links_lead_to_pages_and_headings_that_exist(site, pages):
    broken = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = place(parts.path, path, site) if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            found = target.is_file() and site in target.parents
            if not found or (
                parts.fragment and target in pages and parts.fragment not in pages[target].anchors
            ):
                broken.append((path.relative_to(site).as_posix(), link))
    assert not broken


def test_resources_are_files_of_the_site(site, pages):
    n = 0
    for path, page in pages.items():
        for resource in page.resources:
            parts = urlsplit(resource)
            if parts.scheme == "data":
                continue
            assert not parts.scheme, f"{path}: {resource}"
            assert not parts.netloc, f"{path}: {resource}"
            assert place(parts.path, path, site).is_file(), f"{path}: {resource}"
            n += 1
    assert n > 200


def test_style_sheets_fetch_nothing_from_elsewhere(site):
    sheets = list(site.rglob("*.css"))
    assert sheets
    for path in sheets:
        addresses = re.findall(r"url\(\s*[\"']?([^\"')]+)", path.read_text(encoding="utf-8"))
        assert not [address for address in addresses if "//" in address.partition("data:")[0]], path


def test_equations_are_typeset(site):
    for name in ("how_it_works", "theory", "forgetting"):
        text = (site / f"{name}.html").read_text(encoding="utf-8")
        assert "<math" in text
        assert "$$" not in text


def test_the_reference_cites_the_paper_by_its_numbers(site):
    text = "".join(path.read_text(encoding="utf-8") for path in (site / "api").glob("*.html"))
    assert re.search(r"Paper: Equation 7\b", text)
    assert not re.search(r"Paper: (?:eqn|fig|tab|sec|appendix):", text)


@pytest.mark.parametrize("name", ["memory", "stream", "pytorch", "table"])
def test_tutorials_show_what_their_cells_printed_and_drew(site, name):
    text = (site / "tutorials" / f"{name}.html").read_text(encoding="utf-8")
    assert len(re.findall(r'class="[^"]*\boutput\b', text)) >= 2
    pictures = [path.name for path in (site / "tutorials").glob(f"{name}_*.png")]
    assert pictures
    assert all(picture in text for picture in pictures)
    assert f'href="{name}.ipynb"' in text


@pytest.fixture(scope="module")
def documented(site):
    """Return the names in the API reference."""
    pages = [path.read_text(encoding="utf-8") for path in (site / "api").glob("*.html")]
    return set(re.findall(r'id="(hebbian_descent[\w.]*)"', "".join(pages)))


def test_every_page_of_the_reference_is_in_the_navigation(site):
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    pages = [path.stem for path in (site / "api").glob("*.html")]
    assert len(pages) > 10
    assert all(f": api/{page}.md\n" in navigation for page in pages)


def test_the_reference_has_every_name_of_the_package(documented):
    assert not {f"hebbian_descent.{name}" for name in hebbian_descent.__all__} - documented


def test_the_reference_has_what_the_guides_import(documented):
    documents = [*(ROOT / "docs").rglob("*.md"), *(ROOT / "docs").rglob("*.ipynb")]
    text = "".join(path.read_text(encoding="utf-8") for path in documents)
    imports = re.findall(r"from (hebbian_descent[\w.]*) import ([\w, ]+)", text)
    assert len(imports) > 30
    shown = {name.rpartition(".")[2] for name in documented}
    for module, found in imports:
        for name in re.findall(r"\w+", found.split(" as ")[0]):
            assert name in shown or find_spec(f"{module}.{name}"), f"{module}.{name}"
    assert {"capacity", "halving", "hebbian"} <= shown  # functions in files of the same name
