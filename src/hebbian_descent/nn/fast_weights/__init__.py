"""Fast weights: weights that learn within a sequence by Hebbian-descent, as a differentiable function."""

from __future__ import annotations

from torch import Tensor

from hebbian_descent.checks import as_count, as_flag, unknown_name
from hebbian_descent.learning.centering import SHIFT
from hebbian_descent.nn.activations import AnyActivation, get_torch_activation, is_listed
from hebbian_descent.nn.fast_weights.chunked_form import learn_in_chunks
from hebbian_descent.nn.fast_weights.inputs import prepare
from hebbian_descent.nn.fast_weights.pairs import Memory
from hebbian_descent.nn.fast_weights.state import MemoryState
from hebbian_descent.nn.fast_weights.step_form import learn_step_by_step
from hebbian_descent.nn.tensors import require_no_momentum, without_autocast

__all__ = ["MemoryState", "hebbian_memory"]

CHUNK = 64
READS = ("after", "before")


def hebbian_memory(
    keys: Tensor,
    values: Tensor,
    queries: Tensor,
    rate: float | Tensor,
    *,
    activation: AnyActivation = "linear",
    decay: float | Tensor = 0.0,
    offset: str | float | Tensor | None = "moving",
    shift: float = SHIFT,
    bias: bool = True,
    normalize: bool = False,
    read: str = "after",
    mask: Tensor | None = None,
    state: MemoryState | None = None,
    chunk: int | None = CHUNK,
    momentum: None = None,
) -> tuple[Tensor, MemoryState]:
    """Learn pairs one after another by Hebbian-descent and recall a value for each query.

        h = φ((x − μ)W + b),   W ← (1 − ω)W − η(x − μ)ᵀ(h − v),   b ← b − η(h − v)

    Then μ ← μ + ν(x − μ), and the bias makes up for it. A query, centered by the same μ, recalls after the
    pair of its own step was learned, or `read="before"` it. Returns the outputs and the final state;
    everything can be differentiated once.

    Keys and queries are (…, n_steps, n_keys), values (…, n_steps, n_values), with any leading dimensions,
    such as batch and heads: each has its own memory. `rate` η and `decay` ω are numbers, or tensors that
    broadcast to (…, n_steps). With `normalize`, the rate is the share of its error that a pair may lose,
    η = rate / (L·(‖x − μ‖² + 1)) with the largest slope L of φ, and below 2 no step increases the error.
    The `offset` is None, fixed numbers, or "moving": the mean of the keys so far, with ν = max(shift,
    1/n) at the n-th. Where the `mask`, which broadcasts to (…, n_steps), is False, nothing is learned and 0
    is returned.

    `chunk` steps are learned at a time, with the same result. `chunk=None` is the plain loop, which also runs
    functions that are not in the package's list of activations. Half precision has a float32 state. Passed to
    the next call, the state continues the sequence, offset included.

    Linear units without bias and offset are the delta rule of fast-weight programmers and DeltaNet.

    Paper: eqn:update_general_hebbian_descent_sup_w_1
    """
    require_no_momentum(momentum)
    phi = get_torch_activation(activation)
    if read not in READS:
        raise unknown_name("read", read, READS)
    length = None if chunk is None else as_count(chunk, "chunk")
    memory = Memory(
        phi,
        learns_bias=as_flag(bias, "bias"),
        reads_after=read == "after",
        normalizes=as_flag(normalize, "normalize"),
    )
    pairs, start, mask = prepare(keys, values, queries, rate, decay, offset, shift, mask, state)
    with without_autocast(keys):
        if length is None or keys.shape[-2] == 1 or not is_listed(phi):
            recalled, W, b, mu = learn_step_by_step(memory, pairs, start)
        else:
            recalled, W, b, mu = learn_in_chunks(memory, pairs, start, length)
    leading = keys.shape[:-2]
    final = MemoryState(*(x.reshape((*leading, *x.shape[1:])) for x in (W, b, mu, start.n_seen)))
    outputs = recalled.reshape((*leading, *recalled.shape[1:])).to(values.dtype)
    return outputs if mask is None else outputs.masked_fill(~mask[..., None], 0), final
