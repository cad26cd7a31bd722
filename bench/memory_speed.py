"""How fast is the memory in chunks, compared with a loop over steps? `python bench/memory_speed.py --help`.

Forward and backward passes of four memories in float32, in seconds of one processor, the minimum of several
rounds. The peers are the plain step loop through autograd and, for linear units without centering, the
algorithm of the published reference code for DeltaNet in chunks, reimplemented: a triangular matrix inverted
row by row, then a loop over chunks, both through autograd.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from math import inf
from time import process_time

import torch
from rich.console import Console
from timing import library_threads
from torch import Tensor

from hebbian_descent.nn.functional import hebbian_memory

console = Console(width=120)
Run = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]
DELTA = {"offset": None, "bias": False}


def main() -> None:
    """Measure every size and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[64, 128, 256])
    parser.add_argument("--steps", type=int, default=512)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    console.print("| units | d | step loop | chunked | speed-up | published algorithm |", markup=False)
    console.print("| --- | --- | --- | --- | --- | --- |", markup=False)
    with library_threads(1):
        for size in options.sizes:
            for name, settings in (
                ("delta rule", DELTA),
                ("linear, centered", {}),
                ("sigmoid, centered", {"activation": "sigmoid"}),
            ):
                console.print(row(name, settings, size, options.steps, options.rounds), markup=False)


def row(name: str, settings: dict[str, object], size: int, n_steps: int, rounds: int) -> str:
    """Return a line of the table."""
    torch.manual_seed(0)
    keys, values, queries = torch.nn.functional.normalize(torch.rand(3, 4, n_steps, size), dim=-1)
    tensors = [keys, values, queries, torch.full((4, n_steps), 0.5)]
    candidates: dict[str, Run] = {
        "steps": partial(ours, chunk=None, **settings),
        "chunks": partial(ours, **settings),
    }
    if settings is DELTA:
        candidates["published"] = published
        torch.testing.assert_close(published(*tensors), ours(*tensors, **settings), rtol=1e-4, atol=1e-4)
    best = dict.fromkeys(candidates, inf)
    for _ in range(rounds):
        for candidate, run in candidates.items():
            best[candidate] = min(best[candidate], passes(run, tensors))
    times = f"{best['steps'] / best['chunks']:.1f}"
    peer = f"{best['published'] * 1e3:.0f} ms" if "published" in best else ""
    cells = [f"{best['steps'] * 1e3:.0f} ms", f"{best['chunks'] * 1e3:.0f} ms", times, peer]
    return f"| {name} | {size} | {' | '.join(cells)} |"


def ours(k: Tensor, v: Tensor, q: Tensor, beta: Tensor, **settings: object) -> Tensor:
    """Recall with the package."""
    return hebbian_memory(k, v, q, beta, **settings)[0]


def published(k: Tensor, v: Tensor, q: Tensor, beta: Tensor, *, chunk: int = 64) -> Tensor:
    """Recall by the delta rule in chunks, as in the reference code."""
    k, v, q, beta = (x.unflatten(1, (-1, chunk)) for x in (k, v, q, beta))
    weighted = beta[..., None] * k
    lower = -(weighted @ k.mT).tril(-1)
    rows = [torch.zeros_like(lower[..., 0, :])]
    for i in range(1, chunk):
        inverse = torch.stack(rows, dim=-2)  # (…, i, chunk)
        rows.append(lower[..., i, :] + (lower[..., i, None, :i] @ inverse)[..., 0, :])
    T = torch.stack(rows, dim=-2) + torch.eye(chunk)
    w, u = T @ weighted, T @ (beta[..., None] * v)
    S = torch.zeros(k.shape[0], k.shape[-1], v.shape[-1])
    outputs = []
    for i in range(k.shape[1]):
        change = u[:, i] - w[:, i] @ S
        outputs.append(q[:, i] @ S + (q[:, i] @ k[:, i].mT).tril() @ change)
        S = S + k[:, i].mT @ change
    return torch.cat(outputs, dim=1)


def passes(run: Run, tensors: list[Tensor]) -> float:
    """Run a forward and a backward pass, and return the processor time in seconds."""
    leaves = [tensor.clone().requires_grad_() for tensor in tensors]
    start = process_time()
    torch.autograd.grad(run(*leaves).sum(), leaves)
    return process_time() - start


if __name__ == "__main__":
    main()
