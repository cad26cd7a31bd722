"""All-or-nothing learning: after an exception, a learner is as it was before.

A learner is a network, an estimator or a memory: an object whose attributes hold arrays. It learns on a
draft, a copy with its own arrays, and takes over the draft in one assignment, which no interrupt can split.

Long calls need not lose everything to Ctrl-C. Where a draft is consistent, as after an epoch, its state can
be kept: an interrupt later on, though no other exception, leaves the learner with that.

Of two drafts at a time one would be lost, so a learner learns in one call at a time (`alone`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np

from hebbian_descent.aligned import aligned_copy
from hebbian_descent.network import Autoencoder, Layer

Learner = TypeVar("Learner")
Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

_LEARNING: dict[int, object] = {}
"""The call in which a learner learns, by the identity of the learner; no part of it, its copies or files."""
if hasattr(os, "register_at_fork"):  # a child process has no other threads
    os.register_at_fork(after_in_child=_LEARNING.clear)


_KEPT: dict[int, dict[str, Any]] = {}
"""Last consistent state of each draft, by the identity of the draft."""


def alone(
    learn: Callable[Concatenate[Learner, Arguments], Result],
) -> Callable[Concatenate[Learner, Arguments], Result]:
    """Let a method that learns raise where its learner is learning: in another thread, or in a callback."""

    @wraps(learn)
    def learn_alone(learner: Learner, /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        key, call = id(learner), object()
        try:
            try:
                if _LEARNING.setdefault(key, call) is not call:
                    raise RuntimeError(
                        f"A {type(learner).__name__} learns in one call at a time. Got a call of "
                        f"{learn.__name__} during another one: use a lock, or one copy per thread."
                    )
                return learn(learner, *args, **kwargs)
            finally:
                _end(key, call)
        finally:  # an interrupt may have come before
            _end(key, call)

    return learn_alone


def _end(key: int, call: object) -> None:
    if _LEARNING.get(key) is call:
        del _LEARNING[key]


@contextmanager
def all_or_nothing(learner: Learner, shared: Collection[str] = ()) -> Iterator[Learner]:
    """Yield a draft to learn on, and make it the learner's own unless an exception comes first.

    Attributes named in `shared` are not copied: they may be large, and the caller replaces them as a whole.
    """
    draft: Learner = object.__new__(type(learner))
    draft.__dict__ = own_state(learner, shared)
    _KEPT.pop(id(draft), None)  # an interrupt may have left one of an earlier draft of this identity
    try:
        yield draft
        learner.__dict__ = draft.__dict__
    except KeyboardInterrupt:
        if id(draft) in _KEPT:
            learner.__dict__ = _KEPT[id(draft)]
        raise
    finally:
        _KEPT.pop(id(draft), None)


def keep_so_far(draft: object, *, shared: bool = False) -> None:
    """Let a later interrupt keep what the draft has learned so far.

    Where no interrupt can come while arrays change, what it learns later may be kept as well, and nothing
    need be copied: the state is `shared`.
    """
    _KEPT[id(draft)] = dict(vars(draft)) if shared else own_state(draft)


def own_state(learner: object, shared: Collection[str] = ()) -> dict[str, Any]:
    """Return the attributes of a learner with copies of what learning changes in place."""
    return {name: value if name in shared else own(value) for name, value in vars(learner).items()}


def as_it_is(learner: Learner) -> Learner:
    """Return a learner as it is now, also if another thread puts a draft in its place: for reading."""
    present: Learner = object.__new__(type(learner))
    present.__dict__ = vars(learner)
    return present


def draft_of(learner: Learner) -> Learner:
    """Return a copy that has its own arrays."""
    draft: Learner = object.__new__(type(learner))
    draft.__dict__ = own_state(learner)
    return draft


def is_finite(network: Layer | Autoencoder) -> bool:
    """Return whether all numbers of a network are finite."""
    return all(np.isfinite(array).all() for array in vars(network).values() if isinstance(array, np.ndarray))


def own(value: Any) -> Any:
    """Return a copy of what learning changes in place; anything else is only ever replaced."""
    if isinstance(value, np.ndarray):
        return aligned_copy(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(own, value))
    if type(value) is dict:
        return {name: own(part) for name, part in value.items()}
    return value.copy() if isinstance(value, Layer | Autoencoder) else value
