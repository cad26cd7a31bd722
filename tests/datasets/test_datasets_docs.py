"""The page on datasets runs, and leaves none out."""

import doctest
from pathlib import Path

import pytest

from hebbian_descent import datasets

PAGE = Path(__file__).parents[2] / "docs" / "datasets.md"


def test_the_examples_on_the_page_run():
    outcome = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert outcome.attempted >= 8
    assert outcome.failed == 0


def test_the_example_in_the_package_runs():
    assert doctest.testmod(datasets).failed == 0


@pytest.mark.parametrize("name", datasets.names())
def test_every_dataset_is_on_the_page_with_its_sizes(name):
    page = PAGE.read_text(encoding="utf-8")
    description = datasets.describe(name)
    (row,) = (line for line in page.splitlines() if line.startswith(f"| `{name}` |") and line.count("|") > 5)
    assert f"| {description.n_features}" in row
    if name not in ("rand", "randn"):
        parts = (description.n_train, description.n_valid, description.n_test)
        assert f"| {description.shape[0]:,} | {' / '.join(f'{n:,}' if n else '–' for n in parts)} |" in row
    assert f"**`{name}`**" in page


@pytest.mark.parametrize(
    "name", [name for name in datasets.names() if datasets.describe(name).needs_download]
)
def test_every_file_that_can_be_read_is_on_the_page(name):
    page = PAGE.read_text(encoding="utf-8")
    for file_format in datasets.describe(name).origin.formats:
        assert f"`{file_format.files[0]}`" in page or f"`{file_format.files[0].split('/')[0]}/`" in page
