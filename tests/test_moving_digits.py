"""The table of variants that `bench/moving_digits.py` writes into a page."""

import importlib.util
from pathlib import Path

import pytest

PATH = Path(__file__).parents[1] / "bench" / "moving_digits.py"


@pytest.fixture(scope="module")
def bench():
    specification = importlib.util.spec_from_file_location("moving_digits", PATH)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@pytest.fixture
def page(bench, tmp_path):
    path = tmp_path / "page.md"
    path.write_text(f"Before.\n\n{bench.MARK}\n\nold\n\n{bench.MARK}\n\nAfter.\n", encoding="utf-8")
    return path


def test_what_was_edited_while_it_measured_is_kept(bench, page, monkeypatch):
    def table(n_draws):
        page.write_text(page.read_text(encoding="utf-8").replace("After", "Meanwhile"), encoding="utf-8")
        return f"table of {n_draws} draws"

    monkeypatch.setattr(bench, "table", table)
    bench.write_table(page, 2)
    mark = bench.MARK
    assert page.read_text(encoding="utf-8") == (
        f"Before.\n\n{mark}\n\ntable of 2 draws\n\n{mark}\n\nMeanwhile.\n"
    )
    assert list(page.parent.iterdir()) == [page]


@pytest.mark.parametrize("n_marks", [0, 1, 3])
def test_a_page_without_a_place_for_the_table_is_left_alone(bench, page, monkeypatch, n_marks):
    monkeypatch.setattr(bench, "table", lambda n_draws: pytest.fail("measured in vain"))
    text = "Text.\n" + n_marks * f"{bench.MARK}\n"
    page.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=rf"must have two lines .* with {n_marks}: add"):
        bench.write_table(page, 2)
    assert page.read_text(encoding="utf-8") == text


def test_one_draw_has_no_spread_to_show(bench, page, monkeypatch):
    monkeypatch.setattr(bench, "table", lambda n_draws: pytest.fail("measured in vain"))
    with pytest.raises(ValueError, match="draws must be at least 2"):
        bench.write_table(page, 1)
