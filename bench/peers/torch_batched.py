"""PyTorch, several runs at once: their weights are columns of one matrix, which is changed in place.

The inputs are the same for all runs, so one `addmm` replaces `baddbmm`, which is slower.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from problems import Array, LayerProblem
from torch import Tensor

from peers.torch_in_place import ACTIVATE_

NAME = "PyTorch batched"
CHUNKS = (7, 35, 175)


@torch.inference_mode()
def run_layers(problem: LayerProblem, runs: Sequence[int], chunk: int) -> Array:
    """Train the runs and return the mean absolute error of each pattern, (n_runs, n_patterns)."""
    batches = [torch.from_numpy(a).unbind() for a in (problem.batched_inputs, problem.batched_targets)]
    chunks = [runs[start : start + chunk] for start in range(0, len(runs), chunk)]
    return torch.cat([_run(problem, runs_of_chunk, batches) for runs_of_chunk in chunks]).numpy()


def _run(problem: LayerProblem, runs: Sequence[int], batches: list[tuple[Tensor, ...]]) -> Tensor:
    activate_, units = ACTIVATE_[problem.activation], (len(runs), problem.n_outputs)
    W = torch.cat([torch.from_numpy(problem.start_of(run)) for run in runs], dim=1)
    b = torch.zeros(W.shape[1], dtype=W.dtype)
    rates = [problem.learning_rate_of(run) / problem.batch_size for run in runs]
    minus_eta = -torch.tensor(rates, dtype=W.dtype)[:, None]
    for x, t in zip(*batches, strict=True):
        h = activate_(torch.addmm(b, x, W).unflatten(1, units))  # (batch_size, n_runs, n_outputs)
        p = h.sub_(t[:, None]).mul_(minus_eta).flatten(1)
        if len(x) == 1:
            W.addcmul_(x.t(), p)
        else:
            W.addmm_(x.t(), p)
        b.add_(p.sum(0))
    inputs, targets = torch.from_numpy(problem.centered_inputs), torch.from_numpy(problem.typed_targets)
    h = activate_(torch.addmm(b, inputs, W).unflatten(1, units))
    return h.sub_(targets[:, None]).abs_().mean(2).t()
