"""A drifting stream: handwritten digits seen one by one, while the light changes. Which centering keeps up?

python examples/gallery/drifting_stream.py [FILE]
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from hebbian_descent import AssociativeMemory, datasets
from hebbian_descent.plotting import OTHER_COLORS, RULE_STYLES

N_SAMPLES = 2400
BURST = 200
WINDOW = 250
LEARNING_RATES = (1.0, 0.5, 0.2, 0.05, 0.02, 0.01)
FOLLOWS = "Offset follows the inputs"
STAYS = f"Offset stays at the mean of the first {BURST}"
NONE = "No centering"
STYLES: dict[str, dict[str, Any]] = {
    FOLLOWS: {"color": RULE_STYLES["hebbian_descent"]["color"], "linestyle": "-"},
    STAYS: {"color": RULE_STYLES["gradient_descent"]["color"], "linestyle": "--"},
    NONE: {"color": OTHER_COLORS[2], "linestyle": ":"},
}


def stream() -> tuple[Any, Any]:
    """Return images with a background that brightens from the left, then from above, and their labels."""
    digits = datasets.load("digits").train
    assert digits.labels is not None
    rows = np.random.default_rng(0).integers(len(digits), size=N_SAMPLES)
    time = np.linspace(0, 1, N_SAMPLES)[:, None, None]
    ramp = np.linspace(1, 0, 8)
    from_the_left = np.clip(3 * time - 0.5, 0, 1) * ramp[None, None, :]
    from_above = np.clip(3 * time - 1.7, 0, 1) * ramp[None, :, None]
    light = 1.5 * (from_the_left + from_above)
    images = digits.inputs[rows].reshape(-1, 8, 8) + light
    return images.reshape(N_SAMPLES, 64), digits.labels[rows]


def hits(way: str, images: Any, labels: Any, learning_rate: float) -> Any:
    """Guess every label before it is revealed, then learn it; return which guesses were right."""
    centering: Any = {FOLLOWS: "moving", STAYS: images[:BURST].mean(axis=0), NONE: None}[way]
    memory = AssociativeMemory(
        64, 10, activation="softmax", learning_rate=learning_rate, centering=centering, shift=0.02
    )
    right = np.empty(len(images), dtype=bool)
    for n, (image, target) in enumerate(zip(images, np.eye(10)[labels], strict=True)):
        right[n] = memory.recall(image).argmax() == labels[n]
        memory.store(image, target)
    return right


def best_hits(way: str, images: Any, labels: Any) -> tuple[float, Any]:
    """Return the learning rate that guesses best over the whole stream, and its guesses."""
    found = {rate: hits(way, images, labels, rate) for rate in LEARNING_RATES}
    rate = max(found, key=lambda rate: found[rate].mean())
    return rate, found[rate]


def draw(images: Any, results: dict[str, tuple[float, Any]]) -> Figure:
    """Draw a few images of the stream, and below them the share of right guesses in a moving window."""
    figure = Figure(figsize=(7.5, 4.9), layout="constrained")
    above, below = figure.subfigures(2, 1, height_ratios=(1, 2.9))
    shown = np.linspace(0, N_SAMPLES - 1, 11).astype(int)
    for n, axes in zip(shown, above.subplots(1, len(shown)), strict=True):
        axes.imshow(images[n].reshape(8, 8), cmap="gray", vmin=0, vmax=images.max())
        axes.set_xticks([])
        axes.set_yticks([])
        axes.set_title(f"{n + 1:,}", fontsize=8)
    above.suptitle("The light changes while the digits are learned", fontsize=11)
    axes = below.subplots()
    seen = np.arange(WINDOW, N_SAMPLES + 1)
    for way, (rate, right) in results.items():
        share = np.convolve(right, np.full(WINDOW, 1 / WINDOW), mode="valid")
        label = f"{way}: {100 * right.mean():.1f} % of all (best learning rate {rate:g})"
        axes.plot(seen, 100 * share, linewidth=1.8, label=label, **STYLES[way])
    axes.set(
        xlabel="Images seen, one by one",
        ylabel=f"Guessed right, % of the last {WINDOW}",
        xlim=(0, N_SAMPLES),
        ylim=(30, 100),
    )
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25, linewidth=0.6)
    below.legend(loc="outside lower center", frameon=False, fontsize=9)
    return figure


def main(path: str) -> None:
    """Learn the stream and draw."""
    images, labels = stream()
    results = {way: best_hits(way, images, labels) for way in STYLES}
    draw(images, results).savefig(path, dpi=110)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "drifting_stream.png")
