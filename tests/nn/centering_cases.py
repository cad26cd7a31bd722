"""Centered models that several processes train: as copies, with sharded parameters, or sharded products."""

import warnings

from nn_cases import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from hebbian_descent.nn import Centering

DOUBLE = {"dtype": torch.float64}


class Mixed(nn.Module):
    """One layer of every kind, of sizes that two processes cannot always share evenly."""

    def __init__(self):
        super().__init__()
        self.convolution = nn.Conv1d(3, 4, 3, padding=1, **DOUBLE)
        self.upwards = nn.ConvTranspose1d(4, 6, 2, stride=2, **DOUBLE)
        self.attention = nn.MultiheadAttention(6, 2, batch_first=True, **DOUBLE)
        self.below, self.above = nn.Linear(6, 9, **DOUBLE), nn.Linear(9, 3, **DOUBLE)
        self.product = nn.Bilinear(3, 6, 5, **DOUBLE)

    def forward(self, x):
        h = self.upwards(torch.tanh(self.convolution(x))).transpose(1, 2)
        h = h + self.attention(h, h, h)[0]
        return self.product(self.above(torch.sigmoid(self.below(h))), h)


class Perceptron(nn.Module):
    """Two layers, the first to be shared by its outputs, the second by its inputs."""

    def __init__(self):
        super().__init__()
        self.below, self.above = nn.Linear(6, 8, **DOUBLE), nn.Linear(8, 3, **DOUBLE)

    def forward(self, x):
        return self.above(torch.sigmoid(self.below(x)))


def initial(kind):
    torch.manual_seed(0)
    return kind()


def patterns(*shape):
    generator = torch.Generator().manual_seed(1)
    return torch.rand(4, 8, *shape, generator=generator, **DOUBLE)  # 4 steps of 8 patterns


def train(model, data, rows, *, clip=False):
    """Take a step with each batch, of which only `rows` are this process's; return what was learned."""
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    centering = Centering(model, optimizer, shift=0.1)
    for x in data:
        optimizer.zero_grad()
        for part in x[rows].chunk(2):  # gradients that add up
            (model(part).square().sum(dim=-1).mean() / 2).backward()
            if clip:
                centering.center_gradients_()  # also between passes, as who looks at gradients does
        if clip:
            nn.utils.clip_grad_norm_(model.parameters(), 0.1)
        optimizer.step()
    parameters = [whole(p.detach()) for p in model.parameters()]
    return parameters, centering.offsets


def whole(tensor):
    return tensor.full_tensor() if hasattr(tensor, "full_tensor") else tensor


def sharded(model):
    from torch.distributed.fsdp import fully_shard

    for layer in (model.convolution, model.attention, model.below):
        fully_shard(layer)
    return fully_shard(model)


def tensor_parallel(model, n_processes):
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

    mesh = init_device_mesh("cpu", (n_processes,))
    return parallelize_module(model, mesh, {"below": ColwiseParallel(), "above": RowwiseParallel()})


def reference(kind):
    """What one process learns with all patterns."""
    model, data = (Perceptron, patterns(6)) if kind == "tensor parallel" else (Mixed, patterns(3, 7))
    return train(initial(model), data, torch.arange(8), clip=kind in CLIPPED)


def looked_at_too_late():
    """What is said when gradients are centered between a forward pass and its backward pass."""
    model = DistributedDataParallel(nn.Linear(3, 2))
    centering = Centering(model, torch.optim.SGD(model.parameters(), lr=0.1))
    first, second = model.module(torch.ones(4, 3)).sum(), model.module(torch.ones(4, 3)).sum()
    first.backward()
    centering.center_gradients_()
    try:
        second.backward()
    except RuntimeError as error:
        return str(error)


KINDS = ("copies", "copies, clipped", "sharded", "sharded, clipped", "tensor parallel")
CLIPPED = ("copies, clipped", "sharded, clipped", "tensor parallel")


def learned_by_process(rank, n_processes):
    """What one of several processes learns, by kind."""
    everything = torch.arange(8)
    rows = everything.chunk(n_processes)[rank]
    images, vectors = patterns(3, 7), patterns(6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch's own, of views that a sharded layer returns
        return {
            "copies": train(DistributedDataParallel(initial(Mixed)), images, rows),
            "copies, clipped": train(DistributedDataParallel(initial(Mixed)), images, rows, clip=True),
            "sharded": train(sharded(initial(Mixed)), images, rows),
            "sharded, clipped": train(sharded(initial(Mixed)), images, rows, clip=True),
            "tensor parallel": train(
                tensor_parallel(initial(Perceptron), n_processes), vectors, everything, clip=True
            ),
        }
