"""Index of the paper's labels, used by the command line, the report and the tests."""

from __future__ import annotations

from typing import Literal, NamedTuple

from hebbian_descent.checks import unknown_name
from reproduction.experiments import Experiment
from reproduction.figures import FIGURES, PaperFigure
from reproduction.formula_tables import FORMULA_TABLES, FormulaTable
from reproduction.printed import printed_rows
from reproduction.tables import TABLES

MINUTES: dict[str, float] = {
    "tab:Hetero_online_centered_1": 2,
    "tab:Hetero_online_centered_2": 2,
    "tab:Hetero_online_centered_3": 2,
    "tab:Hetero_online_uncentered_1": 2,
    "tab:Hetero_online_uncentered_2": 2,
    "tab:Hetero_online_uncentered_3": 2,
    "tab:Hetero_online_centered_shift": 2,
    "tab:centered_weight_decay": 20,
    "tab:Hetero_offline_1": 60,
    "tab:Hetero_offline_2": 45,
    "tab:Hetero_offline_3": 55,
    "tab:label_learning_centered": 160,
    "tab:label_learning_uncentered": 90,
    "tab:auto_associative": 180,
    "text:moving_MNIST": 2,
    "text:auto_associative_hebb": 60,
    "fig:long_training_rand_adult": 2,
    "fig:online_label_learning_MNIST": 10,
    "fig:hidden_activity_GD_HD": 10,
}
"""Approximate minutes on two cores with ten draws; labels not listed take less than one."""


class Entry(NamedTuple):
    """A label of the paper."""

    label: str
    kind: Literal["table", "formulas", "figure"]
    title: str
    content: Experiment | FormulaTable | PaperFigure

    @property
    def datasets(self) -> frozenset[str]:
        """The datasets it needs."""
        return self.content.datasets

    @property
    def n_rows(self) -> int:
        """The number of printed rows; none for formulas and figures."""
        return len(printed_rows(self.label)) if self.kind == "table" else 0

    @property
    def minutes(self) -> float:
        """Approximate time it takes."""
        return MINUTES.get(self.label, 1.0)


INDEX: dict[str, Entry] = {
    **{label: Entry(label, "table", table.title, table) for label, table in TABLES.items()},
    **{label: Entry(label, "formulas", table.title, table) for label, table in FORMULA_TABLES.items()},
    **{label: Entry(label, "figure", figure.title, figure) for label, figure in FIGURES.items()},
}


def entry(label: str) -> Entry:
    """Return the entry of a label."""
    if label not in INDEX:
        raise unknown_name("label", label, INDEX)
    return INDEX[label]
