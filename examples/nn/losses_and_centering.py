"""The matching loss and centering in small perceptrons, each at a learning rate that suits it.

Learning rates are the best ones of the page on learning in PyTorch networks, docs/nn/README.md.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import torch
from common import Data, batches, mean_and_sd, options, over_seeds, read, table
from torch import Tensor, nn
from torch.nn import functional as F

from hebbian_descent.nn import Centering, MatchingLoss, get_torch_activation

LOSS_RATES = {"sigmoid": (3.2, 0.8), "rectifier": (0.4, 0.57), "exponential": (0.4, 0.57)}
"""By output unit: learning rates for the squared error and the matching loss."""
CENTERING_RATES = {"sigmoid": (3.2, 6.4), "tanh": (0.4, 1.6), "rectifier": (0.4, 1.6)}
"""By hidden unit: learning rates without and with centering."""
HIDDEN = {"sigmoid": nn.Sigmoid, "tanh": nn.Tanh, "rectifier": nn.ReLU}
HEADER = ["network", "change", "test error before", "after"]


def squared_error(output: str) -> Callable[[Tensor, Tensor], Tensor]:
    """Return the loss ½‖h − t‖² of pre-activations and targets."""
    phi = get_torch_activation(output)
    return lambda a, t: (phi(a) - t).square().sum(dim=-1).mean() / 2


def learn_outputs(data: Data, output: str, is_matching: bool, rate: float, updates: int, seed: int) -> float:
    """Return the test error of one hidden layer of rectifiers with either loss."""
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Linear(data.n_features, 100), nn.ReLU(), nn.Linear(100, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    loss = MatchingLoss(output) if is_matching else squared_error(output)
    return train(model, optimizer, loss, data, updates, seed)


def learn_hidden(data: Data, hidden: str, is_centered: bool, rate: float, updates: int, seed: int) -> float:
    """Return the test error of two hidden layers below softmax outputs, centered or not."""
    torch.manual_seed(seed)
    phi = HIDDEN[hidden]
    model = nn.Sequential(
        nn.Linear(data.n_features, 100), phi(), nn.Linear(100, 100), phi(), nn.Linear(100, 10)
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    if is_centered:
        Centering(model, optimizer)
    return train(model, optimizer, MatchingLoss("softmax"), data, updates, seed)


def train(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    loss: Callable[[Tensor, Tensor], Tensor],
    data: Data,
    updates: int,
    seed: int,
) -> float:
    """Return the test error after learning."""
    for x, labels in batches(data, updates, 50, seed):
        optimizer.zero_grad()
        loss(model(x), F.one_hot(labels, 10).float()).backward()
        optimizer.step()
    with torch.no_grad():
        return (model(data.test_inputs).argmax(dim=-1) != data.test_labels).float().mean().item()


def main() -> None:
    """Train all networks, and print a table."""
    args = options(__doc__)
    data = read(args.dataset)
    rows = []
    for learn, words, rates_of, change in (
        (learn_outputs, "outputs", LOSS_RATES, "squared error → matching loss"),
        (learn_hidden, "hidden units", CENTERING_RATES, "uncentered → centered"),
    ):
        for units, rates in rates_of.items():
            runs = [partial(learn, data, units, bool(way), rates[way], args.updates) for way in range(2)]
            errors = [mean_and_sd(over_seeds(run, args.seeds)) for run in runs]
            rows.append([f"{units} {words}", change, *errors])
    print(table(HEADER, rows))


if __name__ == "__main__":
    main()
