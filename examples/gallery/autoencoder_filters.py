"""Auto-encoder filters: what hidden units learn with and without the derivative of the activation.

python examples/gallery/autoencoder_filters.py [FILE]
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from hebbian_descent import Autoencoder, datasets, train
from hebbian_descent.plotting import RULE_STYLES

N_HIDDEN = 16
EPOCHS = 30
# The best of 0.02, 0.05, … 20 for each.
LEARNING_RATES = {"hebbian_descent": 1.0, "gradient_descent": 10.0}
N_SHOWN = 8


def trained(rule: str, images: Any) -> Autoencoder:
    """Return an auto-encoder that has seen all images thirty times, in batches of ten."""
    network = Autoencoder.create(
        64,
        N_HIDDEN,
        output_activation="sigmoid",
        offset=images.mean(axis=0),
        rng=np.random.default_rng(0),
    )
    train(
        network,
        images,
        rule=rule,
        learning_rate=LEARNING_RATES[rule],
        batch_size=10,
        shuffle=True,
        epochs=EPOCHS,
    )
    return network


def draw(networks: dict[str, Autoencoder], images: Any) -> Figure:
    """Draw the filters of each network, and images with their reconstructions."""
    figure = Figure(figsize=(7.5, 6.6), layout="constrained")
    above, below = figure.subfigures(2, 1, height_ratios=(1.75, 1))
    for part, (rule, network) in zip(above.subfigures(1, 2, wspace=0.06), networks.items(), strict=True):
        _draw_filters(part, rule, network)
    _draw_reconstructions(below, networks, images)
    return figure


def _draw_filters(part: Any, rule: str, network: Autoencoder) -> None:
    largest = np.abs(network.weights).max()
    for unit, axes in enumerate(part.subplots(4, 4).ravel()):
        axes.imshow(network.weights[:, unit].reshape(8, 8), cmap="PuOr_r", vmin=-largest, vmax=largest)
        _bare(axes)
    part.suptitle(RULE_STYLES[rule]["label"], color=RULE_STYLES[rule]["color"], fontsize=12)


def _draw_reconstructions(part: Any, networks: dict[str, Autoencoder], images: Any) -> None:
    shown = images[:N_SHOWN]
    rows = {"Test image": shown}
    for rule, network in networks.items():
        error = np.abs(network.reconstruct(images) - images).mean()
        rows[f"{RULE_STYLES[rule]['label']}\nerror {error:.3f}"] = network.reconstruct(shown)
    for (label, patterns), axes_of_row in zip(rows.items(), part.subplots(len(rows), N_SHOWN), strict=True):
        for pattern, axes in zip(patterns, axes_of_row, strict=True):
            axes.imshow(pattern.reshape(8, 8), cmap="gray_r", vmin=0, vmax=1)
            _bare(axes)
        axes_of_row[0].set_ylabel(label, rotation=0, ha="right", va="center", fontsize=9)


def _bare(axes: Any) -> None:
    axes.set_xticks([])
    axes.set_yticks([])
    axes.spines[:].set_visible(False)


def main(path: str) -> None:
    """Train and draw."""
    digits = datasets.load("digits")
    assert digits.test is not None
    networks = {rule: trained(rule, digits.train.inputs) for rule in LEARNING_RATES}
    draw(networks, digits.test.inputs).savefig(path, dpi=110)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "autoencoder_filters.png")
