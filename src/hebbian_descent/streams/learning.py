"""One block of a stream: predicted, then learned, step by step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse

from hebbian_descent.streams.block import Block
from hebbian_descent.streams.checkpoint import Checkpoint
from hebbian_descent.streams.encoding import Inputs
from hebbian_descent.streams.progressive import steps


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
        stream.position.rows = end
        yield start, end


def predict_block(stream: Checkpoint, block: Block) -> npt.NDArray[Any]:
    """Return one prediction for each row of a block."""
    inputs = stream.encoding.inputs(block)
    cuts = steps(0, len(block), width_of(inputs))
    return np.concatenate([stream.estimator.predict(inputs[start:end]) for start, end in cuts])


def width_of(inputs: Inputs) -> int:
    """Return how many numbers a row holds at least: all of an array, next to none of a sparse matrix."""
    return 1 if issparse(inputs) else int(inputs.shape[1])
