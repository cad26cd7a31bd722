"""The pass over a few rows of weights that learns some steps and sums the next, written as LLVM vectors.

A loop over several rows of one array, which might overlap for all that a compiler knows, is compiled to one
number at a time. With vectors the sums and changes of five rows stay in the 16 registers of AVX2, and a pass
over weights takes as long as the caches need to bring and take them.
"""

from __future__ import annotations

from typing import Any

from numba.core import cgutils, types

from hebbian_descent.kernels.compilation import emitted
from hebbian_descent.kernels.panels import Panels

ROW_BYTES = 32


def _pass_over_rows(n_rows: int, decays: bool) -> Any:
    """Return a compiled function for `n_rows` rows, of which `n_whole` columns fill whole vectors.

    Changes, inputs and sums are tuples with one array a step.
    """

    @emitted
    def learn_and_sum(
        typing_context: Any,
        W: Any,
        keep: Any,
        p: Any,
        before: Any,
        now: Any,
        sums: Any,
        ahead: Any,
        first: Any,
        n_whole: Any,
        tiny: Any,
    ) -> Any:
        return types.void(W, keep, p, before, now, sums, ahead, first, n_whole, tiny), emit

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        lanes = Panels(context, builder, signature.args[0].dtype, ROW_BYTES)
        W = lanes.array(signature.args[0], values[0])
        p, before, now, sums, ahead = (
            [
                lanes.array(kind, builder.extract_value(values[argument], step))
                for step, kind in enumerate(signature.args[argument])
            ]
            for argument in range(2, 7)
        )
        first, n_whole = values[7:9]
        keep, tiny = lanes.in_all_lanes(values[1]), lanes.in_all_lanes(values[9])
        rows = [builder.add(first, lanes.index(row)) for row in range(n_rows)]
        changes = [[lanes.in_all_lanes(builder.load(lanes.address(q, row))) for q in p] for row in rows]
        totals = [[cgutils.alloca_once_value(builder, lanes.constant(0)) for _ in sums] for _ in rows]
        with cgutils.for_range_slice(
            builder, lanes.index(0), n_whole, lanes.index(lanes.n_lanes), n_whole.type
        ) as (column, _):
            for inputs in ahead:
                lanes.fetch(inputs, column)
            learned, summed = ([lanes.load(x, column) for x in inputs] for inputs in (before, now))
            for row, changes_of_row, totals_of_row in zip(rows, changes, totals, strict=True):
                weight = lanes.load(W, row, column)
                weight = builder.fmul(keep, weight) if decays else weight
                for change, x in zip(changes_of_row, learned, strict=True):
                    weight = lanes.fused_multiply_add(change, x, weight)
                weight = lanes.without_fading(weight, tiny) if decays else weight
                lanes.store(weight, W, row, column)
                for total, x in zip(totals_of_row, summed, strict=True):
                    builder.store(lanes.fused_multiply_add(weight, x, builder.load(total)), total)
        for row, totals_of_row in zip(rows, totals, strict=True):
            for sums_of_step, total in zip(sums, totals_of_row, strict=True):
                builder.store(lanes.sum_of(builder.load(total)), lanes.address(sums_of_step, row))
        return context.get_dummy_value()

    return learn_and_sum


MOST_ROWS = 5
learn_one, learn_two, learn_three, learn_four, learn_five = (
    _pass_over_rows(n, decays=False) for n in range(1, MOST_ROWS + 1)
)
decay_one, decay_five = (_pass_over_rows(n, decays=True) for n in (1, MOST_ROWS))
