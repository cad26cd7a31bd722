"""Rectifier outputs that die from too large a learning rate, and the loss that revives them.

The first fifty updates use the squared error with a learning rate that is far too large, which leaves output
units silent for every training pattern. Then each method continues from the same network with a small rate.
"""

from __future__ import annotations

from functools import partial

import torch
from common import Data, batches, draw, mean_and_sd, options, over_seeds, panels, read, save, table
from torch import Tensor, nn
from torch.nn import functional as F

from hebbian_descent.nn import MatchingLoss, center_, update_offsets_

METHODS = ("squared error", "matching loss")
TOO_LARGE = {"digits": 3.0, "mnist": 2.0}
ACCIDENT = 50  # updates
SMALL = 0.05


def train(data: Data, method: str, steps: list[int], seed: int) -> list[list[float]]:
    """Return the number of dead output units and the test error after given numbers of updates."""
    torch.manual_seed(seed)
    model = center_(nn.Sequential(nn.Linear(data.n_features, 50), nn.Tanh(), nn.Linear(50, 10)), data.inputs)
    matching = MatchingLoss("rectifier")

    def squared(a: Tensor, t: Tensor) -> Tensor:
        return ((a.relu() - t) ** 2).sum(dim=-1).mean() / 2

    optimizer = torch.optim.SGD(model.parameters(), lr=TOO_LARGE[data.name])
    dead, errors = [], []
    for step, (x, labels) in enumerate(batches(data, steps[-1] + 1, 50, seed)):
        if step == ACCIDENT:
            optimizer.param_groups[0]["lr"] = SMALL
        if step in steps:
            with torch.no_grad():
                dead.append((model(data.inputs).amax(dim=0) <= 0).sum().item())
                predicted = model(data.test_inputs).relu().argmax(dim=-1)
            errors.append((predicted != data.test_labels).float().mean().item())
        loss = matching if step >= ACCIDENT and method == "matching loss" else squared
        optimizer.zero_grad()
        loss(model(x), F.one_hot(labels, 10).float()).backward()
        optimizer.step()
        update_offsets_(model)
    return [dead, errors]


def main() -> None:
    """Train both methods, print a table and draw the picture."""
    args = options(__doc__)
    data = read(args.dataset)
    steps = sorted({ACCIDENT, *(round(args.updates * i / 40) for i in range(41))})
    figure, axes = panels(1, 2)
    rows = []
    for method in METHODS:
        curves = over_seeds(partial(train, data, method, steps), args.seeds)
        draw(axes[0, 0], steps, curves[:, 0], method)
        draw(axes[0, 1], steps, curves[:, 1], method)
        at = steps.index(ACCIDENT)
        numbers = (curves[:, 0, at], curves[:, 0, -1], curves[:, 1, at], curves[:, 1, -1])
        rows.append([method, *(mean_and_sd(n, 1 if k < 2 else 3) for k, n in enumerate(numbers))])
    for axis, title in zip(axes[0], ("Dead output units of 10", "Test error"), strict=True):
        axis.axvline(ACCIDENT, color="#666666", linestyle=":", linewidth=1)
        axis.set_title(title, fontsize=10)
        axis.set_xlabel("Updates")
        axis.set_ylim(bottom=0)
    header = ["continues with", "dead after the accident", "dead at the end", "test error then", "at the end"]
    print(table(header, rows))
    print(save(figure, args.output, f"dying_rectifiers_{args.dataset}"))


if __name__ == "__main__":
    main()
