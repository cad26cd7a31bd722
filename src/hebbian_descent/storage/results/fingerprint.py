"""Keys made from content: the same specification gives the same key in every process, and no other does.

Numbers, texts, containers and arrays count by value. A user's own function counts by its text and by the
values it closes over, its defaults and the global names it uses, followed recursively. Comments, empty
lines and its place in the file do not count; other formatting does. Library code counts by name. Anything
that hides its state is refused with a reason.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from enum import Enum
from types import FunctionType, MethodType, ModuleType
from typing import Any

from hebbian_descent.storage.results.classes import describe_class, describe_instance
from hebbian_descent.storage.results.functions import describe_function
from hebbian_descent.storage.results.libraries import library_name
from hebbian_descent.storage.results.values import (
    FORMS,
    FORMS_OF_SUBCLASSES,
    Json,
    RefusalError,
    Visit,
    sha256,
)


class FingerprintError(TypeError):
    """Something cannot be hashed by its content; the message names it and says why."""


def fingerprint(value: object) -> str:
    """Return the SHA-256 of the canonical form of a value, 64 hexadecimal digits."""
    return sha256(canonical(value))


def canonical(value: object) -> Json:
    """Return a value as JSON values; a canonical form is its own canonical form.

    Functions and classes appear as name and hash; `described` also returns what was hashed.
    """
    return described(value)[0]


def described(value: object) -> tuple[Json, dict[str, Json]]:
    """Return the canonical form of a value, and what its hashes of functions and classes stand for."""
    walk = _Walk()
    return walk.form(value, ""), walk.definitions


class _Walk:
    """A walk through a value and everything it reaches, which remembers what it has seen."""

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
                "What a key is made of must be hashable by what it holds. "
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
            f"the module {value.__name__!r} as a whole; name in the function what it uses of the module"
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
    # What Numba compiles keeps the Python function, and the options that change its arithmetic.
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
