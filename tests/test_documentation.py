"""What the documents say is true: examples run, cited labels exist, named tests and files are there."""

import ast
import re
from pathlib import Path

import pytest

from reproduction.numbers import NUMBERS

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "hebbian_descent"
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
LABEL = re.compile(r"\b(?:eqn|fig|tab|sec|appendix):[A-Za-z0-9_]+")


@pytest.mark.parametrize(
    "document",
    [
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        ROOT / "docs" / "training.md",
        ROOT / "docs" / "sweeps.md",
        ROOT / "docs" / "rules.md",
        ROOT / "docs" / "explorer.md",
        ROOT / "docs" / "faq.md",
        ROOT / "docs" / "how_it_works.md",
        ROOT / "docs" / "theory.md",
    ],
    ids=lambda p: p.name,
)
def test_python_examples_run_and_print_what_the_page_shows(document, capsys):
    text = document.read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```(?:\n\n```\n(.*?)```)?", text, flags=re.DOTALL)
    assert blocks
    names = {}  # later examples of a page continue from the earlier ones
    for code, shown in blocks:
        exec(compile(code, document.name, "exec"), names)
        printed = capsys.readouterr().out
        if shown:
            assert printed == shown


def test_the_readme_keeps_its_promise_of_eight_lines():
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), flags=re.DOTALL)
    assert len([line for line in code.splitlines() if line.strip()]) == 8


@pytest.mark.parametrize(
    "document",
    [*ROOT.glob("*.md"), *sorted((ROOT / "docs").rglob("*.md"))],
    ids=lambda p: str(p.relative_to(ROOT)),
)
def test_links_lead_to_files_and_headings_that_exist(document):
    for target in re.findall(r"\]\(([^)\s]+)\)", document.read_text(encoding="utf-8")):
        if "://" in target:
            continue
        path, _, heading = target.partition("#")
        file = (document.parent / path).resolve() if path else document
        assert file.exists(), target
        if heading:
            assert heading in anchors(file), target


def anchors(page):
    """Return what links may name in a page: its headings in small letters, with dashes for spaces."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading in headings}


def test_every_page_is_listed_and_every_listed_page_exists():
    folder = ROOT / "docs"
    listed = re.findall(r"\]\(([^)]+\.md)\)", (folder / "README.md").read_text(encoding="utf-8"))
    pages = {path.relative_to(folder).as_posix() for path in folder.rglob("*.md")} - {"README.md"}
    assert pages == set(listed) - {"../CONTRIBUTING.md"}


def test_every_docstring_of_a_rule_cites_the_paper_or_an_author_and_year():
    for path in (SOURCE / "rules").glob("*.py"):
        if path.stem in ("__init__", "base", "losses"):
            continue
        text = path.read_text(encoding="utf-8")
        cites = "Paper: " in text or re.search(r"[A-Z][a-z]+,? \(?(19|20)\d\d", text)
        assert cites, path.name


@pytest.mark.parametrize(
    "path", [*sorted(SOURCE.rglob("*.py")), *DOCUMENTS], ids=lambda p: str(p.relative_to(ROOT))
)
def test_cited_labels_exist_in_the_paper(path):
    cited = set(LABEL.findall(path.read_text(encoding="utf-8")))
    assert cited <= set(NUMBERS)


def test_the_map_has_each_label_beside_its_number():
    text = (ROOT / "docs" / "map.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([\w .()]+) \(`([^`]+)`\) \| `", text, flags=re.MULTILINE)
    assert len(rows) > 20
    for number, label in rows:
        assert number == NUMBERS[label]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda p: p.name)
def test_named_tests_exist(document):
    for file, name in re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", document.read_text(encoding="utf-8")):
        tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, (
            f"{file}::{name}"
        )


def test_files_in_the_map_of_the_paper_exist_and_cover_every_rule():
    text = (ROOT / "docs" / "map.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| [^|]+ \| `([^|`]+)` \| `tests", text, flags=re.MULTILINE)
    assert len(rows) > 20
    for file in rows:
        assert (SOURCE / file).is_file(), file
    rules = {path.name for path in (SOURCE / "rules").glob("*.py")}
    shown = {Path(file).name for file in rows if file.startswith("rules/")}
    assert (
        {"hebbian_descent.py", "gradient_descent.py", "hebb.py", "covariance.py", "contrastive.py"}
        <= shown
        <= rules
    )


def test_the_version_is_in_the_changelog_or_unreleased():
    assert "## [Unreleased]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
