"""Streams: files of examples that need not fit into memory, read block by block.

A `Source` yields blocks of rows; an `Encoding` turns a block into inputs and targets, the same way on every
machine; a `Checkpoint` is an estimator with its encoding and how far it has learned.
"""

from hebbian_descent.streams.checkpoint import Checkpoint
from hebbian_descent.streams.encoding import HASH_BITS, TASKS, Encoding
from hebbian_descent.streams.learning import blocks_left, check_last_pass, learn_block, predict_block
from hebbian_descent.streams.source import FORMATS, Source

__all__ = [
    "FORMATS",
    "HASH_BITS",
    "TASKS",
    "Checkpoint",
    "Encoding",
    "Source",
    "blocks_left",
    "check_last_pass",
    "learn_block",
    "predict_block",
]
