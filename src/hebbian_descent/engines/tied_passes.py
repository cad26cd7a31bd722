"""What an auto-encoder with tied weights computes between its matrix products, in NumPy and compiled.

a = (x − μ)W + b, h = φ(a), z = ψ((h − λ)Wᵀ + c). The functions below are what to read, and what runs where a
unit or error term has no compiled form. The compiled core does the same in one pass over each array. Results
go to the arrays handed over; `sums` are those over the patterns.

Paper: eqn:neuron_second_layer3
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array
from hebbian_descent.engines.network_grids import AutoencoderCell, AutoencoderGrid
from hebbian_descent.learning.divergence import LARGEST_PREACTIVATION
from hebbian_descent.learning.step import change_weights
from hebbian_descent.native import core
from hebbian_descent.network import Activation
from hebbian_descent.network.offsets import flush_subnormal
from hebbian_descent.rules import ErrorTerm
from hebbian_descent.rules.gradient_descent import pulled_back

if TYPE_CHECKING:
    from hebbian_descent.native._native import Core

Rows = npt.NDArray[np.intp]


class Passes(NamedTuple):
    """The passes of one cell, as functions of arrays."""

    center: Callable[..., None]
    activate: Callable[..., bool]
    find_errors: Callable[..., bool]
    pull_back: Callable[..., None]
    update: Callable[..., None]
    native: Core | None
    """The compiled core, where it is used."""


def passes_of(cell: AutoencoderCell, grid: AutoencoderGrid) -> Passes:
    """Return the compiled passes of a cell, or those in NumPy where a member or the core is missing."""
    (hidden, output), error, pulls_back = cell.activation, grid.error, cell.rule.pulls_back
    native = core()
    if native is None or uncompiled_part(cell, grid) is not None:
        return Passes(
            center=center,
            activate=partial(activate, hidden),
            find_errors=partial(find_errors, output, error, pulls_back),
            pull_back=partial(pull_back, hidden),
            update=update,
            native=None,
        )
    return Passes(
        center=native.center_inputs,
        activate=partial(native.activate_hidden, *_by_name(hidden), LARGEST_PREACTIVATION),
        find_errors=partial(
            native.find_errors, *_by_name(output), LARGEST_PREACTIVATION, *_by_name(error), pulls_back
        ),
        pull_back=partial(native.pull_back_hidden, *_by_name(hidden)),
        update=native.update_tied,
        native=native,
    )


def uncompiled_part(cell: AutoencoderCell, grid: AutoencoderGrid) -> str | None:
    """Return which activation or error term of a cell has no compiled form, or None."""
    for kind, member in (*(("activation", units) for units in cell.activation), ("error term", grid.error)):
        if member.compiled_form is None:
            return f"the {kind} {member.name!r} has no compiled form"
    return None


def center(patterns: Array, rows: Rows, first: int, offset: Array, x: Array, centered: Array) -> None:
    """Set x and x − μ for the columns from `first` on of some patterns."""
    x[:] = patterns[rows, first : first + x.shape[1]]
    np.subtract(x, offset, out=centered)


def activate(
    units: Activation,
    one: Array,
    other: Array,
    bias: Array,
    offset: Array,
    a: Array,
    h: Array,
    centered: Array,
    sums: Array,
) -> bool:
    """Set a = one + other + b, h = φ(a), h − λ and Σh; return whether a unit is beyond the limit."""
    np.add(one, other, out=a)
    a += bias
    h[:] = units(a)
    np.subtract(h, offset, out=centered)
    h.sum(axis=0, out=sums)
    return is_beyond(a)


def find_errors(
    units: Activation,
    error: ErrorTerm,
    pulls_back: bool,
    errors: Array,
    bias: Array,
    x: Array,
    scratch: Array,
    sums: Array,
) -> bool:
    """Replace (h − λ)Wᵀ by E(x, z), pulled back if asked, and set ΣE; return as `activate` does."""
    a = errors + bias
    z = units(a)
    E = error(x, z)
    errors[:] = pulled_back(units, E, a, z) if pulls_back else E
    errors.sum(axis=0, out=sums)
    return is_beyond(a)


def pull_back(
    units: Activation, one: Array, other: Array, a: Array, h: Array, errors: Array, sums: Array
) -> None:
    """Set the errors of hidden units ε = (one + other) ⊙ φ′(a), and Σε."""
    errors[:] = pulled_back(units, one + other, a, h)
    errors.sum(axis=0, out=sums)


def update(
    weights: Array,
    change: Array,
    decay: float,
    eta: float,
    decoder_bias: Array,
    sums_of_errors: Array,
    hidden_offset: Array,
    move: Array,
    sums_of_h: Array,
    shift: float,
    n_patterns: int,
) -> None:
    """Set λ′ = (1 − ν)λ + ν⟨h⟩, W ← (1 − ω)W − η·ΔW and c ← c − η·ΣE + W(λ′ − λ)."""
    if shift:
        new = flush_subnormal((1 - shift) * hidden_offset + shift / n_patterns * sums_of_h.sum(axis=0))
        np.subtract(new, hidden_offset, out=move)
        hidden_offset[:] = new
    change_weights(weights, eta * change, decay=decay)
    decoder_bias -= eta * sums_of_errors
    decoder_bias += weights @ move


def is_beyond(a: Array) -> bool:
    """Return whether one of some activities is too large, or not a number."""
    return a.size > 0 and not np.abs(a).max() <= LARGEST_PREACTIVATION


def _by_name(member: Any) -> tuple[str, dict[str, float]]:
    return member.compiled_form, dict(member.parameters)
