"""One piece of work: some learning rates of one trial, over one strip of output units."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hebbian_descent.aligned import aligned
from hebbian_descent.kernels.braces import Array
from hebbian_descent.kernels.closed_form import imprint_and_evaluate
from hebbian_descent.kernels.panel_product import BLOCK_ROWS
from hebbian_descent.kernels.plan import padded
from hebbian_descent.kernels.preparation import Prepared
from hebbian_descent.kernels.scan import learn_and_evaluate
from hebbian_descent.kernels.whole_products import set_product


class StripResult(NamedTuple):
    """Sums over the units of the strip, and the outputs of its units."""

    errors: Array  # (n_rates, n_evaluated)
    diverged_at: npt.NDArray[np.int64]  # (n_rates,)
    outputs: Array  # (n_rates, n_evaluated or 0, n_units)


def run_strip(
    prepared: Prepared, weights: Array, units: slice, rates: slice, *, keep_outputs: bool
) -> StripResult:
    """Train and evaluate one trial with some learning rates on the output units of a strip."""
    dtype, learning_rates = prepared.targets.dtype, prepared.learning_rates[rates]
    n_rates, n_evaluated = len(learning_rates), len(prepared.evaluated_targets)
    n_units = units.stop - units.start
    result = StripResult(
        errors=np.empty((n_rates, n_evaluated)),
        diverged_at=np.empty(n_rates, dtype=np.int64),
        outputs=np.full((n_rates, n_evaluated if keep_outputs else 0, n_units), np.nan, dtype=dtype),
    )
    strip = _panels(weights[:, units], dtype)
    start = _product(prepared.training_inputs, strip)
    after = prepared.evaluation_inputs
    evaluated_start = start if after is None else _product(after, strip)
    run = _learn if prepared.rule.learns_from_output else _imprint
    run(prepared, units, learning_rates, start, evaluated_start, result)
    return result


def _learn(
    prepared: Prepared,
    units: slice,
    learning_rates: Array,
    start: Array,
    evaluated_start: Array,
    result: StripResult,
) -> None:
    summed, activities = aligned(start.shape, start.dtype), aligned(start.shape, start.dtype)
    changes = aligned((BLOCK_ROWS, start.shape[1]), start.dtype)
    learn_and_evaluate(
        prepared.kind,
        prepared.rule.pulls_back,
        prepared.n_epochs,
        prepared.continues,
        learning_rates,
        (prepared.training_brace, start, _panels(prepared.targets[:, units], start.dtype, beyond=0.5)),
        (
            prepared.evaluation_brace,
            evaluated_start,
            np.ascontiguousarray(prepared.evaluated_targets[:, units]),
        ),
        (summed, activities, changes, np.empty(units.stop - units.start, start.dtype)),
        *result,
    )


def _imprint(
    prepared: Prepared,
    units: slice,
    learning_rates: Array,
    start: Array,
    evaluated_start: Array,
    result: StripResult,
) -> None:
    imprinted = _panels(prepared.imprinted[:, units], start.dtype)
    within_epoch = np.tril(prepared.training_brace, -1)
    imprint_and_evaluate(
        prepared.kind,
        prepared.n_epochs,
        learning_rates,
        (start, _product(within_epoch, imprinted), _product(prepared.training_brace, imprinted)),
        (
            evaluated_start,
            _product(prepared.evaluation_brace, imprinted),
            np.ascontiguousarray(prepared.evaluated_targets[:, units]),
        ),
        *result,
    )


def _panels(columns: Array, dtype: npt.DTypeLike, *, beyond: float = 0.0) -> Array:
    """Return the columns followed by others up to a whole panel, all of one value.

    Targets are followed by 0.5, what a sigmoid answers to no input, so that it has nothing to learn there.
    """
    shape = (len(columns), padded(columns.shape[1], np.dtype(dtype).itemsize))
    panels = aligned(shape, dtype)
    panels[:, : columns.shape[1]] = columns
    panels[:, columns.shape[1] :] = beyond
    return panels


def _product(matrix: Array, panels: Array) -> Array:
    out = aligned((len(matrix), panels.shape[1]), panels.dtype)
    set_product(out, matrix, panels)
    return out
