"""The paper's conclusions: each has evidence, a verdict that can go either way, and formulas are true."""

import json
import re
import sys
from collections import namedtuple
from pathlib import Path

import numpy as np
import pytest

from hebbian_descent.cli import main
from hebbian_descent.paper import labels
from hebbian_descent.paper.claims import CLAIMS, Judged, cells, epochs, forgetting_curve, hidden, online
from hebbian_descent.paper.claims.base import by_deviation
from hebbian_descent.paper.experiments.base import Measured
from hebbian_descent.paper.formula_tables import FORMULA_TABLES, FORMULAS, sample
from hebbian_descent.paper.index import INDEX
from hebbian_descent.paper.measurements import Measurements
from hebbian_descent.paper.printed import printed_rows
from hebbian_descent.paper.run_context import Effort, RunContext
from hebbian_descent.paper.tables import TABLES
from hebbian_descent.theory.loss_table import LOSS_TABLE

ROOT = Path(__file__).parents[2]
VERDICTS = ("holds", "holds with limits", "does not hold")
RULES = ("hebbian_descent", "gradient_descent", "hebb", "covariance")
ANALYTICAL = (1, 2, 3, 4, 5, 6, 7, 8, 15, 16, 17)
claim = {item.number: item for item in CLAIMS}


def measure(folder, values, label_words, n_draws=3):
    """Write measurements for tables: `values(cell)` gives the mean, to which each draw adds a little."""
    measurements = Measurements(folder, Effort())
    for label in (label for label in TABLES if label.startswith("tab:") and label_words in label):
        rows = [
            Measured(
                cell=row.cell,
                results={name: values(row.cell) + 0.001 * draw for name in row.results},
                std=dict.fromkeys(row.results, 0.0001),
                learning_rate=0.1,
                weight_decay=0.0,
                n_trials=2,
                draw=draw,
            )
            for draw in range(n_draws)
            for row in printed_rows(label)
        ]
        measurements.write(TABLES[label], "made_up", rows, 0.0)
    return RunContext(folder)


def by_rule(**errors):
    return lambda cell: errors[cell["rule"]]


def test_there_are_twenty_numbered_claims():
    assert [item.number for item in CLAIMS] == list(range(1, 21))
    assert len({item.statement for item in CLAIMS}) == 20


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


@pytest.mark.parametrize("number", ANALYTICAL)
def test_analytical_claims_are_judged_without_measurements(number, tmp_path):
    verdict, findings = claim[number].judge(RunContext(tmp_path))
    assert verdict == ("holds" if number in (1, 2, 3, 5, 6) else "holds with limits")
    assert re.search(r"\d", findings)


@pytest.mark.parametrize("number", [9, 10, 11, 12, 18, 20])
def test_what_was_not_run_gets_no_verdict_but_a_command(number, tmp_path):
    verdict, findings = claim[number].judge(RunContext(tmp_path))
    assert verdict == "not run"
    assert "`hebbian-descent run tab:" in findings
    assert "print: " in findings


def test_an_identity_that_fails_does_not_hold():
    assert by_deviation(1e-9, "x").verdict == "holds"
    assert by_deviation(1e-9, "x", "limits").verdict == "holds with limits"
    assert by_deviation(1e-3, "x", "limits").verdict == "does not hold"


@pytest.mark.parametrize(
    ("gains", "verdict"),
    [
        (dict.fromkeys(RULES, 0.1), "holds"),
        ({**dict.fromkeys(RULES, 0.1), "hebb": -0.1}, "does not hold"),
        (dict.fromkeys(RULES, 0.0), "does not hold"),
    ],
)
def test_all_rules_must_profit_from_centering(tmp_path, gains, verdict):
    measure(tmp_path, lambda cell: 0.3, "Hetero_online_centered_")
    context = measure(tmp_path, lambda cell: 0.3 + gains[cell["rule"]], "Hetero_online_uncentered_")
    assert claim[9].judge(context).verdict == verdict


def test_centering_holds_with_limits_where_a_rule_gains_in_some_activations_only(tmp_path):
    measure(tmp_path, lambda cell: 0.3, "Hetero_online_centered_")
    context = measure(
        tmp_path,
        lambda cell: 0.3 if (cell["rule"], cell["activation"]) == ("hebb", "linear") else 0.4,
        "Hetero_online_uncentered_",
    )
    assert claim[9].judge(context).verdict == "holds with limits"


@pytest.mark.parametrize(
    ("covariance", "in_10", "in_12"),
    [(0.4, "holds", "holds"), (0.05, "does not hold", "does not hold")],
)
def test_hebbian_descent_must_be_better_than_the_others(tmp_path, covariance, in_10, in_12):
    errors = by_rule(hebbian_descent=0.1, gradient_descent=0.2, hebb=0.5, covariance=covariance)
    measure(tmp_path, errors, "Hetero_online_centered_")
    context = measure(tmp_path, errors, "Hetero_online_uncentered_")
    assert claim[10].judge(context).verdict == in_10
    assert claim[12].judge(context).verdict == in_12


def test_ties_with_gradient_descent_limit_the_claim_about_online_learning(tmp_path):
    def errors(cell):
        tied = cell["rule"] == "gradient_descent" and cell["activation"] == "linear"
        return 0.1 if cell["rule"] == "hebbian_descent" or tied else 0.2

    context = measure(tmp_path, errors, "Hetero_online_centered_")
    verdict, findings = claim[12].judge(context)
    assert verdict == "holds with limits"
    assert "better in 73 of 93, equal in 20, worse in 0" in findings


@pytest.mark.parametrize(
    ("hebbian_descent", "verdict"),
    [(0.205, "holds"), (0.1, "holds with limits"), (0.3, "does not hold")],
)
def test_similar_means_within_a_hundredth(tmp_path, hebbian_descent, verdict):
    context = measure(
        tmp_path, by_rule(hebbian_descent=hebbian_descent, gradient_descent=0.2), "Hetero_offline_"
    )
    assert claim[11].judge(context).verdict == verdict


@pytest.mark.parametrize(
    ("gradient_descent", "last", "verdict"),
    [(0.4, 0.0, "holds"), (0.1, 0.0, "holds with limits"), (0.4, 0.3, "does not hold")],
)
def test_flat_activations_must_converge_and_win(tmp_path, monkeypatch, gradient_descent, last, verdict):
    monkeypatch.setattr(epochs, "errors_by_epoch", lambda context, activation: [0.4, 0.1, last])
    errors = by_rule(hebbian_descent=0.2, gradient_descent=gradient_descent, hebb=0.5, covariance=0.5)
    context = measure(tmp_path, errors, "Hetero_online_centered_")
    assert claim[13].judge(context).verdict == verdict


def test_step_and_rectifier_do_converge(tmp_path):
    context = RunContext(tmp_path, Effort(quick=True))
    for activation in epochs.FLAT:
        first, _, last = epochs.errors_by_epoch(context, activation)
        assert last < 0.01 < first


@pytest.mark.parametrize(
    ("hebbian_descent", "in_18", "in_20"),
    [
        (0.021, "holds", "holds"),
        (0.03, "holds", "does not hold"),
        (0.4, "holds with limits", "does not hold"),
    ],
)
def test_auto_encoders_must_converge_and_be_only_slightly_worse(tmp_path, hebbian_descent, in_18, in_20):
    errors = by_rule(hebbian_descent=hebbian_descent, gradient_descent=0.02)
    context = measure(tmp_path, errors, "auto_associative", n_draws=1)
    assert claim[18].judge(context).verdict == in_18
    assert claim[20].judge(context).verdict == in_20


def test_an_error_beside_none_at_all_is_no_slight_one(tmp_path):
    errors = by_rule(hebbian_descent=0.1, gradient_descent=0.0)
    context = measure(tmp_path, errors, "auto_associative", n_draws=1)
    assert claim[20].judge(context).verdict == "does not hold"


def test_partly_run_tables_get_no_verdict(tmp_path):
    context = measure(tmp_path, lambda cell: 0.3, "Hetero_online_centered_1")
    verdict, findings = claim[12].judge(context)
    assert verdict == "not run"
    assert re.search(r"^\d\d of 93 comparisons were run", findings)


def test_differences_within_the_spread_of_the_draws_are_ties():
    def cell(values):
        draws = {
            draw: Measured({}, {"mae": value}, {"mae": 0.0}, 0.1, 0.0, 2, draw)
            for draw, value in enumerate(values)
        }
        return cells.Cell({}, 0.1, 0.5, draws, "mae")

    noisy = cells.compared(cell([0.1, 0.2, 0.3]), cell([0.2, 0.15, 0.4]))
    assert noisy.sign() == 0
    steady = cells.compared(cell([0.1, 0.2, 0.3]), cell([0.15, 0.25, 0.35]))
    assert steady.sign() == 1
    assert steady.chance == pytest.approx(0, abs=1e-12)


def test_the_weakest_verdict_counts():
    assert online.weakest(["holds", "holds with limits"]) == "holds with limits"
    assert online.weakest(["holds", "does not hold", "holds with limits"]) == "does not hold"


@pytest.mark.parametrize(
    ("law", "values"),
    [
        ("power_law", lambda age: 0.9 * age**-0.4),
        ("exponential", lambda age: 0.8 * np.exp(-age / 25) + 0.05),
        ("line", lambda age: 0.9 - 0.005 * age),
    ],
)
def test_the_law_of_a_made_up_curve_is_found(law, values):
    # A line is a power law of exponent 1 with an asymptote: one noise in six makes the latter fit better.
    noise = np.random.default_rng(1).normal(scale=0.003, size=100)
    found = forgetting_curve.best_law(values(np.arange(100.0, 0, -1)) + noise)
    assert found.best == law
    assert (found.power_law_behind < -forgetting_curve.CLEARLY) == (law == "power_law")


def test_forgetting_needs_all_three_parts():
    verdict = forgetting_curve.verdict
    assert verdict(True, True, [-10.0, -3.0]) == "holds"
    assert verdict(True, True, [-10.0, 50.0]) == "holds with limits"
    assert verdict(True, False, [-10.0, -3.0]) == "holds with limits"
    assert verdict(True, False, [5.0, 5.0]) == "does not hold"
    assert verdict(False, True, [-10.0, -3.0]) == "does not hold"


def test_rules_within_a_little_share_a_rank():
    result = namedtuple("Result", "costs")(
        lambda by, measure: np.array([0.1, 0.3, 0.2, 0.201]).reshape(4, 1, 1, 1)
    )
    order = forgetting_curve.ranking(result, "mae", "all")
    assert order == ["Hebbian-descent", "Hebb's rule = covariance rule", "gradient descent"]


def test_unevenness_is_zero_for_units_of_equal_mean():
    rng = np.random.default_rng(0)
    activity = rng.normal(size=(500, 8))
    activity -= activity.mean(axis=0)
    assert hidden.unevenness(activity) == pytest.approx(0, abs=1e-12)
    assert hidden.unevenness(activity + np.arange(8)) > 2
    assert hidden.participation(activity) > 0.9
    assert hidden.participation(activity[:, :1] * np.ones(8)) == pytest.approx(1 / 8)


def test_even_activity_must_be_owed_to_the_rule():
    much_smaller, smaller, larger = np.full(4, 0.2), np.full(4, 0.8), np.full(4, 1.5)
    assert hidden.evenness(much_smaller, wider=0.75, owed_to_bias=0.25) == "holds"
    assert hidden.evenness(much_smaller, wider=0.75, owed_to_bias=0.75) == "holds with limits"
    assert hidden.evenness(smaller, wider=0.75, owed_to_bias=0.25) == "holds with limits"
    assert hidden.evenness(larger, wider=0.75, owed_to_bias=0.25) == "does not hold"


def run_command(monkeypatch, capsys, *arguments):
    monkeypatch.setattr(sys, "argv", ["hebbian-descent", *arguments])
    monkeypatch.setenv("COLUMNS", "150")
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    return capsys.readouterr().out


def test_the_command_prints_every_claim(monkeypatch, capsys, tmp_path):
    call = ("claims", "--quick", "--output", str(tmp_path))
    judged = [Judged(**item) for item in json.loads(run_command(monkeypatch, capsys, *call, "--json"))]
    assert [item.number for item in judged] == list(range(1, 21))
    assert {item.verdict for item in judged} <= {*VERDICTS, "not run"}
    printed = run_command(monkeypatch, capsys, *call)
    words = " ".join(printed.split())
    for item in judged:
        assert f" {item.number}. {item.verdict}: {item.statement} checked {item.check} found" in f" {words}"
        assert all(evidence in "".join(printed.split()) for evidence in item.evidence)
    assert f"{sum(item.verdict == 'holds' for item in judged)} hold" in printed
    assert "Judged by quick runs" in printed


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
