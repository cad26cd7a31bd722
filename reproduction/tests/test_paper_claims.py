"""The paper's conclusions: each has evidence, a verdict that can go either way, and formulas are true."""

import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from claim_cells import made_up
from reproduction.index import INDEX
from reproduction.run_context import Effort, RunContext

from hebbian_descent import rules
from hebbian_descent.theory.loss_table import LOSS_TABLE
from reproduction import claims, labels
from reproduction.__main__ import main
from reproduction.claims import (
    CLAIMS,
    Judged,
    Judgement,
    autoencoder_runs,
    convergence,
    epochs,
    gradients,
    hidden,
    likelihoods,
    no_objective,
)
from reproduction.claims.base import N_CONCLUSIONS, PLURAL, by_correction, by_deviation, weakest
from reproduction.claims.tally import on_most
from reproduction.formula_tables import FORMULA_TABLES, FORMULAS, sample
from reproduction.tables import TABLES

ROOT = Path(__file__).parents[2]
claim = {item.number: item for item in CLAIMS}


def test_there_are_twenty_conclusions_and_twenty_five_statements_of_the_text():
    assert [item.number for item in CLAIMS] == list(range(1, 46))
    assert len({item.statement for item in CLAIMS}) == 45
    assert N_CONCLUSIONS == 20


@pytest.mark.parametrize("item", CLAIMS, ids=lambda item: str(item.number))
def test_every_claim_states_when_it_holds_and_when_not(item):
    assert re.search(r"\bholds if\b", item.rule, re.IGNORECASE)
    assert re.search(r"does not hold|else not", item.rule)
    assert item.check != item.rule
    # A share of the cells is no measure of "all" or "in general".
    assert not re.search(r"9\d %(?! *[,)])|most of", item.rule.replace("99 %", ""))


@pytest.mark.parametrize("item", CLAIMS, ids=lambda item: str(item.number))
def test_every_claim_names_evidence_that_exists(item):
    assert item.section in labels()
    assert item.evidence
    for name in item.evidence:
        if name.startswith("tab:"):
            assert name in TABLES
        else:
            file, _, function = name.partition("::")
            assert f"\ndef {function}(" in (ROOT / file).read_text(encoding="utf-8")


ON_NETWORKS = {
    1: "holds",
    2: "holds",
    3: "holds",
    4: "holds with limits",
    5: "holds",
    6: "misprint (corrected it holds)",
    7: "does not hold",
    8: "does not hold",
    15: "holds with limits",
    16: "misprint (corrected it holds)",
    17: "holds with limits",
}


@pytest.mark.parametrize("number", ON_NETWORKS)
def test_analytical_claims_are_judged_without_measurements(number, monkeypatch):
    # All twelve take seconds; the one with a jump converges last.
    monkeypatch.setattr(convergence, "increasing", lambda: ["sigmoid", "softplus", "approximate_step"])
    verdict, findings = claim[number].judge(None)  # nothing measured, and the same at every effort
    assert verdict == ON_NETWORKS[number]
    assert re.search(r"\d", findings)
    assert claim[number].analytical
    assert bool(claim[number].correction) == verdict.startswith("misprint")


def test_only_analytical_claims_are_judged_at_every_effort():
    assert {item.number for item in CLAIMS if item.analytical} == set(ON_NETWORKS)


@pytest.mark.parametrize("number", [1, 2, 5, 6, 15, 16, 17])
def test_identities_fail_for_another_rule(number, monkeypatch):
    monkeypatch.setitem(rules.RULES, "hebbian_descent", rules.RULES["covariance"])
    monkeypatch.setitem(rules.AUTO_RULES, "hebbian_descent", rules.AUTO_RULES["hebb"])
    assert claim[number].judge(None).verdict == "does not hold"


def test_convergence_fails_where_nothing_is_learned(monkeypatch):
    monkeypatch.setattr(convergence, "train", lambda *_, **__: None)
    monkeypatch.setattr(convergence, "increasing", lambda: ["sigmoid"])
    assert claim[3].judge(None).verdict == "does not hold"


def test_convergence_has_limits_where_one_activation_fails(monkeypatch):
    monkeypatch.setattr(convergence, "excess", lambda name, seed: 0.5 if name == "softplus" else 0.001)
    verdict, findings = claim[3].judge(None)
    assert verdict == "holds with limits"
    assert "Against it: softplus." in findings


def test_the_table_of_losses_fails_with_a_wrong_row(monkeypatch):
    wrong = replace(LOSS_TABLE[0](), loss=lambda t, h, a: (h - t) ** 2)
    monkeypatch.setattr(gradients, "LOSS_TABLE", (lambda: wrong, *LOSS_TABLE[1:]))
    assert claim[4].judge(None).verdict == "does not hold"


@pytest.mark.parametrize("number", [7, 8])
def test_likelihoods_fail_for_another_distribution(number, monkeypatch):
    monkeypatch.setitem(likelihoods.LOG_DENSITIES, "poisson", likelihoods.LOG_DENSITIES["gaussian"])
    monkeypatch.setattr(likelihoods, "smallest_eigenvalue", lambda name: 0.0)
    assert claim[number].judge(None).verdict == "does not hold"


@pytest.mark.parametrize("number", [7, 8])
def test_likelihoods_are_judged_by_how_many_activations_have_one(number, monkeypatch):
    for without, verdict in (
        ((), "holds"),
        (("softplus",), "holds with limits"),
        (convergence.increasing()[::2], "does not hold"),
    ):
        eigenvalue = dict.fromkeys(without, -0.1)
        monkeypatch.setattr(likelihoods, "smallest_eigenvalue", lambda name, of=eigenvalue: of.get(name, 0.0))
        assert claim[number].judge(None).verdict == verdict


def test_an_identity_that_fails_does_not_hold():
    assert by_deviation(1e-9, "x").verdict == "holds"
    assert by_deviation(1e-9, "x", "limits").verdict == "holds with limits"
    assert by_deviation(1e-3, "x", "limits").verdict == "does not hold"
    assert by_deviation(float("nan"), "x").verdict == "does not hold"


def test_a_misprint_is_false_as_printed_and_true_when_corrected():
    assert by_correction(1e-9, 1e-3, "x").verdict == "holds"
    assert by_correction(1e-3, 1e-9, "x").verdict == "misprint (corrected it holds)"
    assert by_correction(1e-3, 1e-3, "x").verdict == "does not hold"


@pytest.mark.parametrize(
    ("gradient_descent", "rises", "last", "verdict"),
    [
        (0.4, False, 0.0, "holds"),
        (0.4, True, 0.0, "holds with limits"),  # on pairs that cannot be learned
        (0.1, False, 0.0, "does not hold"),
        (0.4, True, 0.3, "does not hold"),
        (0.2, False, 0.0, "undecided"),
    ],
)
def test_flat_activations_must_converge_and_often_win(
    tmp_path, monkeypatch, gradient_descent, rises, last, verdict
):
    losses = np.array([0.2, 0.1, 0.0])
    curves = {
        "rectifier": [0.5, 0.45, 0.44 if last == 0 else 0.55],
        "step": [0.5, 0.39, 0.44 if rises else 0.38],
    }
    monkeypatch.setattr(epochs, "errors_by_epoch", lambda context, activation: [0.4, 0.1, last])
    monkeypatch.setattr(
        epochs,
        "descent_on_too_many_pairs",
        lambda context, activation: epochs.Descent(np.array(curves[activation]), losses),
    )
    made_up(monkeypatch, lambda label, cell: gradient_descent if cell["rule"] == "gradient_descent" else 0.2)
    assert claim[13].judge(RunContext(tmp_path)).verdict == verdict


def test_most_is_more_than_half_of_the_cells_or_at_least_more_than_are_against_it():
    assert on_most(6, 2, 10) == "holds"
    assert on_most(5, 2, 10) == "holds with limits"
    assert on_most(3, 3, 10) == "does not hold"
    assert on_most(0, 0, 10) == "undecided"


def test_step_and_rectifier_do_converge_where_pairs_can_be_learned(tmp_path):
    context = RunContext(tmp_path, Effort(quick=True))
    for activation in epochs.FLAT:
        first, _, last = epochs.errors_by_epoch(context, activation)
        assert last < 0.01 < first


def test_the_error_of_step_units_rises_while_their_loss_falls(tmp_path):
    descent = epochs.descent_on_too_many_pairs(RunContext(tmp_path, Effort(quick=True)), "step")
    assert (np.diff(descent.losses) < 0).all()
    assert descent.errors[-1] > descent.errors.min() + 0.01


def test_a_curve_converges_if_it_falls_stays_and_is_flat():
    n = np.arange(101)
    assert no_objective.converges(0.1 + 0.4 * np.exp(-n / 8))
    assert not no_objective.converges(0.5 - 0.004 * n)  # still falling
    assert not no_objective.converges(0.1 + 0.4 * np.exp(-n / 8) + 0.0005 * np.maximum(n - 50, 0))  # rises
    assert not no_objective.converges(np.full(101, 0.5))  # nothing learned
    assert not no_objective.converges(0.1 + 0.4 * np.exp(-n / 8) + 0.02 * np.sin(n))  # restless


@pytest.mark.parametrize(
    ("rising", "gap", "verdict"),
    [(0, 1.0, "holds"), (1, 1.0, "holds with limits"), (4, 1.0, "does not hold"), (0, 0.0, "does not hold")],
)
def test_reconstruction_must_converge_without_an_objective(tmp_path, monkeypatch, rising, gap, verdict):
    n = np.arange(101)
    names = [f"{hidden}/{output}" for hidden, output in autoencoder_runs.NETWORKS][:rising]

    def run(rule, x, setting):
        curve = 0.1 + 0.4 * np.exp(-n / 8)
        rises = setting.name.split()[1] in names
        return autoencoder_runs.Run(None, curve + 0.001 * n if rises else curve)

    monkeypatch.setattr(no_objective, "best_run", run)
    monkeypatch.setattr(no_objective, "asymmetry", lambda update, at: gap)
    assert claim[18].judge(RunContext(tmp_path, Effort(quick=True))).verdict == verdict


def test_hidden_activity_is_judged_by_the_spreads_of_all_networks(tmp_path, monkeypatch):
    even = hidden.Spread(
        "x",
        {"gradient_descent": 1.0, "hebbian_descent": 0.2, hidden.FIXED_BIAS: 0.9},
        {"gradient_descent": 0.2, "hebbian_descent": 0.4},
    )
    context = RunContext(tmp_path, Effort(quick=True))
    for uneven, verdict in (({}, "holds"), ({"hebbian_descent": 1.5}, "does not hold")):
        found = even._replace(uneven=even.uneven | uneven)
        monkeypatch.setattr(hidden, "spread", lambda context, setting, found=found: found)
        assert claim[19].judge(context).verdict == verdict


def test_the_weakest_verdict_counts():
    assert weakest(["holds", "holds with limits"]) == "holds with limits"
    assert weakest(["holds", "undecided", "holds with limits"]) == "undecided"
    assert weakest(["undecided", "does not hold", "holds with limits"]) == "does not hold"


def test_unevenness_is_zero_for_units_of_equal_mean():
    rng = np.random.default_rng(0)
    activity = rng.normal(size=(500, 8))
    activity -= activity.mean(axis=0)
    assert hidden.unevenness(activity) == pytest.approx(0, abs=1e-12)
    assert hidden.unevenness(activity + np.arange(8)) > 2
    assert hidden.participation(activity) > 0.9
    assert hidden.participation(activity[:, :1] * np.ones(8)) == pytest.approx(1 / 8)


def test_even_activity_must_be_owed_to_the_rule():
    def spreads(hebbian_descent, fixed_bias=0.9, used=0.4, n=4):
        uneven = {
            "gradient_descent": 1.0,
            "hebbian_descent": hebbian_descent,
            hidden.FIXED_BIAS: fixed_bias,
        }
        found = hidden.Spread("x", uneven, {"gradient_descent": 0.2, "hebbian_descent": used})
        return [found] * n

    assert hidden.evenness(spreads(0.2)) == "holds"
    assert hidden.evenness(spreads(0.2, fixed_bias=0.3)) == "holds with limits"
    assert hidden.evenness(spreads(0.2, used=0.1)) == "holds with limits"
    assert hidden.evenness([*spreads(0.2), *spreads(1.1, n=1)]) == "holds with limits"
    assert hidden.evenness(spreads(0.8)) == "undecided"
    assert hidden.evenness(spreads(1.5)) == "does not hold"


def run_command(monkeypatch, capsys, *arguments):
    monkeypatch.setattr(sys, "argv", ["hebbian-descent", *arguments])
    monkeypatch.setenv("COLUMNS", "150")
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    return capsys.readouterr().out


def test_the_command_prints_every_claim(monkeypatch, capsys, tmp_path):
    short = tuple(
        item if item.analytical and item.number != 3 else replace(item, judge=lambda context: FOUND)
        for item in CLAIMS
    )
    monkeypatch.setattr(claims, "CLAIMS", short)
    call = ("claims", "--quick", "--output", str(tmp_path))
    judged = [Judged(**item) for item in json.loads(run_command(monkeypatch, capsys, *call, "--json"))]
    assert [item.number for item in judged] == list(range(1, 46))
    assert {item.verdict for item in judged} <= set(PLURAL)
    printed = run_command(monkeypatch, capsys, *call)
    words = " ".join(printed.split())
    for item in judged:
        corrected = f" corrected {item.correction}" if item.correction else ""
        assert (
            f" {item.number}. {item.statement} checked {item.check} rule {item.rule} "
            f"verdict {item.verdict}{corrected} found" in f" {words}"
        )
        assert all(evidence in "".join(printed.split()) for evidence in item.evidence)
    assert f"{sum(item.verdict == 'holds' for item in judged)} hold" in printed
    assert "34 not judged at this effort" in printed
    assert "2 misprints (corrected they hold)" in printed
    assert words.index("Statements of the text") < words.index(judged[20].statement)
    assert words.endswith(
        "Only claims that need no measurement are judged. The others are not judged at this effort, whatever "
        "`run --quick` measures: use `run`, then `claims`, without --quick."
    )


FOUND = Judgement("holds", "3 of 4.")


def in_python(text, row, t, h, a):
    """Evaluate a formula of the table of losses, its conditions included."""
    parameters = {**row.activation.parameters, **row.error.parameters}
    names = {"scale": "α", "slope": "α", "saturation": "α", "steepness": "α", "leak": "α", "height": "β"}
    if row.activation.name == "scaled_explin":
        names["scale"] = "λ"
    if row.error.name == "saturating":
        names["steepness"] = "β"
    known = {names[name]: value for name, value in parameters.items()}
    known |= {"t": t, "h": h, "a": a, "exp": np.exp, "ln": np.log, "tanh": np.tanh, "cosh": np.cosh}
    known |= {"sqrt": np.sqrt, "abs": abs, "sum": np.sum, "where": np.where}
    for old, new in {"−": "-", "·": "*", "²": "**2", "^": "**", "√": "sqrt", "â": "a", "≥": ">="}.items():
        text = text.replace(old, new)
    text = re.sub(r"\|(.*?)\|", r"abs(\1)", text).replace("Σ exp(a)", "sum(exp(a))")
    values = np.full_like(a, np.nan)
    with np.errstate(invalid="ignore"):  # of a branch that is not taken
        for part in text.split("; "):
            condition, _, formula = part.rpartition(": ")
            where = eval(condition, {}, known) if condition else np.ones_like(a, dtype=bool)
            values = np.where(where, eval(formula, {}, known), values)
    return values


@pytest.mark.parametrize("make", LOSS_TABLE, ids=lambda make: make.__name__)
def test_formulas_say_what_the_code_computes(make):
    row = make()
    t, h, a = sample(row)
    formula = FORMULAS[row.activation.name, row.error.name]
    np.testing.assert_allclose(in_python(formula.activation, row, t, h, a), h, rtol=1e-12)
    np.testing.assert_allclose(in_python(formula.quotient, row, t, h, a), row.quotient(t, h, a), rtol=1e-9)
    np.testing.assert_allclose(in_python(formula.loss, row, t, h, a), row.loss(t, h, a), rtol=1e-9, atol=1e-9)


def test_losses_have_the_update_as_derivative_and_all_cases_are_met_and_true():
    losses, cases = (
        FORMULA_TABLES[f"tab:{name}"] for name in ("list_HD_loss_functions", "scalarproduct_cases")
    )
    assert len(losses.rows) == 14
    assert all(float(row[-1]) < 1e-6 for row in losses.rows)
    assert [row[0] for row in cases.rows] == ["(i)", "(ii)", "(iii)", "(iv)"]
    for row in cases.rows:
        assert int(row[-1]) == int(row[-2]) > 50


@pytest.mark.parametrize("form", ["text", "csv", "latex"])
@pytest.mark.parametrize("label", FORMULA_TABLES)
def test_formula_tables_are_printed(monkeypatch, capsys, label, form):
    assert INDEX[label].kind == "formulas"
    printed = run_command(monkeypatch, capsys, "table", label, "--format", form)
    table = FORMULA_TABLES[label]
    assert all(row[0].split("_")[0] in printed for row in table.rows)
    assert form != "latex" or printed.count(r"\\") == len(table.rows) + 1


def test_running_a_formula_table_shows_it(monkeypatch, capsys, tmp_path):
    printed = run_command(monkeypatch, capsys, "run", "tab:scalarproduct_cases", "--output", str(tmp_path))
    assert "(iii)" in printed
    assert "checked" in run_command(monkeypatch, capsys, "list", "--output", str(tmp_path))
