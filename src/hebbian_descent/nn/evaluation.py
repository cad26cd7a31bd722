"""One pass of a model in evaluation mode, for the hooks that look at it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from torch import Tensor, nn


@contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """Put a model into evaluation mode, and restore the mode of each of its modules at the end."""
    was_training = {module: module.training for module in model.modules()}
    try:
        model.eval()
        yield
    finally:
        for module, training in was_training.items():
            module.training = training


def run_batch(model: nn.Module, *inputs: Any, **keywords: Any) -> None:
    """Run a model on a batch in evaluation mode; raise if the model does not take it."""
    with evaluating(model):
        try:
            model(*inputs, **keywords)
        except (RuntimeError, TypeError) as error:
            given = ", ".join(_described(one) for one in (*inputs, *keywords.values())) or "nothing"
            raise ValueError(
                f"The inputs must be a batch as {type(model).__name__} takes it. Got {given}, with which it "
                f"says: {error}"
            ) from error


def _described(argument: object) -> str:
    if not isinstance(argument, Tensor):
        return type(argument).__name__
    return f"{argument.dtype} of shape {tuple(argument.shape)}"
