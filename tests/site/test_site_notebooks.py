"""Running a tutorial: its outputs become Markdown and pictures, and a cell that raises ends the build."""

import json

import pytest

pytest.importorskip("nbclient", reason="nbclient is not installed; `make docs` installs it")
from nbclient.exceptions import CellExecutionError

from website import notebooks

pytestmark = pytest.mark.site


def notebook(folder, *cells):
    """Write a notebook with a title and cells of code, and return its path."""
    blank = {"metadata": {}, "outputs": [], "execution_count": None, "cell_type": "code"}
    code = [{**blank, "id": f"code-{n}", "source": source} for n, source in enumerate(cells)]
    title = {"cell_type": "markdown", "id": "title", "metadata": {}, "source": "# Title"}
    path = folder / "small.ipynb"
    content = {"cells": [title, *code], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(content))
    return path


def test_prints_values_and_pictures_become_markdown(tmp_path):
    draw = "import matplotlib.pyplot as plt\nplt.subplots(figsize=(1, 1));"
    found = notebooks.run(notebook(tmp_path, "print('one')\nprint('two')\n1 + 2", draw, "open('left', 'w');"))
    text = notebooks.page(found, "small", tmp_path / "pages")
    assert text.startswith("# Title\n\n```python\nprint('one')")
    assert "```{ .text .output }\none\ntwo\n3\n```" in text
    assert "](small_1.png)" in text
    assert (tmp_path / "pages" / "small_1.png").read_bytes().startswith(b"\x89PNG")
    assert not (tmp_path / "left").exists()  # what a tutorial writes goes into a folder of its own


def test_a_cell_that_raises_ends_the_build(tmp_path):
    with pytest.raises(CellExecutionError, match="division by zero"):
        notebooks.run(notebook(tmp_path, "1 / 0"))
