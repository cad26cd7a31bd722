"""The report and what it is made of, read as text; how it behaves is tested in a browser."""

import re
import shutil
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markupsafe import escape
from reproduction.measurements import Measurements, efforts_in
from reproduction.results import Results
from reproduction.run_context import Effort
from reproduction.saved_json import DamagedFileWarning

from hebbian_descent.table_formats import TextTable, markdown_text
from reproduction.__main__ import main
from reproduction.claims import Judged
from reproduction.claims.base import save_claims, saved_claims
from reproduction.experiments import Measured
from reproduction.formula_tables import FORMULA_TABLES
from reproduction.notes import REASON_UNKNOWN, differences, notes
from reproduction.printed import printed_rows
from reproduction.report import render
from reproduction.report.content import main_finding, paper_tables
from reproduction.report.filters import anchor, facts, number, plainly
from reproduction.report.images import LARGEST_SVG, image_file
from reproduction.studies import STUDIES
from reproduction.studies.running import kept_results
from reproduction.tables import TABLES
from reproduction.tests.conftest import SVG

ROOT = Path(__file__).parents[2]
DOCS, KEPT = ROOT / "docs", ROOT / "reproduction"
BADGE = '<span class="badge">quick run</span>'
FIGURE = r'<figure id="([^"]+)">.*?<figcaption>(.*?)</figcaption>'
EMPTY_TAGS = {"meta", "link", "img", "br"}


class Page(HTMLParser):
    """Checks that tags are closed in order, and gathers names and addresses."""

    def __init__(self, text):
        super().__init__()
        self.open, self.names, self.links, self.sources = [], [], [], []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.names += [found["id"]] if "id" in found else []
        self.links += [found["href"]] if "href" in found else []
        self.sources += [found["src"]] if "src" in found else []
        if tag not in EMPTY_TAGS:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def text(results_folder):
    return render(results_folder, Effort())


def test_the_page_is_whole_and_its_links_lead_somewhere(text):
    page = Page(text)
    assert len(page.names) == len(set(page.names))
    assert {link[1:] for link in page.links if link.startswith("#")} <= set(page.names)
    assert all(link.startswith(("#", "data:")) for link in page.links)
    assert page.sources
    assert all(source.startswith("data:image/") for source in page.sources)


def test_it_counts_every_printed_result_once(results_folder, text):
    verdicts = [verdict for table in paper_tables(Results(results_folder)) for verdict in table.verdicts]
    assert len(verdicts) == 2596
    # Each has a cell with a note, and two of them, the columns of one row, differ.
    assert text.count('title="ours ') + text.count('title="printed ') == 2596
    assert [verdict.word for verdict in verdicts].count("differs") == 2
    assert text.count('<td class="differs"') == 2
    assert "hebbian-descent run tab:Hetero_online_centered_2 --draws 10" in text


def test_other_protocols_are_shown_without_verdicts(text):
    section = text[text.index('<section id="others">') : text.index('<section id="protocol">')]
    assert "Not the paper's protocol" in section
    assert "--set trials=50" in section
    assert "--set &#39;learning_rates=(1.0, 0.1)&#39;" in section
    assert "A quick look" in section
    assert "agrees" not in section


def test_own_tables_are_shown_and_their_words_are_no_markup(text):
    assert "A table of one&#39;s own" in text
    assert "&lt;b&gt;mine&lt;/b&gt;" in text
    assert "<b>mine</b>" not in text


def test_a_quick_page_gives_no_verdicts(results_folder):
    text = render(results_folder, Effort(quick=True))
    assert "A quick look, not the paper's protocol" in text
    for word in ('class="agrees"', 'class="differs"', "rms z", ": agrees", 'id="winners"'):
        assert word not in text[text.index("<body>") :]
    assert "hebbian-descent run tab:Hetero_online_centered_2 --quick" in text
    Page(text)


def test_every_quick_number_is_marked_as_such(results_folder):
    """Beside each verdict, in each caption and heading of a table, and below each measured figure."""
    text = render(results_folder, Effort(quick=True))
    section = text[text.index('<section id="tables">') : text.index('<section id="formulas">')]
    tables = re.findall(r"<table.*?</thead>", section, re.DOTALL)
    run = [table for table in tables if "ours and printed" in table]
    assert len(run) == 2  # the columns of the one table that was run
    assert all(table.count(BADGE) == 2 for table in run)
    assert not any(BADGE in table for table in tables if table not in run)
    cards = re.findall(r"<dt>Run.*?</dt>", text)
    assert len(cards) == 1
    assert BADGE in cards[0]

    judged = render(results_folder, Effort())
    before, _, others = judged.partition('<section id="others">')
    assert BADGE not in before
    quick, _, changed = others.partition("Another protocol")
    assert quick.count(BADGE) == 3  # what opens the table, its caption and its heading
    assert changed.count(BADGE.replace("quick run", "other protocol")) == 3


def test_quick_claims_and_figures_are_marked_unless_nothing_is_measured(tmp_path):
    save_claims(tmp_path, Effort(quick=True), [Judged(1, "A.", "sec:a", "By B.", "If D.", (), "holds", "C.")])
    drawn = tmp_path / "figures" / "quick"
    drawn.mkdir(parents=True)
    for name in ("rand_rand_sigmoid_true_online", "long_training_rand_adult", "sigmoid_and_derivative"):
        (drawn / f"{name}.svg").write_text(SVG)
    text = render(tmp_path, Effort(quick=True))
    assert f'<span class="verdict holds">holds</span>{BADGE}</p>' in text
    marked = {label: BADGE in caption for label, caption in re.findall(FIGURE, text, re.DOTALL)}
    assert marked == {
        "fig-rand-rand-sigmoid-true-online": True,  # the first: it shows the main finding
        "fig-sigmoid-and-derivative": False,
        "fig-long-training-rand-adult": True,
    }


def test_the_main_finding_is_counted_from_the_tables(tmp_path):
    """Hebbian-descent is best in one of the two experiments in which every rule was run."""
    label = "tab:Hetero_online_centered_2"
    rows = [row for row in printed_rows(label) if row.cell["input"] == row.cell["target"] == "rand"]
    shown = [row for row in rows if row.cell["activation"] in ("sigmoid", "step", "linear")]
    errors = {"hebbian_descent": 0.1}
    measured = [
        Measured(row.cell, dict.fromkeys(row.results, error), dict.fromkeys(row.results, 0.0), 0.1, 0.0, 1)
        for row in shown
        for error in [errors.get(row.cell["rule"], 0.05 if row.cell["activation"] == "step" else 0.2)]
        if row.cell["activation"] != "linear" or row.cell["rule"] == "hebbian_descent"
    ]
    Measurements(tmp_path, Effort()).write(TABLES[label], "job", measured, seconds=1.0)
    assert main_finding(paper_tables(Results(tmp_path))) == (1, 2)
    assert "<strong>1 of 2</strong> experiments" in render(tmp_path, Effort())


def test_the_two_tables_of_formulas_are_on_the_page(text):
    section = text[text.index('<section id="formulas">') : text.index('<section id="own">')]
    for table in FORMULA_TABLES.values():
        assert f'<article id="{anchor(table.label)}">' in section
        for row in table.rows:
            assert all(str(escape(part)) in section for cell in row for part in cell.split("; "))


def test_four_draws_make_no_number_agree_or_differ(results_folder, tmp_path):
    folder = shutil.copytree(results_folder, tmp_path / "four")
    (folder / "measured/paper/tab_Hetero_online_centered_2/rand-rand-draw2.json").unlink()
    text = render(folder, Effort())
    Page(text)
    body = text[text.index("<body>") :]
    assert re.search(r"undecided</dt><dd>40 <small>too few draws", body)  # 20 of each column
    assert ": undecided" in body
    assert ": differs" not in body
    assert ": agrees" not in body
    assert "20 undecided" in body
    assert 'id="differences"' not in body


@pytest.mark.parametrize("quick", [False, True])
def test_without_any_run_the_page_says_what_to_do(tmp_path, monkeypatch, quick):
    monkeypatch.chdir(tmp_path)
    text = render(Path("reproduction"), Effort(quick=quick))
    assert "Nothing has been run yet.</strong>" in text
    assert "<code>hebbian-descent run all --quick</code>" in text
    assert ("run tab:Hetero_online_centered_1 --draws 10</code>" in text) is not quick
    assert list(tmp_path.iterdir()) == []
    Page(text)


def test_the_command_writes_one_file_and_opens_it(results_folder, monkeypatch, capsys):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr(sys, "argv", ["hebbian-descent", "report", "--open", "--output", str(results_folder)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    printed, said = capsys.readouterr()
    assert printed == ""
    wrote, source = said.splitlines()
    assert wrote == f"Wrote {results_folder / 'report.html'}"
    assert source.startswith(
        "This is a run of your own. Your run has only 20 of 128 cells of tab:Hetero_online_"
    )
    assert opened == [(results_folder / "report.html").resolve().as_uri()]
    assert (results_folder / "report.html").stat().st_size < 1_500_000


def test_notes_say_what_stands_behind_a_number(results_folder):
    verdicts = [verdict for table in paper_tables(Results(results_folder)) for verdict in table.verdicts]
    differs = next(verdict for verdict in verdicts if verdict.word == "differs")
    lines = facts(differs).splitlines()
    assert lines[0] == f"ours {number(differs.mean)} ± 0.0016 (5 draws)"
    assert lines[2].endswith(": differs")
    assert lines[3] == "learning rate 0.2"
    absent = next(verdict for verdict in verdicts if verdict.word == "not run")
    assert facts(absent).endswith("not run")
    assert number(-0.25, 2) == "−0.25"
    assert number(float("nan")) == "–"
    assert [plainly(value) for value in (100.0, 0.00002, 0.0)] == ["100", "0.00002", "0"]


def test_claims_are_shown_with_verdict_and_evidence(tmp_path):
    assert "hebbian-descent claims" in render(tmp_path, Effort())
    judged = Judged(
        number=7,
        statement="A < B.",
        section="sec:conclusion",
        check="By `all` cells.",
        rule="Holds if `none` is against it.",
        evidence=("tab:Hetero_online_centered_2",),
        verdict="holds with limits",
        findings="Nearly.\nIn 3 of `4`.",
        correction="A > B.",
    )
    save_claims(tmp_path, Effort(), [judged])
    assert saved_claims(tmp_path, Effort()) == [judged]
    text = render(tmp_path, Effort())
    section = text[text.index('<section id="claims">') : text.index('<section id="tables">')]
    assert '<li value="7" id="claim-7">' in section
    verdict = section.index('<span class="verdict holds-with-limits">holds with limits</span>')
    assert section.index("A &lt; B.") < section.index("Rule: ") < verdict < section.index("<details>")
    assert "By <code>all</code> cells." in section
    assert "Rule: Holds if <code>none</code> is against it." in section
    assert "Corrected: A &gt; B." in section
    assert re.search(r"<p>\s*Nearly.\s*</p>\s*<p>\s*In 3 of <code>4</code>.", section)
    assert "<code>tab:Hetero_online_centered_2</code>" in section
    assert '<a href="#claims">' in text
    Page(text)
    (tmp_path / "claims" / "paper.json").write_text("[{")
    with pytest.warns(DamagedFileWarning, match=r"paper\.json"):
        assert saved_claims(tmp_path, Effort()) == []


def test_open_questions_are_shown_with_their_answers_where_they_were_measured(tmp_path):
    text = render(KEPT, Effort())
    section = text[text.index('<section id="studies">') : text.index('<section id="figures">')]
    for study in STUDIES.values():
        verdict, answer = study.answer(kept_results(study, KEPT))
        entry = section[section.index(f'id="study-{anchor(study.name)}"') :]
        assert entry.index(escape(study.question)) < entry.index(f">{verdict}</span>")
        assert entry.index(f">{verdict}</span>") < entry.index(escape(answer))
    Page(text)
    assert '<section id="studies">' not in render(KEPT, Effort(quick=True))
    assert '<section id="studies">' not in render(tmp_path, Effort())


def test_large_drawings_are_shown_as_png(tmp_path):
    assert image_file(tmp_path, "fig:a") is None
    (tmp_path / "a.png").write_bytes(b"png")
    (tmp_path / "a.svg").write_text("x" * LARGEST_SVG)
    assert image_file(tmp_path, "fig:a").suffix == ".svg"
    (tmp_path / "a.svg").write_text("x" * (LARGEST_SVG + 1))
    assert image_file(tmp_path, "fig:a").suffix == ".png"


def test_efforts_are_found_again_by_what_they_left(results_folder):
    names = [effort.name for effort in efforts_in(results_folder)]
    changed = Effort(overrides={"trials": 50, "learning_rates": (1.0, 0.1)}).name
    assert names[0] == "paper"
    assert set(names) == {"paper", "quick", changed}
    assert all(Measurements(results_folder, effort).labels() for effort in efforts_in(results_folder))


@pytest.mark.parametrize("name", ["protocol", "misprints"])
def test_documents_show_the_notes_of_the_package(name):
    rows = notes(name)
    table = markdown_text(TextTable(list(rows[0]), [list(row.values()) for row in rows]))
    assert table in (DOCS / f"{name}.md").read_text(encoding="utf-8")


def test_results_that_differ_are_listed_by_the_reason_for_it(results_folder, monkeypatch, capsys):
    verdicts = [verdict for table in paper_tables(Results(results_folder)) for verdict in table.verdicts]
    different = [verdict for verdict in verdicts if verdict.word == "differs"]
    assert len(different) == 2
    known = {"table": "tab:Hetero_online_*", "cell": "rand→* *", "column": different[0].column}
    reasons = [{**known, "reason": "A < B."}]
    monkeypatch.setattr(
        "reproduction.notes.notes", lambda name: reasons if name == "reasons" else notes(name)
    )
    assert differences(verdicts) == {"A < B.": different[:1], "": different[1:]}
    text = render(results_folder, Effort())
    assert text.index("A &lt; B.") < text.index(REASON_UNKNOWN)

    monkeypatch.setattr(sys, "argv", ["hebbian-descent", "compare", "--output", str(results_folder)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    printed = capsys.readouterr().out
    assert printed.index("A < B.") < printed.index(REASON_UNKNOWN)

    monkeypatch.setattr("reproduction.notes.notes", lambda name: [{**known, "cell": "adult*"}])
    assert differences(verdicts) == {"": different}
