"""Parameters as JSON and back: plain values, and members of the package's lists by their names.

A rule, an activation or an error term is written as the name of its list, its own name and its parameters,
and looked up in that list again. A user's own is code, and code is never written to a file.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from hebbian_descent.registry import FINDERS, Member
from hebbian_descent.storage.models.contents import ModelFileError, require_plain, shortened

MEMBER = "$member"
STRINGS = "$strings"
MOST_CHARACTERS = 2**26
INTEGER_BOUND = 2**63


def to_json(value: Any, place: str = "parameters") -> Any:
    """Return a value as JSON, or raise a `ModelFileError` that names the part that cannot be saved."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int) and abs(value) < INTEGER_BOUND:
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
    """Return the value that JSON stands for."""
    if isinstance(value, list):
        return [from_json(part) for part in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {MEMBER}:
        return _member_from_json(value[MEMBER])
    if set(value) == {STRINGS}:
        return _strings_from_json(value[STRINGS])
    return {key: from_json(part) for key, part in value.items()}


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
        raise ModelFileError(
            f"A member of a list must be given by list, name and parameters. Got {shortened(form)}."
        )
    require_plain(form["parameters"] | {"name": form["name"]})
    parameters = {} if form["list"] == "Rule" else form["parameters"]
    try:
        found = FINDERS[form["list"]](form["name"], **parameters)
    except (TypeError, ValueError) as error:
        raise ModelFileError(str(error)) from None
    if not found.is_built_in or (form["list"] == "Rule" and form["parameters"] != dict(found.parameters)):
        raise ModelFileError(
            f"A member of a list must have the parameters it is listed with. Got {form['name']!a} with "
            f"{shortened(form['parameters'])}."
        )
    return found


def _strings_from_json(form: Any) -> Any:
    well_formed = (
        isinstance(form, dict)
        and set(form) == {"object", "values"}
        and isinstance(form["object"], bool)
        and isinstance(form["values"], list)
        and all(isinstance(part, str) for part in form["values"])
    )
    if not well_formed:
        raise ModelFileError(f"A list of words must hold words alone. Got {shortened(form)}.")
    longest = max(map(len, form["values"]), default=0)
    if longest * len(form["values"]) > MOST_CHARACTERS:  # an array has room for the longest word everywhere
        raise ModelFileError(
            f"A list of words must take at most {MOST_CHARACTERS} characters, each counted as the longest. "
            f"Got {len(form['values'])} words of up to {longest} characters."
        )
    return np.array(form["values"], dtype=object if form["object"] else np.str_)
