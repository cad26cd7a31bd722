"""Members of the package's lists: made once per set of parameters, known by identity, pickled by name.

A compiled path may replace a Python function only if it is certain which function that is. A name does not
tell, since anyone can call a custom activation "sigmoid"; the identity of an object that the package made
does.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any, ParamSpec, SupportsIndex, TypeVar

_MAKERS: dict[int, Callable[..., object]] = {}  # by the identity of what they made, which is never released


class Member:
    """Base class of what is listed by name: knows whether the package made it, and how to make it again."""

    name: str
    parameters: Mapping[str, Any]
    compiled: str | None
    """The name of its form in the compiled core, or None; see `compiled_form`."""

    @property
    def is_built_in(self) -> bool:
        """Whether the package made this, with any parameters: not a custom member, nor a changed copy."""
        return id(self) in _MAKERS

    @property
    def compiled_form(self) -> str | None:
        """The name of the compiled form that computes exactly this object, or None: the plain loop then runs.

        A changed copy of a built-in member still carries its name, and must not be mistaken for it.
        """
        return self.compiled if self.is_built_in else None

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        """Pickle built-in members by name, since functions within functions cannot be pickled."""
        if self.is_built_in:
            return functools.partial(_MAKERS[id(self)], **self.parameters), ()
        return super().__reduce_ex__(protocol)


P = ParamSpec("P")
M = TypeVar("M", bound=Member)
F = TypeVar("F", bound=Callable[..., Member])

FINDERS: dict[str, Callable[..., Member]] = {}
"""For each class of members, by name, the function that finds one by its name and parameters."""


def finder_of(kind: type[Member]) -> Callable[[F], F]:
    """Let a function find the members of a class by their names, in model files."""

    def register(find: F) -> F:
        FINDERS[kind.__name__] = find
        return find

    return register


def made_with(kind: str, name: str, make: Callable[..., M], parameters: Mapping[str, Any]) -> M:
    """Return a listed member with parameters, and refuse unknown ones."""
    known = signature(make).parameters
    if unknown := [key for key in parameters if key not in known]:
        has = f"takes {', '.join(known)}" if known else "has no parameters"
        raise TypeError(f"The {kind} {name!r} {has}. Got {', '.join(unknown)}.")
    return make(**parameters)


def made_once(make: Callable[P, M]) -> Callable[P, M]:
    """Let a function that makes a member return the same object for the same parameters."""
    made: dict[tuple[tuple[str, Any], ...], M] = {}

    @functools.wraps(make)
    def make_or_recall(*args: P.args, **kwargs: P.kwargs) -> M:
        member = make(*args, **kwargs)
        try:
            member = made.setdefault(tuple(member.parameters.items()), member)
        except TypeError:  # an unhashable parameter, such as an array: treated as custom
            return member
        _MAKERS[id(member)] = make_or_recall
        return member

    return make_or_recall
