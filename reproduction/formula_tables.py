"""The paper's two tables of formulas, each row with a number that verifies it.

Paper: tab:list_HD_loss_functions
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array
from hebbian_descent.network import ACTIVATIONS, Layer, get_activation
from hebbian_descent.rules import RULES, get_error_term
from hebbian_descent.rules.base import Activity
from hebbian_descent.table_formats import TextTable
from hebbian_descent.theory.loss_table import LOSS_TABLE, Row

STEP = 1e-6


@dataclass(frozen=True, eq=False)
class FormulaTable:
    """A table of formulas under the paper's label; its rows are made and verified on first access."""

    label: str
    title: str
    headings: tuple[str, ...]
    make_rows: Callable[[], Iterable[tuple[str, ...]]]

    datasets: frozenset[str] = frozenset()

    @cached_property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """The rows, one text per heading."""
        return tuple(self.make_rows())

    @property
    def text_table(self) -> TextTable:
        """The table, to be written in any format."""
        return TextTable(self.headings, self.rows, f"{self.label}: {self.title}")


class Formula(NamedTuple):
    """A row of the table of losses; `condition: value; …` takes the value whose condition is met."""

    activation: str
    quotient: str
    loss: str
    """â equals a, but is constant in the derivative."""


FORMULAS: dict[tuple[str, str], Formula] = {
    ("linear", "difference"): Formula("a", "h − t", "(h − t)² / 2"),
    ("sigmoid", "difference"): Formula(
        "1 / (1 + exp(−a))", "(h − t) / (h·(1 − h))", "−t·ln(h) − (1 − t)·ln(1 − h)"
    ),
    ("softmax", "difference"): Formula("exp(a) / Σ exp(a)", "−t / h", "−t·ln(h)"),
    ("scaled_tanh", "difference"): Formula(
        "α·tanh(a)",
        "(h − t) / (α − h² / α)",
        "−(α + t)·ln(α + h) / 2 − (α − t)·ln(α − h) / 2",
    ),
    ("approximate_step", "difference"): Formula(
        "a < 0: α·a; a ≥ 0: α·a + β",
        "(h − t) / α",
        "a < 0: (h − t)² / (2·α); a ≥ 0: ((h − t)² + t² − (β − t)²) / (2·α)",
    ),
    ("leaky_rectifier", "difference"): Formula(
        "a < 0: α·a; a ≥ 0: a",
        "a < 0: (h − t) / α; a ≥ 0: h − t",
        "a < 0: ((h − t)² − t²) / (2·α) + t² / 2; a ≥ 0: (h − t)² / 2",
    ),
    ("scaled_explin", "difference"): Formula(
        "a < 0: λ·α·(exp(a) − 1); a ≥ 0: λ·a",
        "a < 0: (h − t) / (h + λ·α); a ≥ 0: (h − t) / λ",
        "a < 0: h − (t + λ·α)·ln(1 + h / (λ·α)) + t² / (2·λ); a ≥ 0: (h − t)² / (2·λ)",
    ),
    ("inverse_sqrt_linear", "difference"): Formula(
        "a < 0: a / √(1 + α·a²); a ≥ 0: a",
        "a < 0: (α·a² + 1)^(3/2)·(h − t); a ≥ 0: h − t",
        "a < 0: (α·â² + 1)^(3/2)·(h − t)² / 2; a ≥ 0: (h − t)² / 2",
    ),
    ("softsign", "difference"): Formula("a / (1 + |a|)", "(1 + |a|)²·(h − t)", "(1 + |â|)²·(h − t)² / 2"),
    ("softplus", "difference"): Formula(
        "ln(1 + exp(a))", "(1 + exp(−a))·(h − t)", "(1 + exp(−â))·(h − t)² / 2"
    ),
    ("inverse_sqrt", "difference"): Formula(
        "a / √(1 + α·a²)", "(α·a² + 1)^(3/2)·(h − t)", "(α·â² + 1)^(3/2)·(h − t)² / 2"
    ),
    ("linear", "saturating"): Formula("a", "α·tanh(β·(h − t))", "α·ln(cosh(β·(h − t))) / β"),
    ("linear", "leaky_hinge"): Formula(
        "a", "t·h < 1: −t; t·h ≥ 1: α", "t·h < 1: 1 − t·h; t·h ≥ 1: α·(h − t)"
    ),
    ("sigmoid", "leaky_hinge"): Formula(
        "1 / (1 + exp(−a))",
        "t·h < 1: −t / (h·(1 − h)); t·h ≥ 1: α / (h·(1 − h))",
        "t·h < 1: −t·(ln(h) − ln(1 − h)); t·h ≥ 1: α·(ln(h) − ln(1 − h))",
    ),
}
"""By activation and error term; the tests evaluate them and compare with the code."""


def loss_lines() -> Iterable[tuple[str, ...]]:
    """Yield activation, error term, the three formulas, and how far the derivative is from the update."""
    for make in LOSS_TABLE:
        row = make()
        formula = FORMULAS[row.activation.name, row.error.name]
        yield (row.activation.name, row.error.name, *formula, f"{loss_deviation(row):.0e}")


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


def loss_deviation(row: Row) -> float:
    """Return the largest difference between ∂L/∂h, pulled back through φ, and the error of the update."""
    t, h, a = sample(row)
    slope = (row.loss(t, h + STEP, a) - row.loss(t, h - STEP, a)) / (2 * STEP)
    pull_back = row.activation.pull_back
    assert pull_back is not None
    return float(np.abs(pull_back(slope, a, h) - row.error(t, h)).max())


N_LAYERS = 300


class Summand(NamedTuple):
    """One weight's share in the scalar product of both updates, for many layers."""

    hebbian_descent: Array
    gradient_descent: Array
    derivative: Array


CASES = (
    ("(i)", "HD² > 0 and φ′ > 0", "HD ≠ 0, GD ≠ 0", "HD·GD > 0"),
    ("(ii)", "HD² = 0 and φ′ > 0", "HD = 0, GD = 0", "HD·GD = 0"),
    ("(iii)", "HD² = 0 and φ′ = 0", "HD = 0, GD = 0", "HD·GD = 0"),
    ("(iv)", "HD² > 0 and φ′ = 0", "HD ≠ 0, GD = 0", "HD·GD = 0"),
)


def scalar_product_lines() -> Iterable[tuple[str, ...]]:
    """Yield each case with its consequence, how often it occurred and how often the consequence held."""
    hd, gd, slope = random_summands()
    moves = np.square(hd) > 0
    met: dict[str, npt.NDArray[np.bool_]] = {
        "(i)": moves & (slope > 0),
        "(ii)": ~moves & (slope > 0),
        "(iii)": ~moves & (slope == 0),
        "(iv)": moves & (slope == 0),
    }
    true: dict[str, npt.NDArray[np.bool_]] = {
        "(i)": (hd != 0) & (gd != 0) & (hd * gd > 0),
        "(ii)": (hd == 0) & (gd == 0),
        "(iii)": (hd == 0) & (gd == 0),
        "(iv)": (hd != 0) & (gd == 0),
    }
    for name, *texts in CASES:
        yield (name, *texts, str(met[name].sum()), str((met[name] & true[name]).sum()))


def random_summands() -> Summand:
    """Return the updates of every weight of random layers, one pattern each, some already learned."""
    rng = np.random.default_rng(0)
    names = [name for name in ACTIVATIONS if get_activation(name).elementwise]
    found = [_summands(names[number % len(names)], rng) for number in range(N_LAYERS)]
    return Summand(*(np.concatenate(values) for values in zip(*found, strict=True)))


def _summands(activation: str, rng: np.random.Generator) -> Summand:
    layer = Layer.from_weights(rng.normal(size=(4, 3)), activation=activation)
    x = rng.integers(0, 2, (1, 4)).astype(np.float64)
    a, h = layer.forward(x)
    t = np.where(rng.random((1, 3)) < 0.3, h, rng.integers(0, 2, (1, 3)))
    seen = Activity(x, layer.offset, t, a, h, layer.activation, get_error_term("difference"))
    hd, gd = (RULES[rule].change(seen).weights for rule in ("hebbian_descent", "gradient_descent"))
    pull_back = layer.activation.pull_back
    assert pull_back is not None
    slope = np.broadcast_to(pull_back(np.ones_like(a), a, h), hd.shape)
    return Summand(hd.ravel(), gd.ravel(), slope.ravel())


FORMULA_TABLES: dict[str, FormulaTable] = {
    table.label: table
    for table in (
        FormulaTable(
            "tab:list_HD_loss_functions",
            "Hebbian-descent losses, corrected, with the largest difference of derivative and update",
            ("activation", "error term", "h = φ(a)", "E / φ′(a)", "loss", "difference"),
            loss_lines,
        ),
        FormulaTable(
            "tab:scalarproduct_cases",
            "Scalar product of both updates, one weight and one pattern, over random layers",
            ("case", "condition", "updates", "product", "met", "true"),
            scalar_product_lines,
        ),
    )
}
