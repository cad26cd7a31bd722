"""A property that is computed once.

That of `functools` computes under a lock before Python 3.12, and a process forked meanwhile would wait for it
forever.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class cached_property(Generic[T]):  # noqa: N801  # as in `functools`
    """Decorate a method whose value is kept in the object; two threads may both compute it."""

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self.compute, self.name = compute, compute.__name__
        self.__doc__ = compute.__doc__

    @overload
    def __get__(self, owner: None, kind: type) -> cached_property[T]: ...
    @overload
    def __get__(self, owner: object, kind: type) -> T: ...
    def __get__(self, owner: Any, kind: type) -> Any:
        """Return the value, which from now on hides this property."""
        if owner is None:
            return self
        return owner.__dict__.setdefault(self.name, self.compute(owner))
