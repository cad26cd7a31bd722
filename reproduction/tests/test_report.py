"""The report and the pages of the documentation: everything is on them, and nothing that harms."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from hebbian_descent.table_formats import TextTable, markdown_text
from reproduction.all_numbers import all_numbers
from reproduction.claims import CLAIMS
from reproduction.compare import verdicts
from reproduction.context import Context, Effort
from reproduction.document import COMMITTED, DOCS, results_page
from reproduction.figures import FIGURES
from reproduction.formula_tables import FORMULA_TABLES
from reproduction.numbers import NUMBERS
from reproduction.pictures import name_of
from reproduction.printed import notes
from reproduction.report import DRAWN, data_url, plain, render, write_report
from reproduction.rows import tidy, write
from reproduction.running import part_of
from reproduction.studies import STUDIES
from reproduction.studies.page import studies_page
from reproduction.tables import TABLES

LABEL = "tab:Hetero_online_centered_1"


class Page(HTMLParser):
    """The tags, the texts and the addresses of a page."""

    def __init__(self, source):
        super().__init__()
        self.tags, self.texts, self.addresses, self.handlers = [], [], [], []
        self.feed(source)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.addresses += [value for name, value in attributes if name in ("src", "href")]
        self.handlers += [name for name, _ in attributes if name.startswith("on")]

    def handle_data(self, data):
        self.texts.append(data)

    @property
    def text(self):
        return re.sub(r"\s+", " ", "".join(self.texts))


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    return write_report(Context(tmp_path_factory.mktemp("none"))).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page(source):
    return Page(source)


def test_every_table_claim_study_and_note_is_on_the_page(page):
    for label, table in {**TABLES, **FORMULA_TABLES}.items():
        assert f"{NUMBERS.get(label, label)}. {table.title}" in page.text
    for claim in CLAIMS:
        assert f"{claim.number}. {claim.statement}" in page.text
    for study in STUDIES.values():
        assert study.question in page.text
    for note in notes("protocol"):
        assert plain(note["answer"]) in page.text
    for note in notes("misprints"):
        assert plain(note["right"]) in page.text
    assert "Of 2596 printed results 2312 agree with ours, 14 differ, 270 are undecided" in page.text


def test_every_figure_under_version_control_is_on_the_page(page):
    for label, figure in FIGURES.items():
        is_there = (DRAWN / f"{figure.name}.svg").is_file()
        assert (f"{NUMBERS[label]}. {figure.title}." in page.text) == is_there


def test_it_needs_no_network_and_no_script(source, page):
    assert "script" not in page.tags
    assert not page.handlers
    assert all(address.startswith(("#", "data:image/svg+xml,")) for address in page.addresses)
    assert len(source.encode()) < 3_000_000


def test_nothing_from_a_part_is_taken_for_markup(tmp_path):
    context = Context(tmp_path, Effort(quick=True))
    hostile = '</td><script>alert("x")</script>\x1b'
    rows = tidy(LABEL, [{"input": hostile, "measure": "mae_all", "trial": 0, "value": 0.5}])
    write(part_of(LABEL, "rand-draw0", context), rows, {"seconds": 1.0})
    text = render(context)
    assert "script" not in Page(text).tags
    assert "&lt;script&gt;" in text
    assert "\x1b" not in text


def test_a_drawing_cannot_leave_its_attribute():
    assert '"' not in data_url('<svg title=\'a\' alt="b"><text>"&#\n</text></svg>')


def test_a_quick_run_decides_nothing(tmp_path):
    text = Page(render(Context(tmp_path, Effort(quick=True)))).text
    assert "decides nothing" in text
    assert "Not run at this effort." in text
    assert "No figure was drawn" in text
    assert "agree with ours" not in text


@pytest.mark.parametrize("name", ["reproduction", "studies"])
def test_pages_are_those_of_the_rows_under_version_control(name):
    # `python -m reproduction report --document` writes them again.
    text = studies_page() if name == "studies" else results_page(verdicts(COMMITTED))
    assert (DOCS / f"{name}.md").read_text(encoding="utf-8") == text


def test_every_table_has_a_small_picture_and_its_numbers():
    numbers = all_numbers()
    for label, table in TABLES.items():
        assert 0 < (DOCS / "figures" / name_of(label)).stat().st_size < 60_000
        assert table.title in numbers


@pytest.mark.parametrize("name", ["misprints", "protocol"])
def test_notes_are_shown_in_the_documentation(name):
    rows = notes(name)
    table = TextTable(list(rows[0]), [list(row.values()) for row in rows])
    assert markdown_text(table) in (DOCS / f"{name}.md").read_text(encoding="utf-8")


def test_a_quick_page_decides_nothing_and_leaves_the_other_page_alone(command):
    assert command("report", "--quick", "--output", "runs")[0] == 2  # nothing was run
    command("run", "tab:Hetero_online_centered_2", "--only", "rand-rand", "--quick", "--output", "runs")
    code, out, _ = command("report", "--quick", "--output", "runs", "--json")
    assert code == 0
    (path,) = map(Path, json.loads(out)["wrote"])
    assert path.name == "report-quick.html"
    assert "decides nothing" in path.read_text(encoding="utf-8")
