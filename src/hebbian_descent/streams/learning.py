"""Learning a stream block by block: skip what was learned before, predict the rest, then learn it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse

from hebbian_descent.streams.block import Block
from hebbian_descent.streams.checkpoint import Checkpoint
from hebbian_descent.streams.encoding import Inputs
from hebbian_descent.streams.progressive import RowChecksum, steps
from hebbian_descent.streams.source import Source


def blocks_left(stream: Checkpoint, source: Source, blocks: Iterator[Block]) -> Iterator[tuple[Block, int]]:
    """Yield the blocks of a pass that remain to be learned, each with the row to begin at.

    Rows that were learned before are skipped without being parsed; different rows in their place are refused.
    """
    return _blocks_after(stream.position.rows, stream, source, blocks, stream.seen)


def check_last_pass(stream: Checkpoint, source: Source) -> None:
    """Refuse a source that does not begin with the rows of the last whole pass."""
    with closing(source.blocks()) as blocks:
        next(_blocks_after(stream.tally.examples, stream, source, blocks, RowChecksum()), None)


def _blocks_after(
    n_rows: int, stream: Checkpoint, source: Source, blocks: Iterator[Block], seen: RowChecksum
) -> Iterator[tuple[Block, int]]:
    left = n_rows
    for block in blocks:
        stream.encoding.check_columns(block, source, with_target=True)
        skipped = min(left, len(block))
        if skipped:
            seen.add(block.content(slice(skipped), stream.encoding.columns))
            left -= skipped
            if not left and stream.position.checksum != seen.hexdigest():
                raise ValueError(
                    f"{source.name}: the first {n_rows:,} rows must be those that were learned before, which "
                    "--resume skips. Got others: give the rows that were learned, learn these on top of the "
                    "model with --initial, or learn a new model without --resume."
                )
        if skipped < len(block):
            yield block, skipped
    if left:
        raise ValueError(
            f"{source.name}: the {n_rows:,} rows that were learned before must still be there. Got "
            f"{n_rows - left:,}: give the rows that were learned, or learn these on top of the model with "
            "--initial."
        )


def learn_block(stream: Checkpoint, block: Block, first_row: int = 0) -> Iterator[tuple[int, int]]:
    """Learn the rows of a block from `first_row` on; yield the number of rows before and after each step."""
    inputs, targets = stream.encoding.examples(block)
    before = stream.position.rows - first_row  # rows of earlier blocks
    for start, end in steps(stream.position.rows, before + len(block), width_of(inputs)):
        rows = slice(start - before, end - before)
        X, y = inputs[rows], targets[rows]
        can_predict = stream.estimator.__sklearn_is_fitted__()
        stream.tally.add(y, stream.estimator.predict(X) if can_predict else None)
        stream.estimator.partial_fit(X, y)
        stream.seen.add(block.content(rows, stream.encoding.columns))
        stream.position.rows, stream.position.checksum = end, stream.seen.hexdigest()
        yield start, end


def predict_block(stream: Checkpoint, block: Block) -> npt.NDArray[Any]:
    """Return one prediction for each row of a block."""
    inputs = stream.encoding.inputs(block)
    cuts = steps(0, len(block), width_of(inputs))
    return np.concatenate([stream.estimator.predict(inputs[start:end]) for start, end in cuts])


def width_of(inputs: Inputs) -> int:
    """Return the least number of values per row: all of an array, next to none of a sparse matrix."""
    return 1 if issparse(inputs) else int(inputs.shape[1])
