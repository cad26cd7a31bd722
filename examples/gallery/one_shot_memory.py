"""One-shot memory: 100 random cues, each shown once with the image of a digit. What does each rule recall?

python examples/gallery/one_shot_memory.py [FILE]
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from hebbian_descent import Layer, datasets, train
from hebbian_descent.plotting import BASELINE_STYLE, RULE_STYLES
from hebbian_descent.sweep import sweep
from hebbian_descent.sweep.grids import LEARNING_RATES

AGES = (1, 2, 5, 10, 20, 40, 60, 80, 100)


def best_rates(cues: Any, images: Any) -> dict[str, float]:
    """Return for each rule the learning rate that recalls the last 20 images best."""
    result = sweep(
        cues,
        images,
        rules=list(RULE_STYLES),
        activations="sigmoid",
        learning_rates=LEARNING_RATES,
        trials=1,
    )
    return {best.rule: best.learning_rate for best in result.best(by="last20")}


def recalled(cues: Any, images: Any) -> dict[str, Any]:
    """Return what each rule recalls after learning every pair once."""
    outputs = {}
    for rule, rate in best_rates(cues, images).items():
        layer = Layer.create(
            cues.shape[1], images.shape[1], offset=cues.mean(axis=0), rng=np.random.default_rng(0)
        )
        train(layer, cues, images, rule=rule, learning_rate=rate)
        outputs[rule] = layer.output(cues)
    return outputs


def draw(images: Any, outputs: dict[str, Any]) -> Figure:
    """Draw recalled images by age, and below them the error of every pattern."""
    figure = Figure(figsize=(7.5, 7.2), layout="constrained")
    above, below = figure.subfigures(2, 1, height_ratios=(1.45, 1))
    _draw_images(above, images, outputs)
    _draw_errors(below, images, outputs)
    return figure


def _draw_images(part: Any, images: Any, outputs: dict[str, Any]) -> None:
    rows = {"Shown": images, **outputs}
    grid = part.subplots(len(rows), len(AGES))
    for (name, patterns), axes_of_row in zip(rows.items(), grid, strict=True):
        style = RULE_STYLES.get(name, {"label": name, "color": "black"})
        for age, axes in zip(AGES, axes_of_row, strict=True):
            axes.imshow(patterns[-age].reshape(8, 8), cmap="gray_r", vmin=0, vmax=1)
            axes.set_xticks([])
            axes.set_yticks([])
            axes.spines[:].set_visible(False)
            if name == "Shown":
                axes.set_title("newest" if age == 1 else f"{age - 1} later", fontsize=9)
        axes_of_row[0].set_ylabel(
            style["label"].replace(" ", "\n").replace("-", "-\n"),
            color=style["color"],
            rotation=0,
            ha="right",
            va="center",
            fontsize=10,
        )
    part.suptitle("Recalled after so many other images were stored", fontsize=11)


def _draw_errors(part: Any, images: Any, outputs: dict[str, Any]) -> None:
    axes = part.subplots()
    later = np.arange(len(images))
    for rule, output in outputs.items():
        error = np.abs(output - images).mean(axis=1)[::-1]
        smooth = np.convolve(np.pad(error, 4, mode="edge"), np.full(9, 1 / 9), mode="valid")
        style = RULE_STYLES[rule]
        axes.plot(later, error, ".", color=style["color"], alpha=0.35, markersize=4)
        axes.plot(later, smooth, linewidth=2, **style)
    baseline = np.abs(images - images.mean(axis=0)).mean()
    axes.axhline(baseline, **{**BASELINE_STYLE, "label": "Always the mean image"})
    axes.set(xlabel="Images stored later", ylabel="Error of a pixel", ylim=(0, None), xlim=(0, 99))
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25, linewidth=0.6)
    part.legend(loc="outside lower center", ncols=3, frameon=False, fontsize=9)


def main(path: str) -> None:
    """Store, recall and draw."""
    cues, images = datasets.draw_pair("rand", "digits", 100, seed=0)
    draw(images, recalled(cues, images)).savefig(path, dpi=110)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "one_shot_memory.png")
