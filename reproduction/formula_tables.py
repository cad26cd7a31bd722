"""The paper's two tables of formulas, each row with a number that verifies it.

Paper: tab:list_HD_loss_functions
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from hebbian_descent.checks import Array
from hebbian_descent.network import ACTIVATIONS, Layer, get_activation
from hebbian_descent.rules import RULES, get_error_term
from hebbian_descent.rules.base import Activity
from hebbian_descent.rules.gradient_descent import pulled_back
from hebbian_descent.theory.loss_table import LOSS_TABLE, Row

STEP = 1e-6
"""Of the finite differences."""
N_LAYERS = 300
FORMULAS = Path(__file__).parent / "notes" / "loss_formulas.csv"
"""What each row of the table of losses says; the tests evaluate it and compare with the code.

`condition: value; …` takes the value whose condition is met; â equals a, but is constant in the derivative.
"""


CASES = {
    (True, True): ("(i)", "HD² > 0 and φ′ > 0", "HD ≠ 0, GD ≠ 0", "HD·GD > 0"),
    (False, True): ("(ii)", "HD² = 0 and φ′ > 0", "HD = 0, GD = 0", "HD·GD = 0"),
    (False, False): ("(iii)", "HD² = 0 and φ′ = 0", "HD = 0, GD = 0", "HD·GD = 0"),
    (True, False): ("(iv)", "HD² > 0 and φ′ = 0", "HD ≠ 0, GD = 0", "HD·GD = 0"),
}
"""By whether HD² > 0 and whether φ′ > 0."""


def loss_rows() -> Iterator[tuple[str, ...]]:
    """Yield activation, error term, the three formulas, and how far the derivative is from the update."""
    texts = formulas()
    for make in LOSS_TABLE:
        row = make()
        names = row.activation.name, row.error.name
        yield (*names, *texts[names], f"{loss_deviation(row):.0e}")


def formulas() -> dict[tuple[str, str], tuple[str, str, str]]:
    """Return h, E / φ′ and the loss as texts, by activation and error term."""
    with FORMULAS.open(encoding="utf-8", newline="") as file:
        return {
            (activation, error): (h, quotient, loss)
            for activation, error, h, quotient, loss in csv.reader(file)
        }


def loss_deviation(row: Row) -> float:
    """Return the largest difference between ∂L/∂h, pulled back through φ, and the error of the update."""
    t, h, a = sample(row)
    slope = (row.loss(t, h + STEP, a) - row.loss(t, h - STEP, a)) / (2 * STEP)
    return float(np.abs(pulled_back(row.activation, slope, a, h) - row.error(t, h)).max())


def sample(row: Row) -> tuple[Array, Array, Array]:
    """Return targets that suit the row, outputs and preactivations."""
    a = np.array([[-2.1, -1.3, -0.6, -0.1, 0.2, 0.8, 1.4, 2.3]])
    if row.error.target_values:
        t = np.resize(row.error.target_values, a.shape)
    elif row.activation.elementwise:
        t = np.linspace(0.1, 0.9, a.size)[None] * min(1.0, row.activation.output_range[1])
    else:
        t = np.full(a.shape, 1 / a.size)
    return t, row.activation(a), a


def scalar_product_rows() -> Iterator[tuple[str, ...]]:
    """Yield each case with its consequence, how often it occurred and how often the consequence held."""
    hd, gd, slope = random_summands()
    moves, is_steep = np.square(hd) > 0, slope > 0
    for (does_move, has_slope), texts in CASES.items():
        met = (moves == does_move) & (is_steep == has_slope)
        both = does_move and has_slope
        true = met & ((hd != 0) == does_move) & ((gd != 0) == both) & (np.sign(hd * gd) == both)
        yield (*texts, str(met.sum()), str(true.sum()))


def random_summands() -> tuple[Array, Array, Array]:
    """Return HD, GD and φ′ of every weight of random layers, one pattern each, some already learned."""
    rng = np.random.default_rng(0)
    names = [name for name in ACTIVATIONS if get_activation(name).elementwise]
    found = [_summands(names[number % len(names)], rng) for number in range(N_LAYERS)]
    hd, gd, slope = (np.concatenate(values) for values in zip(*found, strict=True))
    return hd, gd, slope


def _summands(activation: str, rng: np.random.Generator) -> tuple[Array, Array, Array]:
    layer = Layer.from_weights(rng.normal(size=(4, 3)), activation=activation)
    x = rng.integers(0, 2, (1, 4)).astype(np.float64)
    a, h = layer.forward(x)
    t = np.where(rng.random((1, 3)) < 0.3, h, rng.integers(0, 2, (1, 3)))
    seen = Activity(x, layer.offset, t, a, h, layer.activation, get_error_term("difference"))
    hd, gd = (RULES[rule].change(seen).weights for rule in ("hebbian_descent", "gradient_descent"))
    slope = np.broadcast_to(pulled_back(layer.activation, np.ones_like(a), a, h), hd.shape)
    return hd.ravel(), gd.ravel(), slope.ravel()


class FormulaTable(NamedTuple):
    """A table of formulas under the paper's label; its rows are computed and verified when called."""

    label: str
    title: str
    headings: tuple[str, ...]
    rows: Callable[[], Iterable[tuple[str, ...]]]
    """Return one text per heading for each row."""


FORMULA_TABLES: dict[str, FormulaTable] = {
    table.label: table
    for table in (
        FormulaTable(
            "tab:list_HD_loss_functions",
            "Hebbian-descent losses, corrected, with the largest difference of derivative and update",
            ("activation", "error term", "h = φ(a)", "E / φ′(a)", "loss", "difference"),
            loss_rows,
        ),
        FormulaTable(
            "tab:scalarproduct_cases",
            "Scalar product of both updates, one weight and one pattern, over random layers",
            ("case", "condition", "updates", "product", "met", "true"),
            scalar_product_rows,
        ),
    )
}
