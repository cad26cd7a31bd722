"""The two loops over chunks, as operators with their own backward passes.

A compiled graph holds each of them as one node, whatever the length of the sequence. Everything else of the
chunked form is batched over all chunks, and autograd differentiates it.

Paper: eqn:update_general_hebbian_descent_sup_w_1
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor

from hebbian_descent.network import get_activation
from hebbian_descent.nn.activations import TorchActivation, get_torch_activation, is_listed
from hebbian_descent.nn.tensors import without_autocast

Chunks = tuple[Tensor, Tensor, Tensor, Tensor]


@torch.library.custom_op("hebbian_descent::learn_chunks", mutates_args=())
def learn_chunks(
    weights: Tensor,
    bias: Tensor,
    readers: Tensor,
    couplings: Tensor,
    values: Tensor,
    rates: Tensor,
    kept: Tensor,
    drift: Tensor,
    writers: Tensor,
    bias_writers: Tensor,
    activation: str,
    parameters: Sequence[float],
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Learn the chunks of each memory one after another, each from the weights that the previous one left.

        a_t = y_t·W + b + Σ_{s<t} A_ts p_s,   p_t = η_t(v_t − φ(a_t))
        W ← κW + ZᵀP,   b ← b + uW + ρP

    `readers` are y, `couplings` A, `kept` κ, `drift` u, `writers` Z and `bias_writers` ρ; their second axis
    counts the chunks. Returns P, a, and W and b before each chunk and after the last.
    """
    phi = listed(activation, tuple(parameters))
    n_memories, n_chunks, *_ = readers.shape
    changes, preactivations = torch.empty_like(values), torch.empty_like(values)
    all_weights = weights.new_empty(n_memories, n_chunks + 1, *weights.shape[1:])
    all_biases = bias.new_empty(n_memories, n_chunks + 1, bias.shape[1])
    W, b = weights, bias
    all_weights[:, 0], all_biases[:, 0] = W, b
    with without_autocast(weights):
        for i in range(n_chunks):
            start = torch.baddbmm(b[:, None], readers[:, i], W)
            P, a = substitute(start, couplings[:, i], values[:, i], rates[:, i, :, None], phi)
            b = b + torch.bmm(drift[:, i, None], W)[:, 0] + torch.bmm(bias_writers[:, i, None], P)[:, 0]
            W = torch.baddbmm(kept[:, i, None, None] * W, writers[:, i].mT, P)
            changes[:, i], preactivations[:, i] = P, a
            all_weights[:, i + 1], all_biases[:, i + 1] = W, b
    return changes, preactivations, all_weights, all_biases


def substitute(
    start: Tensor, A: Tensor, v: Tensor, eta: Tensor, phi: TorchActivation
) -> tuple[Tensor, Tensor]:
    """Solve a = start + AP, P = η(v − φ(a)) with A strictly lower triangular, row after row.

    Linear units need one triangular system, (I + ηA)P = η(v − start): the WY form of the delta rule.
    """
    if is_listed(phi, "linear"):
        P = torch.linalg.solve_triangular(eta * A, eta * (v - start), upper=False, unitriangular=True)
        return P, torch.baddbmm(start, A, P)
    a, P = start.clone(), torch.empty_like(v)
    for t in range(a.shape[1]):
        row = a[:, t : t + 1]
        if t:
            row.baddbmm_(A[:, t : t + 1, :t], P[:, :t])
        torch.mul(eta[:, t : t + 1], v[:, t : t + 1] - phi(row), out=P[:, t : t + 1])
    return P, a


@learn_chunks.register_fake
def _(weights: Tensor, bias: Tensor, readers: Tensor, couplings: Tensor, values: Tensor, *_: Any) -> Chunks:
    n_memories, n_chunks = readers.shape[:2]
    return (
        torch.empty_like(values),
        torch.empty_like(values),
        weights.new_empty(n_memories, n_chunks + 1, *weights.shape[1:]),
        bias.new_empty(n_memories, n_chunks + 1, bias.shape[1]),
    )


@torch.library.custom_op("hebbian_descent::learn_chunks_backward", mutates_args=())
def learn_chunks_backward(
    grad_changes: Tensor,
    grad_weights: Tensor,
    grad_biases: Tensor,
    changes: Tensor,
    outputs: Tensor,
    slopes: Tensor,
    all_weights: Tensor,
    readers: Tensor,
    couplings: Tensor,
    values: Tensor,
    rates: Tensor,
    kept: Tensor,
    drift: Tensor,
    writers: Tensor,
    bias_writers: Tensor,
    activation: str,
    parameters: Sequence[float],
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Return the gradients of the ten tensors that `learn_chunks` takes, from the last chunk to the first."""
    phi = listed(activation, tuple(parameters))
    inputs = (readers, couplings, values, rates, kept, drift, writers, bias_writers)
    gradients = tuple(torch.empty_like(tensor) for tensor in inputs)
    gW, gb = grad_weights[:, -1], grad_biases[:, -1]
    with without_autocast(all_weights):
        for i in reversed(range(readers.shape[1])):
            y, A, v, eta, k, u, Z, rho = (tensor[:, i] for tensor in inputs)
            W, P, h, eta = all_weights[:, i], changes[:, i], outputs[:, i], eta[:, :, None]
            gP = grad_changes[:, i] + torch.bmm(Z, gW) + rho[:, :, None] * gb[:, None]
            gP = substitute_back(gP, A, eta, slopes[:, i], phi)
            ga = -eta * pull_back(gP, slopes[:, i], phi)
            of_chunk = (
                torch.bmm(ga, W.mT),
                torch.bmm(ga, P.mT),
                eta * gP,
                ((v - h) * gP).sum(dim=-1),
                (W * gW).sum(dim=(-2, -1)),
                torch.bmm(W, gb[:, :, None])[:, :, 0],
                torch.bmm(P, gW.mT),
                torch.bmm(P, gb[:, :, None])[:, :, 0],
            )
            for gradient, value in zip(gradients, of_chunk, strict=True):
                gradient[:, i] = value
            gW = (
                k[:, None, None] * gW + u[:, :, None] * gb[:, None] + torch.bmm(y.mT, ga) + grad_weights[:, i]
            )
            gb = gb + ga.sum(dim=1) + grad_biases[:, i]
    return gW, gb, *gradients  # type: ignore[return-value]  # which are eight


def substitute_back(gP: Tensor, A: Tensor, eta: Tensor, slopes: Tensor, phi: TorchActivation) -> Tensor:
    """Return the whole gradient of P: gP_s − Σ_{t>s} A_ts η_t φ′(gP_t), row after row from the last."""
    if is_listed(phi, "linear"):
        return torch.linalg.solve_triangular((eta * A).mT, gP, upper=True, unitriangular=True)
    total, ga = gP.clone(), torch.empty_like(gP)
    for t in reversed(range(gP.shape[1])):
        row = total[:, t : t + 1]
        row.baddbmm_(A[:, t + 1 :, t : t + 1].mT, ga[:, t + 1 :])
        torch.mul(-eta[:, t : t + 1], pull_back(row, slopes[:, t : t + 1], phi), out=ga[:, t : t + 1])
    return total


def pull_back(error: Tensor, slopes: Tensor, phi: TorchActivation) -> Tensor:
    """Return error·∂h/∂a; `slopes` are φ′, and for softmax its outputs."""
    if is_listed(phi, "softmax"):
        return slopes * (error - (slopes * error).sum(dim=-1, keepdim=True))
    return slopes * error


@learn_chunks_backward.register_fake
def _(grad_changes: Tensor, grad_weights: Tensor, grad_biases: Tensor, *others: Any) -> tuple[Tensor, ...]:
    inputs = others[4:-2]
    gradients = (torch.empty_like(tensor) for tensor in inputs)
    return torch.empty_like(grad_weights[:, 0]), torch.empty_like(grad_biases[:, 0]), *gradients


def _keep(ctx: Any, inputs: tuple[Any, ...], output: Chunks) -> None:
    _, _, *others, ctx.activation, ctx.parameters = inputs
    changes, preactivations, all_weights, _ = output
    ctx.save_for_backward(changes, preactivations, all_weights, *others)


def _backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
    grad_changes, _, grad_weights, grad_biases = gradients
    changes, a, all_weights, *others = ctx.saved_tensors
    name, parameters = ctx.activation, ctx.parameters
    h, slopes = output_and_slopes(a, listed(name, tuple(parameters)))
    found = learn_chunks_backward(
        *(grad_changes, grad_weights, grad_biases, changes, h, slopes, all_weights, *others, name, parameters)
    )
    return *found, None, None


def output_and_slopes(a: Tensor, phi: TorchActivation) -> tuple[Tensor, Tensor]:
    """Return φ(a) and φ′(a); for softmax, whose derivative is a matrix, its outputs instead."""
    with torch.enable_grad():
        a = a.detach().requires_grad_()
        h = phi(a)
        if is_listed(phi, "softmax"):
            return h.detach(), h.detach()
        (slopes,) = torch.autograd.grad(h.sum(), a)
    return h.detach(), slopes


learn_chunks.register_autograd(_backward, setup_context=_keep)


@torch.library.custom_op("hebbian_descent::carry", mutates_args=())
def carry(start: Tensor, kept: Tensor, gained: Tensor) -> Tensor:
    """Return m₀ and m_{i+1} = κ_i m_i + g_i over the second axis, of (n_memories, n_chunks, n_units)."""
    found = [start]
    for i in range(gained.shape[1]):
        found.append(torch.addcmul(gained[:, i], kept[:, i, None], found[-1]))
    return torch.stack(found, dim=1)


@carry.register_fake
def _(start: Tensor, kept: Tensor, gained: Tensor) -> Tensor:
    return gained.new_empty(gained.shape[0], gained.shape[1] + 1, gained.shape[2])


def _keep_kept(ctx: Any, inputs: tuple[Tensor, ...], output: Tensor) -> None:
    ctx.save_for_backward(inputs[1])


def _carry_back(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, Tensor]:
    # The same recurrence, from the last chunk to the first. `kept` follows from counts and has no gradient.
    (kept,) = ctx.saved_tensors
    found = carry(gradient[:, -1], kept.flip(1), gradient[:, :-1].flip(1)).flip(1)
    return found[:, 0], None, found[:, 1:]


carry.register_autograd(_carry_back, setup_context=_keep_kept)


@lru_cache
def listed(name: str, parameters: tuple[float, ...]) -> TorchActivation:
    """Return an activation of the list: operators take text and numbers, but no functions."""
    return get_torch_activation(name, **dict(zip(get_activation(name).parameters, parameters, strict=True)))
