"""Parameters as JSON and back: plain values, and members of the package's lists by their names.

A rule, an activation or an error term is written as the name of its list, its own name and its parameters,
and found again by looking it up there. One of a user's own is code, and code is not written into files.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from hebbian_descent.registry import Member
from hebbian_descent.storage.models.errors import ModelFileError
from hebbian_descent.storage.models.header import LARGEST_INTEGER

MEMBER = "$member"
STRINGS = "$strings"
LONGEST_WORD = 100
MOST_CHARACTERS = 2**26

FINDERS = {
    "Activation": "hebbian_descent.network.activations:get_activation",
    "ErrorTerm": "hebbian_descent.rules.error_terms:get_error_term",
    "Rule": "hebbian_descent.rules:get_rule",
    "AutoRule": "hebbian_descent.rules:get_auto_rule",
}
"""How a member of each list is found by its name; looked up when needed."""


def to_json(value: Any, place: str = "parameters") -> Any:
    """Return a value in words of JSON, or say which part of it has none."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int) and abs(value) < LARGEST_INTEGER:
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(value, list | tuple):
        return [to_json(part, f"{place}[{number}]") for number, part in enumerate(value)]
    if isinstance(value, Mapping) and all(isinstance(key, str) and key[:1] != "$" for key in value):
        return {key: to_json(part, f"{place}.{key}") for key, part in value.items()}
    if isinstance(value, np.ndarray) and value.ndim == 1 and all(isinstance(part, str) for part in value):
        return {STRINGS: {"object": value.dtype == object, "values": [str(part) for part in value]}}
    if isinstance(value, Member) and type(value).__name__ in FINDERS:
        return _member_to_json(value, place)
    raise ModelFileError(
        f"What is saved must be numbers, words, or members of the package's lists. Got {value!r} in {place}."
    )


def from_json(value: Any) -> Any:
    """Return what the words of JSON stand for."""
    if isinstance(value, list):
        return [from_json(part) for part in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {MEMBER}:
        return _member_from_json(value[MEMBER])
    if set(value) == {STRINGS}:
        return _strings_from_json(value[STRINGS])
    return {key: from_json(part) for key, part in value.items()}


def require_plain(values: Mapping[str, Any]) -> None:
    """Refuse all but numbers, short words and members of lists: no lists, no objects, no arrays.

    >>> require_plain({"rule": "hebb", "shift": 0.5})
    """
    for name, value in values.items():
        plain = value is None or isinstance(value, bool | int | float | Member)
        if not plain and not (isinstance(value, str) and len(value) <= LONGEST_WORD):
            raise ModelFileError(f"The value of {name!r} must be a number or a word. Got {value!r}.")


def _member_to_json(member: Member, place: str) -> dict[str, Any]:
    form = {
        MEMBER: {
            "list": type(member).__name__,
            "name": member.name,
            "parameters": to_json(dict(member.parameters), f"{place}.parameters"),
        }
    }
    if not member.is_built_in or from_json(form) is not member:
        raise ModelFileError(
            f"A model can be saved with what the package lists by name. Got {member.name!r} of your own in "
            f"{place}: save its arrays, and make the model from them and your own code."
        )
    return form


def _member_from_json(form: Any) -> Member:
    well_formed = (
        isinstance(form, dict)
        and set(form) == {"list", "name", "parameters"}
        and isinstance(form["list"], str)
        and form["list"] in FINDERS
        and isinstance(form["name"], str)
        and isinstance(form["parameters"], dict)
    )
    if not well_formed:
        raise ModelFileError("A member of a list must be named by list, name and parameters. Got otherwise.")
    require_plain(form["parameters"] | {"name": form["name"]})
    module, _, function = FINDERS[form["list"]].partition(":")
    find = getattr(importlib.import_module(module), function)
    parameters = {} if form["list"] == "Rule" else form["parameters"]
    try:
        found = find(form["name"], **parameters)
    except (TypeError, ValueError) as error:
        raise ModelFileError(str(error)) from None
    if not found.is_built_in or (form["list"] == "Rule" and form["parameters"] != dict(found.parameters)):
        raise ModelFileError(f"A member of a list must be there. Got {form['name']!a} with other parameters.")
    member: Member = found
    return member


def _strings_from_json(form: Any) -> Any:
    well_formed = (
        isinstance(form, dict)
        and set(form) == {"object", "values"}
        and isinstance(form["object"], bool)
        and isinstance(form["values"], list)
        and all(isinstance(part, str) for part in form["values"])
    )
    if not well_formed:
        raise ModelFileError("A list of words must be words. Got something else.")
    longest = max(map(len, form["values"]), default=0)
    if longest * len(form["values"]) > MOST_CHARACTERS:  # an array has room for the longest word everywhere
        raise ModelFileError(
            f"The words must not be that long. Got {len(form['values'])} of up to {longest} characters."
        )
    return np.array(form["values"], dtype=object if form["object"] else np.str_)
