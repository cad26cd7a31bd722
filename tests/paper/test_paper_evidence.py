"""The files that keep what a reproduction found."""

import csv
import re
import sys

import pytest

from hebbian_descent.cli import main
from hebbian_descent.paper import labels
from hebbian_descent.paper.claims.base import Judged, save_claims
from hebbian_descent.paper.evidence import CHOSEN_FIGURES, write_document
from hebbian_descent.paper.notes import REASON_UNKNOWN
from hebbian_descent.paper.run_context import Effort


@pytest.fixture(scope="module")
def written(results_folder, tmp_path_factory):
    folder = tmp_path_factory.mktemp("evidence")
    return folder / "kept" / "summary.csv", folder / "docs" / "reproduction.md"


def test_one_command_writes_both(results_folder, written, monkeypatch, capsys):
    summary, document = map(str, written)
    arguments = ["evidence", "--output", str(results_folder), "--summary", summary, "--document", document]
    monkeypatch.setattr(sys, "argv", ["hebbian-descent", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    assert capsys.readouterr().err == f"Wrote {summary}\nWrote {document}\n"

    with written[0].open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2588 + 8  # of the tables, and of the text alone
    run = [row for row in rows if row["verdict"] != "not run"]
    assert {row["n"] for row in run} == {"3"}
    assert {row["seconds"] for row in run} == {"6.0"}  # three draws of two seconds
    assert {row["best_rate"] for row in run} == {"0.2"}
    (first, _) = [row for row in rows if row["verdict"] == "differs"]
    assert float(first["ours"]) == pytest.approx(float(first["printed"]) + 1.0)
    assert float(first["sd"]) == pytest.approx(0.01)
    absent = next(row for row in rows if row["verdict"] == "not run")
    assert (absent["ours"], absent["z"], absent["seconds"]) == ("", "", "")

    text = written[1].read_text(encoding="utf-8")
    n_run = len(run)
    assert f"Of 2,596 printed results {n_run - 2:,} agree with ours, 2 differ and {2596 - n_run:,}" in text
    assert text.count(REASON_UNKNOWN) == 1
    assert "| 3 | 6 s |" in text  # draws, time
    assert text.count("<details>") == text.count("</details>") == 26  # columns of all tables
    tables = text[text.index("## Tables") :]
    assert len(re.findall(r" \S+ [✓≠] \|", tables)) == n_run
    assert tables.count("≠ |") == 2
    assert "](figures/rand_rand_sigmoid_true_online.svg)" in text
    assert (written[1].parent / "figures" / "rand_rand_sigmoid_true_online.svg").is_file()


def test_nothing_is_overwritten_where_nothing_was_run(tmp_path, monkeypatch, capsys):
    kept = tmp_path / "summary.csv"
    kept.write_text("precious", encoding="utf-8")
    folder = str(tmp_path / "mistyped")
    monkeypatch.setattr(
        sys, "argv", ["hebbian-descent", "evidence", "--output", folder, "--summary", str(kept)]
    )
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert "mistyped, which has none" in capsys.readouterr().err
    assert kept.read_text(encoding="utf-8") == "precious"


def test_chosen_figures_are_the_papers():
    assert set(CHOSEN_FIGURES) <= set(labels())


def test_claims_are_shown_once_they_are_judged(tmp_path):
    document = tmp_path / "reproduction.md"
    write_document(tmp_path, document)
    assert "Claims" not in document.read_text(encoding="utf-8")

    judged = Judged(
        7, "It forgets.", "sec:any", "By its curve.", "If all.", (), "holds with limits", "It does."
    )
    save_claims(tmp_path, Effort(), [judged])
    write_document(tmp_path, document)
    text = document.read_text(encoding="utf-8")
    assert "Of 1 conclusions and 0 statements of the paper's text: 1 holds with limits." in text
    assert "| 7 | It forgets. | If all. | holds with limits | It does. |" in text
