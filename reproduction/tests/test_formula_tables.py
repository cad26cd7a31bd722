"""The two tables of formulas: what they say is what the package computes."""

import re

import numpy as np
import pytest

from hebbian_descent.theory.loss_table import LOSS_TABLE
from reproduction.formula_tables import FORMULA_TABLES, formulas, loss_deviation, sample

IN_PYTHON = {
    "−": "-",
    "·": "*",
    "²": "**2",
    "^": "**",
    "√": "sqrt",
    "â": "a",
    "≥": ">=",
    "Σ exp(a)": "sum(exp(a))",
}
LETTERS = {"scale": "α", "slope": "α", "saturation": "α", "steepness": "α", "leak": "α", "height": "β"}
FUNCTIONS = {"exp": np.exp, "ln": np.log, "tanh": np.tanh, "cosh": np.cosh, "sqrt": np.sqrt, "sum": np.sum}


def evaluated(text, row, t, h, a):
    """Evaluate a formula of the table of losses, its conditions included."""
    letters = dict(LETTERS)
    letters |= {"scale": "λ"} if row.activation.name == "scaled_explin" else {}
    letters |= {"steepness": "β"} if row.error.name == "saturating" else {}
    parameters = {**row.activation.parameters, **row.error.parameters}
    known = {"t": t, "h": h, "a": a, "abs": abs, **FUNCTIONS}
    known |= {letters[name]: value for name, value in parameters.items()}
    for symbol, word in IN_PYTHON.items():
        text = text.replace(symbol, word)
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
    activation, quotient, loss = formulas()[row.activation.name, row.error.name]
    np.testing.assert_allclose(evaluated(activation, row, t, h, a), h, rtol=1e-12)
    np.testing.assert_allclose(evaluated(quotient, row, t, h, a), row.quotient(t, h, a), rtol=1e-9)
    np.testing.assert_allclose(evaluated(loss, row, t, h, a), row.loss(t, h, a), rtol=1e-9, atol=1e-9)
    assert loss_deviation(row) < 1e-6


def test_rows_have_a_text_for_each_heading():
    losses, cases = FORMULA_TABLES.values()
    assert len(list(losses.rows())) == len(LOSS_TABLE) == 14
    assert [row[0] for row in cases.rows()] == ["(i)", "(ii)", "(iii)", "(iv)"]
    for label, table in FORMULA_TABLES.items():
        assert table.label == label
        assert all(len(row) == len(table.headings) for row in table.rows())


def test_all_cases_of_the_scalar_product_are_met_and_true():
    for *_, met, true in FORMULA_TABLES["tab:scalarproduct_cases"].rows():
        assert int(met) == int(true) > 50
