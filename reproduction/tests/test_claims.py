"""Claims: made-up rows lead to every verdict, and the counts are those of a naive loop."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from hebbian_descent import rules
from reproduction.claims import CLAIMS, EXPERIMENTS, Numbers, judge
from reproduction.claims.cells import Family
from reproduction.claims.contrast import CRITERIA, Contrast
from reproduction.claims.identities import Identity
from reproduction.context import COMMITTED, Context, Effort
from reproduction.evidence import on_most, weakest
from reproduction.numbers import NUMBERS
from reproduction.printed import printed_rows
from reproduction.rows import tidy
from reproduction.tables import TABLES

ROOT = Path(__file__).parents[2]
CLAIM = {claim.number: claim for claim in CLAIMS}
CONTRASTS = [claim for claim in CLAIMS if isinstance(claim.evidence, Contrast)]
IDENTITIES = [claim for claim in CLAIMS if isinstance(claim.evidence, Identity)]


class MadeUp(Numbers):
    """Rows with `value(row, draw)` in the tables whose labels contain `only`, and none elsewhere."""

    def __init__(self, value, n=5, only="", effort=None):
        super().__init__(Context(effort=effort or Effort()))
        self.value, self.n, self.only = value, n, only

    def rows(self, label):
        if self.only not in label or not self.n:
            return pd.DataFrame()
        found = []
        for row in printed_rows(label):
            for i in range(self.n):
                place = {"draw": i, "trial": 0} if "input" in row.cell else {"draw": 0, "trial": i}
                value = self.value(row, i)
                found += [{**row.cell, **place, "measure": name, "value": value} for name in row.results]
        return tidy(label, found)


def steady(value):
    """Return errors of five draws that move all cells alike."""
    return lambda row, i: value(row) + 0.0001 * i


def by_rule(default=0.3, **errors):
    return lambda row: errors.get(row.cell["rule"], default)


def by_label(default=0.1, **errors):
    return lambda row: next((error for word, error in errors.items() if word in row.label), default)


def by_word(name, default=0.1, **errors):
    return lambda row: errors.get(row.cell[name], default)


BETTER, WORSE = by_rule(hebbian_descent=0.1), by_rule(hebbian_descent=0.5)
FOR_AND_AGAINST = {
    # number: (errors that are for the claim, errors that are against it)
    9: (by_label(0.3, uncentered=0.4), by_label(0.3, uncentered=0.2)),
    **dict.fromkeys((10, 12, 32, 33, 34, 35, 37, 39), (BETTER, WORSE)),
    11: (by_rule(hebbian_descent=0.305), by_rule(hebbian_descent=0.2)),
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
    36: (by_rule(gradient_descent=0.4), by_rule(gradient_descent=0.2)),
    38: (by_label(0.3, weight_decay=0.2), by_label(0.3, weight_decay=0.4)),
    **dict.fromkeys((40, 41), (by_rule(hebbian_descent=0.305), by_rule(hebbian_descent=0.2))),
    42: (by_rule(hebb=0.5, covariance=0.5), by_rule(hebb=0.1, covariance=0.1)),
    43: (by_rule(gradient_descent=0.2), by_rule(gradient_descent=0.4)),
    44: (by_word("activation", 0.1, linear=0.2), by_word("activation", 0.2, linear=0.1)),
    45: (by_rule(-0.2), by_rule(0.2)),
}
SIMILARITIES = (11, 20, 25, 29, 36, 40, 41)
"""Claims that cells are equal or not worse, for which a tie is no lack of evidence."""


def test_there_are_twenty_conclusions_and_twenty_five_statements_of_the_text():
    assert list(CLAIM) == list(range(1, 46))
    assert {claim.number for claim in CONTRASTS} == set(FOR_AND_AGAINST)
    assert all(claim.statement.endswith(".") for claim in CLAIMS)


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: str(claim.number))
def test_every_claim_says_when_it_holds_and_names_evidence_that_exists(claim):
    assert claim.section in NUMBERS
    assert claim.evidence.check
    assert "Holds if" in claim.evidence.rule
    assert "does not hold" in claim.evidence.rule
    assert claim.evidence.experiments or claim.tests
    assert set(claim.evidence.experiments) <= {*TABLES, *EXPERIMENTS}
    assert all((ROOT / test).is_file() for test in claim.tests)


@pytest.mark.parametrize("claim", CONTRASTS, ids=lambda claim: str(claim.number))
def test_made_up_cells_lead_to_every_verdict(claim):
    is_for, is_against = FOR_AND_AGAINST[claim.number]

    def judged(value, **options):
        return judge(claim, MadeUp(steady(value), **options))

    assert judged(is_for).verdict == "holds"
    assert judged(is_against).verdict == "does not hold"
    mixed = judged(lambda row: (is_against if row.data.startswith("adult") else is_for)(row))
    is_majority = claim.evidence.judged_by == "most"
    assert mixed.verdict == ("holds" if is_majority else "holds with limits")
    assert "Against it: " in mixed.findings
    assert "adult" in mixed.findings
    equal = judged(by_rule(0.3)).verdict
    if claim.number in SIMILARITIES:
        assert equal == "holds"
    elif not isinstance(claim.evidence.rivals, str):  # baselines and 0 do not equal all cells
        assert equal == "undecided"
    few = judged(is_for, n=2)
    assert few.verdict == "undecided"
    assert few.findings.startswith("Fewer than 5 draws")
    assert judged(is_for, n=0).verdict == "not run"
    assert judged(is_for, effort=Effort(quick=True)).verdict == "not run"


def test_partly_run_tables_get_no_verdict():
    found = judge(CLAIM[12], MadeUp(steady(BETTER), only="centered_1"))
    assert found.verdict == "not run"
    assert found.findings.startswith("29 of 93 comparisons were run.")


def test_a_cell_that_diverged_in_one_draw_is_not_judged_by_the_others():
    def errors(row, i):
        return np.nan if (row.name, i) == ("rand→adult linear hebb", 2) else BETTER(row)

    found = judge(CLAIM[12], MadeUp(errors))
    assert found.verdict == "not run"
    assert found.findings.startswith("92 of 93 comparisons were run.")


def test_many_trials_of_a_single_draw_decide_nothing():
    class Trials(MadeUp):
        def rows(self, label):
            found = super().rows(label)
            return found.assign(trial=found["draw"], draw=0)

    assert judge(CLAIM[12], Trials(steady(BETTER))).verdict == "undecided"


def test_one_cell_of_93_limits_what_all_cells_are_said_to_do():
    def errors(row):
        is_exception = (row.data, row.units) == ("cifar→adult", "step")
        return 0.5 if row.cell["rule"] == "hebbian_descent" and is_exception else BETTER(row)

    found = judge(CLAIM[12], MadeUp(steady(errors)))
    assert found.verdict == "holds with limits"
    assert "better in 92 of 93, equal in 0, worse in 1" in found.findings
    assert "cifar→adult (step)" in found.findings


def test_ties_limit_a_claim_that_excludes_them():
    def errors(row):
        is_tied = row.cell["rule"] == "gradient_descent" and row.units == "linear"
        return 0.1 if is_tied else BETTER(row)

    found = judge(CLAIM[12], MadeUp(steady(errors)))
    assert found.verdict == "holds with limits"
    assert "better in 73 of 93, equal in 20, worse in 0" in found.findings
    assert judge(CLAIM[10], MadeUp(steady(errors))).verdict == "holds"


def test_a_rule_that_does_not_profit_from_centering_refutes_that_all_do():
    errors = lambda row: 0.3 if "uncentered" not in row.label else 0.2 if row.cell["rule"] == "hebb" else 0.4  # noqa: E731
    assert judge(CLAIM[9], MadeUp(steady(errors))).verdict == "does not hold"


def test_an_error_beside_none_at_all_is_no_slight_one():
    errors = by_rule(hebbian_descent=0.1, gradient_descent=0.0)
    assert judge(CLAIM[20], MadeUp(lambda row, i: errors(row))).verdict == "does not hold"


def noisy(row, i):
    rng = np.random.default_rng(sum(map(ord, f"{row.label}{row.name}")) * 10 + i)
    return 0.3 + rng.normal(scale=0.01) + rng.choice([0.0, 0.01])


@pytest.mark.parametrize("number", [9, 12, 22, 23, 26, 27, 38])
def test_counts_are_those_of_a_naive_loop(number):
    contrast = replace(CLAIM[number].evidence, judged_by="all")
    numbers = MadeUp(noisy)
    counts = {1: 0, 0: 0, -1: 0}
    for row in (
        row for family in contrast.families for label in family.labels for row in printed_rows(label)
    ):
        signs = [naive_sign(row, rival, contrast.reverse) for rival in naive_rivals(contrast, row)]
        if signs and is_meant(number, row):
            counts[min(signs)] += 1
    pairs = contrast.pairs(numbers)
    assert {sign: (pairs["sign"] == sign).sum() for sign in counts} == counts
    assert sum(counts.values()) > 20


def is_meant(number, row):
    """The cells of each sentence, in Python instead of a query."""
    rule = row.cell["rule"]
    return {
        9: "uncentered" not in row.label,
        12: rule == "hebbian_descent",
        22: rule in ("hebb", "covariance"),
        23: rule == "hebbian_descent" and row.units != "sigmoid",
        26: rule == "hebb",
    }.get(number, True)


def naive_rivals(contrast, row):
    """Five draws of each rival."""
    if contrast.rivals == "baseline":
        return [[row.context["baseline_mae" if "baseline_mae" in row.context else "target_baseline_mae"]] * 5]
    if isinstance(contrast.rivals, Family):
        where, changes = contrast.rivals.labels, [{}]
    else:
        where, changes = contrast.families[0].labels, contrast.rivals
    found = []
    for change in changes:
        cell = {**row.cell, **change}
        side = cell.pop("centering", "uncentered" if "uncentered" in row.label else "centered")
        found += [
            [noisy(other, i) for i in range(5)]
            for label in where
            for other in printed_rows(label)
            if dict(other.cell) == cell and ("uncentered" in label) == (side == "uncentered")
        ]
    return found


def naive_sign(row, rival, reverse):
    ours = [noisy(row, i) for i in range(5)]
    first, second = (rival, ours) if reverse else (ours, rival)
    low, high = stats.ttest_rel(second, first).confidence_interval(0.99)
    gain = np.mean(second) - np.mean(first)
    return 0 if low <= 0 <= high or abs(gain) <= 0.001 else int(np.sign(gain))


@pytest.mark.parametrize("name", CRITERIA)
def test_a_criterion_names_its_outcomes(name):
    assert "against" in CRITERIA[name].rule
    assert "Holds if" in CRITERIA[name].rule


def test_most_is_more_than_half_of_the_cells_or_at_least_more_than_are_against_it():
    assert on_most(6, 2, 10) == "holds"
    assert on_most(5, 2, 10) == "holds with limits"
    assert on_most(3, 3, 10) == "does not hold"
    assert on_most(0, 0, 10) == "undecided"


def test_the_weakest_verdict_counts():
    assert weakest(["holds", "holds with limits"]) == "holds with limits"
    assert weakest(["holds", "undecided", "holds with limits"]) == "undecided"
    assert weakest(["undecided", "does not hold", "holds with limits"]) == "does not hold"


def apart_by(gap):
    """Return sides that differ by `gap` in one parameter; the other one does not change."""
    return lambda case: ((np.array([0.0, gap]), None), (np.zeros(2), None))


@pytest.mark.parametrize("claim", IDENTITIES, ids=lambda claim: str(claim.number))
def test_identities_need_no_rows_and_fail_by_any_deviation(claim):
    numbers = Numbers(Context(effort=Effort(quick=True)))
    assert judge(claim, numbers).verdict != "not run"
    for wrong in (0.1, np.nan):
        broken = replace(claim.evidence, sides=apart_by(wrong), corrected=None)
        assert broken.found(numbers).verdict == "does not hold"
    without_limits = replace(claim.evidence, sides=apart_by(1e-9), limits=None)
    assert without_limits.found(numbers).verdict == "holds"


@pytest.mark.parametrize("number", [1, 2, 5, 6, 15, 16, 17])
def test_identities_fail_for_another_rule(number, monkeypatch):
    monkeypatch.setitem(rules.RULES, "hebbian_descent", rules.RULES["covariance"])
    monkeypatch.setitem(rules.AUTO_RULES, "hebbian_descent", rules.AUTO_RULES["hebb"])
    assert judge(CLAIM[number], Numbers(COMMITTED)).verdict == "does not hold"


def test_the_command_lists_all_claims_and_shows_single_ones(command):
    code, out, _ = command("claims", "--json")
    found = json.loads(out)
    assert code == 0
    assert [claim["number"] for claim in found] == list(CLAIM)
    assert {claim["verdict"] for claim in found if claim["number"] in (1, 33, 14)} == {
        "holds",
        "does not hold",
    }
    _, out, _ = command("claims")
    assert all(claim.statement in " ".join(out.split()) for claim in CLAIMS)
    _, out, _ = command("claims", "6", "12")
    words = " ".join(out.split())
    assert "better in 53 of 93" in words
    assert CLAIM[6].correction in words
    assert "Table 1 (tab:Hetero_online_centered_1)" in words
    assert command("claims", "46")[0] == 2
