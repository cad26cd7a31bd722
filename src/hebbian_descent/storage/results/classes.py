"""What decides the behaviour of a user's own class, and of an instance of it.

A class is its methods and its class-level values; an instance is its class and its attributes. Only classes
written in Python keep all of their state in attributes: an open file or a random generator hides it, and is
refused.
"""

from __future__ import annotations

import abc
import dataclasses
import functools
import typing
from collections.abc import Iterator
from types import FunctionType, GetSetDescriptorType, MemberDescriptorType
from typing import Any

from hebbian_descent.registry import ADDED_LATER
from hebbian_descent.storage.results.libraries import is_library
from hebbian_descent.storage.results.values import Json, RefusalError, Visit

STATELESS_BASES: tuple[object, ...] = (object, abc.ABC, typing.Generic, typing.Protocol)
COMPARISONS = frozenset({"__eq__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__"})
ACCESS = frozenset({"__setattr__", "__delattr__", "__getstate__", "__setstate__", "__getnewargs__"})
MAKING = frozenset({"__init__", "__new__", "__replace__", "__repr__", "_make", "_replace", "_asdict"})
BOOKKEEPING = frozenset({"_abc_impl", "__annotate_func__"})
GENERATED_METHODS = COMPARISONS | ACCESS | MAKING
"""Methods that `dataclass` and `NamedTuple` write themselves."""


def describe_class(cls: type, visit: Visit) -> dict[str, Json]:
    """Return all that decides how a class behaves: its own members and its bases."""
    members = dict(_members(cls))
    factories = dict(_default_factories(cls))
    return {
        "name": cls.__name__,
        "bases": [visit(base, base.__name__) for base in cls.__bases__ if base not in STATELESS_BASES],
        "members": {name: visit(members[name], name) for name in sorted(members)},
        "factories": {name: visit(factories[name], name) for name in sorted(factories)},
    }


def describe_instance(value: object, visit: Visit) -> dict[str, Json]:
    """Return the class and the attributes of an instance."""
    cls = type(value)
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        state = value._asdict()
    elif dataclasses.is_dataclass(cls) or not any(map(_may_hide_state, cls.__mro__)):
        state = _attributes(value)
    else:
        raise RefusalError(
            f"an object of {cls.__module__}.{cls.__qualname__}, whose state cannot be read; pass what it "
            "stands for (a seed, plain values, NumPy arrays, functions or dataclasses of your own)"
        )
    return {
        "class": visit(cls, cls.__name__),
        "state": {name: visit(state[name], name) for name in sorted(state)},
    }


def _may_hide_state(cls: type) -> bool:
    return cls not in STATELESS_BASES and is_library(cls.__module__)


def _attributes(value: object) -> dict[str, object]:
    # Asked of `object`, because a class may leave attributes out of the state that it shows.
    state: Any = object.__getstate__(value)
    in_dict, in_slots = state if isinstance(state, tuple) else (state, None)
    attributes = {**(in_dict or {}), **(in_slots or {})}
    return {name: part for name, part in attributes.items() if not _is_new_default(value, name, part)}


def _is_new_default(value: object, name: str, part: object) -> bool:
    """Return whether an attribute says nothing that a version without it would not have assumed."""
    field = getattr(type(value), "__dataclass_fields__", {}).get(name)
    return field is not None and ADDED_LATER.items() <= field.metadata.items() and part is field.default


def _members(cls: type) -> Iterator[tuple[str, object]]:
    for name, member in vars(cls).items():
        if isinstance(member, property):
            accessors = {"get": member.fget, "set": member.fset, "delete": member.fdel}
            yield from ((f"{name}.{role}", accessor) for role, accessor in accessors.items() if accessor)
        elif not _is_plumbing(cls, name, member):
            yield name, _unwrapped(member)


def _is_plumbing(cls: type, name: str, member: object) -> bool:
    """Return whether Python put the member there, and not the author of the class."""
    function = _unwrapped(member)
    if isinstance(member, MemberDescriptorType | GetSetDescriptorType) or name in BOOKKEEPING:
        return True
    if name.startswith("__") and not callable(function):
        return True
    if issubclass(cls, tuple) and name in ("_fields", "_field_defaults", *getattr(cls, "_fields", ())):
        return True
    is_generated = name in GENERATED_METHODS and (dataclasses.is_dataclass(cls) or issubclass(cls, tuple))
    own_name = f"{cls.__name__}.{name}"
    return is_generated and not (
        isinstance(function, FunctionType) and function.__code__.co_qualname.endswith(own_name)
    )


def _unwrapped(member: object) -> object:
    if isinstance(member, staticmethod | classmethod):
        return member.__func__
    if isinstance(member, functools.cached_property):
        return member.func
    return member


def _default_factories(cls: type) -> Iterator[tuple[str, object]]:
    for field in getattr(cls, "__dataclass_fields__", {}).values():
        if field.default_factory is not dataclasses.MISSING:
            yield field.name, field.default_factory
