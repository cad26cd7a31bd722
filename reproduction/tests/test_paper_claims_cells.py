"""Claims about cells of tables: made-up cells lead to every verdict, and quick runs to none."""

import csv
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from claim_cells import data_of, made_up
from reproduction.comparison import Estimate, Verdict
from reproduction.experiments.base import Measured
from reproduction.kept_evidence import SUMMARY, read_kept
from reproduction.measurements import Measurements
from reproduction.run_context import Effort, RunContext
from scipy import stats

from hebbian_descent.datasets import DatasetUnavailableError
from reproduction.claims import CLAIMS, Judgement, base, cells, tally
from reproduction.claims.base import judged
from reproduction.printed import printed_rows
from reproduction.tables import TABLES

KEPT = Path(__file__).parents[2] / "reproduction" / "data"
claim = {item.number: item for item in CLAIMS}


def by_rule(default=0.3, **errors):
    return lambda label, cell: errors.get(cell["rule"], default)


def by_label(default=0.1, **errors):
    return lambda label, cell: next((error for word, error in errors.items() if word in label), default)


def by_word(name, default=0.1, **errors):
    return lambda label, cell: errors.get(cell[name], default)


FOR_AND_AGAINST = {
    # number: (errors that are for the claim, errors that are against it)
    9: (by_label(0.3, uncentered=0.4), by_label(0.3, uncentered=0.2)),
    10: (by_rule(hebbian_descent=0.1), by_rule(hebbian_descent=0.5)),
    11: (by_rule(hebbian_descent=0.305), by_rule(hebbian_descent=0.2)),
    12: (by_rule(hebbian_descent=0.1), by_rule(hebbian_descent=0.5)),
    20: (by_rule(hebbian_descent=0.32), by_rule(hebbian_descent=0.4)),
    21: (
        by_rule(hebbian_descent=0.1, gradient_descent=0.1),
        by_rule(hebbian_descent=0.1, gradient_descent=0.5),
    ),
    22: (by_rule(hebb=0.9, covariance=0.9), by_rule(hebb=0.01, covariance=0.01)),
    23: (by_word("activation", 0.2, sigmoid=0.1), by_word("activation", 0.2, sigmoid=0.3)),
    24: (by_rule(0.01), by_rule(0.9)),
    25: (by_word("offsets", adaptive=0.1, fixed=0.2), by_word("offsets", adaptive=0.2, fixed=0.1)),
    26: (by_rule(hebb=0.9), by_rule(hebb=0.1)),
    27: (by_label(0.2, offline=0.1), by_label(0.2, offline=0.3)),
    28: (by_word("centering", uncentered=0.2), by_word("centering", uncentered=0.05)),
    29: (by_word("centering", uncentered=0.105), by_word("centering", uncentered=0.2)),
    30: (by_rule(0.2), by_rule(-0.2)),
    31: (by_word("activation", 0.1, linear=0.2), by_word("activation", 0.2, linear=0.1)),
    32: (by_rule(hebbian_descent=0.1), by_rule(hebbian_descent=0.5)),
    33: (by_rule(hebbian_descent=0.1), by_rule(hebbian_descent=0.5)),
    34: (by_rule(hebbian_descent=0.1), by_rule(hebbian_descent=0.5)),
    35: (by_rule(hebbian_descent=0.1), by_rule(hebbian_descent=0.5)),
    36: (by_rule(gradient_descent=0.4), by_rule(gradient_descent=0.2)),
    37: (by_rule(hebbian_descent=0.1), by_rule(hebbian_descent=0.5)),
    38: (by_label(0.3, weight_decay=0.2), by_label(0.3, weight_decay=0.4)),
    39: (by_rule(hebbian_descent=0.1), by_rule(hebbian_descent=0.5)),
    40: (by_rule(hebbian_descent=0.305), by_rule(hebbian_descent=0.2)),
    41: (by_rule(hebbian_descent=0.305), by_rule(hebbian_descent=0.2)),
    42: (by_rule(hebb=0.5, covariance=0.5), by_rule(hebb=0.1, covariance=0.1)),
    43: (by_rule(gradient_descent=0.2), by_rule(gradient_descent=0.4)),
    44: (by_word("activation", 0.1, linear=0.2), by_word("activation", 0.2, linear=0.1)),
    45: (by_rule(-0.2), by_rule(0.2)),
}
SIMILARITIES = (11, 20, 25, 29, 36, 40, 41)
"""Claims that cells are equal or not worse, for which a tie is no lack of evidence."""
MAJORITIES = (33, 34, 35, 39, 43)
"""Claims about most cells, which those of one dataset do not limit."""


def test_every_claim_about_cells_is_tested_here():
    about_cells = {
        item.number for item in CLAIMS if all(name.startswith("tab:") for name in item.evidence)
    } | {10}
    assert set(FOR_AND_AGAINST) == about_cells


@pytest.mark.parametrize("number", FOR_AND_AGAINST)
def test_made_up_cells_lead_to_every_verdict(number, monkeypatch, tmp_path):
    is_for, is_against = FOR_AND_AGAINST[number]
    context = RunContext(tmp_path)

    def verdict(value):
        made_up(monkeypatch, value)
        return claim[number].judge(context).verdict

    assert verdict(is_for) == "holds"
    assert verdict(is_against) == "does not hold"
    on_adult = lambda label, cell: (is_against if data_of(cell) == "adult" else is_for)(label, cell)  # noqa: E731
    assert verdict(on_adult) == ("holds" if number in MAJORITIES else "holds with limits")
    findings = claim[number].judge(context).findings
    assert "adult" in findings  # what is against it is listed
    assert "print: " in findings
    if number in SIMILARITIES:
        assert verdict(by_rule(0.3)) == "holds"
    elif number not in (22, 24, 30, 45):  # all cells equal, which baselines and 0 are not
        assert verdict(by_rule(0.3)) == "undecided"


@pytest.mark.parametrize("number", FOR_AND_AGAINST)
def test_what_was_not_run_gets_no_verdict_but_a_command(number, tmp_path):
    verdict, findings = claim[number].judge(RunContext(tmp_path))
    assert verdict == "not run"
    assert "`hebbian-descent run tab:" in findings
    assert "print: " in findings


@pytest.mark.parametrize("item", CLAIMS, ids=lambda item: str(item.number))
def test_quick_runs_never_contradict_full_ones(item, tmp_path):
    for word in ("holds", "does not hold", "undecided", "not run"):
        made = replace(item, judge=lambda context, word=word: Judgement(word, "Found."), datasets=())
        full, quick, changed = (
            judged(made, RunContext(tmp_path, effort)).verdict
            for effort in (Effort(), Effort(quick=True), Effort(overrides={"trials": 2}))
        )
        assert full == word
        assert quick == changed == (word if item.analytical else "not judged at this effort")


@pytest.mark.parametrize(("n", "verdict"), [(4, "undecided"), (5, "holds"), (0, "holds")])
def test_few_draws_decide_no_claim(n, verdict, monkeypatch, tmp_path):
    class FewDraws:
        def __init__(self, *_):
            pass

        def verdicts(self, label):
            row = printed_rows(label)[0]
            return [Verdict(row, "mae_all", 0.1, 0.1, 0.01, n)]

    monkeypatch.setattr(base, "Results", FewDraws)
    made = replace(claim[25], judge=lambda context: Judgement("holds", "Found."))
    found = judged(made, RunContext(tmp_path))
    assert found.verdict == verdict
    assert found.findings.startswith("Fewer than 5 draws") == (verdict == "undecided")


def test_a_claim_without_its_data_has_no_verdict_unless_it_is_a_quick_look(monkeypatch, tmp_path):
    def unavailable(name):
        raise DatasetUnavailableError(f"{name} is missing.")

    monkeypatch.setattr(base, "load", unavailable)
    made = replace(claim[19], judge=lambda context: Judgement("holds", "Four networks."))
    assert judged(made, RunContext(tmp_path))[6:8] == ("not run", "digits is missing.")
    quick = judged(made, RunContext(tmp_path, Effort(quick=True)))
    assert quick[6:8] == ("not judged at this effort", "Four networks.")


def test_one_cell_of_93_limits_what_all_cells_are_said_to_do(monkeypatch, tmp_path):
    def errors(label, cell):
        exception = (cell["input"], cell["target"], cell["activation"]) == ("cifar", "adult", "step")
        usual = by_rule(hebbian_descent=0.1)(label, cell)
        return 0.5 if cell["rule"] == "hebbian_descent" and exception else usual

    made_up(monkeypatch, errors)
    verdict, findings = claim[12].judge(RunContext(tmp_path))
    assert verdict == "holds with limits"
    assert "better in 92 of 93, equal in 0, worse in 1" in findings
    assert "cifar→adult (step)" in findings


def test_ties_limit_a_claim_that_excludes_them(monkeypatch, tmp_path):
    def errors(label, cell):
        tied = cell["rule"] == "gradient_descent" and cell["activation"] == "linear"
        return 0.1 if cell["rule"] == "hebbian_descent" or tied else 0.2

    made_up(monkeypatch, errors)
    verdict, findings = claim[12].judge(RunContext(tmp_path))
    assert verdict == "holds with limits"
    assert "better in 73 of 93, equal in 20, worse in 0" in findings


def test_a_rule_that_does_not_profit_from_centering_refutes_that_all_do(monkeypatch, tmp_path):
    made_up(
        monkeypatch,
        lambda label, cell: 0.3 if "uncentered" not in label else 0.2 if cell["rule"] == "hebb" else 0.4,
    )
    assert claim[9].judge(RunContext(tmp_path)).verdict == "does not hold"


def test_being_better_is_not_similar(monkeypatch, tmp_path):
    made_up(monkeypatch, by_rule(hebbian_descent=0.1))
    assert claim[11].judge(RunContext(tmp_path)).verdict == "does not hold"


def test_an_error_beside_none_at_all_is_no_slight_one(monkeypatch, tmp_path):
    made_up(monkeypatch, by_rule(hebbian_descent=0.1, gradient_descent=0.0))
    assert claim[20].judge(RunContext(tmp_path)).verdict == "does not hold"


def test_partly_run_tables_get_no_verdict(monkeypatch, tmp_path):
    made_up(monkeypatch, by_rule(0.3), only="centered_1")
    verdict, findings = claim[12].judge(RunContext(tmp_path))
    assert verdict == "not run"
    assert re.search(r"^\d\d of 93 comparisons were run", findings)


@pytest.mark.parametrize(
    ("n_for", "n_against", "n_excluded", "word"),
    [
        (5, 0, 0, "holds"),
        (5, 1, 0, "holds with limits"),
        (5, 4, 0, "holds with limits"),
        (5, 5, 0, "does not hold"),
        (0, 1, 0, "does not hold"),
        (0, 0, 0, "undecided"),
        (5, 0, 1, "holds with limits"),
    ],
)
def test_the_rule_for_all(n_for, n_against, n_excluded, word):
    assert tally.on_all(n_for, n_against, n_excluded) == word


def cell_of(values, column="mae"):
    draws = {
        draw: Measured({}, {column: value}, {column: 0.0}, 0.1, 0.0, 2, draw)
        for draw, value in enumerate(values)
    }
    return cells.Cell({}, 0.1, 0.5, draws, column)


def test_differences_within_the_spread_of_the_draws_are_ties():
    noisy = cells.compared(cell_of([0.1, 0.2, 0.3]), cell_of([0.2, 0.15, 0.4]))
    assert noisy.sign() == 0
    steady = cells.compared(cell_of([0.1, 0.2, 0.3]), cell_of([0.15, 0.25, 0.35]))
    assert steady.sign() == 1
    assert steady.chance == pytest.approx(0, abs=1e-12)


def test_chance_is_that_of_a_paired_t_test():
    first, second = [0.1, 0.24, 0.3, 0.17], [0.12, 0.21, 0.38, 0.2]
    found = cells.compared(cell_of(first), cell_of(second))
    low, high = stats.ttest_rel(second, first).confidence_interval(0.99)
    assert (found.gain - found.chance, found.gain + found.chance) == pytest.approx((low, high))


def test_means_and_spreads_are_compared_where_there_are_no_draws():
    def summarized(mean, sd, n=10):
        return cells.Cell({}, 0.1, 0.5, {}, "mae", Estimate(mean, sd, n))

    # 99 % of t with 18 degrees of freedom is 2.878; the difference of both means has sd·√(2/10)
    steady = cells.compared(summarized(0.2, 0.02), summarized(0.23, 0.02))
    assert steady.chance == pytest.approx(2.878440 * 0.02 * (2 / 10) ** 0.5, rel=1e-5)
    assert steady.sign() == 1
    assert cells.compared(summarized(0.2, 0.02), summarized(0.22, 0.02)).sign() == 0
    # Paired by draw, the same numbers can be certain: the draws move both alike.
    first, second = cell_of([0.1, 0.2, 0.3]), cell_of([0.15, 0.25, 0.35])
    assert cells.compared(first._replace(draws={}, summary=first.estimate), second).sign() == 0


def test_a_baseline_has_no_spread():
    cell = cell_of([0.4, 0.42, 0.44])._replace(baseline=0.9)
    assert cells.compared_with_baseline(cell).gain == pytest.approx(0.48)
    assert cells.compared_with_baseline(cell).sign() == 1
    assert cells.compared_with_baseline(cell._replace(baseline=0.45)).sign() == 0  # 0.03 within chance
    assert not cells.compared_with_baseline(cell._replace(draws={})).is_run


def test_the_summary_of_a_folder_is_judged_where_nothing_was_run(tmp_path):
    shutil.copy(KEPT / SUMMARY, tmp_path)
    label = "tab:Hetero_online_centered_1"
    with (KEPT / SUMMARY).open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    lines = [row for row in rows if (row["label"], row["column"]) == (label, "mae_last20")]
    found = cells.cells(RunContext(tmp_path), [label], "mae_last20")
    assert len(found) == len(lines) > 100
    for line in lines:
        key = cells.changed({name: line[name] for name in ("input", "target", "activation", "rule")})
        assert found[key].ours == pytest.approx(float(line["ours"]))
        assert found[key].estimate.sd == pytest.approx(float(line["sd"]))
        assert not found[key].draws
    quick = cells.cells(RunContext(tmp_path, Effort(quick=True)), [label], "mae_last20")
    assert not any(cell.estimate for cell in quick.values())


def test_deviations_of_trials_are_those_of_a_sample(tmp_path):
    shutil.copy(KEPT / SUMMARY, tmp_path)
    label, column = "tab:auto_associative", "mae_mean"
    kept = read_kept(tmp_path).numbers[label]
    for key, cell in cells.cells(RunContext(tmp_path), [label], column).items():
        _, sd, n, *_ = kept[key][column].estimate
        assert cell.estimate.sd == pytest.approx(sd * (n / (n - 1)) ** 0.5)


def test_a_run_of_ones_own_is_not_completed_by_what_is_kept(monkeypatch, tmp_path):
    shutil.copy(KEPT / SUMMARY, tmp_path)
    own = [row for row in printed_rows("tab:Hetero_online_centered_1") if row.cell["input"] == "rand"]
    measured = [
        Measured(row.cell, dict.fromkeys(row.results, 0.3), dict.fromkeys(row.results, 0.0), 0.1, 0.0, 2)
        for row in own
    ]
    Measurements(tmp_path, Effort()).write(TABLES["tab:Hetero_online_centered_1"], "x", measured, 0.0)
    found = cells.cells(RunContext(tmp_path), ["tab:Hetero_online_centered_1"], "mae_last20").values()
    assert {cell.cell["input"] for cell in found if cell.estimate} == {"rand"}
