"""Keys made from content: equal specifications, and only those, have the same key in every process.

Numbers, texts, containers and arrays count by value. A custom function counts by its source text and by the
values it closes over, its defaults and the global names it uses, followed recursively. Comments, blank
lines and its place in the file do not count; other formatting does. Library code counts by name.

A user's class is its methods and its class-level values; an instance is its class and its attributes. Only
classes written in Python keep all of their state in attributes: an open file or a random generator hides it,
and is refused with a reason.
"""

from __future__ import annotations

import abc
import dataclasses
import functools
import typing
from collections.abc import Callable, Iterator
from enum import Enum
from types import FunctionType, GetSetDescriptorType, MemberDescriptorType, MethodType, ModuleType
from typing import Any

from hebbian_descent.storage.results.functions import describe_function
from hebbian_descent.storage.results.libraries import is_library, library_name
from hebbian_descent.storage.results.values import (
    FORMS,
    FORMS_OF_SUBCLASSES,
    Json,
    RefusalError,
    Visit,
    sha256,
)


class FingerprintError(TypeError):
    """A value cannot be hashed by its content; the message names it and says why."""


def fingerprint(value: object) -> str:
    """Return the SHA-256 of the canonical form of a value, 64 hexadecimal digits."""
    return sha256(canonical(value))


def canonical(value: object) -> Json:
    """Return a value as JSON values; a canonical form is its own canonical form.

    Functions and classes appear as name and hash; `described` also returns what was hashed.
    """
    return described(value)[0]


def described(value: object) -> tuple[Json, dict[str, Json]]:
    """Return the canonical form of a value, and what the hashes of its functions and classes stand for."""
    walk = _Walk()
    return walk.form(value, ""), walk.definitions


class _Walk:
    """A walk through a value and everything reachable from it, which remembers what it has seen."""

    def __init__(self) -> None:
        self.definitions: dict[str, Json] = {}
        self._known: dict[int, Json] = {}
        self._under_way: list[int] = []

    def form(self, value: object, place: str) -> Json:
        if id(value) in self._under_way:
            return {"$cycle": len(self._under_way) - self._under_way.index(id(value))}
        self._under_way.append(id(value))
        try:
            return self._maker(value)(
                value, lambda part, name: self.form(part, f"{place}.{name}".lstrip("."))
            )
        except RefusalError as refusal:
            raise FingerprintError(
                "A key must be made of values that can be hashed by their content. "
                f"Got {place or 'the value'}: {refusal}."
            ) from None
        finally:
            self._under_way.pop()

    def _maker(self, value: object) -> Callable[[Any, Visit], Json]:
        if type(value) in FORMS:
            return FORMS[type(value)]
        for kind, maker in (*FORMS_OF_SUBCLASSES.items(), *FORMS_OF_CODE.items()):
            if isinstance(value, kind):
                return maker
        if library_name(value) is not None:
            return _library
        if isinstance(value, FunctionType):
            return functools.partial(self._defined, "$function", describe_function)
        if isinstance(value, type):
            return functools.partial(self._defined, "$class", describe_class)
        return _compiled if hasattr(value, "py_func") else _instance

    def _defined(
        self, tag: str, describe: Callable[[Any, Visit], dict[str, Json]], value: Any, visit: Visit
    ) -> Json:
        if id(value) not in self._known:
            description = describe(value, visit)
            digest = sha256(description)
            self.definitions[digest] = description
            self._known[id(value)] = {tag: {"name": value.__name__, "sha256": digest}}
        return self._known[id(value)]


def _library(value: object, visit: Visit) -> Json:
    return {"$library": dict(library_name(value) or {})}


def _module(value: ModuleType, visit: Visit) -> Json:
    if library_name(value) is None:
        raise RefusalError(
            f"the module {value.__name__!r} as a whole; in the function, name what it uses of the module"
        )
    return _library(value, visit)


def _method(value: MethodType, visit: Visit) -> Json:
    return {"$method": [visit(value.__func__, value.__func__.__name__), visit(value.__self__, "self")]}


def _partial(value: functools.partial[object], visit: Visit) -> Json:
    return {
        "$partial": [visit(value.func, "func"), visit(value.args, "args"), visit(value.keywords, "keywords")]
    }


def _cached(value: Any, visit: Visit) -> Json:
    return {"$cached": visit(value.__wrapped__, "__wrapped__")}


def _enum(value: Enum, visit: Visit) -> Json:
    return {
        "$enum": {"class": type(value).__name__, "name": value.name, "value": visit(value.value, "value")}
    }


def _compiled(value: Any, visit: Visit) -> Json:
    # A function compiled by Numba keeps the Python function and the options that change its arithmetic.
    options = getattr(value, "targetoptions", {})
    return {"$compiled": [visit(value.py_func, "py_func"), visit(options, "options")]}


def _instance(value: object, visit: Visit) -> Json:
    return {"$instance": describe_instance(value, visit)}


FORMS_OF_CODE: dict[type, Callable[[Any, Visit], Json]] = {
    ModuleType: _module,
    MethodType: _method,
    functools.partial: _partial,
    type(functools.cache(len)): _cached,
    Enum: _enum,
}


STATELESS_BASES: tuple[object, ...] = (object, abc.ABC, typing.Generic, typing.Protocol)
COMPARISONS = frozenset({"__eq__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__"})
ACCESS = frozenset({"__setattr__", "__delattr__", "__getstate__", "__setstate__", "__getnewargs__"})
MAKING = frozenset({"__init__", "__new__", "__replace__", "__repr__", "_make", "_replace", "_asdict"})
BOOKKEEPING = frozenset({"_abc_impl", "__annotate_func__"})
GENERATED_METHODS = COMPARISONS | ACCESS | MAKING
"""Methods that `dataclass` and `NamedTuple` generate."""


def describe_class(cls: type, visit: Visit) -> dict[str, Json]:
    """Return everything that determines how a class behaves: its own members and its bases."""
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
    # Through `object`, because a class may leave attributes out of the state that it shows.
    state: Any = object.__getstate__(value)
    in_dict, in_slots = state if isinstance(state, tuple) else (state, None)
    return {**(in_dict or {}), **(in_slots or {})}


def _members(cls: type) -> Iterator[tuple[str, object]]:
    for name, member in vars(cls).items():
        if isinstance(member, property):
            accessors = {"get": member.fget, "set": member.fset, "delete": member.fdel}
            yield from ((f"{name}.{role}", accessor) for role, accessor in accessors.items() if accessor)
        elif not _is_plumbing(cls, name, member):
            yield name, _unwrapped(member)


def _is_plumbing(cls: type, name: str, member: object) -> bool:
    """Return whether Python added the member, and not the author of the class."""
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
