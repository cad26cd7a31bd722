"""The optimizers that `Centering` hooks into, and the closures that they evaluate within a step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from torch.optim import LBFGS, Optimizer


def plain_optimizers(optimizer: Optimizer | Sequence[Optimizer]) -> list[Optimizer]:
    """Return the optimizers that take the steps, without the wrappers of training libraries."""
    each = optimizer if isinstance(optimizer, Sequence) else [optimizer]
    return list(dict.fromkeys(_plain(one) for one in each))


def _plain(optimizer: Any) -> Optimizer:
    while isinstance(getattr(optimizer, "optimizer", None), Optimizer):
        optimizer = optimizer.optimizer
    if not isinstance(optimizer, Optimizer):
        raise TypeError(
            f"The optimizer must be one of torch.optim, or a list of those. Got {type(optimizer).__name__}."
        )
    if isinstance(optimizer, LBFGS):
        raise ValueError(
            "Centering needs an optimizer that evaluates the gradient once per step. "
            "Got LBFGS, which does so several times: use one like SGD or Adam."
        )
    return optimizer


def with_closure_followed_by(
    then: Callable[[], None], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
    """Return the arguments of a step, the optimizer first, with a closure that calls `then` at its end.

    The closure computes the gradients within the step, after the hooks before it. Without a closure: None.
    """
    if len(args) > 1 and args[1] is not None:
        return (args[0], _once(args[1], then, args[0]), *args[2:]), kwargs
    if kwargs.get("closure") is not None:
        return args, kwargs | {"closure": _once(kwargs["closure"], then, args[0])}
    return None


def _once(closure: Callable[[], Any], then: Callable[[], None], optimizer: Optimizer) -> Callable[[], Any]:
    was_called = False

    def followed() -> Any:
        nonlocal was_called
        if was_called:
            raise RuntimeError(
                "Centering needs an optimizer that evaluates its closure once per step. "
                f"Got {type(optimizer).__name__}, which does so again: use one like SGD or Adam."
            )
        was_called = True
        loss = closure()
        then()
        return loss

    return followed
