"""Sequences for the tests of the fast-weight memory, and the naive loop that they are compared with."""

import math

import numpy as np
from nn_cases import torch

from tests.oracle import output

DOUBLE = {"dtype": torch.float64}


def sequence(*leading, n_steps=13, n_keys=5, n_values=4, seed=0):
    """Keys, values inside (0, 1), queries, rates and decays, in float64."""
    rng = torch.Generator().manual_seed(seed)
    draw = lambda *shape: torch.rand(*leading, *shape, generator=rng, **DOUBLE)  # noqa: E731
    keys, queries = 2 * draw(n_steps, n_keys) - 0.5, 2 * draw(n_steps, n_keys) - 0.5
    return keys, draw(n_steps, n_values), queries, 0.3 * draw(n_steps), 0.3 * draw(n_steps)


def naive_memory(
    keys, values, queries, rates, decays, *, activation, moves, offset, shift, bias, read, mask=None
):
    """One memory in loops over single numbers; NumPy only holds them, and nothing of the package is used."""
    T, K = keys.shape
    V = values.shape[1]
    W, b, mu, n = [[0.0] * V for _ in range(K)], [0.0] * V, [offset] * K, 0

    def activity(q):
        return [sum((q[i] - mu[i]) * W[i][j] for i in range(K)) + b[j] for j in range(V)]

    recalled = []
    for t in range(T):
        if mask is not None and not mask[t]:
            recalled.append([0.0] * V)
            continue
        if read == "before":
            recalled.append(output(activation, activity(queries[t])))
        h = output(activation, activity(keys[t]))
        for j in range(V):
            error = h[j] - values[t][j]
            for i in range(K):
                W[i][j] = (1 - decays[t]) * W[i][j] - rates[t] * (keys[t][i] - mu[i]) * error
            if bias:
                b[j] -= rates[t] * error
        if moves:
            n += 1
            nu = max(shift, 1 / n)
            moved = [mu[i] + nu * (keys[t][i] - mu[i]) for i in range(K)]
            for j in range(V):
                b[j] += sum((moved[i] - mu[i]) * W[i][j] for i in range(K))
            mu = moved
        if read == "after":
            recalled.append(output(activation, activity(queries[t])))
    return np.array(recalled), np.array(W), np.array(b), np.array(mu)


def weighted_sum(outputs, state):
    """A number in which every output and every part of the state counts differently."""
    parts = [outputs, state.weights, state.bias, state.offset]
    return sum((part * torch.cos(torch.arange(part.numel(), **DOUBLE)).view_as(part)).sum() for part in parts)


def bytes_kept(function):
    """How many bytes autograd keeps for the backward pass of what a function computes."""
    sizes = {}

    def keep(tensor):
        storage = tensor.untyped_storage()
        sizes[storage.data_ptr()] = storage.nbytes()
        kept.append(tensor)  # or another tensor might get its address
        return tensor

    kept = []
    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        function()
    return math.fsum(sizes.values())
