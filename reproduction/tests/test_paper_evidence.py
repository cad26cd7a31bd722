"""The files that keep what a reproduction found."""

import csv
import json
import re
import shutil
import sys
from dataclasses import replace
from itertools import count
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from hebbian_descent.checks import MissingExtraError
from hebbian_descent.safe_files import write_atomically
from hebbian_descent.storage.results.parquet import with_checksum
from reproduction import claims, labels
from reproduction.__main__ import main
from reproduction.claims.base import Claim, Judged, Judgement, kept_claims, run_claims, save_claims
from reproduction.document import CHOSEN_FIGURES, document
from reproduction.kept_evidence import (
    CLAIMS,
    DRAWS,
    KEPT_FILES,
    ORIGIN,
    SUMMARY,
    claims_origin,
    read_kept,
    read_origins,
)
from reproduction.measurements import Measurements
from reproduction.notes import REASON_UNKNOWN
from reproduction.old_evidence import add_to_evidence, summary_file
from reproduction.origin import this_origin
from reproduction.printed import printed_rows
from reproduction.results import Results
from reproduction.run_context import Effort
from reproduction.saved_json import DamagedFileWarning
from reproduction.tables import TABLES
from reproduction.tests.conftest import LABEL, N_DRAWS, SVG, made_up

CLAIM = Judged(
    7, "It forgets gracefully.", "sec:any", "By its curve.", "If all do.", (), "holds with limits", "It does."
)


@pytest.fixture(scope="module")
def written(results_folder, tmp_path_factory):
    folder = tmp_path_factory.mktemp("evidence")
    kept, page = folder / "kept", folder / "docs" / "reproduction.md"
    arguments = ["evidence", "--output", str(results_folder), "--kept", str(kept), "--document", str(page)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["hebbian-descent", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
    assert not ended.value.code
    return kept, page


def lines(folder):
    with (folder / SUMMARY).open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def run_of(folder, n_draws, rows):
    """Write a run of a few rows."""
    for draw in range(n_draws):
        measured = [made_up(row, draw, shift=0.002) for row in rows]
        Measurements(folder, Effort()).write(TABLES[LABEL], f"rand-rand-draw{draw}", measured, seconds=1.0)


def test_the_summary_has_one_field_per_fact(written):
    rows = lines(written[0])
    assert len(rows) == 2596 + 684  # results, and standard deviations and learning rates
    run = [row for row in rows if row["n"] != "0"]
    assert {(row["label"], row["input"], row["target"], row["dataset"]) for row in run} == {
        (LABEL, "rand", "rand", "")
    }
    assert {row["n"] for row in run} == {str(N_DRAWS)}
    assert {row["seconds"] for row in run} == {f"{2 * N_DRAWS}.0"}  # two seconds per draw
    assert {row["learning_rate"] for row in run} == {"0.2"}
    (first, _) = [row for row in rows if row["verdict"] == "differs"]
    assert float(first["ours"]) == pytest.approx(float(first["printed"]) + 1.0)
    assert float(first["sd"]) == pytest.approx(0.001 * 2.5**0.5, abs=1e-6)
    absent = next(row for row in rows if row["verdict"] == "not run")
    assert (absent["ours"], absent["z"], absent["seconds"]) == ("", "", "")


def test_the_document_counts_every_result(written):
    text = written[1].read_text(encoding="utf-8")
    n_run = sum(row["n"] != "0" for row in lines(written[0]))
    assert f"Of 2,596 printed results {n_run - 2:,} agree with ours, 2 differ" in text
    assert f"{2596 - n_run:,} were not run" in text
    assert text.count(REASON_UNKNOWN) == 1
    assert f"| {N_DRAWS} | {2 * N_DRAWS} s |" in text  # draws, time
    tables = text[text.index("## Tables") :]
    assert tables.count("<details>") == tables.count("</details>") == 26  # columns of all tables
    assert len(re.findall(r" \S+ [✓≠] \|", tables)) == n_run
    assert tables.count("≠ |") == 2
    assert "](figures/rand_rand_sigmoid_true_online.svg)" in text
    assert (written[1].parent / "figures" / "rand_rand_sigmoid_true_online.svg").is_file()
    assert f"| `{LABEL}` | 20" in text  # a date
    assert f"0 to {N_DRAWS - 1} |" in text


def test_what_is_kept_gives_the_same_verdicts_as_the_run(results_folder, written):
    run, kept = Results(results_folder), Results(written[0], kept_only=True)
    assert run.verdicts(LABEL) == kept.verdicts(LABEL)
    measured, read = (
        {(str(row.cell), row.draw): row.trials for row in side.rows(LABEL)} for side in (run, kept)
    )
    assert measured == read
    verdicts = run.verdicts(LABEL)
    assert run.pairs(verdicts) == kept.pairs(verdicts)
    assert (run.seconds(LABEL), run.origin(LABEL).date) == (kept.seconds(LABEL), kept.origin(LABEL).date)


def test_writing_again_changes_nothing(written, tmp_path):
    copy = shutil.copytree(written[0], tmp_path / "kept")
    added = add_to_evidence(tmp_path / "no run", copy)
    assert (added.n_taken, added.n_fewer) == (0, 0)
    for name in (SUMMARY, ORIGIN, DRAWS):
        assert (copy / name).read_bytes() == (written[0] / name).read_bytes()


def test_only_files_that_changed_are_said_to_be_written(written, tmp_path, command):
    shutil.copytree(written[0], tmp_path / "reproduction")
    page = tmp_path / "docs" / "reproduction.md"
    _, printed, said = command("evidence", "--output", "nothing", "--json")
    assert json.loads(printed)["wrote"] == [str(Path("docs") / "reproduction.md")]
    assert said.count("Wrote ") == 1
    before = page.read_bytes()
    _, printed, said = command("evidence", "--output", "nothing", "--json")
    assert json.loads(printed)["wrote"] == []
    assert "Nothing changed in reproduction and " in said
    assert "Wrote " not in said
    assert page.read_bytes() == before


def test_a_run_replaces_what_it_has_and_nothing_else(written, tmp_path):
    copy = shutil.copytree(written[0], tmp_path / "kept")
    rows = [row for row in printed_rows(LABEL) if row.cell["input"] == "rand"]
    run_of(tmp_path / "few", N_DRAWS - 1, rows[1:3])
    added = add_to_evidence(tmp_path / "few", copy)
    assert (added.n_taken, added.n_kept, added.n_fewer) == (0, len(rows), 2)
    assert (copy / SUMMARY).read_bytes() == (written[0] / SUMMARY).read_bytes()

    run_of(tmp_path / "enough", N_DRAWS, rows[1:3])
    added = add_to_evidence(tmp_path / "enough", copy)
    assert (added.n_taken, added.n_kept, added.n_fewer) == (2, len(rows) - 2, 0)
    changed = [new for new, old in zip(lines(copy), lines(written[0]), strict=True) if new != old]
    assert len(changed) == 2 * len(rows[1].results)
    assert {row["seconds"] for row in changed} == {f"{N_DRAWS}.0"}
    assert len(read_kept(copy).rows[LABEL]) == N_DRAWS * len(rows)


def test_a_run_without_trials_is_taken_and_said_to_be_so(tmp_path):
    rows = [row for row in printed_rows(LABEL) if row.cell["input"] == "rand"][:2]
    for draw in range(N_DRAWS):
        bare = [made_up(row, draw)._replace(trials={}) for row in rows]
        bare[0] = bare[0] if draw else made_up(rows[0], draw)  # one draw with trials is not enough
        Measurements(tmp_path, Effort()).write(TABLES[LABEL], f"rand-rand-draw{draw}", bare, seconds=1.0)
    added = add_to_evidence(tmp_path, tmp_path / "kept")
    assert (added.n_taken, added.n_bare) == (2, 2)
    assert not (tmp_path / "kept" / DRAWS).exists()
    verdicts = Results(tmp_path / "kept", kept_only=True).verdicts(LABEL)
    assert [(verdict.word, verdict.n) for verdict in verdicts if verdict.n] == [("agrees", N_DRAWS)] * 4
    assert add_to_evidence(tmp_path / "nothing", tmp_path / "kept").n_kept == 2


def test_a_run_without_trials_does_not_replace_draws_on_record(written, tmp_path):
    copy = shutil.copytree(written[0], tmp_path / "kept")
    (row,) = [row for row in printed_rows(LABEL) if row.cell["input"] == "rand"][:1]
    for draw in range(N_DRAWS + 1):
        bare = made_up(row, draw)._replace(trials={})
        Measurements(tmp_path / "run", Effort()).write(TABLES[LABEL], f"job{draw}", [bare], seconds=1.0)
    added = add_to_evidence(tmp_path / "run", copy)
    assert (added.n_taken, added.n_fewer, added.n_bare) == (0, 0, 1)
    assert contents(copy) == contents(written[0])


def test_draws_that_cannot_be_read_are_not_overwritten(results_folder, written, tmp_path):
    copy = shutil.copytree(written[0], tmp_path / "kept")
    (copy / DRAWS).write_bytes(b"PAR1")
    with (
        pytest.warns(DamagedFileWarning),
        pytest.raises(ValueError, match=r"whose draws\.parquet cannot; nothing was written"),
    ):
        add_to_evidence(results_folder, copy)
    assert (copy / DRAWS).read_bytes() == b"PAR1"


def contents(folder):
    return {name: (folder / name).read_bytes() for name in KEPT_FILES if (folder / name).exists()}


@pytest.mark.parametrize("has_evidence", [False, True])
@pytest.mark.parametrize("n_written", range(4))
def test_evidence_that_was_interrupted_can_be_read_and_added_again(
    written, tmp_path, monkeypatch, n_written, has_evidence
):
    run_of(tmp_path / "run", N_DRAWS + 1, printed_rows(LABEL)[:2])
    save_claims(tmp_path / "run", Effort(), [CLAIM])
    for name in ("whole", "interrupted"):
        if has_evidence:
            shutil.copytree(written[0], tmp_path / name)
    add_to_evidence(tmp_path / "run", tmp_path / "whole")

    calls = count()

    def write(path, content):
        if next(calls) == n_written:
            raise OSError("No space left on device")
        write_atomically(path, content)

    monkeypatch.setattr("reproduction.old_evidence.write_atomically", write)
    with pytest.raises(OSError, match="No space"):
        add_to_evidence(tmp_path / "run", tmp_path / "interrupted")
    monkeypatch.undo()
    assert any(verdict.n for verdict in Results(tmp_path / "interrupted").verdicts(LABEL)) is (
        has_evidence or n_written > 0
    )
    add_to_evidence(tmp_path / "run", tmp_path / "interrupted")
    assert contents(tmp_path / "interrupted") == contents(tmp_path / "whole")


def test_evidence_that_cannot_be_put_into_files_leaves_those_that_are_there(
    results_folder, written, tmp_path
):
    copy = shutil.copytree(written[0], tmp_path / "kept")
    run_of(tmp_path / "run", N_DRAWS + 1, printed_rows(LABEL)[:2])
    save_claims(tmp_path / "run", Effort(), [CLAIM])
    path = tmp_path / "run" / "claims" / "paper.json"
    path.write_text(path.read_text().replace("It does.", r"\ud800"))  # half a character, as JSON may have it
    with pytest.raises(ValueError, match="surrogates"):
        add_to_evidence(tmp_path / "run", copy)
    assert contents(copy) == contents(written[0])


def test_without_pyarrow_nothing_is_written_and_it_is_what_is_missing(
    results_folder, written, tmp_path, monkeypatch
):
    copy = shutil.copytree(written[0], tmp_path / "kept")
    for name in ("pyarrow", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setattr("reproduction.kept_evidence.find_spec", lambda name: None)
    for folder in (copy, tmp_path / "new"):
        with pytest.raises(MissingExtraError, match=r"^Keeping every draw needs pyarrow, which is not inst"):
            add_to_evidence(results_folder, folder)
    assert contents(copy) == contents(written[0])
    assert not (tmp_path / "new").exists()


def test_draws_without_their_summary_are_not_overwritten(results_folder, written, tmp_path):
    copy = shutil.copytree(written[0], tmp_path / "kept")
    (copy / SUMMARY).unlink()
    draws = (copy / DRAWS).read_bytes()
    with pytest.raises(ValueError, match=r"whose summary\.csv cannot; nothing was written"):
        add_to_evidence(results_folder, copy)
    assert (copy / DRAWS).read_bytes() == draws


def test_what_was_measured_beyond_the_print_is_not_kept(tmp_path):
    table = TABLES["text:auto_associative_hebb"]
    row = printed_rows(table.label)[0]
    measured = made_up(replace(row, results=row.results | {"mean_hidden_activity": 0.5}), 0)
    Measurements(tmp_path / "run", Effort()).write(table, "adult", [measured], seconds=1.0)
    add_to_evidence(tmp_path / "run", tmp_path / "kept")
    (kept,) = read_kept(tmp_path / "kept").rows[table.label]
    assert kept.trials == {"mae_mean": measured.trials["mae_mean"]}


def test_evidence_kept_elsewhere_leaves_the_document_of_the_repository_alone(
    results_folder, tmp_path, command
):
    code, _, _ = command("evidence", "--output", str(results_folder), "--kept", "kept")
    assert code == 0
    assert (tmp_path / "kept" / "reproduction.md").is_file()
    assert not (tmp_path / "docs").exists()


def test_a_claim_that_could_not_be_judged_keeps_its_verdict(written, tmp_path):
    copy = shutil.copytree(written[0], tmp_path / "kept")
    save_claims(tmp_path / "run", Effort(), [CLAIM, CLAIM._replace(number=8, evidence=(LABEL,))])
    add_to_evidence(tmp_path / "run", copy)
    assert [claim.number for claim in kept_claims(copy)] == [7, 8]
    assert "claims" in json.loads((copy / ORIGIN).read_text())
    unjudged = CLAIM._replace(verdict="not run", findings="Nothing.")
    without_tables = CLAIM._replace(number=8, evidence=(LABEL, "tab:auto_associative"), findings="Half.")
    save_claims(tmp_path / "run", Effort(), [unjudged, without_tables])
    before = (copy / CLAIMS).read_bytes()
    add_to_evidence(tmp_path / "run", copy)
    assert (copy / CLAIMS).read_bytes() == before
    text = document(copy, tmp_path)
    assert "Of 2 conclusions and 0 statements of the paper's text: 2 hold with limits." in text
    assert "| 7 | It forgets gracefully. | If all do. | holds with limits | It does. |" in text
    assert "## Claims" not in document(written[0], tmp_path)


def judge_on(monkeypatch, date):
    origin = this_origin()._replace(date=date, commit=f"of {date}")
    monkeypatch.setattr("reproduction.commands.claims.this_origin", lambda: origin)


def test_verdicts_keep_their_date_and_replace_no_later_ones(tmp_path, command, monkeypatch):
    keep = tmp_path / "kept"
    for date, findings, expected in (
        ("2026-01-05", "Later.", "Later."),
        ("2026-01-05", "On that day again.", "On that day again."),
        ("2026-01-02", "Earlier.", "On that day again."),
    ):
        claim = Claim(*CLAIM[:6], judge=lambda context, found=findings: Judgement("holds", found))
        monkeypatch.setattr(claims, "CLAIMS", (claim,))
        judge_on(monkeypatch, date)
        run_of(tmp_path / date, 1, printed_rows(LABEL)[:1])
        command("claims", "--output", date)
        code, _, said = command("evidence", "--output", date, "--kept", "kept")
        assert code == 0
        assert [claim.findings for claim in kept_claims(keep)] == [expected]
        kept = json.loads((keep / ORIGIN).read_text())["claims"]
        assert (kept["date"], kept["commit"]) == ("2026-01-05", "of 2026-01-05")
    assert "1 verdict was not judged later than those kept: `claims` judges again." in said


@pytest.mark.parametrize("what", ["precious", "label,ours\n"])
def test_a_summary_that_is_something_else_is_not_overwritten(results_folder, tmp_path, command, what):
    kept = tmp_path / "kept" / SUMMARY
    kept.parent.mkdir()
    kept.write_text(what, encoding="utf-8")
    code, _, errors = command("evidence", "--output", str(results_folder), "--kept", "kept")
    assert code == 2
    assert "nothing was written" in errors
    assert kept.read_text(encoding="utf-8") == what
    assert [path.name for path in kept.parent.iterdir()] == [SUMMARY]


def test_nothing_is_written_where_nothing_was_run(tmp_path, command):
    code, _, errors = command("evidence", "--output", "mistyped")
    assert code == 2
    assert "Got mistyped and reproduction, which have none; nothing was written" in errors
    assert not list(tmp_path.iterdir())


def test_a_clone_shows_the_evidence_until_there_is_a_run(written, tmp_path, command):
    shutil.copytree(written[0], tmp_path / "reproduction")
    for arguments in (("compare", LABEL), ("table", LABEL), ("report",)):
        code, _, said = command(*arguments)
        assert code == 0, said
        assert "evidence kept under version control" in said
    page = Path("reproduction/report.html").read_text(encoding="utf-8")
    assert "evidence kept under version control" in page
    assert page.count('<td class="differs"') == 2
    _, printed, _ = command("table", LABEL, "--format", "csv")
    shown = list(csv.DictReader(printed.splitlines()))
    assert shown == [row for row in lines(written[0]) if row["label"] == LABEL]  # the same schema, too

    rows = [row for row in printed_rows(LABEL) if row.cell["input"] == "rand"]
    run_of(tmp_path / "reproduction", 2, rows[:1])
    _, printed, said = command("compare", LABEL, "--json")
    content = json.loads(printed)[LABEL]
    assert content["source"] == "run"
    assert {row["verdict"] for row in content["results"]} == {"undecided", "not run"}
    _, _, said = command("table", LABEL)
    assert "This is a run of your own." in said


def test_a_page_shows_the_figures_of_its_own_evidence_only(written, tmp_path, command):
    """Those next to the document on it: the repository's are in docs, another folder has its own."""
    shutil.copytree(written[0], tmp_path / "reproduction")
    shutil.copytree(written[0], tmp_path / "other")
    (tmp_path / "docs" / "figures").mkdir(parents=True)
    (tmp_path / "docs" / "figures" / "rand_rand_sigmoid_true_online.svg").write_text(SVG)

    def n_figures(folder):
        assert command("report", "--output", folder)[0] == 0
        return Path(folder, "report.html").read_text(encoding="utf-8").count('src="data:image/svg')

    without = n_figures("other")
    assert n_figures("reproduction") > without
    shutil.copytree("docs/figures", "other/figures")
    assert n_figures("other") > without


def test_claims_that_are_kept_are_shown_and_said_to_be(tmp_path, command):
    (tmp_path / "reproduction").mkdir()
    content = json.dumps([CLAIM._asdict()])
    (tmp_path / "reproduction" / CLAIMS).write_text(content, encoding="utf-8")
    code, printed, said = command("claims")
    assert code == 0, said
    assert "It forgets gracefully." in printed
    assert "it has no run of your own" in said
    assert not (tmp_path / "reproduction" / "claims").exists()


def keep_two_claims(monkeypatch, folder):
    """Keep the verdicts on two claims, of which the second is on a table; judging them gives another one."""
    kept = [CLAIM, CLAIM._replace(number=8, evidence=(LABEL,))]
    folder.mkdir()
    (folder / CLAIMS).write_text(json.dumps([claim._asdict() for claim in kept]), encoding="utf-8")
    (folder / ORIGIN).write_text(json.dumps({"claims": {"date": "2020-01-01"}}), encoding="utf-8")
    anew = [Claim(*claim[:6], judge=lambda context: Judgement("does not hold", "Anew.")) for claim in kept]
    monkeypatch.setattr(claims, "CLAIMS", tuple(anew))
    return kept


def verdicts_of(printed):
    return {claim["number"]: claim["verdict"] for claim in json.loads(printed)}


def test_kept_verdicts_of_another_version_are_said_to_be(tmp_path, command, monkeypatch):
    folder = tmp_path / "reproduction"
    kept = keep_two_claims(monkeypatch, folder)
    assert "of another version" not in command("claims", "--json")[2]
    claims_now = [replace(claim, rule="Holds if it is Tuesday.") for claim in claims.CLAIMS]
    monkeypatch.setattr(claims, "CLAIMS", tuple(claims_now))
    code, printed, said = command("claims", "--json")
    assert code == 0, said
    assert verdicts_of(printed) == {claim.number: claim.verdict for claim in kept}
    assert "on claims or rules of another version: `hebbian-descent claims --again` judges by" in said


def test_an_empty_folder_says_where_the_evidence_is(tmp_path, command):
    _, _, said = command("table", LABEL)
    assert "neither a run nor kept evidence in this folder" in said
    assert "use --output CLONE/reproduction" in said


def test_a_run_that_no_claim_is_on_leaves_the_kept_verdicts(tmp_path, command, monkeypatch):
    folder = tmp_path / "reproduction"
    keep_two_claims(monkeypatch, folder)
    other = next(label for label in TABLES if label != LABEL)
    row = made_up(printed_rows(other)[0], 0)
    Measurements(folder, Effort()).write(TABLES[other], "job", [row], seconds=1.0)
    code, printed, said = command("claims", "--json")
    assert code == 0, said
    assert verdicts_of(printed) == {7: "holds with limits", 8: "holds with limits"}
    assert "From the evidence kept in reproduction: no claim is on a table of your own run." in said
    assert not run_claims(folder)


def test_only_claims_on_tables_that_were_run_are_judged_anew(tmp_path, command, monkeypatch):
    folder = tmp_path / "reproduction"
    kept = keep_two_claims(monkeypatch, folder)
    run_of(folder, N_DRAWS, printed_rows(LABEL)[:1])
    code, printed, said = command("claims", "--json")
    assert code == 0, said
    assert verdicts_of(printed) == {7: "holds with limits", 8: "does not hold"}
    assert "Judged now: 8. The other claims: evidence kept in reproduction;" in said
    assert run_claims(folder)[0] == kept[0]  # the report shows both
    assert len(run_claims(folder)) == 2
    origins = read_origins(claims_origin(folder, Effort()))
    assert (origins["7"].date, origins["8"]) == ("2020-01-01", this_origin())

    _, printed, said = command("claims", "--again", "--json")
    assert verdicts_of(printed) == {7: "does not hold", 8: "does not hold"}
    assert "Judged now" not in said


@pytest.mark.parametrize("name", KEPT_FILES)
@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"PAR1", b"[" * 1000, b'{"tab:x": 1}'])
def test_a_damaged_file_counts_as_missing(written, tmp_path, name, content):
    folder = shutil.copytree(written[0], tmp_path / "reproduction")
    (folder / name).write_bytes(content)
    with pytest.warns(DamagedFileWarning, match=name):
        verdicts, _ = Results(folder).verdicts(LABEL), kept_claims(folder)
    assert sum(verdict.n > 0 for verdict in verdicts) == 40  # from the draws, or from the summary


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (LABEL, "tab:other"),
        (",rand,", ",rant,"),
        ("mae_all", "mae_none"),
        (",5,", ",five,"),
        (",5,", ",1e300,"),
        (",rand,", f",{'x' * 200_000},"),
    ],
)
def test_a_forged_summary_counts_as_missing(written, tmp_path, before, after):
    text = (written[0] / SUMMARY).read_text(encoding="utf-8")
    (tmp_path / SUMMARY).write_text(text.replace(before, after, 1), encoding="utf-8")
    with pytest.warns(DamagedFileWarning, match=SUMMARY):
        assert not read_kept(tmp_path).numbers


@pytest.mark.parametrize(
    ("column", "change"),
    [
        ("trial", lambda values, arrow: arrow.array([None, *values[1:]], arrow.int16())),
        ("trial", lambda values, arrow: arrow.array([[value] for value in values])),
        ("label", lambda values, arrow: arrow.array([[value] for value in values])),
        ("label", lambda values, arrow: arrow.array([None, *values[1:]])),
        ("draw", lambda values, arrow: arrow.array(map(str, values))),
        ("value", lambda values, arrow: arrow.array(map(bool, values))),
        ("column", lambda values, arrow: arrow.array(values).dictionary_encode()),
    ],
)
def test_draws_of_other_types_count_as_missing_whatever_their_checksum(written, tmp_path, column, change):
    table = pyarrow.parquet.read_table(written[0] / DRAWS)
    place = table.column_names.index(column)
    forged = table.set_column(place, column, change(table[column].to_pylist(), pyarrow))
    output = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(forged, output)
    (tmp_path / DRAWS).write_bytes(with_checksum(output.getvalue().to_pybytes(), DRAWS))
    with pytest.warns(DamagedFileWarning, match=r"draws\.parquet: (its columns|every row of it) must"):
        assert not read_kept(tmp_path).rows


@pytest.mark.parametrize("verdict", [[], {}, None, "perhaps"])
def test_a_forged_verdict_counts_as_missing(tmp_path, verdict):
    (tmp_path / CLAIMS).write_text(json.dumps([{**CLAIM._asdict(), "verdict": verdict}]))
    with pytest.warns(DamagedFileWarning, match=CLAIMS):
        assert not kept_claims(tmp_path)


def test_chosen_figures_are_the_papers():
    assert set(CHOSEN_FIGURES) <= set(labels())


def test_the_summary_of_evidence_is_what_it_was_read_from(written):
    assert summary_file(Results(written[0], kept_only=True)) == (written[0] / SUMMARY).read_bytes()
