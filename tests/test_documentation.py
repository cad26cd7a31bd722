"""What the documents say is true: examples run, cited labels exist, named tests and files are there."""

import ast
import re
from pathlib import Path

import pytest

from hebbian_descent.paper import labels

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "hebbian_descent"
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
LABEL = re.compile(r"\b(?:eqn|fig|tab|sec|appendix):[A-Za-z0-9_]+")


@pytest.mark.parametrize(
    "document",
    [
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        ROOT / "docs" / "sweeps.md",
        ROOT / "docs" / "explorer.md",
    ],
    ids=lambda p: p.name,
)
def test_python_examples_run(document, capsys):
    blocks = re.findall(r"```python\n(.*?)```", document.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert blocks
    names = {}  # later examples of a page go on from the earlier ones
    for block in blocks:
        exec(compile(block, document.name, "exec"), names)
    if document.name == "README.md":  # the first example shows what it promises, in its fifteen lines
        assert min(names["errors"], key=names["errors"].get) == "hebbian_descent"
        assert len(blocks[0].strip().splitlines()) <= 15


def test_every_docstring_of_a_rule_cites_the_paper():
    for path in (SOURCE / "rules").glob("*.py"):
        if path.stem in ("__init__", "base", "losses"):
            continue
        assert "Paper: " in path.read_text(encoding="utf-8"), path.name


@pytest.mark.parametrize(
    "path", [*sorted(SOURCE.rglob("*.py")), *DOCUMENTS], ids=lambda p: str(p.relative_to(ROOT))
)
def test_cited_labels_exist_in_the_paper(path):
    cited = set(LABEL.findall(path.read_text(encoding="utf-8")))
    assert cited <= set(labels())


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda p: p.name)
def test_named_tests_exist(document):
    for file, name in re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", document.read_text(encoding="utf-8")):
        tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, (
            f"{file}::{name}"
        )


def test_files_in_the_map_of_the_paper_exist_and_cover_every_rule():
    rows = re.findall(
        r"^\| `[^|]+` \| `([^|`]+)` \| `tests", (ROOT / "README.md").read_text(), flags=re.MULTILINE
    )
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
