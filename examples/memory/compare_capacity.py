"""How many patterns each memory holds, per synapse and per byte: the page docs/capacity.md.

python examples/memory/compare_capacity.py --measure --store capacity   # minutes; resumes from the folder
python examples/memory/compare_capacity.py                              # writes the page from the results
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from hebbian_descent import AssociativeMemory
from hebbian_descent.memory import MEMORIES, capacity
from hebbian_descent.plotting import new_panels, save_svg

ROOT = Path(__file__).parents[2]
RESULTS = Path(__file__).with_suffix(".json")
PAGE = ROOT / "docs" / "capacity.md"
FIGURE = ROOT / "docs" / "figures" / "capacity.svg"

SIZES = (200,)
DRAWS = 4
CRITERION = "overlap > 0.95"
RULES = ("hebbian_descent", "gradient_descent", "hebb", "covariance")
PATTERNS: dict[str, dict[str, float]] = {
    "dense": {"activity": 0.5},
    "sparse": {"activity": 0.05},
    "correlated": {"activity": 0.5, "correlation": 0.3},
}
NOISE = {"clean": 0.0, "noisy": 0.2}
PASSES = (1, 5)
SIGNED = ("hopfield", "pseudo_inverse", "dense")
"""Memories that use patterns of −1 and 1 if half of the units are active."""
ONLY_SPARSE = ("willshaw",)
COLORS = ("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442", "#666666")


def associative(rule: str, size: int) -> AssociativeMemory:
    """Return one layer from each pattern to itself, without self-connections."""
    return AssociativeMemory(size, auto="layer", rule=rule, connectivity=~np.eye(size, dtype=bool))


def other(name: str, options: dict[str, Any], size: int) -> Any:
    """Return a listed memory with some options."""
    return MEMORIES[name](size, **options)


def memories() -> list[str]:
    """Return the rules of `AssociativeMemory`, then all other memories of the package, by name."""
    return [*RULES, *(name for name, kind in MEMORIES.items() if kind is not AssociativeMemory)]


def made(name: str, activity: float) -> tuple[Any, dict[str, Any]]:
    """Return the function that creates a memory for some activity, and the other arguments of `capacity`."""
    if name in RULES:
        return partial(associative, name), {}
    is_sparse = activity != 0.5
    options: dict[str, Any] = {}
    if is_sparse and name == "hopfield":
        options = {"activity": activity}
    if name == "willshaw":
        options = {"n_winners": round(activity * SIZES[-1])}
    return partial(other, name, options), {"signed": name in SIGNED and not is_sparse}


def measured(store: str | None) -> Iterator[dict[str, Any]]:
    """Yield the row of each memory, kind of patterns, cue, number of passes and size."""
    for name in memories():
        for (kind, settings), (cue, noise), passes in product(PATTERNS.items(), NOISE.items(), PASSES):
            if name in ONLY_SPARSE and kind != "sparse":
                continue
            make, options = made(name, settings["activity"])
            found = capacity(
                make,
                SIZES,
                **settings,
                **options,
                noise=noise,
                passes=passes,
                criterion=CRITERION,
                readout="winners",
                at_most=4,
                precision=0.05,
                draws=DRAWS,
                store=store,
            )
            sys.stderr.write(f"{name}, {kind}, {cue}, {passes}\n")
            for row in found.rows():
                rounded = {key: float(f"{value:.4g}") for key, value in row.items()}
                yield {"memory": name, "patterns_kind": kind, "cue": cue, "passes": passes, **rounded}


def table(rows: list[dict[str, Any]], size: int) -> Iterator[list[str]]:
    """Yield the lines of the table of one size."""
    yield ["memory", "patterns", "passes", "clean cues", "noisy cues", "bits/synapse", "gained", "bits/byte"]
    yield ["---"] * 8
    chosen = {
        (row["memory"], row["patterns_kind"], row["passes"], row["cue"]): row
        for row in rows
        if row["size"] == size
    }
    for name, kind, passes in dict.fromkeys(key[:3] for key in chosen):
        clean, noisy = (chosen[name, kind, passes, cue] for cue in NOISE)
        yield [
            f"`{name}`",
            kind,
            str(passes),
            *(
                f"{row['patterns']:.0f} ({row['low']:.0f} to {row['high']:.0f}){'+' * bool(row['limited'])}"
                for row in (clean, noisy)
            ),
            f"{clean['bits_per_synapse']:.3f}",
            f"{noisy['gained_bits_per_synapse']:.3f}",
            f"{clean['bits_per_byte']:.4f}",
        ]


def draw(rows: list[dict[str, Any]]) -> Any:
    """Return the figure: patterns per unit after one pass and after five, clean and noisy cues."""
    figure, panels = new_panels(3, width=3.4, height=3.4)
    names = list(dict.fromkeys(row["memory"] for row in rows))
    groups = list(product(PASSES, NOISE))
    for axes, kind in zip(panels, PATTERNS, strict=True):
        for place, name in enumerate(names):
            bars = [
                row
                for passes, cue in groups
                for row in rows
                if (row["memory"], row["patterns_kind"], row["passes"], row["cue"], row["size"])
                == (name, kind, passes, cue, SIZES[-1])
            ]
            if not bars:
                continue
            height = np.array([row["patterns"] for row in bars]) / SIZES[-1]
            ends = np.array([(row["low"], row["high"]) for row in bars]).T / SIZES[-1]
            x = np.arange(len(groups)) + (place - (len(names) - 1) / 2) * 0.8 / len(names)
            axes.bar(
                x,
                height,
                0.8 / len(names),
                yerr=np.abs(ends - height),
                error_kw={"linewidth": 0.8},
                color=COLORS[place % len(COLORS)],
                label=name,
            )
        labels = [f"{passes} pass{'es' * (passes > 1)},\n{cue}" for passes, cue in groups]
        axes.set_xticks(range(len(groups)), labels)
        axes.tick_params(axis="x", labelsize=7)
        axes.set_title(kind, fontsize=11)
    panels[0].set_ylabel("Patterns held per unit")
    handles = {}  # some memories are in some panels only
    for axes in panels:
        handles |= {label: handle for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)}
    shown = [name for name in names if name in handles]
    figure.legend(
        [handles[name] for name in shown],
        shown,
        loc="outside lower center",
        ncols=5,
        frameon=False,
        fontsize=8,
    )
    return figure


def write_page(rows: list[dict[str, Any]]) -> None:
    """Write the table into the page, between its two markers, and draw the figure."""
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split("<!-- table -->\n", 1)
    after = rest.split("<!-- end of table -->", 1)[1]
    lines = "".join(f"| {' | '.join(line)} |\n" for line in table(rows, SIZES[-1]))
    PAGE.write_text(f"{before}<!-- table -->\n{lines}<!-- end of table -->{after}", encoding="utf-8")
    save_svg(draw(rows), FIGURE)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--measure", action="store_true", help="measure again, then write the page")
    parser.add_argument("--store", help="folder for finished cells")
    options = parser.parse_args()
    if options.measure:
        found = list(measured(options.store))
        text = ",\n".join(json.dumps(row) for row in found)
        RESULTS.write_text(f"[\n{text}\n]\n", encoding="utf-8")
    write_page(json.loads(RESULTS.read_text(encoding="utf-8")))
