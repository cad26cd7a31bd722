"""A deep auto-encoder with tied weights: the full gradient against the decoder part alone.

Both use the matching loss of sigmoid outputs and Adam, with the same initial weights and batches.
"""

from __future__ import annotations

from functools import partial

import torch
from common import Data, batches, draw, mean_and_sd, options, over_seeds, panels, read, save, table

from hebbian_descent.nn import TiedAutoencoder, update_offsets_

METHODS = {"full gradient": "full", "decoder part": "decoder"}
RATES = (0.001, 0.003, 0.01)
SIZES = {"digits": [64, 32, 16], "mnist": [784, 196, 49]}


def train(data: Data, method: str, rate: float, steps: list[int], seed: int) -> list[float]:
    """Return the mean absolute error of reconstructed test patterns after given numbers of updates."""
    torch.manual_seed(seed)
    model = TiedAutoencoder(
        SIZES[data.name], "sigmoid", "sigmoid", gradient=METHODS[method], offset=data.inputs.mean(dim=0)
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)
    errors = []
    for step, (x, _) in enumerate(batches(data, steps[-1] + 1, 50, seed)):
        if step in steps:
            with torch.no_grad():
                errors.append((model(data.test_inputs) - data.test_inputs).abs().mean().item())
        optimizer.zero_grad()
        model.loss(x).backward()
        optimizer.step()
        update_offsets_(model)
    return errors


def main() -> None:
    """Train both methods, print a table and draw the picture."""
    args = options(__doc__)
    data = read(args.dataset, n_test=2000)
    steps = [round(args.updates * i / 25) for i in range(26)]
    figure, axes = panels(1, len(RATES))
    baseline = (data.test_inputs - data.inputs.mean(dim=0)).abs().mean().item()
    rows = []
    for axis, rate in zip(axes[0], RATES, strict=True):
        row = [f"{rate:g}"]
        for method in METHODS:
            curves = over_seeds(partial(train, data, method, rate, steps), args.seeds)
            draw(axis, steps, curves, method)
            row.append(mean_and_sd(curves[:, -1], 4))
        rows.append(row)
        axis.axhline(baseline, color="#666666", linestyle="-.", linewidth=1)
        axis.set_ylim(0, 1.3 * baseline)
        axis.set_title(f"η = {rate:g}", fontsize=10)
        axis.set_xlabel("Updates")
    axes[0, 0].set_ylabel("Test error (mean absolute)")
    print(table(["learning rate", *METHODS], rows))
    print(f"Reconstructing every pattern as the mean pattern: {baseline:.4f}")
    print(save(figure, args.output, f"deep_autoencoder_{args.dataset}"))


if __name__ == "__main__":
    main()
