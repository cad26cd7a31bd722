"""The paper's tables as experiments, under the paper's labels.

Pairs, rules and activations come from the printed rows; the remaining settings are listed here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hebbian_descent.sweep.grids import QUICK_DECAYS, WEIGHT_DECAYS
from reproduction.experiments import Association, AutoAssociation, Classification, Experiment
from reproduction.numbers import place
from reproduction.printed import PrintedRow, printed_rows

Row = PrintedRow
FIXED_AND_ADAPTIVE = {"fixed": {"centering": "mean"}, "adaptive": {"centering": "moving"}}
WITH_AND_WITHOUT = {"centered": {"centering": "mean"}, "uncentered": {"centering": None}}


def _values(rows: tuple[Row, ...], *names: str) -> list[Any]:
    """Return the different values of some settings in the order of print; of one setting as plain texts."""
    found = dict.fromkeys(tuple(row.cell[name] for name in names) for row in rows)
    return [values if len(names) > 1 else values[0] for values in found]


def _association(title: str, **options: Any) -> Callable[[str, tuple[Row, ...]], Experiment]:
    def make(label: str, rows: tuple[Row, ...]) -> Experiment:
        pairs: dict[tuple[str, str], list[str]] = {}
        for source, target, activation in _values(rows, "input", "target", "activation"):
            pairs.setdefault((source, target), []).append(activation)
        return Association(label, title, pairs, _values(rows, "rule"), **options)

    return make


def _classification(label: str, rows: tuple[Row, ...]) -> Experiment:
    (centering,) = _values(rows, "centering")
    names, activations = _values(rows, "dataset"), _values(rows, "activation")
    return Classification(label, f"Classification, {centering}", names, activations, centering)


def _auto_association(title: str) -> Callable[[str, tuple[Row, ...]], Experiment]:
    def make(label: str, rows: tuple[Row, ...]) -> Experiment:
        networks = _values(rows, "dataset", "output_activation")
        hidden, rules = _values(rows, "hidden_activation"), _values(rows, "rule")
        return AutoAssociation(label, title, networks, hidden, tuple(rows[0].results), rules)

    return make


MAKERS: dict[str, Callable[[str, tuple[Row, ...]], Experiment]] = {
    "hetero_online_centered": _association("Online hetero-association with centering"),
    "hetero_online_uncentered": _association(
        "Online hetero-association without centering", settings={"centering": None}
    ),
    "hetero_online_adaptive_offsets": _association(
        "Online hetero-association with fixed and with adaptive offsets",
        variant_column="offsets",
        variants=FIXED_AND_ADAPTIVE,
    ),
    "hetero_online_weight_decay": _association(
        "Online hetero-association with weight decay",
        settings={"weight_decays": WEIGHT_DECAYS},
        quick={"weight_decays": QUICK_DECAYS},
    ),
    "hetero_multi_epoch": _association(
        "Hetero-association over 100 epochs",
        by="all",
        settings={"epochs": 100},
        quick={"epochs": 10},
        variant_column="centering",
        variants=WITH_AND_WITHOUT,
    ),
    "classification": _classification,
    "auto_associative": _auto_association("Auto-association: tied auto-encoders"),
    "text_moving_offsets": _association(
        "Numbers of the text: digits in order of their class, fixed and adaptive offsets",
        by="last10",
        settings={"shift": 0.1, "input_order": "label"},
        variant_column="offsets",
        variants=FIXED_AND_ADAPTIVE,
    ),
    "text_auto_associative_hebb": _auto_association(
        "Auto-association: tied auto-encoders, Hebb alone (numbers of the text)"
    ),
}
"""By file of printed rows."""

FILES = {row.label: row.file for row in printed_rows()}
TABLES: dict[str, Experiment] = {
    label: MAKERS[FILES[label]](label, printed_rows(label)) for label in sorted(FILES, key=place)
}
"""By label, in the order of the paper."""
