"""One-shot storage of sequences in a small hippocampus: does the dentate gyrus help?

python examples/memory/hippocampus.py            # some minutes: hippocampus.json, the figure and the table
python examples/memory/hippocampus.py --table    # figure and table from hippocampus.json
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from hebbian_descent import patterns
from hebbian_descent.measures import pearson_correlation
from hebbian_descent.memory import Area, AssociativeMemory, Chain, random_projection
from hebbian_descent.plotting import save_svg
from hebbian_descent.table_formats import TextTable, markdown_text

ROOT = Path(__file__).parent.parent.parent
RESULTS = Path(__file__).with_suffix(".json")
FIGURE = ROOT / "docs" / "figures" / "hippocampus.svg"
PAGE = ROOT / "docs" / "circuits.md"
START, END = "<!-- hippocampus: start -->", "<!-- hippocampus: end -->"

ACTIVITY = {"EC": 0.35, "DG": 0.005, "CA3": 0.032}
"""Share of active units."""
N_DRAWS = 10
LENGTH = 100
N_REPLAYED = 5
KINDS = {
    "independent": lambda n, size, seed: patterns.sparse(n, size, ACTIVITY["EC"], seed),
    "neighbours correlated by 0.5": lambda n, size, seed: drifting(n, size, 0.5, seed),
    "neighbours correlated by 0.9": lambda n, size, seed: drifting(n, size, 0.9, seed),
    "all correlated by 0.5": lambda n, size, seed: alike(n, size, 0.5, seed),
    "all correlated by 0.9": lambda n, size, seed: alike(n, size, 0.9, seed),
}
NOISE = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)
LENGTHS = (50, 100, 150, 200, 250, 300, 400, 500)
N_SEQUENCES = 10
SEQUENCE = 20


def drifting(n: int, size: int, correlation: float, seed: int) -> Any:
    """Return patterns whose neighbours correlate: f + r(1 − f) of the active units stay on."""
    f = ACTIVITY["EC"]
    return patterns.drifting(n, size, f, f + correlation * (1 - f), seed)


def alike(n: int, size: int, correlation: float, seed: int) -> Any:
    """Return patterns of one prototype."""
    return patterns.correlated(n, size, ACTIVITY["EC"], correlation, seed)


def hippocampus(intrinsic: Any, *, dentate_gyrus: bool = True, factor: int = 2, seed: int = 0) -> Chain:
    """Return entorhinal cortex → dentate gyrus → CA3 → entorhinal cortex, before anything is stored.

    The projection to the dentate gyrus is fixed and random. CA3 runs freely through its intrinsic sequence,
    which its recurrent projection has learned beforehand. The projections into and out of CA3 are plastic.
    """
    ec, dg, ca3 = (Area(name, size, k) for name, size, k in sizes(factor))
    recurrent = AssociativeMemory(ca3.n_units, ca3.n_units)
    for _ in range(5):
        recurrent.store_sequence(intrinsic)
    way_in = (
        [random_projection(ec.n_units, dg.n_units, seed=seed), AssociativeMemory(dg.n_units, ca3.n_units)]
        if dentate_gyrus
        else [AssociativeMemory(ec.n_units, ca3.n_units)]
    )
    areas = [ec, *([dg] if dentate_gyrus else []), ca3, Area("output", ec.n_units)]
    way_out = AssociativeMemory(ca3.n_units, ec.n_units)
    return Chain(areas, [*way_in, way_out], recurrent={"CA3": recurrent})


def sizes(factor: int) -> list[tuple[str, int, int | None]]:
    """Return name, number of units and winners of each area; the cortex has graded activity."""
    counts = {"EC": 110 * factor, "DG": 1200 * factor, "CA3": 250 * factor}
    return [
        (name, n, None if name == "EC" else max(round(ACTIVITY[name] * n), 1)) for name, n in counts.items()
    ]


def intrinsic_sequence(n: int, factor: int, seed: int) -> Any:
    """Return the states of CA3, one per step."""
    return patterns.sparse(n, 250 * factor, ACTIVITY["CA3"], seed + 1000)


def replayed(chain: Chain, x: Any, cues: Any) -> dict[str, float]:
    """Replay from every pattern but the last few, and compare with the stored sequence."""
    n = len(x) - N_REPLAYED
    after = chain.replay(cues[:n], N_REPLAYED).reshape(n * N_REPLAYED, -1)
    right = np.concatenate([x[start + 1 : start + 1 + N_REPLAYED] for start in range(n)])
    places = np.concatenate([np.arange(start + 1, start + 1 + N_REPLAYED) for start in range(n)])
    # The nearest of all stored patterns, not only of those that can be right.
    distance = (x * x).sum(axis=1) - 2 * after @ x.T
    return {
        "identified": float((distance.argmin(axis=1) == places).mean()),
        "correlation": float(pearson_correlation(right, after).mean()),
    }


def measure(
    kind: str, n: int, *, dentate_gyrus: bool, noise: float = 0.0, factor: int = 2, seed: int
) -> dict[str, float]:
    """Store one sequence in a new hippocampus, and recall it from each of its patterns."""
    x, states = KINDS[kind](n, 110 * factor, seed), intrinsic_sequence(n, factor, seed)
    chain = hippocampus(states, dentate_gyrus=dentate_gyrus, factor=factor, seed=seed)
    chain.store(x, x, given={"CA3": states})
    return replayed(chain, x, patterns.corrupt(x, swap=noise, seed=seed))


def by_age(*, dentate_gyrus: bool, seed: int) -> list[float]:
    """Store ten sequences one after another, and return how well each is replayed, the last one first."""
    n = N_SEQUENCES * SEQUENCE
    states = intrinsic_sequence(n, 2, seed)
    x = np.concatenate([drifting(SEQUENCE, 220, 0.5, 100 * seed + i) for i in range(N_SEQUENCES)])
    chain = hippocampus(states, dentate_gyrus=dentate_gyrus, seed=seed)
    chain.store(x, x, given={"CA3": states})
    found = []
    for start in range(n - SEQUENCE, -1, -SEQUENCE):
        after = chain.replay(x[start], SEQUENCE - 1)
        found.append(float(pearson_correlation(x[start + 1 : start + SEQUENCE], after).mean()))
    return found


def measure_all() -> dict[str, Any]:
    """Return all results: for each condition one entry per draw."""
    both = {"with": True, "without": False}
    return {
        "kinds": {
            kind: {
                word: [measure(kind, LENGTH, dentate_gyrus=dg, seed=seed) for seed in range(N_DRAWS)]
                for word, dg in both.items()
            }
            for kind in KINDS
        },
        "noise": {
            word: [
                [
                    measure("neighbours correlated by 0.5", LENGTH, dentate_gyrus=dg, noise=noise, seed=seed)
                    for seed in range(N_DRAWS // 2)
                ]
                for noise in NOISE
            ]
            for word, dg in both.items()
        },
        "lengths": {
            word: [
                [measure("independent", n, dentate_gyrus=dg, seed=seed) for seed in range(N_DRAWS // 2)]
                for n in LENGTHS
            ]
            for word, dg in both.items()
        },
        "ages": {
            word: [by_age(dentate_gyrus=dg, seed=seed) for seed in range(N_DRAWS)]
            for word, dg in both.items()
        },
        "factor 10": {
            word: measure("neighbours correlated by 0.9", LENGTH, dentate_gyrus=dg, factor=10, seed=0)
            for word, dg in both.items()
        },
    }


def mean_and_interval(values: Any) -> tuple[float, float]:
    """Return the mean over draws and half the width of its 95 % interval (Student's t)."""
    from scipy.stats import t

    x = np.asarray(values)
    return float(x.mean()), float(t.ppf(0.975, len(x) - 1) * x.std(ddof=1) / np.sqrt(len(x)))


def table(results: dict[str, Any]) -> str:
    """Return the table of the page, as Markdown."""
    rows = []
    for kind, found in results["kinds"].items():
        row = [kind]
        for measured in ("identified", "correlation"):
            for word in ("with", "without"):
                mean, half = mean_and_interval([draw[measured] for draw in found[word]])
                row.append(f"{mean:.2f} ± {half:.2f}")
        rows.append(row)
    head = ("patterns", "identified, with DG", "without DG", "correlation, with DG", "without DG")
    return markdown_text(TextTable(head, rows))


def draw(results: dict[str, Any]) -> Figure:
    """Draw the length of sequences, the noise of cues, and the age of sequences."""
    figure = Figure(figsize=(9.0, 3.0), layout="constrained")
    panels = figure.subplots(1, 3, sharey=True)
    share = [n / 500 for n in LENGTHS]
    ages = list(range(1, N_SEQUENCES + 1))
    curves = {
        "Patterns stored per CA3 unit": (share, "lengths", "correlation"),
        "Share of the cue's units moved": (list(NOISE), "noise", "identified"),
        "Age in sequences of 20 patterns": (ages, "ages", None),
    }
    for axes, (label, (x, part, measured)) in zip(panels, curves.items(), strict=True):
        for word, color, dashes in (("with", "#D55E00", "-"), ("without", "#0072B2", "--")):
            draws = results[part][word]
            if measured is None:
                columns = [list(column) for column in zip(*draws, strict=True)]
            else:
                columns = [[found[measured] for found in column] for column in draws]
            mean, half = np.array([mean_and_interval(column) for column in columns]).T
            axes.plot(x, mean, color=color, linestyle=dashes, label=f"{word} dentate gyrus")
            axes.fill_between(x, mean - half, mean + half, color=color, alpha=0.2, linewidth=0)
        axes.set_xlabel(label)
        axes.spines[["top", "right"]].set_visible(False)
        axes.set_ylabel("Identified" if measured == "identified" else "Correlation")
        axes.yaxis.set_tick_params(labelleft=True)
    panels[0].set_ylim(0, 1.03)
    panels[0].legend(frameon=False, loc="lower left")
    return figure


def main() -> None:
    """Measure, unless `--table` is given, then write figure and table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--table", action="store_true", help="write figure and table from the saved results")
    if not parser.parse_args().table:
        RESULTS.write_text(json.dumps(measure_all(), indent=1) + "\n", encoding="utf-8")
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    save_svg(draw(results), FIGURE)
    text = PAGE.read_text(encoding="utf-8")
    before, after = text.split(START)[0], text.split(END)[1]
    PAGE.write_text(f"{before}{START}\n{table(results)}\n{END}{after}", encoding="utf-8")
    sys.stdout.write(f"{FIGURE.relative_to(ROOT)} and {PAGE.relative_to(ROOT)}\n")


if __name__ == "__main__":
    main()
