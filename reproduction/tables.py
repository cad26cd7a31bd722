"""The paper's tables as experiments, under the paper's labels.

Pairs, rules and activations come from the printed rows; the remaining settings are listed here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reproduction.experiments import Association, AutoAssociation, Classification, Experiment
from reproduction.grids import QUICK_DECAYS, WEIGHT_DECAYS
from reproduction.printed import printed_rows, text_rows


def _association(label: str, title: str, **options: Any) -> Association:
    pairs: dict[tuple[str, str], list[str]] = {}
    rules: dict[str, None] = {}
    for row in printed_rows(label):
        activations = pairs.setdefault((row.cell["input"], row.cell["target"]), [])
        if row.cell["activation"] not in activations:
            activations.append(row.cell["activation"])
        rules[row.cell["rule"]] = None
    return Association(label, title, pairs, tuple(rules), **options)


def _online(label: str) -> Experiment:
    return _association(label, "Online hetero-association with centering")


def _uncentered(label: str) -> Experiment:
    return _association(label, "Online hetero-association without centering", settings={"centering": None})


def _adaptive_offsets(label: str) -> Experiment:
    variants = {"fixed": {"centering": "mean"}, "adaptive": {"centering": "moving"}}
    title = "Online hetero-association with fixed and with adaptive offsets"
    return _association(label, title, variant_column="offsets", variants=variants)


def _moving_offsets(label: str) -> Experiment:
    variants = {"fixed": {"centering": "mean"}, "adaptive": {"centering": "moving"}}
    settings = {"shift": 0.1, "input_order": "label"}
    title = "Numbers of the text: digits in order of their class, fixed and adaptive offsets"
    return _association(
        label, title, by="last10", settings=settings, variant_column="offsets", variants=variants
    )


def _weight_decay(label: str) -> Experiment:
    return _association(
        label,
        "Online hetero-association with weight decay",
        settings={"weight_decays": WEIGHT_DECAYS},
        quick_settings={"weight_decays": QUICK_DECAYS},
    )


def _multi_epoch(label: str) -> Experiment:
    return _association(
        label,
        "Hetero-association over 100 epochs",
        by="all",
        settings={"epochs": 100},
        quick_settings={"epochs": 10},
        variant_column="centering",
        variants={"centered": {"centering": "mean"}, "uncentered": {"centering": None}},
    )


def _classification(label: str) -> Experiment:
    rows = printed_rows(label)
    return Classification(
        label,
        f"Classification, {rows[0].cell['centering']}",
        names=tuple(dict.fromkeys(row.cell["dataset"] for row in rows)),
        activations=tuple(dict.fromkeys(row.cell["activation"] for row in rows)),
        centering=rows[0].cell["centering"],
    )


def _auto_association(label: str) -> Experiment:
    rows = printed_rows(label)
    rules = tuple(dict.fromkeys(row.cell["rule"] for row in rows))
    return AutoAssociation(
        label,
        f"Auto-association: tied auto-encoders{', Hebb alone (numbers of the text)' * (rules == ('hebb',))}",
        rules=rules,
        networks=tuple(dict.fromkeys((row.cell["dataset"], row.cell["output_activation"]) for row in rows)),
        hidden_activations=tuple(dict.fromkeys(row.cell["hidden_activation"] for row in rows)),
    )


MAKERS: dict[str, Callable[[str], Experiment]] = {
    "hetero_online_centered": _online,
    "hetero_online_uncentered": _uncentered,
    "hetero_online_adaptive_offsets": _adaptive_offsets,
    "hetero_online_weight_decay": _weight_decay,
    "hetero_multi_epoch": _multi_epoch,
    "classification": _classification,
    "auto_associative": _auto_association,
    "text_moving_offsets": _moving_offsets,
    "text_auto_associative_hebb": _auto_association,
}
"""By file of printed rows."""

TABLES: dict[str, Experiment] = {
    label: MAKERS[file](label)
    for label, file in dict.fromkeys((row.label, row.file) for row in (*printed_rows(), *text_rows()))
}
