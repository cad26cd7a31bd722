"""What the site is made of: every page has a place, tutorials have no outputs, links are rewritten."""

import json
import re
from pathlib import Path

import pytest
import typer

from hebbian_descent.cli import app
from website.commands import command_reference
from website.gallery import with_scripts
from website.links import relinked

ROOT = Path(__file__).parent.parent.parent
DOCS = ROOT / "docs"
NOTEBOOKS = sorted((DOCS / "tutorials").glob("*.ipynb"))


def pages_in_navigation():
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:")[2]
    return re.findall(r": (\S+\.md)$", text, flags=re.MULTILINE)


def test_every_page_is_in_the_navigation_once():
    pages = [path.relative_to(DOCS).with_suffix(".md") for path in [*DOCS.rglob("*.md"), *NOTEBOOKS]]
    expected = {page.as_posix() for page in pages} - {"README.md"}  # which the front page stands for
    shown = pages_in_navigation()
    assert len(shown) == len(set(shown))
    missing = expected - set(shown)
    assert not missing, f"to be added to `nav` in mkdocs.yml: {missing}"


def test_what_the_navigation_names_is_there_or_generated():
    made = {"index.md", "commands.md", "changelog.md", "code_of_conduct.md", "contributing.md", "security.md"}
    for page in set(pages_in_navigation()) - made:
        path = DOCS / page
        assert page.startswith("api/") or path.exists() or path.with_suffix(".ipynb").exists(), page


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_tutorials_are_stored_without_outputs(path):
    notebook = json.loads(path.read_text(encoding="utf-8"))
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert len(code) > 5
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)
    assert notebook["cells"][0]["source"][0].startswith("# ")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_tutorials_are_listed_and_link_to_pages_that_exist(path):
    assert f"](tutorials/{path.name})" in (DOCS / "README.md").read_text(encoding="utf-8")
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    text = "".join(line for cell in cells if cell["cell_type"] == "markdown" for line in cell["source"])
    targets = re.findall(r"\]\(([^)\s]+)\)", text)
    assert targets
    for target in targets:
        assert (path.parent / target).exists(), target


def test_the_front_page_has_the_eight_lines_of_the_readme():
    readme, front = ROOT / "README.md", ROOT / "website" / "index.md"
    blocks = [
        re.findall(r"```python\n.*?```", path.read_text("utf-8"), re.DOTALL) for path in (readme, front)
    ]
    assert blocks[0] == blocks[1]
    assert len(blocks[0]) == 1


def test_the_reference_of_commands_has_every_command_and_option():
    text = command_reference()
    commands = dict(typer.main.get_command(app).commands)
    commands |= {f"data {name}": command for name, command in commands.pop("data").commands.items()}
    sections = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", text, flags=re.MULTILINE | re.DOTALL))
    assert sections.keys() == commands.keys()
    for name, command in commands.items():
        for parameter in command.params:
            if parameter.param_type_name == "option":
                assert parameter.opts[0] in sections[name]


def test_links_lead_to_pages_of_the_site_or_to_shown_sources(tmp_path):
    for file in ("docs/a/one.md", "docs/two.md", "CONTRIBUTING.md", "examples/x.py", "docs/a/p.svg"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text("")
    pages = {"docs/a/one.md": "a/one.md", "docs/two.md": "two.md", "CONTRIBUTING.md": "contributing.md"}
    shown = []

    def source_page(file):
        shown.append(file.name)
        return "source/x.md"

    def rewritten(text):
        return relinked(text, tmp_path / "docs" / "a" / "one.md", tmp_path, pages, source_page)

    assert rewritten("[t](../two.md#part)") == "[t](../two.md#part)"
    assert rewritten("[c](../../CONTRIBUTING.md)") == "[c](../contributing.md)"
    assert rewritten("[`x`](../../examples/x.py).") == "[`x`](../source/x.md)."
    assert rewritten("[all](../../examples)") == "`examples`"
    untouched = "[here](#part) [web](https://example.org) ![p](p.png) [p](p.svg) [missing](missing.md)"
    assert rewritten(untouched) == untouched
    assert rewritten("```\n[c](../../CONTRIBUTING.md)\n```") == "```\n[c](../../CONTRIBUTING.md)\n```"
    assert shown == ["x.py"]


def test_displayed_equations_become_mathml():
    equations = pytest.importorskip("website.equations", exc_type=ImportError)
    text = equations.typeset("Text:\n\n$$\na = \\frac{x}{2}\n$$\n\nCosts $$ 5.\n")
    assert '<div class="equation"><math' in text
    assert "<mfrac>" in text
    assert text.endswith("</div>\n\nCosts $$ 5.\n")


def test_every_picture_of_the_gallery_has_a_thumbnail_and_its_code():
    page = DOCS / "gallery" / "README.md"
    text = page.read_text(encoding="utf-8")
    titles = re.findall(r"^## (.+)$", text, flags=re.MULTILINE)
    shown = with_scripts(text, page)
    assert [title for title in titles if f"    **{title}**" in shown] == titles
    for script in (ROOT / "examples" / "gallery").glob("*.py"):
        lines = [f"    {line}" if line else "" for line in script.read_text(encoding="utf-8").splitlines()]
        assert "\n".join(lines) in shown
    with pytest.raises(ValueError, match=r"'A picture' must have a picture and a link"):
        with_scripts("# Gallery\n\n## A picture\n\nText.\n", page)
