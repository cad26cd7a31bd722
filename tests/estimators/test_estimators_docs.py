"""The pages on the estimators run as they stand."""

import re
from pathlib import Path

import pytest

from hebbian_descent import estimators

PAGES = Path(__file__).parents[2] / "docs" / "estimators"


@pytest.mark.parametrize("page", ["classifier", "regressor", "autoencoder", "learning_rate"])
def test_the_examples_run(page):
    text = (PAGES / f"{page}.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    assert blocks
    names = {}  # later examples of a page go on from the earlier ones
    for block in blocks:
        exec(compile(block, page, "exec"), names)


def test_the_description_is_as_printed():
    text = (PAGES / "classifier.md").read_text(encoding="utf-8")
    assert estimators.HebbianDescentClassifier().describe() in " ".join(text.split())


@pytest.mark.parametrize("name", estimators.__all__)
def test_every_parameter_is_on_the_page_of_its_class(name):
    page = PAGES / f"{name.removeprefix('HebbianDescent').lower()}.md"
    shared = (PAGES / "classifier.md").read_text(encoding="utf-8")
    text = page.read_text(encoding="utf-8")
    for parameter in getattr(estimators, name)().get_params():
        assert f"`{parameter}`" in (text if name != "HebbianDescentRegressor" else text + shared), parameter


@pytest.mark.parametrize("page", sorted(PAGES.glob("*.md")), ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([\w./]+\.md)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).is_file(), target
