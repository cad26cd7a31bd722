"""Shared parts of the scripts: data as tensors, several seeds, a table and a picture."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from matplotlib.figure import Figure
from torch import Tensor

from reproduction.studies.perceptrons.data import Data, read

__all__ = [
    "COLOURS",
    "Data",
    "batches",
    "draw",
    "mean_and_sd",
    "options",
    "over_seeds",
    "panels",
    "read",
    "save",
    "table",
]
COLOURS = {"squared error": "#0072B2", "matching loss": "#D55E00", "full gradient": "#0072B2"}
COLOURS["decoder part"] = COLOURS["matching loss"]


def batches(data: Data, n_updates: int, batch_size: int, seed: int) -> Iterator[tuple[Tensor, Tensor]]:
    """Yield shuffled batches, epoch after epoch, the same for every method with the same seed."""
    generator = torch.Generator().manual_seed(seed)
    rows: list[Tensor] = []
    for _ in range(n_updates):
        if not rows:
            rows = list(torch.randperm(len(data.inputs), generator=generator).split(batch_size))
        chosen = rows.pop()
        yield data.inputs[chosen], data.labels[chosen]


def over_seeds(run: Callable[[int], Any], n_seeds: int) -> np.ndarray:
    """Return the curves of a method, one row per seed."""
    return np.array([run(seed) for seed in range(n_seeds)])


def mean_and_sd(values: np.ndarray, digits: int = 3) -> str:
    """Write a mean over seeds with its standard deviation."""
    return f"{values.mean():.{digits}f} ± {values.std(ddof=1) if len(values) > 1 else 0.0:.{digits}f}"


def draw(axes: Any, steps: list[int], curves: np.ndarray, label: str) -> None:
    """Draw the mean over seeds with a band of one standard deviation."""
    mean, sd = curves.mean(axis=0), curves.std(axis=0, ddof=1 if len(curves) > 1 else 0)
    axes.plot(steps, mean, color=COLOURS[label], label=label, linewidth=1.6)
    axes.fill_between(steps, mean - sd, mean + sd, color=COLOURS[label], alpha=0.2, linewidth=0)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25, linewidth=0.6)


def panels(n_rows: int, n_columns: int) -> tuple[Figure, Any]:
    """Return a figure and its axes as a matrix."""
    figure = Figure(figsize=(2.9 * n_columns, 2.3 * n_rows + 0.4), layout="constrained")
    return figure, figure.subplots(n_rows, n_columns, squeeze=False, sharex=True)


def save(figure: Figure, folder: Path, name: str) -> Path:
    """Write a figure with one legend for all panels."""
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", frameon=False, ncols=len(labels))
    folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(folder / f"{name}.png", dpi=90)
    return folder / f"{name}.png"


def table(header: list[str], rows: list[list[str]]) -> str:
    """Return a Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def options(description: str) -> argparse.Namespace:
    """Read the command line, and let PyTorch use one thread: the models are small."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--dataset", default="digits", help="digits, or mnist if its files are available")
    parser.add_argument("--output", type=Path, default=Path("docs/nn"), help="folder for the picture")
    parser.add_argument("--updates", type=int, default=1000)
    parser.add_argument("--seeds", type=int, default=3)
    torch.set_num_threads(1)
    return parser.parse_args()
