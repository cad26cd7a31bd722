"""The tables and the picture of losses_and_centering.py, from saved runs.

Each table is between two comments of docs/nn/README.md, so it can be rewritten when results change without
touching the surrounding text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path

import numpy as np
from common import COLOURS, mean_and_sd, panels, save, table
from scipy import stats

from hebbian_descent.network import ACTIVATIONS
from reproduction.studies.perceptrons.network import (
    HIDDEN,
    SIZES,
    USUAL_RATES,
    Network,
    code_of,
    losses_of,
)
from reproduction.studies.perceptrons.rate_search import RateSearch

PAGE = Path("docs/nn/README.md")
NO_GRADIENT, SAME = "no gradient", "the same"
LOSSES = {"squared": "squared error", "matching": "matching loss"}
PAIRS = (
    ("input only", "none"),
    ("fixed", "none"),
    ("moving", "none"),
    ("moving", "fixed"),
    ("batch norm", "none"),
    ("batch norm", "moving"),
    ("layer norm", "moving"),
)
DRAWN = ("sigmoid", "softmax", "rectifier", "step")

Cell = tuple[float, np.ndarray]  # the best rate, and the test error of each seed there


def write(study: RateSearch, tables: dict[str, Callable[[RateSearch], str]], page: Path = PAGE) -> None:
    """Write all tables of the study into the page."""
    text = page.read_text(encoding="utf-8")
    for name, make in tables.items():
        text = with_table(text, name, make(study))
    page.write_text(text, encoding="utf-8")


def with_table(text: str, name: str, content: str) -> str:
    """Return a page with a table inserted at the marker with its name."""
    between = re.compile(f"(<!-- {name} -->\n).*?(\n<!-- end -->)", flags=re.DOTALL)
    if not between.search(text):
        raise ValueError(f"The page must mark the place of the table {name!r}. Got none for it.")
    return between.sub(lambda found: f"{found[1]}\n{content}\n{found[2]}", text)


def losses_table(study: RateSearch) -> str:
    """Return a row for each output unit: the test errors of both losses on both datasets."""
    header = ["outputs", "targets", *(f"{d}: {loss}" for d, loss in product(SIZES, LOSSES.values()))]
    rows = []
    for output in ACTIVATIONS:
        low, high = code_of(output)
        row = [output, f"{low:g}, {high:g}"]
        for dataset in SIZES:
            known = losses_of(output)
            row += marked(
                [found(study, Network(dataset, output, loss)) if loss in known else None for loss in LOSSES]
            )
            if output in ("linear", "step"):
                row[-2] = SAME if output == "linear" else NO_GRADIENT
        rows.append(row)
    return table(header, rows)


def centering_table(study: RateSearch, dataset: str, methods: Sequence[str], inputs: Sequence[str]) -> str:
    """Return a row for each kind of inputs, optimizer and hidden unit: the test errors of all methods."""
    rows = []
    for form, optimizer, hidden in product(inputs, USUAL_RATES, HIDDEN):
        networks = [
            Network(dataset, hidden=hidden, depth=2, centering=method, inputs=form, optimizer=optimizer)
            for method in methods
        ]
        cells = [found(study, network) for network in networks]
        if any(cells):
            rows.append([form, optimizer, hidden, *marked(cells)])
    return table(["inputs", "optimizer", "hidden units", *methods], rows)


def pairs_table(study: RateSearch, inputs: Sequence[str]) -> str:
    """Return how often one method is better than another, level with it, or worse, by hidden unit."""
    rows = []
    for method, other in PAIRS:
        row = [f"{method} against {other}"]
        for hidden in HIDDEN:
            counts = {"better": 0, "level": 0, "worse": 0}
            for dataset, form, optimizer in product(SIZES, inputs, USUAL_RATES):
                ours, theirs = (
                    found(study, Network(dataset, "softmax", "matching", hidden, 2, 100, m, form, optimizer))
                    for m in (method, other)
                )
                if ours is not None and theirs is not None:
                    counts[verdict(ours[1], theirs[1])] += 1
            row.append(" / ".join(map(str, counts.values())))
        rows.append(row)
    return table(["better / level / worse", *HIDDEN], rows)


def verdict(ours: np.ndarray, theirs: np.ndarray) -> str:
    """Return whether errors are smaller, seed by seed, by more than their 95 % interval."""
    if is_level(ours, theirs) and is_level(theirs, ours):
        return "level"
    return "better" if ours.mean() < theirs.mean() else "worse"


def found(study: RateSearch, network: Network) -> Cell | None:
    """Return the result of a search, None if it has not ended: rates on both sides must be worse."""
    rates = list(study.rates(network))
    if not rates or study.best(network)[0] in (rates[0], rates[-1]):
        return None
    return study.best(network)


def marked(cells: Sequence[Cell | None]) -> list[str]:
    """Return the cells of a row, in bold the best and those that the seeds do not distinguish from it."""
    known = [errors for cell in cells if cell is not None for errors in [cell[1]]]
    best = min(known, key=np.mean, default=np.zeros(1))
    return [
        "–" if cell is None else f"**{in_short(cell)}**" if is_level(cell[1], best) else in_short(cell)
        for cell in cells
    ]


def is_level(errors: np.ndarray, best: np.ndarray) -> bool:
    """Return whether the 95 % interval of the mean difference, seed by seed, includes 0."""
    difference = errors - best
    reach = stats.t.ppf(0.975, len(errors) - 1) * difference.std(ddof=1) / len(errors) ** 0.5
    return bool(difference.mean() <= reach)


def in_short(cell: Cell) -> str:
    """Write a test error with its standard deviation, and the learning rate."""
    rate, errors = cell
    return f"{mean_and_sd(errors)} ({rate:.2g})"


def draw_rates(study: RateSearch, folder: Path) -> Path:
    """Draw the validation error of the first seed against the learning rate, for some output units."""
    figure, axes = panels(len(SIZES), len(DRAWN))
    for (i, dataset), (j, output) in product(enumerate(SIZES), enumerate(DRAWN)):
        axis = axes[i, j]
        for loss, name in LOSSES.items():
            if loss not in losses_of(output):
                continue
            runs = study.kept.get(str(Network(dataset, output, loss)), {})
            points = sorted((float(rate), each[0][0]) for rate, each in runs.items())
            if points:
                axis.plot(*zip(*points, strict=True), "o-", color=COLOURS[name], label=name, markersize=2.5)
        axis.set_xscale("log")
        axis.set_ylim(0, 0.5)
        axis.set_title(f"{dataset}, {output}", fontsize=10)
        axis.spines[["top", "right"]].set_visible(False)
        axis.grid(alpha=0.25, linewidth=0.6)
    for axis in axes[-1]:
        axis.set_xlabel("Learning rate")
    for axis in axes[:, 0]:
        axis.set_ylabel("Validation error")
    return save(figure, folder, "output_losses")
