"""A multi-layer perceptron with sigmoid, rectifier and step outputs: squared error against the matching loss.

Both methods start from the same weights, see the same batches and use plain SGD with the same learning rates.
"""

from __future__ import annotations

from functools import partial

import torch
from common import Data, batches, draw, mean_and_sd, options, over_seeds, panels, read, save, table
from torch import Tensor, nn
from torch.nn import functional as F

from hebbian_descent.nn import MatchingLoss, get_torch_activation

OUTPUTS = ("sigmoid", "rectifier", "step")
RATES = (0.01, 0.1, 1.0, 5.0)
METHODS = ("squared error", "matching loss")


def train(data: Data, output: str, method: str, rate: float, steps: list[int], seed: int) -> list[float]:
    """Return the share of misclassified test patterns after each of the given numbers of updates."""
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Linear(data.n_features, 100), nn.ReLU(), nn.Linear(100, 10))
    phi = get_torch_activation(output)
    matching = MatchingLoss(output)

    def loss(a: Tensor, t: Tensor) -> Tensor:
        return matching(a, t) if method == "matching loss" else ((phi(a) - t) ** 2).sum(dim=-1).mean() / 2

    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    errors = []
    for step, (x, labels) in enumerate(batches(data, steps[-1] + 1, 50, seed)):
        if step in steps:
            with torch.no_grad():
                predicted = phi(model(data.test_inputs)).nan_to_num().argmax(dim=-1)
            errors.append((predicted != data.test_labels).float().mean().item())
        optimizer.zero_grad()
        loss(model(x), F.one_hot(labels, 10).float()).backward()
        optimizer.step()
    return errors


def main() -> None:
    """Train all combinations, print a table, draw the picture."""
    args = options(__doc__)
    data = read(args.dataset)
    steps = [round(args.updates * i / 25) for i in range(26)]
    figure, axes = panels(len(OUTPUTS), len(RATES))
    rows = []
    for i, output in enumerate(OUTPUTS):
        for j, rate in enumerate(RATES):
            row = [output, f"{rate:g}"]
            for method in METHODS:
                curves = over_seeds(partial(train, data, output, method, rate, steps), args.seeds)
                draw(axes[i, j], steps, curves, method)
                row.append(mean_and_sd(curves[:, -1]))
            rows.append(row)
            axes[i, j].set_ylim(0, 1)
            axes[i, j].set_title(f"{output}, η = {rate:g}", fontsize=10)
        axes[i, 0].set_ylabel("Test error")
    for axis in axes[-1]:
        axis.set_xlabel("Updates")
    print(table(["outputs", "learning rate", *METHODS], rows))
    print(save(figure, args.output, f"output_losses_{args.dataset}"))


if __name__ == "__main__":
    main()
