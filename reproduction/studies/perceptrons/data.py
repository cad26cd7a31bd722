"""Labelled patterns as tensors: whole datasets, the part that a seed chooses, and its batches."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F

from hebbian_descent.datasets import load
from reproduction.studies.perceptrons.network import BATCH, N_CLASSES, SIZES, code_of


class Data(NamedTuple):
    """Training and test patterns."""

    name: str
    inputs: Tensor
    labels: Tensor
    test_inputs: Tensor
    test_labels: Tensor

    @property
    def n_features(self) -> int:
        """The number of inputs of a pattern."""
        return self.inputs.shape[1]


def read(name: str, *, n_test: int | None = None) -> Data:
    """Return a dataset as float32 tensors, with the first `n_test` test patterns."""
    dataset = load(name)
    if dataset.test is None:
        raise ValueError(f"The dataset must have test patterns. Got {name!r}, which has none: try 'digits'.")
    parts = (dataset.train, dataset.test)
    tensors = (torch.as_tensor(array) for part in parts for array in (part.inputs, part.labels))
    x, labels, test_x, test_labels = tensors
    return Data(name, x.float(), labels.long(), test_x[:n_test].float(), test_labels[:n_test].long())


class Split(NamedTuple):
    """Training, validation and test patterns."""

    inputs: Tensor
    labels: Tensor
    validation_inputs: Tensor
    validation_labels: Tensor
    test_inputs: Tensor
    test_labels: Tensor


@lru_cache(maxsize=10)
def split_of(dataset: str, inputs: str, seed: int) -> Split:
    """Return the patterns of a seed; standardised inputs have mean 0 and, if they vary, variance 1."""
    data = _read(dataset)
    n_train, n_validation = SIZES[dataset]
    generator = torch.Generator().manual_seed(seed)
    rows = torch.randperm(len(data.inputs), generator=generator)[: n_train + n_validation]
    dtype = torch.get_default_dtype()
    x, labels, test_x = data.inputs[rows].to(dtype), data.labels[rows], data.test_inputs.to(dtype)
    if inputs == "standardised":
        sd, mean = torch.std_mean(x[:n_train], dim=0)
        scale = torch.where(sd > 0.01, sd, 1.0)  # a pixel that is rarely set must not become huge
        x, test_x = (x - mean) / scale, (test_x - mean) / scale
    at = slice(n_train), slice(n_train, None)
    return Split(x[at[0]], labels[at[0]], x[at[1]], labels[at[1]], test_x, data.test_labels)


@cache
def _read(dataset: str) -> Data:
    return read(dataset)


def batches(n_patterns: int, n_updates: int, seed: int) -> Iterator[Tensor]:
    """Yield the rows of shuffled batches, epoch after epoch."""
    generator = torch.Generator().manual_seed(seed)
    rows: list[Tensor] = []
    for _ in range(n_updates):
        if not rows:
            rows = list(torch.randperm(n_patterns, generator=generator).split(BATCH))
        yield rows.pop()


def encode(labels: Tensor, output: str) -> Tensor:
    """Return one target per class."""
    low, high = code_of(output)
    return low + (high - low) * F.one_hot(labels, N_CLASSES).to(torch.get_default_dtype())
