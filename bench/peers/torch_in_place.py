"""PyTorch without automatic differentiation, one run after another, weights changed in place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import torch
from problems import Array, AutoencoderProblem, LayerProblem
from torch import Tensor

NAME = "PyTorch in place"
CHUNKS = (1,)

Activation: TypeAlias = Callable[[Tensor], Tensor]
Batches: TypeAlias = tuple[tuple[Tensor, ...], tuple[Tensor, ...]]


@torch.inference_mode()
def run_layers(problem: LayerProblem, runs: Sequence[int], chunk: int) -> Array:
    """Train the runs and return the mean absolute error of each pattern, (n_runs, n_patterns)."""
    x, t = torch.from_numpy(problem.batched_inputs), torch.from_numpy(problem.batched_targets)
    learn = _learn_in_batches
    if problem.batch_size == 1:
        learn, x, t = _learn_one_by_one, x[:, 0], t[:, 0]
    batches = x.unbind(), t.unbind()
    inputs, targets = torch.from_numpy(problem.centered_inputs), torch.from_numpy(problem.typed_targets)
    activate_ = ACTIVATE_[problem.activation]
    errors = []
    for run in runs:
        W = torch.from_numpy(problem.start_of(run)).clone()
        b = torch.zeros(problem.n_outputs, dtype=W.dtype)
        learn(W, b, problem.learning_rate_of(run), activate_, batches)
        errors.append(activate_(torch.addmm(b, inputs, W)).sub_(targets).abs_().mean(1))
    return torch.stack(errors).numpy()


def _learn_one_by_one(W: Tensor, b: Tensor, eta: float, activate_: Activation, batches: Batches) -> None:
    transposed = W.t()
    for x, t in zip(*batches, strict=True):
        p = activate_(torch.addmv(b, transposed, x)).sub_(t).mul_(-eta)
        W.addcmul_(x[:, None], p)  # faster than addr_ and addmm_
        b.add_(p)


def _learn_in_batches(W: Tensor, b: Tensor, eta: float, activate_: Activation, batches: Batches) -> None:
    for x, t in zip(*batches, strict=True):
        p = activate_(torch.addmm(b, x, W)).sub_(t).mul_(-eta / len(x))
        W.addmm_(x.t(), p)
        b.add_(p.sum(0))


@torch.inference_mode()
def run_autoencoder(problem: AutoencoderProblem, runs: Sequence[int], chunk: int) -> Array:
    """Train the auto-encoder and return the error of each reconstruction, (1, n_patterns)."""
    W = torch.from_numpy(problem.start).clone()
    c = torch.zeros(problem.n_inputs, dtype=W.dtype)
    lam = torch.full((problem.n_hidden,), problem.hidden_offset, dtype=W.dtype)
    eta, nu = problem.learning_rate / problem.batch_size, problem.hidden_shift
    batches = [torch.from_numpy(a).unbind() for a in (problem.batched_inputs, problem.batched_targets)]
    for x, t in zip(*batches, strict=True):
        h = torch.mm(x, W).sigmoid_()
        move = h.mean(0).sub_(lam).mul_(nu)
        h.sub_(lam)
        error = torch.addmm(c, h, W.t()).sub_(t)
        W.addmm_(error.t(), h, alpha=-eta)
        c.sub_(error.sum(0), alpha=eta).addmv_(W, move)
        lam.add_(move)
    inputs, targets = torch.from_numpy(problem.centered_inputs), torch.from_numpy(problem.typed_targets)
    h = torch.mm(inputs, W).sigmoid_().sub_(lam)
    return torch.addmm(c, h, W.t()).sub_(targets).abs_().mean(1)[None].numpy()


def softmax_(a: Tensor) -> Tensor:
    """Return eᵃ divided by its sum over the units."""
    return torch.softmax(a, dim=-1)


ACTIVATE_: dict[str, Activation] = {"sigmoid": torch.sigmoid_, "softmax": softmax_}
