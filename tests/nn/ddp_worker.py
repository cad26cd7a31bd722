"""One of several processes that train copies of a model: run as `ddp_worker.py rank n_processes folder`."""

import os
import sys
from pathlib import Path

import torch
from centering_cases import learned_by_process, looked_at_too_late
from torch import distributed, nn
from torch.nn.parallel import DistributedDataParallel

from hebbian_descent.nn import CenteredLinear, HebbianLayer, MatchingLoss, TiedAutoencoder, update_offsets_


class Model(nn.Module):
    """A classifier and an auto-encoder, with fixed and moving offsets."""

    def __init__(self):
        super().__init__()
        self.below = HebbianLayer(6, 5, "sigmoid", offset=0.5, shift=0.2, dtype=torch.float64)
        self.top = CenteredLinear(5, 3, shift=0.1, dtype=torch.float64)
        self.codes = TiedAutoencoder(
            [6, 4, 2], "sigmoid", "sigmoid", gradient="decoder", shift=0.1, dtype=torch.float64
        )

    def forward(self, x):
        return self.top(self.below(x)), self.codes.preactivation(x)


def initial_model():
    torch.manual_seed(0)
    return Model()


def patterns():
    generator = torch.Generator().manual_seed(1)
    x = torch.rand(4, 12, 6, generator=generator, dtype=torch.float64)  # 4 steps of 12 patterns
    return x, (x.sum(dim=-1) * 10).long() % 3


def losses(outputs, x, classes):
    a, z = outputs
    return MatchingLoss("softmax")(a, classes) + MatchingLoss("sigmoid")(z, x)


def train(model, rows, *, n_parts=1):
    """Take a step with each batch, or with the sum of `n_parts`; only `rows` are this process's."""
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    for x, classes in zip(*patterns(), strict=True):
        optimizer.zero_grad()
        for part in rows.chunk(n_parts):
            (losses(model(x[part]), x[part], classes[part]) / n_parts).backward()
        optimizer.step()
        update_offsets_(model)


def main(rank, n_processes, folder):
    torch.set_num_threads(1)
    distributed.init_process_group(
        "gloo", init_method=(folder / "meeting").as_uri(), rank=rank, world_size=n_processes
    )
    rows = torch.arange(12).chunk(n_processes)[rank]
    model = initial_model()
    train(DistributedDataParallel(model), rows)
    torch.save(model.state_dict(), folder / f"wrapped-{rank}.pt")

    model = initial_model()
    train(DistributedDataParallel(model), rows, n_parts=2)
    torch.save(model.state_dict(), folder / f"accumulated-{rank}.pt")

    layer = CenteredLinear(2, 1, shift=1.0, dtype=torch.float64)
    if rank == 0:  # the others saw nothing, and follow all the same
        layer(torch.ones(3, 2, dtype=torch.float64))
    update_offsets_(layer)
    alone = CenteredLinear(2, 1, shift=1.0, dtype=torch.float64)
    alone(torch.full((3, 2), float(rank), dtype=torch.float64))
    update_offsets_(alone, synchronise=False)
    torch.save({"one_saw": layer.offset, "alone": alone.offset}, folder / f"offsets-{rank}.pt")
    torch.save(learned_by_process(rank, n_processes), folder / f"centering-{rank}.pt")
    torch.save(looked_at_too_late(), folder / f"late-{rank}.pt")
    distributed.barrier()
    distributed.destroy_process_group()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
    os._exit(0)  # threads of gloo may outlive their group, and abort an interpreter that ends
