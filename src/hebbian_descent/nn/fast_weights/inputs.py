"""Input validation of a memory, and its tensors with all leading dimensions in one."""

from __future__ import annotations

from math import prod

import torch
from torch import Tensor

from hebbian_descent.checks import as_number, unknown_name
from hebbian_descent.nn.fast_weights.pairs import Pairs
from hebbian_descent.nn.fast_weights.state import MemoryState
from hebbian_descent.nn.offsets import offset_values
from hebbian_descent.nn.tensors import require_floating, require_tensor, require_values


def prepare(
    keys: Tensor,
    values: Tensor,
    queries: Tensor,
    rate: float | Tensor,
    decay: float | Tensor,
    offset: str | float | Tensor | None,
    shift: float,
    mask: Tensor | None,
    state: MemoryState | None,
) -> tuple[Pairs, MemoryState, Tensor | None]:
    """Return the pairs, the state before them, with the count after them, and the mask of all steps."""
    require_shapes(keys, values, queries)
    if isinstance(offset, str) and offset != "moving":
        raise unknown_name("offset, unless it is None or numbers,", offset, ("moving",))
    nu = as_number(shift, "shift", at_least=0, at_most=1)
    dtype = torch.promote_types(torch.promote_types(keys.dtype, values.dtype), torch.float32)
    x, v, q = (tensor.to(dtype) for tensor in (keys, values, queries))
    where = None if mask is None else steps_of(mask, like=x)
    eta = per_step(rate, "rate", where, like=x)
    omega = per_step(decay, "decay", where, like=x, at_most=1)
    if where is not None:  # padding counts for nothing, even nan
        x, v, q = (tensor.masked_fill(~where[..., None], 0) for tensor in (x, v, q))
    start = start_of(x, v, offset, state)
    is_learned = torch.ones_like(eta) if where is None else where.to(dtype)
    counts = start.n_seen[..., None] + is_learned.cumsum(dim=-1)
    shifts = is_learned * (1 / counts.clamp(min=1)).clamp(min=nu, max=1 - torch.finfo(dtype).eps)
    # A decay of 1 would be a logarithm of 0, and a saturated gate may well be 1.
    log_kept = torch.log1p(-omega.clamp(max=1 - torch.finfo(dtype).eps))
    pairs = Pairs(
        flatten(x, x),
        flatten(v, x),
        flatten(q, x),
        flatten(eta, x),
        None if is_zero(decay) else flatten(log_kept, x),
        flatten(shifts, x) if isinstance(offset, str) else None,
    )
    return pairs, MemoryState(*(flatten(part, x) for part in start._replace(n_seen=counts[..., -1]))), where


def flatten(tensor: Tensor, keys: Tensor) -> Tensor:
    """Return a tensor with one axis in place of all leading dimensions of the keys."""
    n_leading = keys.ndim - 2
    return tensor.reshape(prod(keys.shape[:-2]), *tensor.shape[n_leading:])


def require_shapes(keys: Tensor, values: Tensor, queries: Tensor) -> None:
    """Raise unless there is one key, one value and one query for each step."""
    for tensor, name in ((keys, "keys"), (values, "values"), (queries, "queries")):
        require_floating(tensor, name)
    if keys.ndim < 2 or 0 in keys.shape[-2:]:
        raise ValueError(
            "The keys must be of shape (…, n_steps, n_keys), with at least one of each. "
            f"Got shape {tuple(keys.shape)}."
        )
    if queries.shape != keys.shape:
        raise ValueError(
            f"The queries must have the shape of the keys, {tuple(keys.shape)}. Got {tuple(queries.shape)}."
        )
    if values.shape[:-1] != keys.shape[:-1] or values.shape[-1] == 0:
        steps = ", ".join(map(str, keys.shape[:-1]))
        raise ValueError(f"The values must be of shape ({steps}, n_values). Got shape {tuple(values.shape)}.")


def per_step(
    factor: float | Tensor, name: str, where: Tensor | None, *, like: Tensor, at_most: float | None = None
) -> Tensor:
    """Return one number for each step, not negative, from a number or a tensor; 0 where there is no pair."""
    if not isinstance(factor, Tensor):
        steps = like.new_full(like.shape[:-1], as_number(factor, name, at_least=0, at_most=at_most))
        return steps if where is None else steps.masked_fill(~where, 0)
    require_floating(factor, name)
    factor = over_steps(factor.to(like.dtype), name, like)
    if where is not None:
        factor = factor.masked_fill(~where, 0)
    holds = (factor >= 0) & (factor <= (torch.finfo(factor.dtype).max if at_most is None else at_most))
    must = "finite and at least 0" if at_most is None else f"at least 0 and at most {at_most}"

    def explain(values: Tensor, holds: Tensor) -> str:
        culprit = values[~holds][0]
        hint = ": have the weights that compute it diverged?" if culprit.isnan() else "."
        return f"The {name} must be {must}. Got {culprit.item():g}{hint}"

    require_values(holds, factor, explain)
    return factor


def steps_of(mask: Tensor, *, like: Tensor) -> Tensor:
    """Return for each step whether it is a pair, and not padding."""
    require_tensor(mask, "mask")
    if mask.dtype != torch.bool:
        raise TypeError(
            "The mask must hold True where there is a pair and False for padding. "
            f"Got {mask.dtype}: try mask != 0."
        )
    return over_steps(mask, "mask", like)


def over_steps(tensor: Tensor, name: str, keys: Tensor) -> Tensor:
    """Return a tensor with one entry for each step, by unambiguous broadcasting."""
    shape = keys.shape[:-1]
    sizes = tuple(tensor.shape)
    is_clear = tensor.ndim in (0, len(shape)) or (tensor.ndim == 1 and sizes[0] == shape[-1])
    if not is_clear or any(a not in (1, b) for a, b in zip(sizes[::-1], shape[::-1], strict=False)):
        raise ValueError(
            f"The {name} must broadcast to one entry for each step, shape {tuple(shape)}. Got shape {sizes}: "
            "give it an axis of length one for each dimension that shares it."
        )
    return tensor.expand(shape)


def start_of(
    x: Tensor, v: Tensor, offset: str | float | Tensor | None, given: MemoryState | None
) -> MemoryState:
    """Return the state before the first step, one for each memory."""
    leading, n_keys, n_values = x.shape[:-2], x.shape[-1], v.shape[-1]
    shapes = MemoryState((n_keys, n_values), (n_values,), (n_keys,), ())  # type: ignore[arg-type]
    if given is None:
        zeros = MemoryState(*(x.new_zeros((*leading, *shape)) for shape in shapes))
        if offset is None or isinstance(offset, str):
            return zeros
        mu = offset_values(offset, n_keys, like=x)
        mu = offset.to(x) if isinstance(offset, Tensor) else mu  # with its gradient
        return zeros._replace(offset=mu.expand(*leading, n_keys))
    if not isinstance(given, MemoryState):
        raise TypeError(
            f"The state must be a MemoryState, as an earlier call returned it. Got {type(given).__name__}."
        )
    parts = []
    for name, part, shape in zip(MemoryState._fields, given, shapes, strict=True):
        require_tensor(part, f"{name} of the state")
        want = (*leading, *shape)
        sizes = tuple(part.shape)
        if part.ndim < len(shape) or sizes[part.ndim - len(shape) :] != shape or not fits(sizes, want):
            raise ValueError(
                f"The {name} of the state must be of shape {want}, or broadcast to it. Got {sizes}."
            )
        parts.append(part.to(x.dtype).expand(want))
    return MemoryState(*parts)


def fits(shape: tuple[int, ...], to: tuple[int, ...]) -> bool:
    """Return whether a shape can be expanded to another."""
    pairs = zip(shape[::-1], to[::-1], strict=False)
    return len(shape) <= len(to) and all(a in (1, b) for a, b in pairs)


def is_zero(decay: float | Tensor) -> bool:
    """Return whether nothing decays, whatever the step."""
    return not isinstance(decay, Tensor) and decay == 0
