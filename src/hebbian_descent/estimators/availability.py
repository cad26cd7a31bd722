"""Methods that an estimator has with some parameters only, and whose absence is explained.

`hasattr` is False where a method is missing, as meta-estimators expect. scikit-learn's `available_if` does
the same, but its message does not give the reason, which is lost where only the message is logged or shown.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from types import MethodType
from typing import Any

Reason = Callable[[Any], str | None]
"""estimator → why a method is missing, or None."""


def available_unless(reason: Reason) -> Callable[[Callable[..., Any]], Any]:
    """Decorate a method that is missing while there is a reason."""
    return lambda method: _Method(method, reason)


class _Method:
    def __init__(self, method: Callable[..., Any], reason: Reason) -> None:
        self.method, self.reason = method, reason
        self.__doc__ = method.__doc__

    def __get__(self, estimator: Any, owner: type) -> Callable[..., Any]:
        if estimator is not None:
            self._check(estimator)
            return MethodType(self.method, estimator)

        @wraps(self.method)
        def unbound(estimator: Any, *arguments: Any, **named: Any) -> Any:
            self._check(estimator)
            return self.method(estimator, *arguments, **named)

        return unbound

    def _check(self, estimator: Any) -> None:
        if (reason := self.reason(estimator)) is not None:
            kind, name = type(estimator).__name__, self.method.__name__
            # With a name and no object, Python does not suggest to call some private method instead.
            raise AttributeError(f"This {kind!r} has no attribute {name!r}. {reason}", name=name)
