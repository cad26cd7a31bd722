"""Patterns of which only what is not zero is stored, and batches of them in the order of reading."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array
from hebbian_descent.kernels.compilation import kept_on_disk

ROWS_IN_CACHE = 100  # of a panel of 256 bytes: 25 of the 32 KiB that processors have at least

Places = npt.NDArray[np.int64]


class SparsePatterns(NamedTuple):
    """The entries that are not zero, pattern by pattern."""

    edges: Places
    """Where blocks of inputs begin and end, (n_blocks + 1,)."""
    starts: Places
    """Where the entries of a pattern in a block begin and end, (n_patterns, n_blocks + 1)."""
    inputs: npt.NDArray[np.uint32]
    values: Array


class ByPattern(NamedTuple):
    """The entries of a batch, block by block of inputs and pattern by pattern: the way forward reads them."""

    edges: Places
    begins: Places
    """Where the entries of a pattern in a block begin, (n_blocks, n)."""
    ends: Places
    inputs: npt.NDArray[np.uint32]
    values: Array


class ByInput(NamedTuple):
    """The entries of a batch, part by part of the patterns and input by input: the way back reads them."""

    parts: Places
    """Where parts of the batch that fit into the cache begin and end, (n_parts + 1,)."""
    bounds: Places
    """Where the entries of an input in a part begin and end, (n_parts, n_inputs + 1)."""
    patterns: npt.NDArray[np.uint32]
    """Their places within the part; the last entry of an input stands for the sum of all of the part."""
    factors: Array
    """The negative values, and last the offset of the input."""


def sparse_patterns(
    patterns: Array, n_entries: int, *, edges: Places | None = None, dtype: np.dtype[Any] | None = None
) -> SparsePatterns:
    """Return the entries that are not zero, in blocks that fit into the cache unless others are asked for.

    `n_entries` is how many there are, which whoever asks for them knows already.
    """
    n_patterns, n_inputs = patterns.shape
    edges = cut(n_inputs) if edges is None else edges
    starts = np.zeros((n_patterns, len(edges)), np.int64)
    # One more, because an entry is written before it is known whether it stays.
    inputs = np.empty(n_entries + 1, np.uint32)
    values = np.empty(n_entries + 1, patterns.dtype if dtype is None else dtype)
    fill_entries(patterns, edges, starts, inputs, values)
    return SparsePatterns(edges, starts, inputs, values)


def by_pattern(patterns: SparsePatterns, rows: Places) -> ByPattern:
    """Return the entries of the patterns at some rows, where they are."""
    starts = np.ascontiguousarray(patterns.starts[rows].T)
    return ByPattern(patterns.edges, starts[:-1], starts[1:], patterns.inputs, patterns.values)


def copied(batch: ByPattern) -> ByPattern:
    """Return the entries in the order in which they are read, which is faster to read many times."""
    n_entries = int((batch.ends - batch.begins).sum())
    copy = ByPattern(
        edges=batch.edges,
        begins=np.empty_like(batch.begins),
        ends=np.empty_like(batch.ends),
        inputs=np.empty(n_entries, np.uint32),
        values=np.empty(n_entries, batch.values.dtype),
    )
    copy_entries(batch, copy)
    return copy


def by_input(patterns: SparsePatterns, rows: Places, offset: Array) -> ByInput:
    """Return the entries of the inputs in the patterns at some rows, with the offset that centers them."""
    parts, n_inputs = cut(len(rows)), len(offset)
    n_entries = int((patterns.starts[rows, -1] - patterns.starts[rows, 0]).sum())
    n_entries += n_inputs * (len(parts) - 1)
    found = ByInput(
        parts=parts,
        bounds=np.zeros((len(parts) - 1, n_inputs + 1), np.int64),
        patterns=np.empty(n_entries, np.uint32),
        factors=np.empty(n_entries, patterns.values.dtype),
    )
    fill_by_input(patterns, rows, offset, found)
    return found


def cut_in_halves(n: int) -> Places:
    """Return where blocks of rows begin and end that fit into the cache, as many in both halves."""
    n_blocks = 2 * max(1, -(-n // (2 * ROWS_IN_CACHE)))
    return np.arange(n_blocks + 1, dtype=np.int64) * n // n_blocks


def cut(n: int) -> Places:
    """Return where the fewest parts of rows begin and end that fit into the cache; the first is longest."""
    n_parts = max(1, -(-n // ROWS_IN_CACHE))
    return np.minimum(np.arange(n_parts + 1) * -(-n // n_parts), n).astype(np.int64)


@kept_on_disk
def fill_entries(patterns: Any, edges: Any, starts: Any, inputs: Any, values: Any) -> None:
    """Set places and values of the entries, and where those of each pattern and block begin and end."""
    entry = np.uint64(0)
    for pattern in range(len(patterns)):
        starts[pattern, 0] = entry
        for block in range(len(edges) - 1):
            for j in range(edges[block], edges[block + 1]):
                inputs[entry], values[entry] = j, patterns[pattern, j]
                entry += np.uint64(patterns[pattern, j] != 0)
            starts[pattern, block + 1] = entry


@kept_on_disk
def copy_entries(batch: Any, copy: Any) -> None:
    """Copy the entries of a batch, one after the other."""
    n_blocks, n = batch.begins.shape
    place = 0
    for block in range(n_blocks):
        for i in range(n):
            copy.begins[block, i] = place
            for entry in range(batch.begins[block, i], batch.ends[block, i]):
                copy.inputs[place], copy.values[place] = batch.inputs[entry], batch.values[entry]
                place += 1
            copy.ends[block, i] = place


@kept_on_disk
def fill_by_input(patterns: Any, rows: Any, offset: Any, found: Any) -> None:
    """Sort the entries of the patterns by input, part by part, and put the offset after them."""
    n_inputs, parts, n_blocks = len(offset), found.parts, len(patterns.edges) - 1
    start, places = 0, np.empty(n_inputs, np.int64)
    for part in range(len(parts) - 1):
        bounds = found.bounds[part]
        for i in range(parts[part], parts[part + 1]):
            for entry in range(patterns.starts[rows[i], 0], patterns.starts[rows[i], n_blocks]):
                bounds[patterns.inputs[entry] + 1] += 1
        bounds[0] = start
        for j in range(n_inputs):
            places[j] = bounds[j]
            bounds[j + 1] += bounds[j] + 1
        for i in range(parts[part], parts[part + 1]):
            for entry in range(patterns.starts[rows[i], 0], patterns.starts[rows[i], n_blocks]):
                j = patterns.inputs[entry]
                found.patterns[places[j]] = i - parts[part]
                found.factors[places[j]] = -patterns.values[entry]
                places[j] += 1
        for j in range(n_inputs):
            found.patterns[places[j]] = parts[part + 1] - parts[part]
            found.factors[places[j]] = offset[j]
        start = bounds[n_inputs]
